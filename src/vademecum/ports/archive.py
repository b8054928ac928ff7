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
        """Return every version of every transcript, last kept first; ties by path, then the last version first."""

    def stats(self) -> Mapping[str, str]:
        """Return path -> the size and time that the transcript had when its last version was kept."""

    def of_session(self, session: str) -> tuple[Archived, ...]:
        """Return versions of the transcripts of one conversation, first kept first; ties by path and version."""

    def sources(self, record: Archived) -> tuple[bytes, ...]:
        """Return the pieces of which a version consists, in order; none for one that is not kept."""

    def known(self, sources: Collection[bytes]) -> frozenset[bytes]:
        """Return those sources whose piece is kept already."""

    def read(self, record: Archived) -> Iterator[bytes]:
        """Return the pieces of a version, in order, each compared with its hash.

        Raises:
            NotFound: no such version. ArchiveDamaged: a piece is gone or not what it was.
        """

    def incomplete(self) -> tuple[Archived, ...]:
        """Return versions of which pieces are missing, without reading any; :meth:`check` finds pieces that changed as well."""

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

    def put(self, record: Archived, sources: Sequence[bytes], *, cut: Archived | None, gone: Iterable[Archived]) -> None:
        """Make the version that `record` names consist of these pieces, in order; the other versions of the path stay.

        Args:
            cut: an earlier version that stays beside it, with what is to be known of it from now on.
            gone: versions to remove, because this one holds all that they held.

        Raises:
            InvalidInput: a source is not kept; nothing was changed.
        """

    def drop(self, records: Iterable[Archived]) -> None:
        """Remove versions, and pieces that nobody else needs. Unknown ones are no error."""

    def rewrite(self, change: Callable[[bytes], bytes], retitle: Callable[[str], str]) -> int:
        """Put what `change` makes of each piece, and `retitle` of each title, in its place; how many pieces changed.

        A piece stays under the source it was kept for, so the host's bytes are not taken again. A damaged one is passed over.
        Whatever was replaced may stay on disk until :meth:`compact`.
        """

    def compact(self) -> None:
        """Give back room, and let no byte of what was dropped or replaced remain on disk."""

    def close(self) -> None:
        """Release files."""
