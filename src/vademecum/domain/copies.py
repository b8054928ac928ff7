"""Finds turns that are copies of another conversation's turns: forks, resumed sessions, second stores, exports.

A turn is compared by a mark (a keyed hash of its speaker and text) and by its time. A turn with the same mark and the same time
is a copy, unless it is short and has no matching neighbour. Otherwise turns are copies only in runs: consecutive turns of one
conversation that are consecutive in the other, with too much text to be a coincidence, and with compatible times. "Yes" and
"Continue" alone are never copies.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

#: Differences in milliseconds: up to SAME_MS two times are equal; two stores of one conversation differ by at most NEAR_MS.
SAME_MS, NEAR_MS = 1000, 600_000
#: Longest time that a host needs to write copies with new times: a base, and an addition for each turn.
BULK_MS, BULK_MS_PER_TURN = 2000, 50
#: Minimum length of a turn that is a copy by its words and time alone; a shorter one needs a matching neighbour.
LONG_CHARS = 40


class Mark(Struct, frozen=True):
    """A turn in the form in which it is compared.

    Attributes:
        words: hash of its speaker and text. time: milliseconds since 1970, None: not known. chars: length of its text.
    """

    words: int
    time: int | None = None
    chars: int = 0


def is_same_time(first: int | None, second: int | None) -> bool:
    return first is not None and second is not None and abs(first - second) <= SAME_MS


def copies_in(new: Sequence[Mark], known: Sequence[Mark], *, begins: bool) -> dict[int, int]:
    """Return index of a turn in `new` -> index in `known`, for the turns that are copies.

    Args:
        new: consecutive turns of a conversation. begins: they are its first ones.
    """
    there = _places(known)
    in_company = _in_company(at_same_time(new, known), new)
    for run in _runs(new, there):
        for i, j in _believed(run, new, known, begins=begins and run[0][0] == 0).items():
            in_company.setdefault(i, j)
    return in_company


def at_same_time(new: Sequence[Mark], known: Sequence[Mark]) -> dict[int, int]:
    """Return index of a turn in `new` -> index in `known`, for the turns with the same words and the same time."""
    there = _places(known)
    by_key: dict[int, int] = {}
    taken: set[int] = set()
    for number, mark in enumerate(new):
        for place in there.get(mark.words, ()) if mark.time is not None else ():
            if place not in taken and is_same_time(mark.time, known[place].time):
                by_key[number] = place
                taken.add(place)
                break
    return by_key


def _places(marks: Sequence[Mark]) -> dict[int, list[int]]:
    """Return words -> indices of the turns that have them."""
    there: dict[int, list[int]] = {}
    for number, mark in enumerate(marks):
        there.setdefault(mark.words, []).append(number)
    return there


def _in_company(pairs: Mapping[int, int], new: Sequence[Mark]) -> dict[int, int]:
    """Return the pairs that are long, or adjacent to another pair in both conversations."""
    return {
        i: j
        for i, j in pairs.items()
        if new[i].chars >= LONG_CHARS or pairs.get(i - 1, -2) == j - 1 or pairs.get(i + 1, -2) == j + 1
    }


def _runs(new: Sequence[Mark], there: Mapping[int, Sequence[int]]) -> Iterable[list[tuple[int, int]]]:
    """Return the longest runs of turns that are consecutive in both conversations; each turn is in at most one run."""
    ends: dict[int, int] = {}  # index in `known` -> length of the run that ends there
    best: list[tuple[int, int]] = []  # for each new turn: (length of the longest run ending here, -index of its end in `known`)
    for mark in new:
        now = {place: ends.get(place - 1, 0) + 1 for place in there.get(mark.words, ())}
        best.append(max(((length, -place) for place, length in now.items()), default=(0, 0)))
        ends = now
    runs = []
    number = len(new) - 1
    while number >= 0:
        length, place = best[number][0], -best[number][1]
        if length:
            runs.append([(number - back, place - back) for back in reversed(range(length))])
        number -= max(length, 1)
    return reversed(runs)


def _believed(pairs: Sequence[tuple[int, int]], new: Sequence[Mark], known: Sequence[Mark], *, begins: bool) -> dict[int, int]:
    """Return the pairs of a run that are copies.

    The longest prefix with compatible times and enough text is accepted; the rest of the run is tried again in the same way.
    """
    start = 0
    by_key: dict[int, int] = {}
    while start < len(pairs):
        fitting = _fitting(pairs[start:], new, known, begins=begins and start == 0)
        if not fitting:
            return by_key
        by_key.update(pairs[start : start + fitting])
        start += fitting
    return by_key


def _fitting(pairs: Sequence[tuple[int, int]], new: Sequence[Mark], known: Sequence[Mark], *, begins: bool) -> int:
    """Return the number of leading pairs that are copies."""
    chars = fitting = 0
    differences, ours, theirs = _Span(), _Span(), _Span()
    for count, (i, j) in enumerate(pairs, 1):
        chars += new[i].chars
        here, there = new[i].time, known[j].time
        if here is not None and there is not None:
            differences.add(here - there)
            ours.add(here)
            theirs.add(there)
        if max(abs(differences.least), abs(differences.most)) <= NEAR_MS:
            enough = count >= 2 and (chars >= 40 if begins else (count >= 3 and chars >= 80) or chars >= 200)
        else:
            is_at_once = min(ours.width, theirs.width) <= BULK_MS + BULK_MS_PER_TURN * count
            enough = is_at_once and count >= 3 and chars >= 80
        if enough:
            fitting = count
    return fitting


class _Span:
    """The minimum and maximum of numbers; both 0 when there are none."""

    def __init__(self) -> None:
        self.least = self.most = 0
        self._begun = False

    def add(self, number: int) -> None:
        self.least = min(self.least, number) if self._begun else number
        self.most = max(self.most, number) if self._begun else number
        self._begun = True

    @property
    def width(self) -> int:
        return self.most - self.least


def known_again(new: Sequence[Mark], known: Sequence[Mark]) -> dict[int, int]:
    """Return index of a turn in `new` -> index in `known`, for two versions of one conversation.

    Both begin with the beginning of the conversation. So a turn is matched by its words alone, each known turn once and in
    order, unless the times contradict.
    """
    there = _places(known)
    by_key = at_same_time(new, known)
    taken = set(by_key.values())
    for number, mark in enumerate(new):
        if number in by_key:
            continue
        for place in there.get(mark.words, ()):
            other = known[place].time
            if place not in taken and (mark.time is None or other is None or abs(mark.time - other) <= NEAR_MS):
                by_key[number] = place
                taken.add(place)
                break
    left = [number for number in range(len(new)) if number not in by_key]
    rest = [number for number in range(len(known)) if number not in taken]
    more = copies_in([new[number] for number in left], [known[number] for number in rest], begins=bool(left) and left[0] == 0)
    return by_key | {left[number]: rest[place] for number, place in more.items()}
