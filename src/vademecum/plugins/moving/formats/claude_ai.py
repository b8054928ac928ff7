"""The parts of a Claude.ai export other than conversations: `memories.json` and projects.

As of 2026-11: `[{conversations_memory, project_memories: {uuid: text}, account_uuid}]`, or that object alone; in newer exports
also `memory_files: [{path, content, updated_at}]`. `projects.json` is a list of `{uuid, name, description, prompt_template,
docs: [{filename, content}]}`; in newer exports, `projects/` has one file for each such object. A project's memory gets the
project's name if the export has it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from vademecum.plugins.moving.formats.blocks import sections
from vademecum.plugins.moving.formats.paste import lines_of, said_like
from vademecum.plugins.moving.formats.record import Format, Given, Record, entries_in, moment, text_in

#: Marks whether the person stated an entry or Claude inferred it.
_MARK = re.compile(r"\[(?P<how>stated|inferred)\]\s*")
_MEMORIES = ("conversations_memory", "project_memories", "memory_files")
_PROJECT = ("prompt_template", "docs")


def _rows(given: Given) -> list[Mapping[str, Any]]:
    data = given.data
    return [by_key for by_key in (data if isinstance(data, list) else [data]) if isinstance(by_key, Mapping)]


def _fits(given: Given) -> bool:
    return any(name in row for row in _rows(given)[:3] for name in (*_MEMORIES, *_PROJECT))


def _read(files: Sequence[Given]) -> Iterator[Record]:
    rows = [(given, row) for given in files for row in _rows(given)]
    names = {str(row["uuid"]): str(row.get("name") or "") for _, row in rows if "uuid" in row}
    for given, row in rows:
        yield from lines_of(given, text_in(row.get("conversations_memory")), project="")
        of_projects = row.get("project_memories")
        for uuid, text in of_projects.items() if isinstance(of_projects, Mapping) else ():
            for block in sections(text_in(text)):
                yield Record(given.path, block.text, block.heading, "project", project=names.get(uuid) or uuid)
        yield from _files(given, row)
        if any(name in row for name in _PROJECT):
            yield from _project(given, row)


def _files(given: Given, row: Mapping[str, Any]) -> Iterator[Record]:
    """Yield entries of the files that Claude writes about the person, split like pasted text."""
    for by_key in entries_in(row.get("memory_files")):
        if isinstance(by_key, Mapping) and text_in(by_key.get("content")):
            at = moment(by_key.get("updated_at"))
            for record in lines_of(given, text_in(by_key["content"]), project=""):
                mark = _MARK.match(record.text)
                sure = {"confidence": "low"} if mark and mark["how"] == "inferred" else {}
                text = _MARK.sub("", record.text)
                yield replace(
                    record, text=text, kind=record.kind or said_like(text), at=record.at or at, line=0, properties=sure
                )


def _project(given: Given, row: Mapping[str, Any]) -> Iterator[Record]:
    name, uuid, at = text_in(row.get("name")) or "Project", text_in(row.get("uuid")), moment(row.get("created_at"))
    text = "\n\n".join(filter(None, (text_in(row.get(part)) for part in ("description", "prompt_template"))))
    if text:
        yield Record(given.path, text, name, "project", key=uuid, at=at, project=name)
    for doc in entries_in(row.get("docs")):
        if isinstance(doc, Mapping) and text_in(doc.get("content")):
            title = text_in(doc.get("filename")) or name
            yield Record(given.path, text_in(doc["content"]), title, "source", key=f"{uuid}/{title}", at=at, project=name)


FORMAT = Format("claude-ai", "memory and projects of a Claude.ai export", _fits, _read, cuts=True)
