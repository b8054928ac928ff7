"""Three pools, each searched, measured and judged separately: memories, the person's documents, and sessions.

Notes and old turns then cannot displace memories among the candidates, and do not make the words of memories common.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from vademecum.domain.query import RECALLED_SOURCES, Scope, Scored
from vademecum.ports.index import Term, WordSearch
from vademecum.recall.profiles import Profile
from vademecum.recall.window import TurnKey

Floats = NDArray[np.float32]
#: Results of an arm in each pool, best first.
Found = tuple[tuple[Scored, ...], ...]

#: Pool -> sources of its items.
SOURCES = {"memory": ("memory", "handoff"), "document": ("document",), "session": ("session", "log")}
#: The only pool of rankers that search everything together.
EVERYTHING = "all"


class SearchPool(Struct, frozen=True):
    """A part of the index that is searched separately.

    Attributes:
        name: one of `SOURCES`, or `EVERYTHING`. scope: of the question, within this pool.
        passages, mean_stems: number of passages, and their mean length in stems.
        per_arm: maximum candidates per arm.
    """

    name: str
    scope: Scope
    passages: int
    mean_stems: float
    per_arm: int


def one_pool(index: WordSearch, scope: Scope, profile: Profile) -> tuple[SearchPool, ...]:
    """Return one pool for everything in scope; an empty tuple if nothing is.

    Raises:
        IndexDamaged: the index cannot be used.
    """
    return tuple(_pool(index, EVERYTHING, scope, profile.per_arm))


def pools_of(index: WordSearch, scope: Scope, profile: Profile) -> tuple[SearchPool, ...]:
    """Return the pools that contain anything in scope, memories first.

    Raises:
        IndexDamaged: the index cannot be used.
    """
    wanted = scope.sources or RECALLED_SOURCES
    search_pools: list[SearchPool] = []
    for name, sources in SOURCES.items():
        if inside := tuple(source for source in sources if source in wanted):
            most = profile.per_arm if name == "session" else profile.per_arm_of_notes
            search_pools += _pool(index, name, replace(scope, sources=inside), most)
    return tuple(search_pools)


def _pool(index: WordSearch, name: str, scope: Scope, per_arm: int) -> list[SearchPool]:
    """Return a list with the pool, or an empty list if it has no passages."""
    passages, mean_stems = index.size(replace(scope, without=frozenset()))
    return [SearchPool(name, scope, passages, mean_stems, per_arm)] if passages else []


class Measures(Struct, frozen=True):
    """Word statistics of each pool.

    Attributes:
        pools: as in :func:`pools_of` or :func:`one_pool`.
        complete: per pool, whether every passage that contains a term is among the candidates.
        passages: number in the whole index.
    """

    pools: tuple[SearchPool, ...]
    complete: tuple[bool, ...]
    passages: int

    def holding(self, terms: Sequence[Term], counted: Floats, pool_of: NDArray[np.int64]) -> Floats:
        """Return (pools, terms): the number of passages that contain each term.

        Args:
            counted: (terms, passages in sight), occurrences. pool_of: index of the pool of each passage in sight.
        """
        everywhere = np.array([term.passages for term in terms], np.float32)
        if self.pools[0].name == EVERYTHING:
            return everywhere[None]
        there = counted > 0
        seen = np.array([there[:, pool_of == at].sum(axis=1) for at in range(len(self.pools))], np.float32)
        for at, pool in enumerate(self.pools):
            if not self.complete[at]:  # assume that the unread passages are spread evenly
                seen[at] = np.maximum(seen[at], np.minimum(everywhere * pool.passages / max(self.passages, 1), pool.passages))
        return seen


def pool_of_keys(keys: Sequence[str], pools: Sequence[SearchPool]) -> NDArray[np.int64]:
    """Return the index of each item's pool, by the item's key."""
    place = {source: at for at, pool in enumerate(pools) for source in SOURCES.get(pool.name, ())}
    return np.array([place.get(key.partition("://")[0], 0) for key in keys], np.int64)


def ranks_of(arm: Found) -> dict[TurnKey, int]:
    """Return the rank of each turn in an arm, from 1 in each pool, by its best passage."""
    ranks: dict[TurnKey, int] = {}
    for matches in arm:
        for rank, turn in enumerate(dict.fromkeys((match.item, match.turn) for match in matches), 1):
            ranks[turn] = rank
    return ranks
