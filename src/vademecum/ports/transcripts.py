"""Transcripts in the formats of their hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vademecum.domain.session import Cursor, Session


class Parsed(Struct, frozen=True):
    """New turns of a transcript since the cursor.

    Attributes:
        session: session fields as far as known; `turns` contains only the new ones.
        cursor: where to continue.
        unknown: unknown line type -> number of lines.
        broken: number of lines that could not be parsed at all.
        replaced: number of records with bytes that are not UTF-8; they were read as U+FFFD.
    """

    session: Session
    cursor: Cursor
    unknown: Mapping[str, int]
    broken: int
    replaced: int = 0


class PlaceRule(Struct, frozen=True):
    """How a file may be treated, by its location.

    Attributes:
        verdict: "conversation", "side" (of a sub-agent, whatever its records say), "never" (a host stores other data there), or
            "free" (not a host's location: its content decides).
        host: host of the location, or "". formats: names of the formats that may read it; empty: any.
        reason: a sentence for the person when the verdict is "never".
    """

    verdict: Literal["conversation", "side", "never", "free"]
    host: str = ""
    formats: tuple[str, ...] = ()
    reason: str = ""


#: Base of a location: the home folder, the platform's folders for applications ("config", "data"), or ~/.local/share on every
#: platform, as used by programs written for Linux ("xdg").
Base = Literal["home", "config", "data", "xdg"]


class Place(Struct, frozen=True):
    """Location of a host's conversations: a folder of transcripts, or a database. No other file of the host is a conversation.

    Attributes:
        host: as in session URIs. path: below `base`; `*` in a name matches anything.
        root: the host's own folder that contains it, below the same base; no file below it is a conversation except in such
            locations.
        files: globs below `path` of the conversations ("**/" is any number of folders); empty: `path` is the file itself.
        side: globs of conversations with sub-agents, whatever their records say. They are checked first.
        never: other content of the location, for the documentation.
        variable: environment variable that sets another folder of the host; `below` is the path from there ("." for itself, ""
            without a variable).
        title: usual name of a host that has no hook of ours; "" for others.
        description: suffixes of a file that only describes a conversation, and of the conversation beside it; "" for none.
    """

    host: str
    path: str
    root: str
    base: Base = "home"
    files: tuple[str, ...] = ()
    side: tuple[str, ...] = ()
    never: str = ""
    variable: str = ""
    below: str = ""
    title: str = ""
    description: tuple[str, str] = ("", "")


class Unread(Struct, frozen=True):
    """A second store of a host's conversations that is not read. Conversations that exist only there are missed.

    Attributes:
        path: of its files, below `base`; `*` in a name matches anything.
        identity: index of the part of a file's path that is the conversation's id, from the end; the last part without its
            suffix.
    """

    path: str
    base: Base = "home"
    identity: int = -1


class TranscriptFormat(Protocol):
    """A host's transcript format."""

    @property
    def name(self) -> str:
        """Name of the host, as in session URIs. A host with several formats has several of these, all with its name."""

    @property
    def whole(self) -> bool:
        """Whether the host rewrites the complete file, so that any change requires reading it from the start."""

    def recognises(self, head: bytes, path: str) -> bool:
        """Return whether a file that starts with `head` (complete lines) is of this format.

        Content decides, the path breaks ties.
        """

    def complete(self, data: bytes) -> int:
        """Return how many bytes of `data`, the end of a file, can be parsed now; the rest is still incomplete.

        A complete record counts even without its newline: half of all transcripts end so.
        """

    def parse(self, data: bytes, cursor: Cursor, path: str) -> Parsed:
        """Return turns in `data`, the complete lines that follow `cursor.offset` in the file. Bad lines are counted, never
        raised.

        The returned cursor points after `data`; its prefix_hash is the given one (the reader, which has the bytes, updates it).
        """


class Member(NamedTuple):
    """A transcript in a library.

    Attributes:
        name: stable name within the library; "" when there is only one. mark: changes when the transcript does.
    """

    name: str
    mark: str


class TranscriptLibrary(Protocol):
    """A file with transcripts that cannot be read by offset: a host's database, an export archive, a compressed transcript.

    It returns each of them as bytes that one :class:`TranscriptFormat` can parse. The file is never changed.
    """

    @property
    def name(self) -> str:
        """Name of the type of file."""

    def recognises(self, head: bytes, path: str) -> bool:
        """Return whether the file at `path`, which starts with `head`, is of this type.

        Raises:
            OSError: it seems to be, but cannot be read.
        """

    def members(self, path: str) -> Sequence[Member]:
        """Return the transcripts in it.

        Raises:
            OSError: it cannot be read, or is damaged.
        """

    def read(self, path: str, names: Sequence[str]) -> Iterable[tuple[str, bytes]]:
        """Return (name, bytes) of these transcripts; missing ones are omitted. Only one is in memory at a time.

        Raises:
            OSError: as above, also during the iteration.
        """
