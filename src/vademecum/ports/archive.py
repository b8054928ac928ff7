"""The archive of transcripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from vademecum.domain.archive import Archived, ArchiveSize, Packed
    from vademecum.domain.errors import Problem


class ArchiveReader(Protocol):
    """Read access to the archive. Raises as :class:`Archive` says."""

    def records(self) -> tuple[Archived, ...]:
        """Return every version of every transcript, last archived first; ties by path, then the last version first."""

    def stats(self) -> Mapping[str, str]:
        """Return path -> the stat of the transcript (size and time) when its last version was archived."""

    def of_session(self, session: str) -> tuple[Archived, ...]:
        """Return versions of the transcripts of one conversation, first archived first; ties by path and version."""

    def sources(self, record: Archived) -> tuple[bytes, ...]:
        """Return the sources of a version's pieces, in order; none for a version that is not archived."""

    def known(self, sources: Collection[bytes]) -> frozenset[bytes]:
        """Return those sources whose piece is already stored."""

    def read(self, record: Archived) -> Iterator[bytes]:
        """Return the pieces of a version, in order, each verified by its hash.

        Raises:
            NotFound: no such version. ArchiveDamaged: a piece is missing or changed.
        """

    def incomplete(self) -> tuple[Archived, ...]:
        """Return versions with missing pieces, without reading any; :meth:`check` also detects changed pieces."""

    def check(self) -> tuple[Problem, ...]:
        """Read everything; return one problem for each transcript that can no longer be restored as it was archived."""

    def size(self) -> ArchiveSize:
        """Return the size of the archive."""


class Archive(ArchiveReader, Protocol):
    """Transcripts, stored verbatim except for secrets.

    A transcript is a list of *pieces*. Each piece is stored once under its *source*: the hash of the bytes that the host wrote.
    The stored piece is the text after the guard removed secrets.

    Every change is atomic and on disk when the call returns. All methods raise ArchiveDamaged when the file cannot be read,
    Locked when another process holds it too long, and WriteFailed when the disk is full or refuses.
    """

    @property
    def pack(self) -> Callable[[bytes], Packed]:
        """A module-level function that turns a piece into the input of :meth:`keep`, without access to the archive."""

    def keep(self, pieces: Mapping[bytes, Packed]) -> None:
        """Store pieces: source -> piece. Each is read back and compared before the call returns; a known source stays as it is.

        Raises:
            ArchiveFull: the cap is reached. Nothing was stored.
        """

    def put(self, record: Archived, sources: Sequence[bytes], *, cut: Archived | None, gone: Iterable[Archived]) -> None:
        """Store the version that `record` names as these pieces, in order; the other versions of the path stay.

        Args:
            cut: an earlier version that stays, with its updated record.
            gone: versions to remove, because this one contains everything in them.

        Raises:
            InvalidInput: the piece of a source is not stored; nothing was changed.
        """

    def drop(self, records: Iterable[Archived]) -> None:
        """Remove versions, and pieces that no other version uses. Unknown ones are no error."""

    def rewrite(self, change: Callable[[bytes], bytes], retitle: Callable[[str], str]) -> int:
        """Replace each piece by `change(piece)` and each title by `retitle(title)`; return how many pieces changed.

        A piece stays under its original source, so the host's bytes are not archived again. A damaged piece is skipped.
        Replaced content may stay on disk until :meth:`compact`.
        """

    def compact(self) -> None:
        """Free disk space, and ensure that no byte of removed or replaced content remains on disk."""

    def close(self) -> None:
        """Release files."""
