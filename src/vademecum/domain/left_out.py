"""Turns that were said in a pause, as hashes that are stored in the vault, and the turns of a conversation that are copies of
them.

Anybody who has the vault could guess short texts by trying their hashes. So the hash of a short turn includes its time in
milliseconds, and a short turn without a time is not recorded.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from msgspec import Struct

from vademecum.domain.copies import LONG_CHARS, Mark, copies_in, is_same_time
from vademecum.domain.session import Turn


class LeftOut(Struct, frozen=True):
    """Turns of one conversation that were said in a pause.

    Attributes:
        session: its URI. salt: key of the hashes.
        turns: (hash, milliseconds since 1970); the time is None if it is part of the hash, or if the turn has none.
    """

    session: str
    salt: str
    turns: tuple[tuple[str, int | None], ...]


def hashed(turn: Turn, salt: str) -> tuple[str, int | None] | None:
    """Return the recorded form of a turn; None for a short turn without a time, whose hash could be guessed."""
    words, time = "".join(turn.text.split()), None if turn.time is None else int(turn.time.timestamp() * 1000)
    is_short = len(words) < LONG_CHARS
    if is_short and time is None:
        return None
    text = f"{turn.role}\0{words}\0{time if is_short else ''}".encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=8, key=salt.encode()[:64]).hexdigest(), None if is_short else time


def copies_of(turns: Sequence[Turn], left_out: LeftOut, *, own: bool) -> frozenset[str]:
    """Return refs of the spoken turns that are copies of left-out turns: said at the same time, or copied in a row with new
    times.

    Args:
        own: the turns are of the same conversation, in which the same words may have been said again after the pause.
    """
    marks = [hashed(turn, left_out.salt) for turn in turns]
    times: dict[str, list[int | None]] = {}
    for mark, time in left_out.turns:
        times.setdefault(mark, []).append(time)
    names = {
        turn.ref
        for turn, mark in zip(turns, marks, strict=True)
        if mark is not None and any(_is_one(mark[1], time) for time in times.get(mark[0], ()))
    }
    if own:
        return frozenset(names)
    long = [(turn, Mark(int(mark[0], 16), mark[1], len(turn.text))) for turn, mark in zip(turns, marks, strict=True) if mark]
    known = [Mark(int(mark, 16), time) for mark, time in left_out.turns]
    copied = copies_in([mark for _, mark in long], known, begins=True)
    return frozenset(names | {long[number][0].ref for number in copied})


def _is_one(time: int | None, other: int | None) -> bool:
    return (time is None and other is None) or is_same_time(time, other)


def salt_of(known: Iterable[LeftOut], new: str) -> str:
    """Return the key of a vault's hashes: that of the first record, or `new` when there are no records."""
    return next((left_out.salt for left_out in known), new)
