"""Bytes on disk: a write is whole or absent, and never lands on text that the writer has not seen."""

import contextlib
import errno
import hashlib
import itertools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from stat import S_ISREG

from vademecum.domain.errors import AlreadyExists, Conflict, InvalidInput, NotFound, WriteFailed, not_written
from vademecum.vault.places import on_any_disk

#: Name of a half-written file; starts with a dot, so that Obsidian, sync tools and scans pass it over.
TEMPORARY_PREFIX = ".vademecum-"
TEMPORARY_SUFFIX = ".tmp"

#: A note is this long at most, in bytes: whoever opens, searches and journals it holds it in memory several times.
NOTE_MAX_BYTES = 8 << 20

#: Who saves a file in two steps takes less than this between them, in seconds.
LEFT_ALONE_S = 0.05

#: A half-written file so old, in seconds, belongs to nobody, whatever process has its number now.
LEFT_BEHIND_S = 3600

#: File systems tell times apart that lie so far from each other, in nanoseconds.
_STEP_NS = 2_000_000_000

#: A program that has a file open keeps Windows from replacing it; virus scanners and sync tools let go within so many looks.
LOOKS, LOOK_S = 20, 0.05

HELD = "Another program may hold it open: close it there. Else check the permissions of file and folder."

_numbers = itertools.count()


def etag_of(data: bytes) -> str:
    """Return a hash that names these bytes: 32 hexadecimal digits."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def read_bytes(path: Path, *, note: bool = False) -> bytes:
    """Return all of a file.

    Raises:
        NotFound: there is no such file, but perhaps something that one would wait for. InvalidInput: it is too long for a `note`.
    """
    try:
        stat = path.stat()
        if not S_ISREG(stat.st_mode):
            raise IsADirectoryError
        if note and (why := too_large(stat.st_size)):
            raise InvalidInput(f"{path} was not read. {why}")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise NotFound(f"There is no file {path}.", "See what there is with: vade list") from error


def too_large(size: int) -> str:
    """Return what to tell of a note of so many bytes; "" when it is not too long."""
    if size <= NOTE_MAX_BYTES:
        return ""
    return (
        f"It has {size / 2**20:.0f} MB; notes longer than {NOTE_MAX_BYTES >> 20} MB are not read, shown or changed. Split it."
    )


def current_etag(path: Path) -> str | None:
    """Return the etag of what stands at `path` now; None when nothing does."""
    try:
        return etag_of(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None


def create(root: Path, path: Path, data: bytes, *, mode_of: Path | None = None) -> None:
    """Put a new file at `path`, folders included.

    Args:
        mode_of: a file whose permissions the new one gets.

    Raises:
        AlreadyExists: something stands there. InvalidInput: `path` leaves `root` through a link.
        WriteFailed: the disk did not keep it; nothing stands at `path`.
    """
    with _failures(path):
        make_folders(root, path.parent)
        must_stay_inside(root, path)
        with _temporary(path, data, mode_of) as written:
            _place_new(written, path)
        sync_folder(path.parent)
        _read_back(path, data)


def replace(root: Path, path: Path, data: bytes, *, etag: str) -> None:
    """Put `data` in place of the text that `etag` names; permissions stay.

    Raises:
        Conflict: something else stands there now. NotFound: nothing does.
        WriteFailed: the disk did not keep it; the old text still stands.
    """
    with _failures(path):
        must_stay_inside(root, path)
        with _temporary(path, data, path) as written:
            must_be_unchanged(path, etag)
            _patiently(lambda: written.replace(path))
        sync_folder(path.parent)
        _read_back(path, data)


def overwrite(path: Path, data: bytes, *, etag: str) -> None:
    """Write as many bytes as a file has into it, without a copy: needs no room on the disk, but who dies meanwhile leaves a part written.

    Raises:
        Conflict: something else stands there now. NotFound: nothing does. WriteFailed: the disk refuses.
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
    """Take away the file whose text `etag` names, and the folders that became empty below `root`.

    Raises:
        Conflict: something else stands there now.
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
    """Compare and swap's first half.

    Raises:
        Conflict: the text is not the one that was read. NotFound: it is gone.
    """
    now = current_etag(path)
    if now is None:
        raise NotFound(f"{path} is gone.", "If it was moved, name the memory by its id. If it was deleted: vade undo")
    if now != etag:
        raise Conflict(f"{path} changed since it was read. Nothing was written.", "Read it again and repeat the change.")


def must_be_done(path: Path, etag: str, age_s: float) -> None:
    """Wait until a file that somebody else wrote was left alone for a moment, and look again: some editors cut a file to nothing before
    they write it.

    Args:
        age_s: how long ago it was written, in seconds.

    Raises:
        Conflict, NotFound: as :func:`must_be_unchanged`.
    """
    if age_s < LEFT_ALONE_S:
        time.sleep(LEFT_ALONE_S - age_s)
        must_be_unchanged(path, etag)


def must_stay_inside(root: Path, path: Path) -> None:
    """Refuse to follow a link: neither the file itself nor a way out of the root is one.

    Raises:
        InvalidInput: it would.
    """
    real = Path(os.path.realpath(path.parent))
    if path.is_symlink() or not real.is_relative_to(os.path.realpath(root)):
        raise InvalidInput(
            f"{path} is a link or leads out of {root}.", "Only files inside the folder are written. Nothing was written."
        )


def make_later(path: Path, before_ns: int) -> None:
    """Give a file a later time than it had before, where the clock gave it none: a tool that carries what is newer would bring back the
    older one. Sticks count in steps of two seconds.
    """
    stat = path.stat()
    if stat.st_mtime_ns < before_ns + _STEP_NS:
        os.utime(path, ns=(stat.st_atime_ns, before_ns + _STEP_NS))


def standing_as(path: Path) -> Path | None:
    """Return the file that stands at a path, or the one whose name differs from it by case or by the form of its characters only: on
    many disks the two are one. None: neither stands there.
    """
    if path.exists():
        return path
    wanted = on_any_disk(path.name)
    with contextlib.suppress(OSError):
        return next((other_path for other_path in path.parent.iterdir() if on_any_disk(other_path.name) == wanted), None)
    return None


def is_temporary(name: str) -> bool:
    """Return whether a file's name is that of a half-written one of ours."""
    return name.startswith(TEMPORARY_PREFIX) and name.endswith(TEMPORARY_SUFFIX)


