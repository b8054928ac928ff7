"""Items of the index, each cut into passages. They are derived from the vault and the transcripts and can always be rebuilt."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

#: "handoff": a memory that says where a session stopped. "log": tool calls and their results in a session. Both are searched
#: and listed only on request.
Source = Literal["memory", "handoff", "document", "session", "log"]
#: "disputed": another memory contradicts this one and the conflict is not resolved; both are shown, marked as disputed.
Status = Literal["active", "inbox", "incubating", "disputed", "resolved", "superseded", "archived"]
Confidence = Literal["low", "medium", "high"]
Visibility = Literal["public", "internal", "private"]
Trust = Literal["user", "agent", "extracted", "external"]

#: Sources of items that are stored as memory files.
FILED_SOURCES = ("memory", "handoff")

#: Speakers of passages that are roles, in lower case.
PERSON = frozenset({"user", "human"})
AGENT = frozenset({"assistant", "agent", "model", "ai", "bot", "system", "tool"})


class Passage(Struct, frozen=True):
    """A piece of an item that is searched and shown by itself: a turn, or a chunk of about 500 characters to 200 words.

    Attributes:
        text: shown, embedded and searched.
        turn: number of the turn in a conversation, or of the chunk in a note, from 0; pieces of one long turn share it.
        heading: heading of the section that contains it, or "".
        speaker: name or role of the speaker, or "".
        ref: ref of the turn in its session, or 1-based first line in its file. Never searched.
        time: aware, UTC, or None.
        role: role of the speaker: user, agent or tool; "" in notes. Never searched.
    """

    text: str
    turn: int = 0
    heading: str = ""
    speaker: str = ""
    ref: str = ""
    time: datetime | None = None
    role: str = ""


class Touch(Struct, frozen=True):
    """One use of a tool in a session.

    Attributes:
        tool: name of the tool, as the host writes it. file: path it touched, "" for none.
        turn: turn number (as in the item's passages) of the spoken turn before the call.
        time: aware, UTC, or None. ref: ref of the call's own turn in the session.
    """

    tool: str
    file: str = ""
    turn: int = 0
    time: datetime | None = None
    ref: str = ""


class Edge(Struct, frozen=True):
    """A typed link from an item. `target` is an id, a URI, or a wikilink's text without brackets."""

    type: str
    target: str


class Attributes(Struct, frozen=True, kw_only=True):
    """Attributes that a memory's file contains and the index stores as well. Declared once, for
    :class:`vademecum.domain.memory.Memory` and :class:`Item`.

    Attributes:
        facet: another system's word for its kind.
        summary: for display. tags, topics, aliases: searched with more weight than text.
        branch: the branch it was learnt on, if it holds only there (:mod:`vademecum.domain.branches`); "": it holds everywhere.
        importance: 0..1, the base value; ageing never changes it.
        valid_from, valid_until, last_confirmed: aware, UTC, or None.
        priority: always_load memories with a larger priority are loaded earlier.
        edges: outgoing: relations, then the links in its text outside code, in the order of the file.
    """

    status: Status = "active"
    facet: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    project: str = ""
    branch: str = ""
    agent: str = ""
    profile: str = "default"
    visibility: Visibility = "private"
    trust: Trust = "user"
    confidence: Confidence = "medium"
    importance: float = 0.5
    confirmations: int = 0
    always_load: bool = False
    priority: int = 0
    pin: bool = False
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    last_confirmed: datetime | None = None
    edges: tuple[Edge, ...] = ()


class Item(Attributes, frozen=True):
    """An item that can be recalled: a memory, a document or a session, with the attributes that only the index has.

    Attributes:
        key: identity in the index: "memory://<id>", "document://<space>/<path>", "session://<host>/<id>", "log://<host>/<id>".
        path: POSIX, relative to the space's root; for a session the absolute path of its transcript.
        stat: size and modification time of the file ("<bytes>:<mtime_ns>"). A file with an unchanged stat is not read again.
        digest: hash of everything the item was made from. An item with an unchanged digest is not written again.
        kind: a memory's kind; "document" or "session" for the others.
        host: host through which it was written, or in which the conversation took place. origin: URI of its source, or "".
        folder: working folder of a session.
        passages: in the order of the file or of the conversation.
        touches: tools used and files touched, in chronological order.
        created, updated: aware, UTC, or None.
    """

    key: str
    source: Source
    space: str
    path: str
    title: str
    stat: str
    digest: str
    kind: str
    host: str = ""
    origin: str = ""
    folder: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    passages: tuple[Passage, ...] = ()
    touches: tuple[Touch, ...] = ()

    @property
    def said_at(self) -> datetime | None:
        """When it was said, as far as is known. A memory with a date of its own has that date in `updated`."""
        return min(filter(None, (self.valid_from, self.created, self.updated)), default=None)


class Fingerprint(Struct, frozen=True):
    """File state that the index stores, so that an unchanged file is not read again.

    Attributes:
        stat, digest, path, space: as in :class:`Item`.
    """

    space: str
    path: str
    stat: str
    digest: str


class StoredPassage(Struct, frozen=True):
    """A passage as the index returns it.

    Attributes:
        number: identity within this index; it stays the same while the passage's text does.
        item: key of its item. ordinal: position in the item, from 0.
    """

    number: int
    item: str
    ordinal: int
    passage: Passage


def cursor_of(updated: datetime | None, key: str) -> str:
    """Return a paging cursor that points just after an item; "" for an item without a time, since those come last."""
    return f"{updated.isoformat()}~{key}" if updated else ""


def place_of(cursor: str) -> tuple[datetime, str] | None:
    """Return the time and key in a cursor of :func:`cursor_of`; None for an empty or invalid cursor."""
    at, _, key = cursor.partition("~")
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return (moment, key) if moment.tzinfo and key else None
