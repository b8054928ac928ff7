"""A memory: one durable piece of knowledge, stored as one Markdown file."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, get_args

import msgspec
from msgspec import Struct

from vademecum.domain.action import Level
from vademecum.domain.item import Attributes, Confidence, Edge, Status, Trust, Visibility

#: Trust of a memory that contains instructions to an agent. It is never shown before the person approves it.
QUARANTINED: Trust = "external"
#: Prefix of the source URI of a colleague's memory; the shared space and the colleague's name follow.
COLLEAGUE = "team://"
#: Pending memories with these trust levels appear in no answer, because the person did not state them.
HIDDEN_WHILE_WAITING: tuple[Trust, ...] = ("agent", QUARANTINED)
#: Who made a change. "hand": the person, in an editor or file manager.
Actor = Literal["user", "agent", "extraction", "hand"]

STATUSES: tuple[Status, ...] = get_args(Status)
CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)
#: Most trusted first.
TRUSTS: tuple[Trust, ...] = get_args(Trust)
#: Highest trust that each actor's memories can have.
TRUST_OF: Mapping[Actor, Trust] = {"user": "user", "hand": "user", "agent": "agent", "extraction": "extracted"}

#: Longest summary, in characters.
SUMMARY_MAX_CHARS = 200

#: Frontmatter keys in the order in which a new note has them. docs/vault-format.md is generated from this list.
PROPERTY_ORDER = (
    "id", "kind", "facet", "title", "status", "summary", "tags", "topics", "aliases", "confidence", "importance",
    "created", "said", "updated", "valid_from", "valid_until", "last_confirmed", "confirmations",
    "supersedes", "superseded_by", "superseded_at", "superseded_reason", "contradicts", "may_replace", "refines", "derived_from", "related",
    "source", "source_interface", "source_span", "agent", "project", "branch", "profile", "visibility", "trust",
    "always_load", "priority", "pin", "when", "unless", "level",
)  # fmt: skip

#: Property that marks one of the person's own notes as a source of memories; the index stores it as a tag of the note.
SOURCE_FLAG = "memory-source"
#: Value of `superseded_by` for a memory that is no longer valid and has no known successor.
STALE = "STALE"

#: Relations that a memory's frontmatter can hold, each a list of ids or [[links]].
RELATIONS = ("supersedes", "superseded_by", "contradicts", "may_replace", "refines", "derived_from", "related")


class Memory(Attributes, frozen=True):
    """One memory as its file states it. Attributes that the index stores too are in :class:`Attributes`.

    Attributes:
        id: 26 characters, sortable by time; see :mod:`vademecum.domain.ids`.
        kind: a name of :data:`vademecum.domain.kinds.KINDS`.
        title: as the person sees it. The file is named after it, but the title is not the identity.
        body: everything after the frontmatter, newlines as in the file.
        space: name of the space that contains it.
        path: POSIX, relative to the space's root.
        etag: hash of the bytes that were read. Every write must present it.
        created, updated: aware, UTC. said: when it was said or decided, aware, UTC; None: when the file was created.
        supersedes ... related: ids or link targets without brackets.
        source: URI (session://..., vault://..., https://...) or "".
        source_span: position in the source, for instance turns "12-13", or "".
        when: patterns of the tool calls at which it is shown (:mod:`vademecum.domain.call_patterns`). unless: texts that show
            that such a call already obeys it. level: the effect on such a call; "": :mod:`vademecum.actions.call_rules` decides.
        extra: frontmatter without a field here, as YAML read it. It is preserved in the file.
        evidence: facts that only the journals record: origin and reason, when its text changed, number of confirmations.
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
        """The time by which it is shown, sorted and filtered.

        It is the time when it was said; without one, for a memory from a source, its start of validity, if that is before its
        creation; else its last change.
        """
        from_source = self.valid_from if self.source and self.valid_from and self.valid_from < self.created else None
        return self.said or from_source or self.updated

    @property
    def said_at(self) -> datetime:
        """When it was said, if known; else its start of validity or its creation, whichever is earlier."""
        return self.said or min(self.valid_from or self.created, self.created)

    @property
    def uri(self) -> str:
        """The URI by which other memories refer to it."""
        return f"memory://{self.id}"


class Draft(Struct, frozen=True):
    """A memory that is still to be created.

    Attributes:
        properties: frontmatter by name (a key of PROPERTY_ORDER), for properties without a field here.
        space: name of a space, or "" for the default one of its kind.
        id: allocated in advance by the clock, so that others can refer to it; "": the vault allocates one.
    """

    kind: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    space: str = ""
    properties: Mapping[str, object] = msgspec.field(default_factory=dict)
    id: str = ""


class Document(Struct, frozen=True):
    """One of the person's own notes. Indexed, never changed.

    Attributes:
        path: POSIX, relative to the space's root.
        properties: its frontmatter as YAML read it; empty when there is none or it cannot be read.
        body: everything after the frontmatter.
        modified: aware, UTC, from the file system.
        begun, changed: creation and change dates that the note itself states, else None.
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
    """Who makes a change, and through which interface ("cli", "mcp", "http", "hook", ... or "").

    Attributes:
        quoted: words that the person typed today state the change (:func:`vademecum.llm_reading.quoted.stated`).
        verbatim: the text is that of a complete file, so no newline is added at its end.
    """

    actor: Actor = "user"
    interface: str = ""
    quoted: bool = False
    verbatim: bool = False

    @property
    def is_person(self) -> bool:
        """Whether the person makes the change, by a command or in an editor."""
        return self.actor in ("user", "hand")


#: The person at the command line.
BY_PERSON = By("user", "cli")


class Space(Struct, frozen=True):
    """A folder of memories.

    Attributes:
        name: "personal", or a project's slug.
        root: absolute path of the folder that contains the memories. Files are written only below it.
        documents_root: absolute path of the surrounding vault whose notes are indexed as documents, or "".
        project: slug of the project this space belongs to, or "" for the personal space.
    """

    name: str
    root: str
    documents_root: str = ""
    project: str = ""


def personal_space(spaces: Sequence[Space]) -> Space:
    """Return the space that belongs to no project; the first space if all belong to one."""
    return next((space for space in spaces if not space.project), spaces[0])
