"""Reads and atomically writes the files of hosts."""

import contextlib
import hashlib
import os
from pathlib import Path

from vademecum.domain.errors import InvalidInput, WriteFailed
from vademecum.domain.payload import mark_of


def read(path: Path) -> bytes | None:
    """Return a file's bytes; None when it does not exist.

    Raises:
        InvalidInput: it exists but cannot be read.
    """
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Check its permissions, then try again.") from error


def text_of(data: bytes | None) -> str:
    """Return the text of a file, decoded by its byte order mark and without it; "" for None.

    Raises:
        InvalidInput: it is invalid in that encoding, or in UTF-8 when it has no mark.
    """
    mark, encoding = mark_of(data or b"")
    try:
        return (data or b"")[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise InvalidInput(f"It is not {encoding.upper()} text.", "Correct the file by hand, then try again.") from None


def bytes_of(text: str, before: bytes | None) -> bytes:
    """Return a text as bytes, with the encoding and byte order mark of the file's earlier content."""
    mark, encoding = mark_of(before or b"")
    return mark + text.encode(encoding)


def place(path: Path, data: bytes | None) -> None:
    """Write `data` to a file atomically; None deletes it. A link stays a link, permissions stay.

    Raises:
        WriteFailed: the old content is unchanged.
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
    """Return when a file was last written, in seconds since 1970; 0 when it does not exist."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def missing_folders(folder: Path) -> list[Path]:
    """Return the missing folders on the path to this one and itself, outermost first."""
    return [path for path in (*reversed(folder.parents), folder) if not path.exists()]


def drop_empty(folder: Path) -> None:
    """Remove a folder if it is empty."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def digest(data: bytes) -> str:
    """Return a hash of these bytes, 32 hexadecimal digits."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
