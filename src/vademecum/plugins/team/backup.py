"""A space of a team in one file, and back from it, for whoever owns the server's database: copies with authors and dates, members with
roles and hashes of tokens, and the audit. What is searched is made anew.

The file is of the form of every backup (:mod:`vademecum.ports.backups`): lines of JSON in parts, none of which is large.
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
from vademecum.plugins.team.values import Deed, KeptCopy, Published, SpaceState
from vademecum.ports.backups import BackupFiles, Writer
from vademecum.ports.embedder import Embedder

#: In a backup: what the space is, which comes first, and the folders of copies and of the audit.
SPACE, COPIES, AUDIT = "space.json", "copies", "audit"
#: Lines in a part.
_COPIES, _DEEDS = 200, 10_000


class RestoredSpace(Struct, frozen=True):
    """A space was restored. `made`: when its backup was."""

    state: SpaceState
    copies: int
    made: datetime


class _Form(Struct):
    version: int


def back_up_space(owner: SpaceOwner, files: BackupFiles, space: str, file: Path, passphrase: str, at: datetime) -> Backup:
    """Write a space as it stands into a new file, and read that back.

    Args:
        passphrase: what will open it; "" leaves it readable to everybody.

    Raises:
        NotFound: there is no such space. AlreadyExists: something stands there. WriteFailed: the disk did not keep it.
        Refused, TeamUnavailable: as :class:`SpaceOwner`.
    """
    try:
        with owner.reading(space, at) as kept:
            with files.writing(file, passphrase) as writer:
                writer.add_text(SPACE, msgspec.json.encode(kept.state).decode())
                copies = _put(writer, COPIES, _COPIES, kept.copies)
                _put(writer, AUDIT, _DEEDS, kept.deeds)
                writer.finish(Contents(at, "", "", tuple(writer.members), space=space, copies=copies))
            size = file.stat().st_size
    except OSError as error:
        raise WriteFailed(f"{file} cannot be written: {error.strerror}. No backup was made.", "Look at the disk.") from error
    return Backup(str(file), at, size, copies, bool(passphrase))


def _put(writer: Writer, folder: str, lines: int, rows: Iterable[KeptCopy | Deed]) -> int:
    """Put rows in, and return how many of them are copies that were not withdrawn."""
    encoder, rest, count, number = msgspec.json.Encoder(), iter(rows), 0, 0
    while part := list(islice(rest, lines)):
        number += 1
        writer.add_text(f"{folder}/{number:06}.jsonl", encoder.encode_lines(part).decode())
        count += sum(isinstance(entry, KeptCopy) and entry.text is not None for entry in part)
    return count


def restore_space(
    owner: SpaceOwner, files: BackupFiles, file: Path, passphrase: str, embedder: Embedder | None, at: datetime
) -> RestoredSpace:
    """Put a space back from a file, whole or not at all. Its mirrors go on with the tokens that they have, and fetch anew.

    Raises:
        AlreadyExists: there is one of that name. BackupUnusable: another passphrase, a file that is damaged, cut or of something else.
        Refused, TeamUnavailable: as :class:`SpaceOwner`.
    """
    with owner.restoring(at) as writer:
        taker = _Taker(writer, embedder)
        contents = files.read(file, passphrase, taker.take)
        if taker.state is None:
            raise BackupUnusable(f"There is no space of a team in {file}.")
    return RestoredSpace(taker.state, contents.copies, contents.made)


class _Taker:
    """Puts the files of a backup where they belong, in the order in which they come."""

    def __init__(self, writer: SpaceWriter, embedder: Embedder | None) -> None:
        self._writer, self._embedder = writer, embedder
        self.state: SpaceState | None = None

    def take(self, name: str, file: BinaryIO) -> None:
        """Put one file in its place."""
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
            self._writer.deeds(msgspec.json.Decoder(Deed).decode_lines(data))


def _searched(copy: KeptCopy, space: str) -> Iterator[str]:
    """Give what is searched of a copy; nothing of one that today's rules would not take as one."""
    if copy.text is not None:
        try:
            yield from passages_of(parsed(Published(copy.id, copy.author, "", copy.text), Space(space, "/", "")))
        except InvalidInput:
            return
