"""Places on disk as a person, a setting or a caller over the network names them."""

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
        raise _impossible(text, "there is no such home") from error


def place_named(text: str | Path) -> Path:
    """Return the place that is meant, `~` and `~name` being homes. Whether anything is there is for the caller to see.

    Raises:
        InvalidInput: the disk cannot say: a name that it does not take, a folder that is closed to this person.
    """
    path = expanded(text)
    try:
        with suppress(*_NOT_THERE):
            path.stat()
    except OSError as error:
        raise _impossible(text, error.strerror or str(error)) from error
    except ValueError as error:  # a NUL in the name
        raise _impossible(text, str(error)) from error
    return path


def _impossible(text: str | Path, why: str) -> InvalidInput:
    return InvalidInput(f"{str(text)!r} cannot be read as a place: {why}.", "Name a file or folder of yours.")
