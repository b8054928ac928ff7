"""Places on disk as a person, a setting or a caller over the network names them."""

import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from vademecum.domain.errors import InvalidInput

_NOT_THERE = (FileNotFoundError, NotADirectoryError)


def expanded(text: str | Path) -> Path:
    """Return the place that is meant, `~` and `~name` being homes. The disk is not asked.

    Raises:
        InvalidInput: nobody has that name, or this person no home.
    """
    try:
        return Path(text).expanduser()
    except RuntimeError as error:  # pathlib's word for a home that it cannot find
        raise _impossible(text, "there is no such home folder") from error


def place_named(text: str | Path) -> Path:
    """Return the place that is meant, `~` and `~name` being homes. Whether anything is there is for the caller to see.

    Raises:
        InvalidInput: the disk cannot say: a name that it does not take, a folder that is closed to this person. Or it is a device,
            which may have no end.
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
    """Return whether a terminal, a disk or another device is there, such as one that gives zeros without end.

    Raises:
        OSError: it is not there, or the disk cannot say.
    """
    mode = path.stat().st_mode
    return stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


def matching(text: str | Path) -> Iterator[Path]:
    """Yield the files and folders that a place stands for. A place in which nothing is there that is called so, and which has a `*` in
    a name, stands for all that match it; any other for itself.

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
    """Return a place up to the first name in it that has a `*`; the place itself when none has."""
    path = expanded(place)
    names = path.parts
    first = next((number for number, name in enumerate(names) if "*" in name), len(names))
    return Path(*names[:first])


def _impossible(text: str | Path, why: str) -> InvalidInput:
    return InvalidInput(f"{str(text)!r} is not a usable path: {why}.", "Name a file or folder.")
