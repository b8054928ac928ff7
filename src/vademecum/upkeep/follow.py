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
    items = [memory_item(memory, parts.vault.stat_of(memory)) for memory in memories]
    parts.index.apply(items, gone)
    try_refine(parts.index, parts.quick, parts.clock, parts.progress)
    try_refine(parts.index, parts.embedder, parts.clock, parts.progress, seconds=REFINED_AT_ONCE_S)


def _follow_space(
    parts: Parts, space: Space, confirm_loss: bool, counts: dict[str, int], problems: list[Problem]
) -> list[str]:
    seen = {file.key: file for file in parts.vault.scan(space)}
    known = parts.index.fingerprints(space.name)
    parts.vault.check_not_emptied(space, known=len(known), found=len(seen), confirmed=confirm_loss)
    steps = plan({key: file.stat for key, file in seen.items()}, known)
    by_hand, more = parts.vault.reconcile(space, steps, seen, known)
    problems += more
    _apply(parts, steps, seen, counts, problems)
    return by_hand


def _apply(parts: Parts, steps: Plan, seen: dict[str, SourceFile], counts: dict[str, int], problems: list[Problem]) -> None:
    wanted = [*steps.add, *steps.change]
    for first in range(0, len(wanted), BATCH):
        items = list(_read(parts, [seen[key] for key in wanted[first : first + BATCH]], problems))
        parts.index.apply(items)
        parts.progress("files", min(first + BATCH, len(wanted)), len(wanted))
    parts.index.apply([], steps.drop)
    for name, keys in (("added", steps.add), ("changed", steps.change), ("dropped", steps.drop), ("same", steps.same)):
        counts[name] += len(keys)


def _read(parts: Parts, files: Sequence[SourceFile], problems: list[Problem]) -> Iterable[Item]:
    for file in files:
        try:
            read = parts.vault.read_file(file)
        except (VademecumError, OSError, UnicodeError) as error:
            problems.append(Problem(file.path, f"not indexed: {error}"))
            continue
        yield memory_item(read, file.stat) if isinstance(read, Memory) else document_item(read, file.stat)
