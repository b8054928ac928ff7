"""The ledger of captured turns: which conversation each turn belongs to.

A turn is stored once, however many files contain it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.copies import Mark, at_same_time, copies_in, known_again
from vademecum.domain.session import SPOKEN, Session, Turn
from vademecum.index.items import SESSIONS
from vademecum.ports.state import KnownTurn, TurnOwners

#: Number of turns before the new ones that are compared too, to detect a copy that grows turn by turn.
BEFORE = 4
#: Turns with fewer characters occur in many conversations; they are used to find copies only if there are fewer than FEW longer
#: ones.
LONG_CHARS, FEW = 20, 4


def mark_of(turns: TurnOwners, turn: Turn) -> Mark:
    """Return a turn's mark for comparison: hash of speaker and words (white space ignored), time, and length."""
    words = "".join(turn.text.split())
    return Mark(turns.mark(f"{turn.role}\0{words}"), milliseconds(turn.time), len(words))


def milliseconds(time: datetime | None) -> int | None:
    return None if time is None else int(time.timestamp() * 1000)


class Sorted(Struct, frozen=True):
    """Which turns of a conversation are known or copied.

    Attributes:
        known: refs of turns that were captured with this conversation before.
        standing: those of them that the index has from another file.
        copied: refs of turns that belong to another conversation.
        sources: numbers of those conversations.
    """

    known: frozenset[str] = frozenset()
    standing: frozenset[str] = frozenset()
    copied: frozenset[str] = frozenset()
    sources: frozenset[int] = frozenset()


class Ledger:
    """Known turns, and turns being captured. The latter are written when their conversation is settled."""

    def __init__(self, context: Context) -> None:
        self._turns = context.state.turns
        self._open: dict[int, list[KnownTurn]] = {}
        self._changed: dict[int, int] = {}
        self._holders: dict[int, set[int]] = {}

    def sort(self, session: Session, copied: Mapping[str, str], *, follows: bool, second: bool) -> Sorted:
        """Classify the turns of a conversation, and record them.

        Args:
            copied: ref of a turn -> URI of the conversation that it belongs to, where known already.
            follows: whether the turns follow those read before from the same file; else they are the whole file.
            second: whether the file is not the one that the index names for the conversation.
        """
        spoken = [turn for turn in session.turns if turn.role in SPOKEN]
        own = self._turns.number(session.uri)
        marks = [mark_of(self._turns, turn) for turn in spoken]
        there = self.of(own)
        again = _met_again(marks, there) if follows else known_again(marks, list(map(_mark, there)))
        owners = {number: there[place].owner for number, place in again.items()}
        left = [number for number in range(len(spoken)) if number not in again]
        before = there[max(0, len(there) - BEFORE) :] if follows and not again else ()
        copies, sources = self._copied(own, marks, left, before)
        owners.update(copies)
        owners.update(
            {n: self._turns.number(copied[spoken[n].ref]) for n in left if n not in owners and spoken[n].ref in copied}
        )
        self._note(own, there, marks, again, owners, second=second)
        return Sorted(
            frozenset(spoken[number].ref for number in again),
            frozenset(spoken[number].ref for number, place in again.items() if there[place].elsewhere),
            frozenset(spoken[number].ref for number, owner in owners.items() if owner != own),
            frozenset(owner for owner in (*owners.values(), *sources) if owner != own),
        )

    def goes_on(self, session: Session) -> bool:
        """Return whether a whole transcript has every turn known of its conversation, and later ones."""
        marks = [mark_of(self._turns, turn) for turn in session.turns if turn.role in SPOKEN]
        there = self.of(self._turns.number(session.uri))
        return len(known_again(marks, list(map(_mark, there)))) == len(there) < len(marks)

    def settle(self, session: str) -> None:
        """Write the recorded turns of a conversation, after it was indexed and mined."""
        number = self._turns.number(session)
        first = self._changed.pop(number, None)
        if first is not None:
            self._turns.put(number, first, self._open[number][first:])
        for known in self._open.pop(number, ()):
            holders = self._holders.get(known.words)
            if holders is not None:
                holders.discard(number)
                if not holders:
                    del self._holders[known.words]

    def of(self, session: int) -> list[KnownTurn]:
        """Return the turns of a conversation that are captured or being captured, in the order in which they were said."""
        return self._open[session] if session in self._open else list(self._turns.of(session))

    def _copied(
        self, own: int, marks: Sequence[Mark], left: Sequence[int], before: Sequence[KnownTurn]
    ) -> tuple[dict[int, int], set[int]]:
        """Return (number of a copied turn among those `left` -> session it belongs to, sessions it was copied from)."""
        by_key: dict[int, int] = {}
        sources: set[int] = set()
        wanted = set(left)
        for session in self._holding([marks[number] for number in left]) - {own}:
            there = self.of(session)
            compared = [*map(_mark, before), *marks]
            for place, other in copies_in(compared, list(map(_mark, there)), begins=not before).items():
                number, owner = place - len(before), there[other].owner
                if number in wanted and owner != own:
                    by_key.setdefault(number, owner)
                    sources.add(session)
        return by_key, sources

    def _holding(self, marks: Sequence[Mark]) -> set[int]:
        long = [mark.words for mark in marks if mark.chars >= LONG_CHARS]
        asked = long if len(long) >= FEW else [mark.words for mark in marks]
        holding = set(self._turns.holding(list(dict.fromkeys(asked))))
        for words in asked:
            holding |= self._holders.get(words, set())
        return holding

    def _note(
        self,
        own: int,
        there: list[KnownTurn],
        marks: Sequence[Mark],
        again: dict[int, int],
        owners: dict[int, int],
        *,
        second: bool,
    ) -> None:
        first = len(there)
        rows = list(there)
        for place in again.values():
            if rows[place].elsewhere and not second:
                rows[place] = replace(rows[place], elsewhere=False)
                first = min(first, place)
        rows += [
            KnownTurn(mark.words, mark.time, owners.get(number, own), elsewhere=second)
            for number, mark in enumerate(marks)
            if number not in again
        ]
        self._open[own] = rows
        self._changed[own] = min(first, self._changed.get(own, first))
        for row in rows[first:]:
            self._holders.setdefault(row.words, set()).add(own)


