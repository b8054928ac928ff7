"""Quality measures of a ranking: hit, recall, all, MRR and nDCG, with a bootstrap interval. Pure functions."""

import math
import random
from collections.abc import Callable, Collection, Mapping, Sequence

#: Resamples of the bootstrap; the interval is from the 2.5th to the 97.5th percentile of their means.
RESAMPLES = 400
_SEED = 7


def measures(ranking: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """Return all measures of one ranking (best first, no repetitions) against its gold answers, each 0..1."""
    found = [name in gold for name in ranking]
    first = next((rank for rank, hit in enumerate(found, 1) if hit), None)
    values = {f"hit@{k}": float(any(found[:k])) for k in (1, 5, 10)}
    values |= {f"recall@{k}": sum(found[:k]) / len(gold) for k in (5, 10)}
    values |= {f"all@{k}": float(sum(found[:k]) == len(gold)) for k in (5, 10)}
    values["mrr"] = 1 / first if first else 0.0
    values["ndcg@10"] = _ndcg(found[:10], min(10, len(gold)))
    return values


def _ndcg(found: Sequence[bool], gold: int) -> float:
    gain = sum(1 / math.log2(rank + 1) for rank, hit in enumerate(found, 1) if hit)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, gold + 1))
    return gain / best if best else 0.0


def mean_of(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over questions; empty for none."""
    if not rows:
        return {}
    return {name: round(sum(row[name] for row in rows) / len(rows), 4) for name in rows[0]}


def interval_over(groups: Mapping[str, Sequence[float]]) -> tuple[float, float]:
    """Return the 95 % cluster bootstrap interval of the mean over all values.

    Complete groups are drawn, because the questions of one conversation, or of one person, succeed and fail together.
    """
    if not groups:
        return (0.0, 0.0)
    totals = [(sum(values), len(values)) for values in groups.values()]
    chance = random.Random(_SEED)
    drawn = (chance.choices(totals, k=len(totals)) for _ in range(RESAMPLES))
    means = sorted(sum(total for total, _ in some) / sum(count for _, count in some) for some in drawn)
    return (round(means[int(0.025 * RESAMPLES)], 4), round(means[int(0.975 * RESAMPLES) - 1], 4))


def interval(values: Sequence[float], statistic: Callable[[Sequence[float]], float] | None = None) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the mean (or of `statistic`); deterministic for the same values."""
    if not values:
        return (0.0, 0.0)
    of = statistic or (lambda sample: sum(sample) / len(sample))
    chance = random.Random(_SEED)
    means = sorted(of(chance.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return (round(means[int(0.025 * RESAMPLES)], 4), round(means[int(0.975 * RESAMPLES) - 1], 4))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` of the values lie; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
