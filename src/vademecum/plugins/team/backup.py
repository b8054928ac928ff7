"""Back up and restore a space, by the owner of the database: copies with authors and dates, members with roles and hashes of tokens, and
the audit. The search index is rebuilt.

The file has the format of every backup (:mod:`vademecum.ports.backups`): JSON lines in parts of limited size.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from vademecum.domain.backup import Backup, Contents
from vademecum.domain.errors import BackupUnusable, InvalidInput, WriteFailed
from vademecum.domain.memory import Space
from vademecum.plugins.team.copies import parsed
from vademecum.plugins.team.ports import SpaceOwner, SpaceWriter
from vademecum.plugins.team.service import passages_of, vectors_of
from vademecum.plugins.team.values import AuditEntry, KeptCopy, Published, SpaceState
from vademecum.ports.backups import BackupFiles, Writer
from vademecum.ports.embedder import Embedder

#: Names in a backup: the state of the space, which comes first, and the folders of copies and audit.
SPACE, COPIES, AUDIT = "space.json", "copies", "audit"
#: Lines in a part.
_COPIES, _ENTRIES = 200, 10_000


class RestoredSpace(Struct, frozen=True):
    """A restored space. `made`: when its backup was made."""

    state: SpaceState
    copies: int
    made: datetime


class _Form(Struct):
    version: int


def back_up_space(owner: SpaceOwner, files: BackupFiles, space: str, file: Path, passphrase: str, at: datetime) -> Backup:
    """Write the current state of a space to a new file, and verify it by reading.

    Args:
        passphrase: encrypts the file; "": it is not encrypted.

    Raises:
        NotFound: there is no such space. AlreadyExists: the file exists. WriteFailed: the file could not be written.
        Refused, TeamUnavailable: as :class:`SpaceOwner`.
    """
    try:
        with owner.reading(space, at) as kept:
            with files.writing(file, passphrase) as writer:
                writer.add_text(SPACE, msgspec.json.encode(kept.state).decode())
                copies = _put(writer, COPIES, _COPIES, kept.copies)
                _put(writer, AUDIT, _ENTRIES, kept.audit)
                writer.finish(Contents(at, "", "", tuple(writer.members), space=space, copies=copies))
            size = file.stat().st_size
    except OSError as error:
        raise WriteFailed(f"{file} cannot be written: {error.strerror}. No backup was made.", "Look at the disk.") from error
    return Backup(str(file), at, size, copies, bool(passphrase))


def _put(writer: Writer, folder: str, lines: int, rows: Iterable[KeptCopy | AuditEntry]) -> int:
    """Add rows, and return how many of them are copies that were not withdrawn."""
    encoder, rest, count, number = msgspec.json.Encoder(), iter(rows), 0, 0
    while part := list(islice(rest, lines)):
        number += 1
        writer.add_text(f"{folder}/{number:06}.jsonl", encoder.encode_lines(part).decode())
        count += sum(isinstance(entry, KeptCopy) and entry.text is not None for entry in part)
    return count


def restore_space(
    owner: SpaceOwner, files: BackupFiles, file: Path, passphrase: str, embedder: Embedder | None, at: datetime
) -> RestoredSpace:
    """Restore a space from a file, all or nothing. Mirrors keep their tokens and fetch everything again.

    Raises:
        AlreadyExists: there is one of that name. BackupUnusable: wrong passphrase, or a damaged, truncated or foreign file.
        Refused, TeamUnavailable: as :class:`SpaceOwner`.
    """
    with owner.restoring(at) as writer:
        taker = _Taker(writer, embedder)
        contents = files.read(file, passphrase, taker.take)
        if taker.state is None:
            raise BackupUnusable(f"There is no space of a team in {file}.")
    return RestoredSpace(taker.state, contents.copies, contents.made)


class _Taker:
    """Restores the files of a backup in their order."""

    def __init__(self, writer: SpaceWriter, embedder: Embedder | None) -> None:
        self._writer, self._embedder = writer, embedder
        self.state: SpaceState | None = None

    def take(self, name: str, file: BinaryIO) -> None:
        """Restore one file."""
        data, folder = file.read(), name.partition("/")[0]
        if name == SPACE:
            if msgspec.json.decode(data, type=_Form).version != 1:
                raise BackupUnusable("A newer version of Vademecum made it.", "Bring this one up to date first.")
            self.state = msgspec.json.decode(data, type=SpaceState)
            self._writer.space(self.state)
        elif self.state is None:
            raise BackupUnusable("It holds a memory, not a team's space.", "vade backup restore FILE --to FOLDER")
        elif folder == COPIES:
            for copy in msgspec.json.Decoder(KeptCopy).decode_lines(data):
                texts = list(_searched(copy, self.state.name))
                self._writer.copy(copy, texts, vectors_of(self._embedder, texts))
        elif folder == AUDIT:
            self._writer.audit(msgspec.json.Decoder(AuditEntry).decode_lines(data))


def _searched(copy: KeptCopy, space: str) -> Iterator[str]:
    """Yield the searchable passages of a copy; none if current rules would reject it."""
    if copy.text is not None:
        try:
            yield from passages_of(parsed(Published(copy.id, copy.author, "", copy.text), Space(space, "/", "")))
        except InvalidInput:
            return
