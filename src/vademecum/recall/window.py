"""Candidate turns and their neighbours, as arrays.

A *place* is the position of a turn as one sortable number: the item's rank among the keys, then the turn.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from vademecum.domain.query import Scored
from vademecum.ports.index import Surroundings
from vademecum.recall.numbers import TURN_BITS

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
TurnKey = tuple[str, int]
#: Passage numbers -> texts of those that still exist.
Texts = Callable[[Sequence[int]], Mapping[int, str]]


def together(one: Surroundings, other: Surroundings) -> Surroundings:
    """Merge two results without duplicate passages, as if they were read in one call."""
    keys = tuple(sorted({*one.keys, *other.keys}))
    speakers = tuple(dict.fromkeys((*one.speakers, *other.speakers)))
    item = [_places_in(keys, part.keys)[part.item] for part in (one, other)]
    speaker = [_places_in(speakers, part.speakers)[part.speaker] for part in (one, other)]
    fresh = np.flatnonzero(~np.isin(other.numbers, one.numbers))
    rows = np.append(np.arange(len(one.numbers)), fresh + len(one.numbers))
    both = Surroundings(
        keys=keys,
        speakers=speakers,
        dates=(*one.dates, *other.dates),
        numbers=np.append(one.numbers, other.numbers),
        item=np.append(*item),
        turn=np.append(one.turn, other.turn),
        speaker=np.append(*speaker),
        date=np.append(one.date, other.date + len(one.dates)),
        codes=np.append(one.codes, other.codes),
        ends=np.append(one.ends, other.ends + len(one.codes)),
    )
    return _taken(both, rows[np.lexsort((both.turn[rows], both.item[rows]))])


def _places_in(names: Sequence[str], some: Sequence[str]) -> Rows:
    """Return the index of each name in `some` among `names`."""
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in some], np.int64)


def _taken(around: Surroundings, rows: Rows) -> Surroundings:
    """Return the passages of these rows, in that order."""
    lengths = np.diff(around.ends, prepend=0)[rows]
    ends = np.cumsum(lengths)
    shift = around.ends[rows] - ends
    return around._replace(
        numbers=around.numbers[rows],
        item=around.item[rows],
        turn=around.turn[rows],
        speaker=around.speaker[rows],
        date=around.date[rows],
        codes=around.codes[np.arange(len(shift) and ends[-1]) + np.repeat(shift, lengths)],
        ends=ends,
    )


class Window:
    """Candidate turns with their neighbours.

    Attributes:
        around: the passages in sight. stems: number of stems per passage, without its date.
        start, owner: first passage of each turn in sight, and the turn of each passage. item: item of each turn in sight.
        rows: indices of the candidates among the turns in sight. turns: the candidates.
    """

    def __init__(self, around: Surroundings, wanted: Iterable[Scored], strongest: Iterable[Scored], reach: int) -> None:
        """Make candidates of the turns of `wanted`, and of the turns within `reach` of the `strongest`."""
        self.around = around
        self.stems = np.diff(around.ends, prepend=0)
        places = (around.item << TURN_BITS) + around.turn
        first = np.append(True, places[1:] != places[:-1])[: len(places)]
        self.start = np.flatnonzero(first)
        self.owner = np.cumsum(first) - 1
        self.item = around.item[self.start]
        self._place = places[self.start]
        steps = np.arange(-reach, reach + 1)
        near = self._places(strongest)[:, None] + steps
        chosen = np.zeros(len(self.start) + 1, np.bool_)
        chosen[self._at(np.append(self._places(wanted), near))] = True
        self.rows = np.flatnonzero(chosen[:-1])
        turns = around.turn[self.start[self.rows]].tolist()
        self.turns = tuple(zip(map(around.keys.__getitem__, self.item[self.rows].tolist()), turns, strict=True))

    def numbers_of(self, row: int) -> Sequence[int]:
        """Return the passage numbers of a candidate."""
        turn = int(self.rows[row])
        end = self.start[turn + 1] if turn + 1 < len(self.start) else None
        numbers: list[int] = self.around.numbers[self.start[turn] : end].tolist()
        return numbers

    def candidates(self) -> Mask:
        """Return which passages belong to candidates."""
        chosen = np.zeros(len(self.start), np.bool_)
        chosen[self.rows] = True
        return np.asarray(chosen[self.owner])

    def compared(self) -> Mask:
        """Return which passages belong to candidates or to the turns directly before and after them."""
        chosen = np.zeros(len(self.start) + 1, np.bool_)
        for step in (-1, 0, 1):
            chosen[self.neighbours(step)] = True
        return np.asarray(chosen[self.owner])

    def neighbours(self, step: int) -> Rows:
        """Return for each candidate the turn in sight at distance `step` in the same item; len(start) if there is none."""
        return self._at(self._place[self.rows] + step)

    def _at(self, places: NDArray[np.int64]) -> Rows:
        """Return the turn in sight at each place; len(start) if there is none."""
        values = np.searchsorted(self._place, places)
        there = np.append(self._place, -1)[values] == places
        return np.where(there, values, len(self.start))

    def _places(self, hits: Iterable[Scored]) -> NDArray[np.int64]:
        rank = {key: number for number, key in enumerate(self.around.keys)}
        return np.array([(rank[hit.item] << TURN_BITS) + hit.turn for hit in hits if hit.item in rank], np.int64)
