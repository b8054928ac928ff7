"""The memory: one durable thing worth knowing. One Markdown file is one memory."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, get_args

import msgspec
from msgspec import Struct

from vademecum.domain.action import Level
from vademecum.domain.item import Attributes, Confidence, Edge, Status, Trust, Visibility

#: Trust of what waits because it speaks to an agent. It is told to nobody before the person approved it.
QUARANTINED: Trust = "external"
#: Begins the source of what a colleague said: then follow the space that it was shared in and their name.
COLLEAGUE = "team://"
#: Trust of what is in no answer while it waits: nobody but an agent, or somebody outside, said it.
HIDDEN_WHILE_WAITING: tuple[Trust, ...] = ("agent", QUARANTINED)
#: Who made a change. "hand": the person, in an editor or file manager.
Actor = Literal["user", "agent", "extraction", "hand"]

STATUSES: tuple[Status, ...] = get_args(Status)
CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)
#: The most trusted first.
TRUSTS: tuple[Trust, ...] = get_args(Trust)
#: How far what somebody writes is trusted at most.
TRUST_OF: Mapping[Actor, Trust] = {"user": "user", "hand": "user", "agent": "agent", "extraction": "extracted"}

#: Longest summary, in characters.
SUMMARY_MAX_CHARS = 200

#: Frontmatter keys in the order in which a new note shows them. docs/vault-format.md is written from the same list.
PROPERTY_ORDER = (
    "id", "kind", "facet", "title", "status", "summary", "tags", "topics", "aliases", "confidence", "importance",
    "created", "said", "updated", "valid_from", "valid_until", "last_confirmed", "confirmations",
    "supersedes", "superseded_by", "superseded_at", "superseded_reason", "contradicts", "may_replace", "refines", "derived_from", "related",
    "source", "source_interface", "source_span", "agent", "project", "branch", "profile", "visibility", "trust",
    "always_load", "priority", "pin", "when", "unless", "level",
)  # fmt: skip

#: Property by which a note of the person's says that memories are taken from it; the index knows it as a tag of the note.
SOURCE_FLAG = "memory-source"
#: Stands in `superseded_by` where a memory no longer holds and no successor is known.
STALE = "STALE"

#: Relations that a memory's frontmatter can hold, each a list of ids or [[links]].
RELATIONS = ("supersedes", "superseded_by", "contradicts", "may_replace", "refines", "derived_from", "related")


class Memory(Attributes, frozen=True):
    """One memory as its file says it; attributes that the index holds as well are those of :class:`Attributes`.

    Attributes:
        id: 26 characters, sortable by time; see :mod:`vademecum.domain.ids`.
        kind: a name of :data:`vademecum.domain.kinds.KINDS`.
        title: what the person calls it. The file is named after it, but it is not identity.
        body: everything behind the frontmatter, newlines as in the file.
        space: name of the space that holds it.
        path: POSIX, relative to the space's root.
        etag: hash of the bytes that were read. A write must show it.
        created, updated: aware, UTC. said: when it was said or decided, aware, UTC; None: when the file was made.
        supersedes ... related: ids or link targets without brackets.
        source: URI (session://..., vault://..., https://...) or "".
        source_span: where in the source, for instance turns "12-13", or "".
        when: patterns of the tool calls that it is told at (:mod:`vademecum.domain.call_patterns`). unless: texts by which such a call
            already obeys. level: what happens at such a call; "" leaves it to :mod:`vademecum.actions.rules`.
        extra: frontmatter without a field here, as YAML read it. Kept in the file whatever we do.
        evidence: what only the journals know of it: where it came from and why, when its text changed, how often it was confirmed.
    """

    id: str
    kind: str
    title: str
    body: str
    space: str
    path: str
    etag: str
    created: datetime
    updated: datetime
    said: datetime | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    may_replace: tuple[str, ...] = ()
    refines: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    source: str = ""
    source_interface: str = ""
    source_span: str = ""
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    level: Level | Literal[""] = ""
    extra: Mapping[str, object] = msgspec.field(default_factory=dict)
    evidence: Mapping[str, object] = msgspec.field(default_factory=dict)

    @property
    def shown_at(self) -> datetime:
        """The moment by which it is shown, sorted and filtered: when it was said, of what came from a source at least since when it
        holds, else when it was changed last."""
        from_source = self.valid_from if self.source and self.valid_from and self.valid_from < self.created else None
        return self.said or from_source or self.updated

    @property
    def said_at(self) -> datetime:
        """When it was said, as far as that is known; else since when it holds or when it was saved, whatever came first."""
        return self.said or min(self.valid_from or self.created, self.created)

    @property
    def uri(self) -> str:
        """How other things name this memory."""
        return f"memory://{self.id}"


class Draft(Struct, frozen=True):
    """A memory that does not exist yet: what the caller knows of it.

    Attributes:
        properties: frontmatter of ours by name (a key of PROPERTY_ORDER), for what the named fields do not cover.
        space: name of a space, or "" for the one its kind belongs to.
        id: allocated beforehand by the clock, so that others can name it; "": the vault allocates one.
    """

    kind: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    space: str = ""
    properties: Mapping[str, object] = msgspec.field(default_factory=dict)
    id: str = ""


class Document(Struct, frozen=True):
    """A note the person wrote. Indexed, never changed.

    Attributes:
        path: POSIX, relative to the space's root.
        properties: its frontmatter as YAML read it; empty when there is none or it cannot be read.
        body: everything behind the frontmatter.
        modified: aware, UTC, from the file system.
        begun, changed: the same by what the note says itself, else None.
        edges: links in its properties and its text outside code, in the order of the file.
    """

    space: str
    path: str
    title: str
    body: str
    etag: str
    modified: datetime
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, object] = msgspec.field(default_factory=dict)
    edges: tuple[Edge, ...] = ()
    begun: datetime | None = None
    changed: datetime | None = None


class By(Struct, frozen=True):
    """Who makes a change and through which door ("cli", "mcp", "http", "hook", ... or "").

    Attributes:
        quoted: words that the person typed today state the change (:func:`vademecum.llm_reading.quoted.stated`).
        verbatim: they give the whole text of a file, so that no newline is added at its end.
    """

    actor: Actor = "user"
    interface: str = ""
    quoted: bool = False
    verbatim: bool = False

    @property
    def is_person(self) -> bool:
        """Whether the person acts, by a command or in an editor."""
        return self.actor in ("user", "hand")


#: The person at the command line.
BY_PERSON = By("user", "cli")


class Space(Struct, frozen=True):
    """A folder of memories.

    Attributes:
        name: "personal", or a project's slug.
        root: absolute path of the folder that holds the memories. Only below it do we write.
        documents_root: absolute path of the surrounding vault whose notes are indexed as documents, or "".
        project: slug of the project this space belongs to, or "" for the personal space.
    """

    name: str
    root: str
    documents_root: str = ""
    project: str = ""


def personal_space(spaces: Sequence[Space]) -> Space:
    """Return the space that is no project's; the first one where all are."""
    return next((space for space in spaces if not space.project), spaces[0])
