"""File paths given by a person, a setting or a caller over the network."""

import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from vademecum.domain.errors import InvalidInput

_NOT_THERE = (FileNotFoundError, NotADirectoryError)


def expanded(text: str | Path) -> Path:
    """Return the path with `~` and `~name` expanded. The disk is not accessed.

    Raises:
        InvalidInput: there is no such home folder.
    """
    try:
        return Path(text).expanduser()
    except RuntimeError as error:  # pathlib raises this for an unknown home folder
        raise _impossible(text, "there is no such home folder") from error


def place_named(text: str | Path) -> Path:
    """Return the path with `~` and `~name` expanded. It need not exist.

    Raises:
        InvalidInput: the disk rejects the name or denies access; or the path is a device, which might be read without end.
    """
    path = expanded(text)
    try:
        with suppress(*_NOT_THERE):
            if is_device(path):
                raise _impossible(text, "it is a device, not a file")
    except OSError as error:
        raise _impossible(text, error.strerror or str(error)) from error
    except ValueError as error:  # a NUL in the name
        raise _impossible(text, str(error)) from error
    return path


def is_device(path: Path) -> bool:
    """Return whether the path is a device, such as a terminal, a disk or one that yields zeros without end.

    Raises:
        OSError: it does not exist or cannot be examined.
    """
    mode = path.stat().st_mode
    return stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


def matching(text: str | Path) -> Iterator[Path]:
    """Yield the files and folders that a path stands for: if it does not exist and contains a `*`, all that match it; else the
    path itself.

    Raises:
        InvalidInput: as :func:`place_named`.
    """
    path = place_named(text)
    if "*" not in str(path) or path.exists():
        yield path
        return
    above = standing_above(path)
    with suppress(OSError):
        yield from sorted(above.glob(str(path.relative_to(above))))


def standing_above(place: str | Path) -> Path:
    """Return the part of a path before the first component that contains a `*`; the path itself when none does."""
    path = expanded(place)
    names = path.parts
    first = next((number for number, name in enumerate(names) if "*" in name), len(names))
    return Path(*names[:first])


def _impossible(text: str | Path, why: str) -> InvalidInput:
    return InvalidInput(f"{str(text)!r} is not a usable path: {why}.", "Name a file or folder.")
