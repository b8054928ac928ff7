"""The file of a backup: a gzipped tar, optionally encrypted with a passphrase, with a list of its files at its end.

    age -d FILE | tar -xz          (tar -xz when it was made without a passphrase)

Only one chunk of a file and the list are in memory at a time.
"""

import gzip
import hashlib
import io
import json
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import msgspec

from vademecum.adapters.backups.sealed import MAGIC, Sealing, Unsealed
from vademecum.domain.backup import Contents, Member
from vademecum.domain.errors import AlreadyExists, BackupUnusable, WriteFailed

#: Name of the list, the last entry of the tar.
CONTENTS = "contents.json"
_PIECE_BYTES, _LEVEL = 1 << 20, 6
_LIST_MAX_BYTES = 1 << 30


class BackupWriter:
    """Writes files into a backup, one after the other."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.members: list[Member] = []

    def add(self, name: str, path: Path) -> None:
        """Add a file under a name.

        Raises:
            BackupUnusable: it became shorter meanwhile. OSError: it cannot be read.
        """
        with path.open("rb") as file:
            stat = os.fstat(file.fileno())
            self.members.append(self._put(name, file, stat.st_size, stat.st_mtime, stat.st_mode & 0o777))

    def add_text(self, name: str, text: str) -> None:
        """Add a text under a name."""
        data = text.encode("utf-8", "surrogateescape")
        self.members.append(self._put(name, io.BytesIO(data), len(data), 0, 0o600))

    def finish(self, contents: Contents) -> None:
        """Write the list as the last entry."""
        self._put(CONTENTS, io.BytesIO(data := msgspec.json.encode(contents)), len(data), 0, 0o600)

    def _put(self, name: str, file: BinaryIO, size: int, mtime: float, mode: int) -> Member:
        tar_member = tarfile.TarInfo(name)
        tar_member.size, tar_member.mtime, tar_member.mode = size, mtime, mode
        hashed = _Hashing(file)
        try:
            self._tar.addfile(tar_member, cast("BinaryIO", hashed))
        except OSError as error:
            if error.errno is not None:
                raise
            raise BackupUnusable(f"{name} became shorter while it was read.", "Try again.") from error
        return Member(_name_in_list(name), size, hashed.digest())


class _Hashing:
    """A file that is hashed while it is read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._hash = file, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._hash.update(data)
        return data

    def digest(self) -> str:
        return self._hash.hexdigest()


@contextmanager
def writing(path: Path, passphrase: str) -> Iterator[BackupWriter]:
    """Yield the writer of a new backup at `path`. The file gets this name only after it was written to disk and read back.

    Args:
        passphrase: "": the backup is not encrypted.

    Raises:
        AlreadyExists: the path exists. WriteFailed: the disk did not store it correctly; no file is left.
    """
    if os.path.lexists(path):
        raise AlreadyExists(f"{path} is there already, and nothing is written over.", "Name a new file.")
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)  # left by a killed process
    try:
        handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "w+b") as file:
            with ExitStack() as layers:
                sealed = layers.enter_context(Sealing(file, passphrase)) if passphrase else file
                packed = layers.enter_context(gzip.GzipFile("", "wb", _LEVEL, cast("BinaryIO", sealed), mtime=0))
                tar = layers.enter_context(tarfile.open(fileobj=packed, mode="w|"))
                writer = BackupWriter(tar)
                yield writer
            file.flush()
            os.fsync(file.fileno())
        if list(contents_of(part, passphrase).members) != writer.members:
            raise WriteFailed(f"{path} does not hold what was written to it.", "Check the disk.")
        _place(part, path)
    finally:
        part.unlink(missing_ok=True)


def _place(part: Path, path: Path) -> None:
    try:
        path.hardlink_to(part)
    except FileExistsError:
        raise AlreadyExists(f"{path} is there already, and nothing is written over.", "Name a new file.") from None
    except OSError:  # a file system without hard links
        part.rename(path)


def is_sealed(path: Path) -> bool:
    """Return whether a backup is encrypted with a passphrase."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def contents_of(path: Path, passphrase: str) -> Contents:
    """Read a backup completely, and return its list; errors as :func:`read_backup`."""

    def passed_over(name: str, info: tarfile.TarInfo, file: BinaryIO) -> None:
        while file.read(_PIECE_BYTES):
            pass

    return read_backup(path, passphrase, passed_over)


def read(path: Path, passphrase: str, take: Callable[[str, BinaryIO], None]) -> Contents:
    """Call `take` with the name and a stream of each file; errors as :func:`read_backup`."""
    return read_backup(path, passphrase, lambda name, _, file: take(name, file))


def unpack(path: Path, passphrase: str, folder: Path) -> Contents:
    """Write the files of a backup to an empty folder and flush them to disk; errors as :func:`read_backup`, and OSError."""

    def kept(name: str, info: tarfile.TarInfo, file: BinaryIO) -> None:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as copy:
            while piece := file.read(_PIECE_BYTES):
                copy.write(piece)
            copy.flush()
            os.fsync(copy.fileno())
        place.chmod(info.mode & 0o777)
        os.utime(place, (info.mtime, info.mtime))

    return read_backup(path, passphrase, kept)


Taker = Callable[[str, tarfile.TarInfo, BinaryIO], None]


def read_backup(path: Path, passphrase: str, take: Taker) -> Contents:
    """Call `take` for each file of a backup, and return the list after verifying all files against it.

    Raises:
        BackupUnusable: wrong passphrase, or content that is damaged, truncated, missing or unexpected. FileUnusable: it cannot
            be read.
    """
    try:
        with ExitStack() as layers:
            file: BinaryIO = layers.enter_context(path.open("rb"))
            if is_sealed(path):
                file = cast("BinaryIO", io.BufferedReader(layers.enter_context(Unsealed(file, passphrase)), _PIECE_BYTES))
            packed = layers.enter_context(gzip.GzipFile(fileobj=file))
            return _checked(layers.enter_context(tarfile.open(fileobj=packed, mode="r|")), packed, take)
    except BackupUnusable as error:
        error.message = f"{path} cannot be used: {error.message}"
        raise
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, msgspec.DecodeError, json.JSONDecodeError) as error:
        raise BackupUnusable(f"{path} cannot be used: it is no backup, is damaged, or its end is missing ({error}).") from error


def _checked(tar: tarfile.TarFile, packed: gzip.GzipFile, take: Taker) -> Contents:
    members: list[Member] = []
    contents = None
    for tar_member in tar:
        file = tar.extractfile(tar_member) if tar_member.isreg() else None
        if file is None or contents is not None or not _is_inside(tar_member.name):
            raise BackupUnusable(f"Nothing like {tar_member.name!r} belongs into a backup.")
        if tar_member.name == CONTENTS:
            contents = msgspec.json.decode(file.read(_LIST_MAX_BYTES), type=Contents)
            continue
        hashed = _Hashing(cast("BinaryIO", file))
        take(tar_member.name, tar_member, cast("BinaryIO", hashed))
        members.append(Member(_name_in_list(tar_member.name), tar_member.size, hashed.digest()))
    while packed.read(_PIECE_BYTES):  # to the end, where gzip's checksum is verified
        pass
    if contents is None or list(contents.members) != members:
        raise BackupUnusable("What is in it is not what was put there.")
    return contents


def _is_inside(name: str) -> bool:
    path = Path(name)
    return bool(path.parts) and not path.anchor and ".." not in path.parts


def _name_in_list(name: str) -> str:
    """Return a name as in the list, which must be text: bytes that are no text are escaped."""
    return name.encode("utf-8", "backslashreplace").decode()
