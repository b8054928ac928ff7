"""Memory v2: the files that preceded it (VO-46), and its facts as rows of JSON.

`soul.md` says how to talk, so it becomes styles. `knowledge.md` was cut from notes and is skipped.
"""

from collections.abc import Iterator, Sequence

from vademecum.domain.errors import Problem
from vademecum.plugins.moving.formats.blocks import blocks
from vademecum.plugins.moving.formats.record import Format, Given, Record, moment, text_in, words

_FILES = {
    "user-profile.md": "identity", "projects.md": "project", "patterns.md": "preference", "soul.md": "style", "errors.md": "lesson",
    "custom-tools.md": "procedure",
}  # fmt: skip
_SKIPPED = "knowledge.md"


def _fits(given: Given) -> bool:
    return given.name in ("user-profile.md", "soul.md") or _is_fact(given)


def _is_fact(given: Given) -> bool:
    lines = given.lines[:1] if given.path.endswith(".jsonl") else ()
    rows = given.data if isinstance(given.data, list) else [value for _, value, _ in lines]
    return bool(rows) and isinstance(rows[0], dict) and {"text", "kind"} <= rows[0].keys()


def _read(files: Sequence[Given]) -> Iterator[Record | Problem]:
    for given in files:
        if given.name in _FILES:
            yield from (
                Record(given.path, block.text, kind=_FILES[given.name], line=block.line) for block in blocks(given.note.body)
            )
        elif given.name != _SKIPPED:
            rows = (
                enumerate(given.data, 1) if isinstance(given.data, list) else ((number, row) for number, row, _ in given.lines)
            )
            for number, row in rows:
                is_fact = isinstance(row, dict) and text_in(row.get("text")).strip()
                yield _fact(given, number, row) if is_fact else Problem(given.path, f"entry {number} has no text")


def _fact(given: Given, number: int, row: dict[str, object]) -> Record:
    extra = {name: value for name in ("importance", "source_uri") if (value := row.get(name)) is not None}
    key = f"fact:{row['id']}" if "id" in row else ""
    return Record(
        given.path, text_in(row["text"]), kind=text_in(row.get("kind")), key=key, line=number, at=moment(row.get("created_at")),
        aliases=(key,) if key else (), properties={**extra, "topics": list(words(row.get("topics")))},
    )  # fmt: skip


FORMAT = Format(
    "memory-v2", "Memory v2, and the files before it", _fits, _read, trust="extracted", cuts=True,
    beside=frozenset({*_FILES, _SKIPPED}),
)  # fmt: skip
