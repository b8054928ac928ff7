"""The archive of transcripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from vademecum.domain.archive import Archived, ArchiveSize, Packed
    from vademecum.domain.errors import Problem


class ArchiveReader(Protocol):
    """The archive as a reader sees it. Raises as :class:`Archive` says."""

    def records(self) -> tuple[Archived, ...]:
        """Return every transcript, last kept first; ties by path."""

    def stats(self) -> Mapping[str, str]:
        """Return path -> the size and time that the transcript had when it was kept."""

    def of_session(self, session: str) -> tuple[Archived, ...]:
        """Return transcripts of one conversation, in the order of their paths."""

    def sources(self, path: str) -> tuple[bytes, ...]:
        """Return the pieces of which a transcript consists, in order; none for one that is not kept."""

    def known(self, sources: Collection[bytes]) -> frozenset[bytes]:
        """Return those sources whose piece is kept already."""

    def read(self, path: str) -> Iterator[bytes]:
        """Return the pieces of a transcript, in order, each compared with its hash.

        Raises:
            NotFound: no such transcript. ArchiveDamaged: a piece is gone or not what it was.
        """

    def check(self) -> tuple[Problem, ...]:
        """Read everything; one problem for each transcript that can no longer be given back as it was kept."""

    def size(self) -> ArchiveSize:
        """Return how much the archive holds."""


class Archive(ArchiveReader, Protocol):
    """Transcripts, kept verbatim but for secrets. A transcript is a list of *pieces*, each kept once under its *source*: the hash
    of the bytes that the host wrote. What is kept of a piece is what the guard left of it.

    Every change is atomic and on disk when the call returns. All methods raise ArchiveDamaged when the file cannot be read, Locked
    when another process holds it too long, and WriteFailed when the disk is full or refuses.
    """

    @property
    def pack(self) -> Callable[[bytes], Packed]:
        """A function of a module that makes of a piece what :meth:`keep` takes; it needs nothing of the archive."""

    def keep(self, pieces: Mapping[bytes, Packed]) -> None:
        """Keep pieces: source -> piece. Each is read back and compared before the call returns; a known source stays as it is.

        Raises:
            ArchiveFull: the cap is reached. Nothing was kept.
        """

    def put(self, record: Archived, sources: Sequence[bytes]) -> None:
        """Make the transcript at `record.path` consist of these pieces, in order; pieces that nobody needs any more are let go.

        Raises:
            InvalidInput: a source is not kept.
        """

    def drop(self, paths: Iterable[str]) -> None:
        """Let go of transcripts, and of pieces that nobody else needs. Unknown paths are no error."""

    def rewrite(self, change: Callable[[bytes], bytes], retitle: Callable[[str], str]) -> int:
        """Put what `change` makes of each piece, and `retitle` of each title, in its place; how many pieces changed.

        A piece stays under the source it was kept for, so the host's bytes are not taken again. A damaged one is passed over.
        Whatever was replaced may stay on disk until :meth:`compact`.
        """

    def compact(self) -> None:
        """Give back room, and let no byte of what was dropped or replaced remain on disk."""

    def close(self) -> None:
        """Release files."""
