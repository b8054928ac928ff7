"""Export memories in the format of another memory or as one page, and report fields that the format cannot represent.

Files are only created, never overwritten. Our own format (`vademecum`) contains every memory, whatever its status; the others
only valid ones.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import AlreadyExists, InvalidInput, UnknownWord, files_explained
from vademecum.domain.memory import BY_PERSON, PROPERTY_ORDER, By, Memory
from vademecum.domain.places import place_named
from vademecum.domain.query import Scope
from vademecum.plugin_api.memory import Context, scope_for
from vademecum.plugin_api.vault import files as disk
from vademecum.plugins.moving.formats import FORMATS, own
from vademecum.plugins.moving.formats.notes import DEFAULTS
from vademecum.plugins.moving.formats.record import Format

#: Fields that follow from a memory's place and history.
_NOT_COUNTED = frozenset({"id", "title", "created", "updated", "status", "last_confirmed", "confirmations"})
_MOST = 1_000_000
MARKDOWN = "markdown"
WRITERS: dict[str, Format] = {form.name: form for form in FORMATS if form.write}
TARGETS = (own.FORMAT.name, MARKDOWN, *WRITERS)


class Export(Struct, frozen=True):
    """Result of an export.

    Attributes:
        folder: of the files; "" if `text` is the only file.
        files: their paths.
        memories: number of memories.
        unheld: field -> number of memories for which the format could not represent it.
    """

    to: str
    memories: int
    folder: str = ""
    files: tuple[str, ...] = ()
    text: str = ""
    unheld: dict[str, int] = {}


def export_memories(
    context: Context,
    folder: str = "",
    to: str = MARKDOWN,
    group: Literal["topic", "kind"] = "topic",
    scope: Scope | None = None,
    *,
    by: By = BY_PERSON,
) -> Export:
    """Write memories into a folder; without a folder, return the text if it is a single file.

    Withheld memories are exported only for the person.

    Raises:
        UnknownWord: no such format.
        AlreadyExists: a file exists; nothing was written.
        InvalidInput: a folder is needed.
    """
    if to not in TARGETS:
        raise UnknownWord("form", to, TARGETS, list_all=True)
    chosen = scope or Scope()
    if to == own.FORMAT.name and by.actor == "user":
        chosen = replace(chosen, branches=None)  # the exported file must contain everything for a later import
    standing = None if to == own.FORMAT.name else ("active", "disputed")
    chosen = scope_for(context, replace(chosen, sources=("memory",), statuses=standing), by)
    items = sorted(context.index.select(chosen, limit=_MOST), key=lambda item: item.key)
    memories = [context.vault.get(item.key.removeprefix("memory://")) for item in items]
    made = list(_made(context, memories, to, group))
    unheld = _unheld(memories, WRITERS[to]) if to in WRITERS else {}
    if not folder:
        if len(made) != 1:
            raise InvalidInput(f"{to} is {len(made)} files.", "Name a folder to put them into.")
        return Export(to, len(memories), text=made[0][1], unheld=unheld)
    place = place_named(folder)
    _write(place, made)
    return Export(to, len(memories), str(place), tuple(path for path, _ in made), unheld=unheld)


def _made(context: Context, memories: Sequence[Memory], to: str, group: str) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of each file."""
    write = WRITERS[to].write if to in WRITERS else None
    if write is not None:
        yield from write(memories)
    elif to == MARKDOWN:
        yield "memories.md", _page(memories, group)
    else:
        yield "memories.jsonl", own.lines(context.vault.as_it_lies(memory.id) for memory in memories)


def _write(root: Path, made: Sequence[tuple[str, str]]) -> None:
    there = [path for path, _ in made if (root / path).exists()]
    if there:
        raise AlreadyExists(f"{root / there[0]} exists already. Nothing was written.", "Name a new folder.")
    with files_explained():
        root.mkdir(parents=True, exist_ok=True)
    for path, text in made:
        disk.create(root, root / path, text.encode())


def _page(memories: Sequence[Memory], group: str) -> str:
    """Return one page for a person: memories grouped by first topic or by kind, each with its source (VO-45)."""

    def heading_of(memory: Memory) -> str:
        return memory.kind if group == "kind" else next(iter((*memory.topics, *memory.tags)), "no topic")

    lines = ["# Memories", ""]
    for heading, some in groupby(
        sorted(memories, key=lambda other: (heading_of(other), other.title.lower(), other.id)), key=heading_of
    ):
        lines += [f"## {heading}", ""]
        for memory in some:
            lines += [f"### {memory.title}", "", memory.body.strip() or memory.title, "", f"*{_provenance(memory)}*", ""]
    return "\n".join(lines)


def _provenance(memory: Memory) -> str:
    since = memory.said_at
    kind = [
        memory.kind,
        f"since {since:%Y-%m-%d}",
        f"trust {memory.trust}",
        memory.project and f"project {memory.project}",
        memory.source,
    ]
    return ", ".join(part for part in kind if part)


def _unheld(memories: Sequence[Memory], form: Format) -> dict[str, int]:
    """Return field -> number of memories that have it, for fields that the format cannot represent."""
    names = [name for name in PROPERTY_ORDER if name not in _NOT_COUNTED | form.holds]
    counted = Counter(name for memory in memories for name in names if getattr(memory, name, None) != DEFAULTS.get(name))
    return {name: counted[name] for name in names if counted[name]}
