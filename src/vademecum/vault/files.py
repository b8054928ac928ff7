"""File access: a write is complete or absent, and never overwrites text that the writer has not seen."""

import contextlib
import errno
import hashlib
import itertools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from stat import S_ISREG
from typing import TypeVar

import msgspec

from vademecum.domain.errors import AlreadyExists, Conflict, InvalidInput, NotFound, WriteFailed, not_written
from vademecum.vault.places import on_any_disk

#: Name of a half-written file; starts with a dot, so that Obsidian, sync tools and scans ignore it.
TEMPORARY_PREFIX = ".vademecum-"
TEMPORARY_SUFFIX = ".tmp"

#: Maximum size of a note in bytes: opening, searching and journaling hold it in memory several times.
NOTE_MAX_BYTES = 8 << 20

#: A program that saves a file in two steps takes less than this between them, in seconds.
LEFT_ALONE_S = 0.05

#: A half-written file older than this, in seconds, is abandoned, even if a process has the number in its name.
LEFT_BEHIND_S = 3600

#: Time difference that every file system can represent, in nanoseconds.
_STEP_NS = 2_000_000_000

#: Windows refuses to replace a file that another program has open; virus scanners and sync tools release it within this many
#: tries.
LOOKS, LOOK_S = 20, 0.05

HELD = "Another program may hold it open: close it there. Else check the permissions of file and folder."

_numbers = itertools.count()
T = TypeVar("T")


def etag_of(data: bytes) -> str:
    """Return a hash of these bytes: 32 hexadecimal digits."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def read_bytes(path: Path) -> bytes:
    """Return the content of a file. Raises NotFound as :func:`read_note`."""
    return _read(path, note=False)[0]


def read_note(path: Path) -> tuple[bytes, os.stat_result]:
    """Return the content of a note, and its size and times from before it was read.

    Raises:
        NotFound: there is no regular file (a pipe or device would block). InvalidInput: it is too large.
    """
    return _read(path, note=True)


def _read(path: Path, *, note: bool) -> tuple[bytes, os.stat_result]:
    try:
        stat = path.stat()
        if not S_ISREG(stat.st_mode):
            raise IsADirectoryError
        if note and (why := too_large(stat.st_size)):
            raise InvalidInput(f"{path} was not read. {why}")
        return path.read_bytes(), stat
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise NotFound(f"There is no file {path}.", "See what there is with: vade list") from error


def read_own(path: Path, kind: type[T], otherwise: T) -> T:
    """Return the content of a JSON file of this program; `otherwise` if it was never saved, or is damaged."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return otherwise


def write_own(path: Path, value: object) -> None:
    """Replace a JSON file of this program as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_bytes(msgspec.json.encode(value))
    part.replace(path)


def too_large(size: int) -> str:
    """Return the message for a note of this many bytes; "" if the size is allowed."""
    if size <= NOTE_MAX_BYTES:
        return ""
    return (
        f"It has {size / 2**20:.0f} MB; notes longer than {NOTE_MAX_BYTES >> 20} MB are not read, shown or changed. Split it."
    )


def current_etag(path: Path) -> str | None:
    """Return the etag of the file at `path` now; None if there is none."""
    try:
        return etag_of(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None


def create(root: Path, path: Path, data: bytes, *, mode_of: Path | None = None) -> None:
    """Write a new file at `path`, folders included.

    Args:
        mode_of: a file to copy the permissions from.

    Raises:
        AlreadyExists: there is a file at `path`. InvalidInput: `path` leaves `root` through a link.
        WriteFailed: the disk did not store it; there is no file at `path`.
    """
    with _failures(path):
        make_folders(root, path.parent)
        must_stay_inside(root, path)
        with _temporary(path, data, mode_of) as written:
            _place_new(written, path)
        sync_folder(path.parent)
        _read_back(path, data)


def replace(root: Path, path: Path, data: bytes, *, etag: str) -> None:
    """Replace the text with this `etag` by `data`; permissions stay.

    Raises:
        Conflict: the file has another text now. NotFound: it is gone.
        WriteFailed: the disk did not store it; the old text is still there.
    """
    with _failures(path):
        must_stay_inside(root, path)
        with _temporary(path, data, path) as written:
            must_be_unchanged(path, etag)
            _patiently(lambda: written.replace(path))
        sync_folder(path.parent)
        _read_back(path, data)


def overwrite(path: Path, data: bytes, *, etag: str) -> None:
    """Overwrite a file in place with the same number of bytes. Needs no free disk space, but if the process dies, part of it is written.

    Raises:
        Conflict: the file has another text now. NotFound: it is gone. WriteFailed: the disk refuses.
    """
    with _failures(path):
        must_stay_inside(path.parent, path)
        must_be_unchanged(path, etag)
        handle = os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        try:
            write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        _read_back(path, data)


def remove(root: Path, path: Path, *, etag: str) -> None:
    """Delete the file whose text has this `etag`, and folders that became empty below `root`.

    Raises:
        Conflict: the file has another text now.
    """
    with _failures(path):
        must_stay_inside(root, path)
        must_be_unchanged(path, etag)
        _patiently(path.unlink)
        sync_folder(path.parent)
        for folder in path.parents:
            if folder == root or not _drop_empty(folder):
                break


def must_be_unchanged(path: Path, etag: str) -> None:
    """Compare for a compare-and-swap.

    Raises:
        Conflict: the text has changed since it was read. NotFound: the file is gone.
    """
    now = current_etag(path)
    if now is None:
        raise NotFound(f"{path} is gone.", "If it was moved, name the memory by its id. If it was deleted: vade undo")
    if now != etag:
        raise Conflict(f"{path} changed since it was read. Nothing was written.", "Read it again and repeat the change.")


def must_be_done(path: Path, etag: str, age_s: float) -> None:
    """Wait until a file has been unchanged for a moment, then check it again. Some editors truncate a file before they write it.

    Args:
        age_s: time since it was written, in seconds.

    Raises:
        Conflict, NotFound: as :func:`must_be_unchanged`.
    """
    if age_s < LEFT_ALONE_S:
        time.sleep(LEFT_ALONE_S - age_s)
        must_be_unchanged(path, etag)


def must_stay_inside(root: Path, path: Path) -> None:
    """Refuse a path that is a link or leads out of the root.

    Raises:
        InvalidInput: it does.
    """
    real = Path(os.path.realpath(path.parent))
    if path.is_symlink() or not real.is_relative_to(os.path.realpath(root)):
        raise InvalidInput(
            f"{path} is a link or leads out of {root}.", "Only files inside the folder are written. Nothing was written."
        )


def make_later(path: Path, before_ns: int) -> None:
    """Increase a file's modification time if the clock has not.

    A tool that copies the newer file would otherwise bring back the older one. FAT file systems have a resolution of two seconds.
    """
    stat = path.stat()
    if stat.st_mtime_ns < before_ns + _STEP_NS:
        os.utime(path, ns=(stat.st_atime_ns, before_ns + _STEP_NS))


def standing_as(path: Path) -> Path | None:
    """Return the file at a path, or one whose name differs only by case or Unicode form; None if there is neither.

    Many disks treat such names as the same.
    """
    if path.exists():
        return path
    wanted = on_any_disk(path.name)
    with contextlib.suppress(OSError):
        return next((entry for entry in path.parent.iterdir() if on_any_disk(entry.name) == wanted), None)
    return None


def is_temporary(name: str) -> bool:
    """Return whether a file name is that of one of our half-written files."""
    return name.startswith(TEMPORARY_PREFIX) and name.endswith(TEMPORARY_SUFFIX)


def sweep(folder: Path) -> None:
    """Remove half-written files that a dead process left in `folder`. The caller must hold the vault's lock.

    Files of live processes stay.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for leftover in folder.glob(f"{TEMPORARY_PREFIX}*{TEMPORARY_SUFFIX}"):
            with contextlib.suppress(PermissionError, FileNotFoundError):
                if not _is_in_use(leftover):
                    leftover.unlink(missing_ok=True)