def sweep(folder: Path) -> None:
    """Remove half-written files that a dead process left in `folder`; those of a process that lives stay. Only under the vault's lock."""
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
    if not number.isdigit() or os.name == "nt" or int(number) == os.getpid():  # we hold the lock, and write nothing just now
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
    """Turn the disk's own errors into ours."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        hint = HELD if isinstance(error, PermissionError) else "Check the folder's permissions and the disk."
        raise not_written(f"{path} could not be written: {reason}. The old text is still there.", error, hint) from error


@contextlib.contextmanager
def _temporary(path: Path, data: bytes, mode_of: Path | None) -> Iterator[Path]:
    """Give a file of its own beside `path` with `data` on disk; it is gone afterwards, renamed or not."""
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
        with contextlib.suppress(PermissionError):  # whoever holds it: the next write sweeps
            temporary.unlink(missing_ok=True)


def _patiently(act: Callable[[], object]) -> None:
    """Do something to a file, again while another program holds that.

    Raises:
        PermissionError: it is still held.
    """
    for _ in range(LOOKS - 1):
        with contextlib.suppress(PermissionError):
            act()
            return
        time.sleep(LOOK_S)
    act()


def write_all(handle: int, data: bytes) -> None:
    """Write all of `data`, however little the system takes at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _place_new(written: Path, path: Path) -> None:
    """Give the file its name without ever taking an existing one's."""
    try:
        path.hardlink_to(written)
    except FileExistsError as error:
        raise AlreadyExists(f"There is already a file at {path}. Nothing was written.", "Choose another name.") from error
    except OSError:
        #: Some file systems (exFAT, some network ones) have no links; there a check must do.
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
    """Make a folder and those above it that are missing, for the person alone. What is there keeps its permissions."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Make a folder's names durable. Windows cannot and need not."""
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
