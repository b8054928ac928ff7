"""Make the index follow the files: scan, plan, read what changed, put it in, and give it quick vectors.

What the person did by hand in the memory folder is journaled as theirs before it is indexed. A file that cannot be read is
reported and the rest goes on.
"""

from collections.abc import Iterable, Sequence

from vademecum.index.items import document_item, memory_item
from vademecum.index.sync import Plan, plan
from vademecum.model.errors import Problem, VademecumError
from vademecum.model.item import Item
from vademecum.model.memory import Memory, Space
from vademecum.model.reports import SyncReport
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.refine import try_refine
from vademecum.vault.scan import SourceFile

#: Files read and put in between two commits.
BATCH = 500
#: Passages that a sync gives their finer vectors at once; more wait for `refine`.
REFINED_AT_ONCE_S = 0.25


def follow(parts: Parts, *, confirm_loss: bool = False, quick: bool = False) -> SyncReport:
    """Bring the index up to date with every space.

    Args:
        confirm_loss: believe that most notes are really gone.
        quick: leave the finer vectors for later.

    Raises:
        VaultEmptied: most notes vanished at once and `confirm_loss` is not set. The index is left as it was.
        VaultMissing: a space's folder is not there.
    """
    start = parts.clock.elapsed_s()
    counts = {"added": 0, "changed": 0, "touched": 0, "dropped": 0, "same": 0}
    problems: list[Problem] = []
    by_hand: list[str] = []
    for space in parts.vault.spaces:
        by_hand += _follow_space(parts, space, confirm_loss, counts, problems)
    _, missing_quick = try_refine(parts.index, parts.quick, parts.clock, parts.progress)
    seconds = REFINED_AT_ONCE_S if quick else None
    vectors, missing = try_refine(parts.index, parts.embedder, parts.clock, parts.progress, seconds=seconds)
    problems += [Problem("vectors", sentence) for sentence in dict.fromkeys((missing_quick, missing)) if sentence]
    return SyncReport(
        **counts,
        by_hand=tuple(by_hand),
        problems=tuple(problems),
        vectors=vectors,
        waiting=waiting(parts),
        ms=(parts.clock.elapsed_s() - start) * 1000,
    )


def waiting(parts: Parts) -> int:
    """Passages that have no vector of the chosen model yet."""
    if parts.embedder is None:
        return 0
    stats = parts.index.stats()
    return max(0, stats.passages - stats.vectors.get(parts.embedder.model_id, 0))


def index_memories(parts: Parts, memories: Iterable[Memory], gone: Iterable[str] = ()) -> None:
    """Put memories that were just written into the index, with quick vectors, so that the next question finds them."""
    parts.index.apply([memory_item(memory, parts.vault.stat(memory)) for memory in memories], gone)
    try_refine(parts.index, parts.quick, parts.clock, parts.progress)
    try_refine(parts.index, parts.embedder, parts.clock, parts.progress, seconds=REFINED_AT_ONCE_S)


@dataclass(slots=True)
class _Tally:
    """What a sync met so far."""

    added: int = 0
    changed: int = 0
    touched: int = 0
    dropped: int = 0
    same: int = 0
    by_hand: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def _follow_space(parts: Parts, space: Space, confirm_loss: bool, tally: _Tally) -> None:
    listing = parts.vault.scan(space.name)
    tally.problems += listing.problems
    known = parts.index.fingerprints(space.name)
    seen = {(file.sort, file.path): file for file in listing.files}
    steps = plan(seen, known)
    opened = _open(parts, [seen[place] for place in (*steps.add, *steps.change)], tally)
    noticed = parts.vault.reconcile(space.name, listing, known, opened, confirmed=confirm_loss)
    tally.by_hand += noticed
    _put(parts, steps, opened, tally)
