"""The kinds of memory: one closed table, each row with its policy.

A word of another system (a "workflow", a "KD", a "convention") is accepted wherever a kind is. It is stored as the memory's
facet, so that the person's own distinction is not lost.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from vademecum.domain.errors import UnknownWord

Scope = Literal["personal", "project", "skill", "agent", "wiki"]


class Kind(Struct, frozen=True):
    """One kind of memory and its policy.

    Attributes:
        name: the word in frontmatter and the folder's name.
        meaning: one sentence for help pages.
        home: the default group of spaces for a memory of this kind.
        cap: most memories of a project that a page shows in full before it only lists the rest, and above which `vade jobs`
            reports; None: all.
        view: the generated page that lists it, or None.
        key_prefix: two or three letters of the display key ("KD" gives KD07), or None.
        importance: 0..1, the default base value.
    """

    name: str
    meaning: str
    home: Scope = "project"
    cap: int | None = None
    view: str | None = None
    key_prefix: str | None = None
    importance: float = 0.5


_ROWS = (
    Kind("preference", "How the person wants things done.", "personal", None, "preferences.md", "PF", 0.7),
    Kind("identity", "Who the person is.", "personal", None, "identity.md", "ID", 0.8),
    Kind("style", "How to talk with the person, by context.", "personal", None, "style.md", "ST", 0.7),
    Kind("fact", "Something that is true.", "personal", None, "facts.md", "FA", 0.5),
    Kind("event", "Something that happened.", "personal", 30, "events.md", "EV", 0.4),
    Kind("decision", "A choice and its reason.", "project", 30, "decisions.md", "KD", 0.8),
    Kind("spec", "What something must do.", "project", None, "specs.md", "SP", 0.6),
    Kind("plan", "A planned task.", "project", None, "plans.md", "PL", 0.5),
    Kind("lesson", "What was learned.", "project", 25, "lessons.md", "LL", 0.7),
    Kind("fix", "A problem and what fixed it.", "project", None, "fixes.md", "FX", 0.7),
    Kind("incident", "Something that went badly wrong, and its cause.", "project", 15, "incidents.md", "COE", 0.8),
    Kind("procedure", "How to do something, step by step.", "project", None, "procedures.md", "PR", 0.7),
    Kind("handoff", "Where a session stopped.", "project", 30, "handoffs.md", "HO", 0.5),
    Kind("task", "Something still to do.", "project", 10, "tasks.md", "OT", 0.6),
    Kind("project", "What a project is about.", "project", None, "projects.md", "PJ", 0.8),
    Kind("idea", "Something worth trying one day.", "personal", None, "Ideas.md", "IA", 0.4),
    Kind("source", "A text that memories were taken from.", "project", None, "sources.md", "SO", 0.4),
    Kind("skill", "A skill: its place and purpose.", "skill", None, "skills.md", "SK", 0.5),
    Kind("self", "What an agent notes about itself, not about the person.", "agent", None, "soul.md", "SE", 0.7),
    Kind("module", "A module of a code base.", "wiki", None, "modules.md", "MO", 0.5),
    Kind("component", "A component of a system.", "wiki", None, "components.md", "CO", 0.5),
    Kind("dependency", "Something a system depends on.", "wiki", None, "dependencies.md", "DE", 0.5),
    Kind("flow", "How data or control travels.", "wiki", None, "flows.md", "FL", 0.5),
    Kind("entity", "A person, place, organisation or thing.", "wiki", None, "entities.md", "EN", 0.5),
    Kind("concept", "A term and its meaning.", "wiki", None, "concepts.md", "CN", 0.5),
)

#: Kinds that describe the person, an agent or a skill; they belong to no project, wherever they were said.
OF_NO_PROJECT = frozenset({"identity", "style", "self", "skill"})

KINDS: dict[str, Kind] = {row.name: row for row in _ROWS}

#: Words of other systems -> our kind. The word itself is stored as the memory's facet.
FACETS: dict[str, str] = {
    "workflow": "procedure", "convention": "preference", "reference": "source", "feedback": "preference",
    "user": "identity", "workaround": "fix", "success_pattern": "lesson", "failure_pattern": "lesson",
    "review": "lesson", "checkpoint": "handoff", "evolution_event": "event", "correction": "lesson",
    "competence": "procedure", "optimization": "procedure", "failed_evolution": "lesson", "capability": "skill",
    "skill-pointer": "skill", "thread": "task", "open_thread": "task",
    "key_decision": "decision", "coe": "incident", "lessons": "lesson", "decisions": "decision", "tasks": "task",
    "projects": "project", "handoffs": "handoff", "observability": "spec", "question": "fact", "synthesis": "concept",
    "soul": "self", "recent_context": "event", "note": "fact",
}  # fmt: skip


#: Heading of each section of the curated core memory -> the kinds in it.
CURATED: Mapping[str, tuple[str, ...]] = {
    "### Incidents": ("incident",),
    "### Decisions": ("decision", "spec"),
    "### Lessons": ("lesson", "fix", "procedure"),
    "### Preferences": ("identity", "preference", "style"),
    "### Lately": ("event", "handoff"),
    "### Open threads": ("task", "plan"),
}
CURATED_KINDS = tuple(kind for kinds in CURATED.values() for kind in kinds)


def was_place_of_memory(link: str) -> bool:
    """Return whether a link names a file in a folder of memories.

    A path is not a memory's identity, so such a link still refers to the memory with that file name after it was moved.
    """
    folder = link.strip("/").rpartition("/")[0].rpartition("/")[2]
    return folder in KINDS or folder.startswith("_")


def kind_named(word: str) -> tuple[str, str | None]:
    """Return the name of the kind that a word names, and the facet to store when the word is another system's, else None.

    Raises:
        UnknownWord: no such kind.
    """
    try:
        kind, facet = resolve_kind(word)
    except KeyError:
        raise UnknownWord("kind of memory", word, KINDS, others=FACETS, list_all=True) from None
    return kind.name, facet


def resolve_kind(word: str) -> tuple[Kind, str | None]:
    """Return the kind that `word` names, and the facet to store when the word is another system's, else None.

    Raises:
        KeyError: when neither table contains the word.
    """
    plain = word.strip().lower()
    if plain in KINDS:
        return KINDS[plain], None
    return KINDS[FACETS[plain]], plain
