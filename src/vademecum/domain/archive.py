"""What the transcript archive keeps, in our words."""

from datetime import datetime

from msgspec import Struct


class Archived(Struct, frozen=True):
    """One version of a transcript in the archive.

    A file that only grows has one version. When its host takes turns out of it, what was there stays as a version of its own.

    Attributes:
        path: absolute path of the file it was read from; with `version` its identity, since one conversation may be written to
            several files.
        session: URI of the conversation. title, project: as far as known, else "".
        started, ended: first and last moment in it; aware, UTC, or None.
        stat: size and modification time of the file when it was archived ("<bytes>:<mtime_ns>").
        kept: when it was archived last; aware, UTC.
        source_bytes: size of the file.
        bytes: size of what is kept of it, before compression; the archive fills it in.
        last_at: where its last piece begins in the file. before: hash of what stands before that; "": not known, so that a
            transcript that grew is divided anew from its beginning.
        version: number among the versions at this path, from 1; the highest is that of the file as it was read last.
        prefix: hash of the first `source_bytes` of the file, by which growth is told from a rewrite; "": not known.
        cut: when it was noticed that the host had taken turns of this version away; aware, UTC; None: it did not.
        had, left: turns of speech in this version, and in the one that the host put in its place. missing: turns, those of tools
            included, that are in this version and not in the one after it.
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
    version: int = 1
    prefix: str = ""
    cut: datetime | None = None
    had: int = 0
    left: int = 0
    missing: int = 0

    @property
    def told(self) -> str:
        """What the host did to this version, in a sentence; "" when it took nothing away."""
        if self.cut is None:
            return ""
        when = f"on {self.cut:%Y-%m-%d}"
        if self.left < self.had:
            return (
                f"The host cut this conversation from {self.had} to {self.left} turns {when}; all {self.had} are archived here."
            )
        return (
            f"The host removed or changed {self.missing} turns of this conversation {when}; they are archived here unchanged."
        )

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
