"""What must not come back, as the jobs ask for it: nothing is mined, kept, archived or indexed that a tombstone stands for."""

from functools import lru_cache

from vademecum.context.context import Context
from vademecum.domain.forgotten import Tombstone
from vademecum.guard.forgotten import Forgotten


def forgotten(context: Context) -> Forgotten:
    """Return the words that the tombstones of every space stand for, as they are now."""
    return of_stones(context.vault.erasure.tombstones())


@lru_cache(maxsize=4)
def of_stones(stones: tuple[Tombstone, ...]) -> Forgotten:
    """Return the words that these tombstones stand for."""
    return Forgotten(stones)
