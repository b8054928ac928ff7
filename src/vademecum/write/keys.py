"""Keys that people and agents call memories by, such as KD07 or DEC-07: aliases of one memory, handed out once (SW-30)."""

import re

from vademecum.context.context import Context
from vademecum.domain.errors import AlreadyExists, InvalidInput

_KEY = re.compile(r"(?P<letters>[A-Z]{1,4}-?)(?P<number>\d{1,5})?")
#: After so many numbers in a row that nobody bears, the rest is free.
_FREE_IN_A_ROW = 50


def key_for(context: Context, word: str) -> str:
    """Return the key that a new memory gets: the one named, or the next free one of those letters ("KD" gives KD08).

    Raises:
        InvalidInput: it is no key. AlreadyExists: another memory bears it.
    """
    found = _KEY.fullmatch(word.strip().upper())
    if found is None:
        raise InvalidInput(
            f"{word!r} is no key.", "Give letters and a number (KD03), or letters alone for the next free one (KD, DEC-)."
        )
    if found["number"] is None:
        return _next(context, found["letters"])
    if context.index.named(found[0]):
        free = _next(context, found["letters"])
        raise AlreadyExists(
            f"{found[0]} is the key of another memory.", f"See it: vade show {found[0]}. The next free one: {free}"
        )
    return found[0]


def _next(context: Context, letters: str) -> str:
    last = number = 0
    while number - last < _FREE_IN_A_ROW:
        number += 1
        if context.index.named(f"{letters}{number:02}"):
            last = number
    return f"{letters}{last + 1:02}"
