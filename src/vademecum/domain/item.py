"""What the index holds: items, each cut into passages. Derived from the vault and the transcripts, never the only copy."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

#: "handoff": a memory that tells where a session stopped. "log": what tools were asked and answered in a session. Both are searched
#: and listed only for who asks for them.
Source = Literal["memory", "handoff", "document", "session", "log"]
#: "disputed": another memory says otherwise and nobody said yet which holds; both are shown, marked so.
Status = Literal["active", "inbox", "incubating", "disputed", "resolved", "superseded", "archived"]
Confidence = Literal["low", "medium", "high"]
Visibility = Literal["public", "internal", "private"]
Trust = Literal["user", "agent", "extracted", "external"]

#: Sources of what stands in files of memories.
FILED_SOURCES = ("memory", "handoff")


class Passage(Struct, frozen=True):
    """A piece of an item that is searched and shown by itself: a turn, or a chunk of about 500 characters to 200 words.

    Attributes:
        text: what is shown, embedded and matched.
        turn: counts the turns of a conversation, or the chunks of a note, from 0; pieces of one long turn share it.
        heading: of the section it stands in, or "".
        speaker: name or role of who said it, or "".
        ref: of the turn in its session, or the 1-based first line in its file. Never searched.
        time: aware, UTC, or None.
        role: who speaks, whatever their name: user, agent or tool; "" in notes. Never searched.
    """

    text: str
    turn: int = 0
    heading: str = ""
    speaker: str = ""
    ref: str = ""
    time: datetime | None = None
    role: str = ""


class Touch(Struct, frozen=True):
    """A tool that was used in a session.

    Attributes:
        tool: its name, as the host writes it. file: path it touched, "" for none.
        turn: of the passages of its item: the turn of speech it followed.
        time: aware, UTC, or None. ref: of its own turn in the session.
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
    """What a file of a memory says and the index holds as well: declared once, for :class:`vademecum.domain.memory.Memory` and
    :class:`Item`.

    Attributes:
        facet: another system's word for its kind.
        summary: for display. tags, topics, aliases: searched with more weight than text.
        branch: that it was learnt on and holds on only (:mod:`vademecum.domain.branches`); "": it holds everywhere.
        importance: 0..1, the base value, never aged in place.
        valid_from, valid_until, last_confirmed: aware, UTC, or None.
        priority: larger is loaded earlier among always_load memories.
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
    """One thing that can be recalled: a memory, a document, or a session, with what the index adds to its attributes.

    Attributes:
        key: identity in the index: "memory://<id>", "document://<space>/<path>", "session://<host>/<id>", "log://<host>/<id>".
        path: POSIX, relative to the space's root; for a session the absolute path of its transcript.
        stat: size and modification time of the file ("<bytes>:<mtime_ns>"). Equal stat: not read again.
        digest: hash of everything the item was made from. Equal digest: nothing to write.
        kind: a memory's kind; "document" or "session" for the others.
        host: through which it was written, or where the conversation took place. origin: URI of what it was made from, or "".
        folder: working folder of a session.
        passages: in the order of the file or of the conversation.
        touches: tools used and files touched, in the order in which it happened.
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
        """When it was said, as far as that is known: `updated` of a memory is that moment when it tells one."""
        return min(filter(None, (self.valid_from, self.created, self.updated)), default=None)


class Fingerprint(Struct, frozen=True):
    """What the index remembers of a file, so that an unchanged one is not read.

    Attributes:
        stat, digest, path, space: as in :class:`Item`.
    """

    space: str
    path: str
    stat: str
    digest: str


class StoredPassage(Struct, frozen=True):
    """A passage as the index gives it back.

    Attributes:
        number: identity within this index; stays while the passage's text stays.
        item: key of its item. ordinal: position in the item, from 0.
    """

    number: int
    item: str
    ordinal: int
    passage: Passage


def cursor_of(updated: datetime | None, key: str) -> str:
    """Return the place behind an item as text; "" for one without a time, which stands last."""
    return f"{updated.isoformat()}~{key}" if updated else ""


def place_of(cursor: str) -> tuple[datetime, str] | None:
    """Return the place that :func:`cursor_of` named; None for none, or for what is none."""
    at, _, key = cursor.partition("~")
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return (moment, key) if moment.tzinfo and key else None
