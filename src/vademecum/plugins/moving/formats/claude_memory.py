"""Claude Code's auto-memory: `~/.claude/projects/<project>/memory`, `MEMORY.md` and one file for each topic.

Its sub-agents use the same format below `agent-memory/<agent>`.

As of 2026-11: the frontmatter of a topic has `name`, `description` and `type` (user, feedback, project, reference); lately `type`
or `node_type` is inside `metadata`, or there is no frontmatter. `MEMORY.md` is the index, with one link per line. Its other text,
which older versions have, is read section by section.
"""

import re
from collections.abc import Iterator, Sequence

from vademecum.domain.memory import Memory
from vademecum.language.text import brief
from vademecum.plugin_api.vault import places, render, title_of
from vademecum.plugins.moving.flat_files import kind_of
from vademecum.plugins.moving.formats.blocks import blocks, sections
from vademecum.plugins.moving.formats.properties import inner
from vademecum.plugins.moving.formats.record import Format, Given, Record, moment, text_in, with_description, words

INDEX = "MEMORY.md"
_LINK = re.compile(r"\]\(\s*<?(?P<file>[^)>\s]+\.md)>?\s*\)")
_SUB_AGENT = re.compile(r"(?:^|/)agent-memory(?:-local)?/(?P<agent>[^/]+)/[^/]+$")
_BRACKET = re.compile(r"[\[\]]")
_TYPES = {"preference": "feedback", "identity": "user", "style": "feedback", "source": "reference"}
_OWN_TYPES = ("user", "feedback", "project", "reference")
_KEPT = ("name", "description", "type", "metadata", "tags", "modified", "updated", "created", "date")
_HOOK_CHARS = 120


def _fits(given: Given) -> bool:
    return (given.name == INDEX and not given.note.entries) or (
        {"name", "description"} <= given.properties.keys() and bool(_type(given))
    )


def _agent(given: Given) -> str:
    """Return the sub-agent to which a file belongs; "" for none."""
    match = _SUB_AGENT.search(given.place)
    return match["agent"] if match else ""


def _type(given: Given) -> str:
    inside = inner(given.properties, "metadata")
    return text_in(given.properties.get("type") or inside.get("type") or inside.get("node_type"))


def _read(files: Sequence[Given]) -> Iterator[Record]:
    there = {given.path for given in files}
    for given in files:
        if given.name != INDEX or given.note.entries:
            yield _topic(given)
        else:
            yield from _beside_index(given, there)


def _topic(given: Given) -> Record:
    fields = given.properties
    extra = {name: value for name, value in fields.items() if name not in _KEPT}
    text, summary = with_description(fields.get("description"), given.note.body)
    name = text_in(fields.get("name")) or title_of(given.note.body, given.path)
    inside = inner(fields, "metadata")
    times = (moment(held.get(field)) for held in (inside, fields) for field in ("modified", "updated", "created", "date"))
    return Record(
        given.path, text, name, _type(given), "project", key=given.path.removesuffix(".md"), line=1,
        tags=words(fields.get("tags")), at=next(filter(None, times), None), properties={**extra, **summary}, agent=_agent(given),
    )  # fmt: skip


def _beside_index(given: Given, there: set[str]) -> Iterator[Record]:
    """Yield the text of an index, without lines that link to a topic file that is read anyway."""
    folder = given.path.rpartition("/")[0]
    lines = given.text.splitlines()
    for number, line in enumerate(lines):
        named = _LINK.search(line)
        if named and (f"{folder}/{named['file']}" if folder else named["file"]) in there:
            lines[number] = ""
    for block in sections("\n".join(lines)):
        yield Record(
            given.path, block.text, block.heading, kind_of(block.heading), "project", line=block.line, agent=_agent(given)
        )


def _write(memories: Sequence[Memory]) -> Iterator[tuple[str, str]]:
    """Yield a topic file for each memory, then the index."""
    lines, taken = ["# Memory", ""], set[str]()
    for memory in memories:
        kind = memory.facet if memory.facet in _OWN_TYPES else _TYPES.get(memory.kind, "project")
        path = f"{kind}_{places.slugify(memory.title).replace('-', '_')}.md"
        while path in taken:
            path = f"{path.removesuffix('.md')}_.md"
        taken.add(path)
        hook = memory.summary or brief(" ".join(block.text for block in blocks(memory.body)), _HOOK_CHARS) or memory.title
        kept = {"name": memory.title, "description": hook, "type": kind}
        yield path, render(kept) + memory.body
        title = _BRACKET.sub(r"\\\g<0>", memory.title)
        lines.append(f"- [{title}]({path}) — {hook}")
    yield INDEX, "\n".join(lines) + "\n"


FORMAT = Format(
    "claude-memory", "auto-memory of Claude Code", _fits, _read, write=_write, beside=frozenset({"*.md"}), holds=frozenset({"summary"}),
)  # fmt: skip
