"""`vade bench benefit`: simulate a person with a known effect, to see how soon `vade benefit` detects it and how often it errs.

The person works in sessions of different difficulty. In each, some memories would be shown, and the hold-out is drawn as in the
program. A shown memory is needed again with one probability, a withheld one with another; both are known here, while the
program sees only the events.
"""

import random
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from vademecum.domain.benefit import SHARE, SHOWN_AT, e_value, falls_out, p_value

#: One-sided level of the exact test, for a single look at the end.
LEVEL = 0.05
#: Shape of the gamma distribution (mean 1) of a session's difficulty: one session in seven is more than twice as hard as
#: average.
_SHAPE = 1.0


class World(Struct, frozen=True):
    """A person with a known effect.

    Attributes:
        told, left_out: probability that a memory is needed in a session in which it was shown, or held out.
        sessions: per week.
        memories: that would be shown in each session.
    """

    told: float
    left_out: float
    sessions: int = 25
    memories: int = 5


def bench_benefit(worlds: Sequence[World], weeks: Sequence[int], runs: int, seed: int = 1) -> list[dict[str, Any]]:
    """Return a row for each world and number of weeks.

    It has the share of runs in which an effect was reported at any weekly look until then, the share in which a single exact
    test at the end would report one, and the mean number of events.
    """
    rows = []
    for world in worlds:
        lives = [_life(world, max(weeks), random.Random(f"{seed} {run} {world}")) for run in range(runs)]
        for until in weeks:
            ends = [life[until - 1] for life in lives]
            rows.append(
                {
                    "told": world.told,
                    "left_out": world.left_out,
                    "weeks": until,
                    "shown": sum(any(map(_shows, life[:until])) for life in lives) / runs,
                    "exact": sum(events > 0 and p_value(missed, events) <= LEVEL for missed, events in ends) / runs,
                    "events": sum(events for _, events in ends) / runs,
                }
            )
    return rows


def _life(world: World, weeks: int, chance: random.Random) -> list[tuple[int, int]]:
    """Return after each week (events on held-out memories, all events)."""
    missed = events = 0
    after = []
    for week in range(weeks):
        for session in range(world.sessions):
            hard = chance.gammavariate(_SHAPE, 1 / _SHAPE)
            seed = f"{week} {session} {chance.getrandbits(64)}"
            for memory in range(world.memories):
                out = falls_out(seed, f"memory://{memory}")
                if chance.random() < hard * (world.left_out if out else world.told):
                    missed, events = missed + out, events + 1
        after.append((missed, events))
    return after


def _shows(seen: tuple[int, int]) -> bool:
    missed, events = seen
    return events > 0 and missed > SHARE * events and e_value(missed, events) >= SHOWN_AT


def text_of(rows: Sequence[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table."""
    lines = [
        "| needed when told : left out | weeks | events | shown, looking weekly | one exact test at the end |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['told']:.2%} : {row['left_out']:.2%} | {row['weeks']} | {row['events']:.0f} | {row['shown']:.0%} | {row['exact']:.0%} |"
        for row in rows
    ]
    return "\n".join(lines)
