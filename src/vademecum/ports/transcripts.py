"""Transcripts as hosts write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vademecum.domain.session import Cursor, Session


class Parsed(Struct, frozen=True):
    """What a transcript gave since the cursor.

    Attributes:
        session: header as far as known, `turns` holding only the new ones.
        cursor: where to go on.
        unknown: line type -> how often it was met and not understood.
        broken: how many lines could not be read at all.
        replaced: how many records held bytes that are not UTF-8; they were read with U+FFFD in their place.
    """

    session: Session
    cursor: Cursor
    unknown: Mapping[str, int]
    broken: int
    replaced: int = 0


class PlaceRule(Struct, frozen=True):
    """What a file may be by the place where it lies.

    Attributes:
        verdict: "conversation", "side" (of a sub-agent, whatever its records say), "never" (a host keeps other things there), or
            "free" (no host's place: its content decides).
        host: whose place it is, or "". formats: names of those that may read it; none: any.
        reason: a sentence for the person when the verdict is "never".
    """

    verdict: Literal["conversation", "side", "never", "free"]
    host: str = ""
    formats: tuple[str, ...] = ()
    reason: str = ""


#: What a place lies below: the person's home folder, the platform's folders for applications ("config", "data"), or ~/.local/share on
#: every platform, as programs written for Linux have it ("xdg").
Base = Literal["home", "config", "data", "xdg"]


class Place(Struct, frozen=True):
    """Where a host keeps its conversations: a folder of transcripts, or a database. Nothing else of the host is ever a conversation.

    Attributes:
        host: as in session URIs. path: below `base`; `*` in a name stands for anything.
        root: the folder of the host that holds it, below the same base; no file below it is a conversation but those of such places.
        files: globs below `path` of the conversations ("**/" is any number of folders); none: `path` is the file itself.
        side: globs of conversations with sub-agents, whatever their records say. They are looked at first.
        never: what else the host keeps there, for the documentation.
        variable: names another folder for the host, `below` is the path from there ("." for itself, "" when there is none).
        title: of a host that calls no hook of ours, as a person writes it; "" for others.
        description: endings of a file that only describes a conversation, and of the conversation beside it; "" for none.
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
    """A second store of conversations that is not read, as far as the first one does not have them.

    Attributes:
        path: of its files, below `base`; `*` in a name stands for anything.
        identity: which part of a file's path is called by the conversation's id, from its end; the last without its suffix.
    """

    path: str
    base: Base = "home"
    identity: int = -1


class TranscriptFormat(Protocol):
    """A host's way of writing down a conversation."""

    @property
    def name(self) -> str:
        """Of the host, as in session URIs. A host that writes in several ways has a format for each, all of that name."""

    @property
    def whole(self) -> bool:
        """Return whether the host writes the file anew as a whole, so that it is read anew when it changed at all."""

    def recognises(self, head: bytes, path: str) -> bool:
        """Return whether a file that starts with `head` (complete lines) is of this format. Content decides, the path breaks ties."""

    def complete(self, data: bytes) -> int:
        """Return how many bytes of `data`, the end of a file, can be read now; the rest waits for more to be written.

        A record that is whole counts even when its newline is missing: half of all transcripts end so.
        """

    def parse(self, data: bytes, cursor: Cursor, path: str) -> Parsed:
        """Return turns in `data`, the complete lines that follow `cursor.offset` in the file. Bad lines are counted, never raised.

        The cursor that comes back stands behind `data`; its prefix_hash is the given one (the reader knows the bytes).
        """


class Member(NamedTuple):
    """A transcript that lies in a library.

    Attributes:
        name: names it within the library, always the same; "" when there is only one. mark: changes when the transcript does.
    """

    name: str
    mark: str


class TranscriptLibrary(Protocol):
    """A file that holds transcripts which cannot be read by offset: a host's database, an export archive, a packed transcript.

    It gives each of them as bytes that one of the :class:`TranscriptFormat` reads. The file is never changed.
    """

    @property
    def name(self) -> str:
        """What sort of file it is."""

    def recognises(self, head: bytes, path: str) -> bool:
        """Return whether the file at `path`, which starts with `head`, is of this sort.

        Raises:
            OSError: it looks like one, and cannot be read.
        """

    def members(self, path: str) -> Sequence[Member]:
        """Return the transcripts in it.

        Raises:
            OSError: it cannot be read, or is damaged.
        """

    def read(self, path: str, names: Sequence[str]) -> Iterable[tuple[str, bytes]]:
        """Return (name, bytes) of these transcripts, those that are gone left out. One is held in memory at a time.

        Raises:
            OSError: as above, also in the midst.
        """
