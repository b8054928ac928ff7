"""Keys by which people and agents name memories, such as KD07 or DEC-07: unique aliases, assigned once (SW-30)."""

import re
from collections.abc import Iterable
from typing import Required, TypedDict, Unpack

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import AlreadyExists, InvalidInput
from vademecum.domain.memory import By, Draft
from vademecum.domain.saved import Saved
from vademecum.write.gate import Stated, keep

_KEY = re.compile(r"(?P<letters>[A-Z]{1,4}-?)(?P<number>\d{1,5})?")
#: After this many unused numbers in a row, all higher ones are free.
_FREE_IN_A_ROW = 50


class Keeping(TypedDict, total=False):
    """The other arguments of :func:`vademecum.write.gate.keep`."""

    by: Required[By]
    replaces: Iterable[str]
    unique: bool
    stated: Stated


def keep_under(context: Context, key: str, draft: Draft, **how: Unpack[Keeping]) -> Saved:
    """Save a draft under a key, as :func:`vademecum.write.gate.keep` does.

    The write lock is held from choosing the key to saving the memory, so no two memories get the same key.

    Args:
        key: the key, or its letters for the next free one ("KD" gives KD08); "" for none.

    Raises:
        InvalidInput: it is no key. AlreadyExists: another memory has it. Locked: another process holds the lock.
    """
    if not key:
        return keep(context, draft, **how)
    with context.vault.held("save"):
        given = {**draft.properties, "aliases": [_key_for(context, key)]}
        return keep(context, replace(draft, properties=given), **how)


def _key_for(context: Context, word: str) -> str:
    """Return the key for a new memory. The caller must hold the lock.

    Raises:
        InvalidInput: it is no key. AlreadyExists: another memory has it.
    """
    match = _KEY.fullmatch(word.strip().upper())
    if match is None:
        raise InvalidInput(
            f"{word!r} is no key.", "Give letters and a number (KD03), or letters alone for the next free one (KD, DEC-)."
        )
    if match["number"] is None:
        return _next(context, match["letters"])
    if context.index.named(match[0]):
        free = _next(context, match["letters"])
        raise AlreadyExists(
            f"{match[0]} is the key of another memory.", f"See it: vade show {match[0]}. The next free one: {free}"
        )
    return match[0]


def _next(context: Context, letters: str) -> str:
    last = number = 0
    while number - last < _FREE_IN_A_ROW:
        number += 1
        if context.index.named(f"{letters}{number:02}"):
            last = number
    return f"{letters}{last + 1:02}"
