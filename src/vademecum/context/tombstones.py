"""Tombstones of forgotten texts: what they cover is never extracted, saved, archived or indexed again."""

from functools import lru_cache

from vademecum.context.context import Context
from vademecum.domain.forgotten import Tombstone
from vademecum.guard.forgotten import Forgotten


def forgotten(context: Context) -> Forgotten:
    """Return the matcher for the current tombstones of every space."""
    return of_stones(context.vault.erasure.tombstones())


@lru_cache(maxsize=4)
def of_stones(stones: tuple[Tombstone, ...]) -> Forgotten:
    """Return the matcher for these tombstones."""
    return Forgotten(stones)
