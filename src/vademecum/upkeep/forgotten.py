"""What must not come back, as the jobs ask for it: nothing is mined, kept, archived or indexed that a tombstone stands for."""

from functools import lru_cache

from vademecum.guard.forgotten import Forgotten
from vademecum.model.forgotten import Tombstone
from vademecum.upkeep.parts import Parts


def forgotten(parts: Parts) -> Forgotten:
    """What the tombstones of every space stand for, as they are now."""
    return of_stones(parts.vault.tombstones())


@lru_cache(maxsize=4)
def of_stones(stones: tuple[Tombstone, ...]) -> Forgotten:
    """What these tombstones stand for."""
    return Forgotten(stones)
