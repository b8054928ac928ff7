"""Notes with a kind or type in their frontmatter: MemoryVault, a persistent wiki, OKF, basic-memory.

MemoryVault and wikis have a known `kind` or `type`. OKF 0.2 requires a `type`, with any value. basic-memory has a `permalink`,
and observations (`- [category] text #tag`) and relations (`- type [[Note]]`) in the text, which is not split.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import fields

from vademecum.domain.errors import Problem
from vademecum.domain.item import Status
from vademecum.domain.kinds import resolve_kind
from vademecum.domain.memory import PROPERTY_ORDER, RELATIONS, Memory
from vademecum.plugin_api.vault import Value, places, render, title_of
from vademecum.plugins.moving.formats.record import Format, Given, Record, moment, text_in, with_description, words

#: States of notes of other programs; any other counts as active.
_STATES: Mapping[str, Status] = {
    "superseded": "superseded", "replaced": "superseded", "deprecated": "superseded", "archived": "archived", "resolved": "resolved",
    "done": "resolved", "closed": "resolved", "completed": "resolved", "incubating": "incubating",
}  # fmt: skip
#: Names that OKF keeps for pages about others.
RESERVED = frozenset({"index.md", "log.md"})
READ = frozenset(
    {"title", "name", "type", "kind", "tags", "aliases", "created", "date", "permalink", "description", "project", "agent"}
)
#: Properties that an exported note can have in addition.
CARRIED = frozenset(PROPERTY_ORDER) - {"id", "kind", "facet", "title", "updated", "last_confirmed", "confirmations", *RELATIONS}
HELD = CARRIED | {"kind", "facet"}
#: Default value of each field of a memory.
DEFAULTS = {field.name: field.default for field in fields(Memory)}


def _read(files: Sequence[Given]) -> Iterator[Record | Problem]:
    for given in files:
        properties = given.properties
        if given.name in RESERVED and not properties.get("permalink"):
            yield Problem(given.path, "It lists other notes and was left out.")
            continue
        extra = {name: value for name, value in properties.items() if name not in READ}
        text, summary = with_description(properties.get("description"), given.note.body)
        title = text_in(properties.get("title") or properties.get("name")) or title_of(given.note.body, given.path)
        status = text_in(properties.get("status")).strip().lower()
        yield Record(
            given.path, text, title, text_in(properties.get("kind") or properties.get("type")),
            "concept" if "type" in properties else "fact",
            key=text_in(properties.get("permalink")) or given.path.removesuffix(".md"), line=1,
            at=moment(properties.get("created") or properties.get("date")), since=moment(properties.get("valid_from")),
            tags=words(properties.get("tags")), aliases=words(properties.get("aliases")), project=text_in(properties.get("project")),
            agent=text_in(properties.get("agent")), properties={**extra, **summary},
            status=_STATES.get(status, "active"), superseded_by=_linked(properties.get("superseded_by")),
        )  # fmt: skip


def _linked(value: object) -> str:
    """Return the name to which a property refers: by a link, a path or a bare name; of a list, the first."""
    first = value[0] if isinstance(value, list | tuple) and value else value
    name = str(first or "").strip().strip("[]").partition("|")[0].partition("#")[0]
    return name.rpartition("/")[2].removesuffix(".md")


def _is_known(given: Given) -> bool:
    try:
        resolve_kind(str(given.properties.get("kind") or given.properties.get("type") or ""))
    except KeyError:
        return False
    return True


def placed(memories: Sequence[Memory]) -> Iterator[tuple[Memory, str]]:
    """Yield each memory with the path of its note: by kind and title, each path once, none with a name that OKF keeps for itself."""
    taken = set[str]()
    for memory in memories:
        number, stem = 1, f"{memory.kind}/{places.slugify(memory.title)}"
        while (path := places.numbered(f"{stem}.md", number)) in taken or path.rpartition("/")[2] in RESERVED:
            number += 1
        taken.add(path)
        yield memory, path


def _written(
    properties: Callable[[Memory, str], Mapping[str, Value]],
) -> Callable[[Sequence[Memory]], Iterator[tuple[str, str]]]:
    """Return a writer that makes one note for each memory, in folders by kind.

    Args:
        properties: (memory, name of its file) -> frontmatter specific to the format.
    """

    def write(memories: Sequence[Memory]) -> Iterator[tuple[str, str]]:
        for memory, path in placed(memories):
            names = (
                name for name in PROPERTY_ORDER if name in CARRIED & DEFAULTS.keys() and getattr(memory, name) != DEFAULTS[name]
            )
            carried = {name: getattr(memory, name) for name in names}
            free = {name: value for name, value in memory.extra.items() if isinstance(value, str | int | float | bool)}
            shown = {**properties(memory, path.removesuffix(".md")), **carried, **free}
            yield (
                path,
                render({name: list(value) if isinstance(value, tuple) else value for name, value in shown.items()})
                + memory.body,
            )

    return write


BASIC_MEMORY = Format(
    "basic-memory", "notes of basic-memory", lambda given: "permalink" in given.properties, _read,
    write=_written(lambda memory, path: {"title": memory.title, "type": memory.facet or memory.kind, "permalink": path}), holds=HELD,
)  # fmt: skip
OKF = Format(
    "okf", "a bundle of the Open Knowledge Format", lambda given: isinstance(given.properties.get("type"), str), _read,
    write=_written(lambda memory, path: {"type": memory.facet or memory.kind, "title": memory.title}), holds=HELD,
)  # fmt: skip
NOTES = Format("notes", "notes with a kind (MemoryVault, a wiki)", _is_known, _read, trust="user")
