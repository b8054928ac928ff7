"""Our own memories as JSON lines: each has its note's text and the journals' data about it, so that nothing is lost."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from vademecum.domain.errors import Problem
from vademecum.domain.ids import is_id
from vademecum.plugin_api.vault import File
from vademecum.plugins.moving.formats import notes
from vademecum.plugins.moving.formats.record import Format, Given, Record

VERSION = 1


def lines(files: Iterable[File]) -> str:
    """Return one line for each memory."""
    rows = ({"vademecum": VERSION, **{name: getattr(file, name) for name in File.__struct_fields__}} for file in files)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def files_in(given: Given) -> Iterator[tuple[int, File | Problem]]:
    """Yield (line, the memory's file, or the reason why the line is invalid)."""
    for line, row, fault in given.lines:
        file = _file(row)
        yield line, file or Problem(given.path, f"line {line}: {fault.partition(': ')[2] or 'not a memory of this format'}")


def _file(row: Any) -> File | None:
    if not isinstance(row, Mapping) or row.get("vademecum") != VERSION:
        return None
    texts = [row.get(name) for name in ("id", "space", "path", "text")]
    known = row.get("known")
    if not all(isinstance(entry, str) for entry in texts) or not is_id(str(texts[0])) or not isinstance(known, Mapping):
        return None
    identity, space, path, text = map(str, texts)
    return File(identity, space, path, text, known)


def _read(files: Sequence[Given]) -> Iterator[Record | Problem]:
    """Yield memories from somebody else's export. Their ids and trust are those of the other person, so they are not adopted."""
    for given in files:
        for _, result in files_in(given):
            if isinstance(result, Problem):
                yield result
            else:
                note = Given(result.path, result.text)
                note.__dict__["properties"] = {**dict(result.known), **note.note.values(), "permalink": result.id}
                yield from notes.NOTES.read([note])


FORMAT = Format(
    "vademecum", "memories of Vademecum", lambda given: any(_file(row) for _, row, _ in given.lines[:3]), _read, trust="user"
)
