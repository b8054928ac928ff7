"""Records of the transcript archive."""

from datetime import datetime

from msgspec import Struct

from vademecum.domain.uris import host_of


class Archived(Struct, frozen=True):
    """One version of a transcript in the archive.

    A file that only grows has one version. When its host removes turns from it, the earlier content is preserved as a version
    of its own.

    Attributes:
        path: absolute path of the source file; with `version` its identity, since one conversation may be written to several
            files.
        session: URI of the conversation. title, project: if known, else "".
        started, ended: first and last moment in it; aware, UTC, or None.
        stat: size and modification time of the file when it was archived ("<bytes>:<mtime_ns>").
        kept: when it was archived last; aware, UTC.
        source_bytes: size of the file.
        bytes: size of the archived content before compression; set by the archive.
        last_at: byte offset of its last piece in the file. before: hash of the bytes before that offset; "": not known, so that
            a transcript that grew is split again from its beginning.
        version: number among the versions of this path, from 1; the highest is the file as it was read last.
        prefix: hash of the first `source_bytes` of the file, used to distinguish growth from a rewrite; "": not known.
        cut: when it was noticed that the host had removed turns of this version; aware, UTC; None: no turns were removed.
        had, left: spoken turns in this version, and in the host's next one. missing: turns, including those of tools, that are
            in this version but not in the next one.
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
    def removed(self) -> str:
        """A sentence that says what the host removed from this version; "" when nothing was removed."""
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
        return host_of(self.session)


class Packed(Struct, frozen=True):
    """A compressed piece of a transcript, as the archive writes it.

    Attributes:
        digest: hash of the piece. size: its bytes. body: the piece, compressed.
    """

    digest: bytes
    size: int
    body: bytes


class ArchiveSize(Struct, frozen=True):
    """Size of the archive.

    Attributes:
        transcripts, pieces: counts; a piece that several transcripts share counts once.
        source_bytes: size of the files as hosts wrote them. disk_bytes: size of the archive on disk, everything included.
        cap_bytes: maximum size; 0: no cap.
    """

    transcripts: int
    pieces: int
    source_bytes: int
    disk_bytes: int
    cap_bytes: int = 0