def _mark(known: KnownTurn) -> Mark:
    return Mark(known.words, known.time)


def _met_again(marks: Sequence[Mark], there: Sequence[KnownTurn]) -> dict[int, int]:
    """Return index of a turn that a file gained -> its position among the known turns.

    Matched are turns that only a second file had so far, and turns that the file had before it was cut.
    """
    places = [place for place, known in enumerate(there) if known.elsewhere]
    by_key = {number: places[at] for number, at in known_again(marks, [_mark(there[place]) for place in places]).items()}
    left = [number for number in range(len(marks)) if number not in by_key]
    for number, place in at_same_time([marks[number] for number in left], list(map(_mark, there))).items():
        if place not in places:
            by_key[left[number]] = place
    return by_key


def fill_from_index(context: Context, is_settled: Callable[[str], bool]) -> None:
    """Fill an empty ledger from the index. It is empty when this device captured before ledgers existed, or lost its state.

    Args:
        is_settled: whether everything read at a path was mined.
    """
    turns = context.state.turns
    if turns.is_empty():
        turns.fill(_indexed(context, is_settled))


def _indexed(context: Context, is_settled: Callable[[str], bool]) -> Iterator[tuple[int, list[KnownTurn]]]:
    """Yield (number, turns) of each conversation in the index."""
    for uri, mark in context.index.fingerprints(SESSIONS).items():
        if not is_settled(mark.path):
            continue
        number = context.state.turns.number(uri)
        yield number, [KnownTurn(mark.words, mark.time, number) for mark in _marks_in_index(context, uri)]


def _marks_in_index(context: Context, uri: str) -> Iterator[Mark]:
    """Yield the marks of a conversation's turns in the index, where a long turn consists of several passages."""
    passages = (stored.passage for stored in context.index.passages_of(uri))
    for _, pieces in groupby(passages, key=lambda passage: (passage.turn, passage.ref)):
        all_passages = list(pieces)
        words = "".join("".join(piece.text for piece in all_passages).split())
        yield Mark(context.state.turns.mark(f"{all_passages[0].role}\0{words}"), milliseconds(all_passages[0].time), len(words))


def turns_in_index(context: Context, session: Session) -> frozenset[str]:
    """Return refs of the spoken turns that the index has of this conversation, also those that it has under other refs."""
    spoken = [turn for turn in session.turns if turn.role in SPOKEN]
    there = _with_true_times(context, session.uri, _marks_in_index(context, session.uri))
    again = known_again(_with_true_times(context, session.uri, (mark_of(context.state.turns, turn) for turn in spoken)), there)
    by_ref = {stored.passage.ref for stored in context.index.passages_of(session.uri)}
    return frozenset([*(spoken[number].ref for number in again), *by_ref])


def copied_turns(context: Context, session: Session) -> frozenset[str]:
    """Return refs of the turns of a complete conversation that belong to another one."""
    turns = context.state.turns
    own = turns.number(session.uri)
    there = turns.of(own)
    if all(known.owner == own for known in there):
        return frozenset()
    spoken = [turn for turn in session.turns if turn.role in SPOKEN]
    again = known_again(
        _with_true_times(context, session.uri, (mark_of(turns, turn) for turn in spoken)),
        _with_true_times(context, session.uri, map(_mark, there)),
    )
    return frozenset(spoken[number].ref for number, place in again.items() if there[place].owner != own)


def _with_true_times(context: Context, uri: str, marks: Iterable[Mark]) -> list[Mark]:
    """Limit the times of a conversation whose clock was ahead to the latest possible time.

    Corrected and uncorrected times then compare equal.
    """
    known = context.state.clocks_ahead.get(uri)
    latest = milliseconds(known.latest) if known else None
    if latest is None:
        return list(marks)
    return [replace(mark, time=min(mark.time, latest)) if mark.time is not None else mark for mark in marks]
