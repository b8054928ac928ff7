"""Files of hosts on disk: read whole, written whole or not at all."""

import contextlib
import hashlib
import os
from pathlib import Path

from vademecum.domain.errors import InvalidInput, WriteFailed


def read(path: Path) -> bytes | None:
    """Return a file's bytes; None when there is none.

    Raises:
        InvalidInput: it is there and cannot be read.
    """
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Check its permissions, then try again.") from error


def text_of(data: bytes | None) -> str:
    """Return the text of a file; "" for none.

    Raises:
        InvalidInput: it is not UTF-8.
    """
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput("It is not UTF-8 text.", "Correct the file by hand, then try again.") from None


def place(path: Path, data: bytes | None) -> None:
    """Make a file hold exactly `data`; None: make it go. A link stays a link, permissions stay.

    Raises:
        WriteFailed: the old text still stands.
    """
    path = Path(os.path.realpath(path))
    fresh = path.with_name(f".{path.name}.vademecum-{os.getpid()}.tmp")
    try:
        if data is None:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with fresh.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            fresh.chmod(path.stat().st_mode & 0o7777)
        fresh.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise WriteFailed(
            f"{path} could not be written: {error.strerror}. The old text is still there.", "Check permissions and the disk."
        ) from error


def written_s(path: Path) -> float:
    """Return when a file was last written, in seconds since 1970; 0 when there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def missing_folders(folder: Path) -> list[Path]:
    """Return folders that must be made for this one to exist, outermost first."""
    return [one for one in (*reversed(folder.parents), folder) if not one.exists()]


def drop_empty(folder: Path) -> None:
    """Remove a folder when nothing is in it."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def digest(data: bytes) -> str:
    """Return a hash that names these bytes."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