def _is_in_use(leftover: Path) -> bool:
    """Return whether the process that a half-written file is named after may still be writing it."""
    if leftover.parent.stat().st_mtime - leftover.stat().st_mtime > LEFT_BEHIND_S:  # by the disk's own clock
        return False
    number = leftover.name.removeprefix(TEMPORARY_PREFIX).partition("-")[0]
    if not number.isdigit() or os.name == "nt" or int(number) == os.getpid():  # we hold the lock and are not writing now
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


@contextlib.contextmanager
def _failures(path: Path) -> Iterator[None]:
    """Convert errors of the disk to errors of this program."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        hint = HELD if isinstance(error, PermissionError) else "Check the folder's permissions and the disk."
        raise not_written(f"{path} could not be written: {reason}. The old text is still there.", error, hint) from error


@contextlib.contextmanager
def _temporary(path: Path, data: bytes, mode_of: Path | None) -> Iterator[Path]:
    """Yield a new flushed file with `data` beside `path`; it is removed afterwards unless it was renamed."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    while True:
        temporary = path.parent / f"{TEMPORARY_PREFIX}{os.getpid()}-{next(_numbers)}{TEMPORARY_SUFFIX}"
        try:
            handle = os.open(temporary, flags, 0o666)
            break
        except FileExistsError:
            continue
    try:
        try:
            write_all(handle, data)
            if mode_of is not None and hasattr(os, "fchmod"):
                os.fchmod(handle, mode_of.stat().st_mode & 0o7777)
            os.fsync(handle)
        finally:
            os.close(handle)
        yield temporary
    finally:
        with contextlib.suppress(PermissionError):  # another program has it open: the next write removes it
            temporary.unlink(missing_ok=True)


def _patiently(act: Callable[[], object]) -> None:
    """Perform an action on a file, and retry while another program has it open.

    Raises:
        PermissionError: it is still open.
    """
    for _ in range(LOOKS - 1):
        with contextlib.suppress(PermissionError):
            act()
            return
        time.sleep(LOOK_S)
    act()


def write_all(handle: int, data: bytes) -> None:
    """Write all of `data`, in as many calls as the system needs."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _place_new(written: Path, path: Path) -> None:
    """Rename the file without overwriting an existing one."""
    try:
        path.hardlink_to(written)
    except FileExistsError as error:
        raise AlreadyExists(f"There is already a file at {path}. Nothing was written.", "Choose another name.") from error
    except OSError:
        #: Some file systems (exFAT, some network ones) have no hard links; check and rename instead.
        if os.path.lexists(path):
            raise AlreadyExists(f"There is already a file at {path}. Nothing was written.", "Choose another name.") from None
        written.replace(path)


def make_folders(root: Path, folder: Path) -> None:
    if folder.is_dir():
        return
    must_stay_inside(root, folder if folder.parent.exists() else root / "x")
    make_private(folder)
    sync_folder(folder.parent)


def make_private(folder: Path) -> None:
    """Create a folder and its missing parents with access only for the person. Existing folders keep their permissions."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk. Windows neither can nor needs to."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def _read_back(path: Path, data: bytes) -> None:
    if current_etag(path) != etag_of(data):
        raise WriteFailed(f"{path} does not hold what was written to it.", "Check the disk, then: vade history")


def _drop_empty(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:
        return False
    return True
