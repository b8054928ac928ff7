"""What the transcript archive keeps, in our words."""

from datetime import datetime

from msgspec import Struct


class Archived(Struct, frozen=True):
    """One transcript in the archive.

    Attributes:
        path: absolute path of the file it was read from; identity, since one conversation may be written to several files.
        session: URI of the conversation. title, project: as far as known, else "".
        started, ended: first and last moment in it; aware, UTC, or None.
        stat: size and modification time of the file when it was archived ("<bytes>:<mtime_ns>").
        kept: when it was archived last; aware, UTC.
        source_bytes: size of the file.
        bytes: size of what is kept of it, before compression; the archive fills it in.
        last_at: where its last piece begins in the file. before: hash of what stands before that; "": not known, so that a
            transcript that grew is cut anew from its beginning.
    """

    path: str
    session: str
    stat: str
    kept: datetime
    title: str = ""
    project: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    source_bytes: int = 0
    bytes: int = 0
    last_at: int = 0
    before: str = ""

    @property
    def host(self) -> str:
        """The host that wrote it."""
        return self.session.removeprefix("session://").partition("/")[0]


class Packed(Struct, frozen=True):
    """A piece of a transcript as the archive writes it.

    Attributes:
        digest: hash of the piece. size: its bytes. body: the piece, compressed.
    """

    digest: bytes
    size: int
    body: bytes


class ArchiveSize(Struct, frozen=True):
    """How much the archive holds.

    Attributes:
        transcripts, pieces: counts; a piece that several transcripts share counts once.
        source_bytes: of the files as hosts wrote them. disk_bytes: of the archive, everything included.
        cap_bytes: what it may grow to; 0: no cap.
    """

    transcripts: int
    pieces: int
    source_bytes: int
    disk_bytes: int
    cap_bytes: int = 0
