"""Apply a conversation's pauses and exclusion to its copies.

Copies inherit both, and turns said in a pause are removed from them.
"""

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.copies import Mark, at_same_time, copies_in
from vademecum.domain.errors import Locked, WriteFailed
from vademecum.domain.left_out import LeftOut, copies_of, hashed, salt_of
from vademecum.domain.session import SPOKEN, Session, Turn
from vademecum.ingest.ledger import mark_of
from vademecum.ingest.paused_turns import paused
from vademecum.ports.state import KnownTurn


def note_paused(context: Context, session: Session) -> frozenset[int]:
    """Record, as hashes, the turns of a conversation that were said in a pause; return the hashes that are new."""
    about = [pause for pause in context.storage.pauses.all() if pause.is_about(session.uri, session.cwd)]
    if not about:
        return frozenset()
    left_out = paused(session, about)
    turns = [turn for turn in session.turns if turn.role in SPOKEN and turn in left_out]
    _tell_other_devices(context, session.uri, turns)
    out = [mark_of(context.state.turns, turn) for turn in turns]
    known = {words for words, _ in context.storage.pauses.unsaid().get(session.uri, ())}
    context.storage.pauses.leave_out(session.uri, [(mark.words, mark.time) for mark in out])
    return frozenset(mark.words for mark in out) - known


def _tell_other_devices(context: Context, uri: str, turns: Sequence[Turn]) -> None:
    """Store hashes of turns that were said in a pause in the vault, for other devices.

    If that fails, it is tried again at the next reading.
    """
    known = context.vault.erasure.left_out()
    salt = salt_of(known, context.clock.new_id())
    there = {turn for left_out in known if (left_out.session, left_out.salt) == (uri, salt) for turn in left_out.turns}
    new = dict.fromkeys(mark for turn in turns if (mark := hashed(turn, salt)) is not None and mark not in there)
    if new:
        with contextlib.suppress(Locked, WriteFailed):
            context.vault.erasure.leave_out(LeftOut(uri, salt, tuple(new)), f"{context.clock.now():%Y-%m}")


#: Number of a conversation -> its captured turns.
KnownOf = Callable[[int], Sequence[KnownTurn]]


class Copied(Struct, frozen=True):
    """Turns of a conversation that are copied from paused ones: ref of a turn -> URI of that conversation.

    Attributes:
        unsaid: copied turns that were said in a pause, with tool turns that follow them.
        said: other copied turns.
    """

    unsaid: Mapping[str, str] = msgspec.field(default_factory=dict)
    said: Mapping[str, str] = msgspec.field(default_factory=dict)


def copied_from_paused(context: Context, session: Session, known: KnownOf) -> Copied:
    """Return the turns of a conversation that are copied from conversations with a pause.

    The pauses are known on this device or, through the vault, on another.
    """
    unsaid, elsewhere = context.storage.pauses.unsaid(), context.vault.erasure.left_out()
    spoken = [turn for turn in session.turns if turn.role in SPOKEN] if unsaid or elsewhere else []
    marks = [mark_of(context.state.turns, turn) for turn in spoken]
    here = {mark.words for mark in marks}
    out: dict[str, str] = {}
    fields: dict[str, str] = {}
    for origin, turns in unsaid.items():
        if origin != session.uri and not here.isdisjoint(words for words, _ in turns):
            left_out, others = copies_of_paused(context, marks, origin, known)
            out |= dict.fromkeys((spoken[number].ref for number in left_out), origin)
            fields |= dict.fromkeys((spoken[number].ref for number in others), origin)
    for entry in elsewhere:
        for ref in copies_of(spoken, entry, own=entry.session == session.uri):
            out.setdefault(ref, entry.session)
    last = ""
    for turn in session.turns if out else ():
        last = out.get(turn.ref, "") if turn.role in SPOKEN else last
        if last:
            out[turn.ref] = last
    return Copied(out, fields)


def copies_of_paused(
    context: Context, marks: Sequence[Mark], origin: str, known: KnownOf
) -> tuple[frozenset[int], frozenset[int]]:
    """Return (numbers of turns copied from a pause of `origin`, numbers of other turns copied from `origin`).

    The whole of `origin` is compared, because the turns around a pause show that a conversation is a copy.
    """
    pairs = [(Mark(known_turn.words, known_turn.time), False) for known_turn in known(context.state.turns.number(origin))]
    out = [(Mark(words, time), True) for words, time in context.storage.pauses.unsaid().get(origin, ())]
    whole = sorted([*pairs, *out], key=lambda pair: pair[0].time or 0)
    alone = [mark for mark, _ in out]
    by_key = copies_in(marks, [mark for mark, _ in whole], begins=True)
    among = {number for number, place in by_key.items() if whole[place][1]}
    among |= at_same_time(marks, alone).keys() | copies_in(marks, alone, begins=True).keys()
    return frozenset(among), frozenset(by_key.keys() - among)


def note_from_elsewhere(context: Context, session: Session, copied: Copied) -> None:
    """Record on this device the turns that only another device knows as said in a pause, so that they are not archived."""
    here = context.storage.pauses.unsaid().keys() - {session.uri}
    refs = {ref for ref, origin in copied.unsaid.items() if origin not in here}
    marks = [mark_of(context.state.turns, turn) for turn in session.turns if turn.role in SPOKEN and turn.ref in refs]
    context.storage.pauses.leave_out(session.uri, [(mark.words, mark.time) for mark in marks])


def without_unsaid(session: Session, copied: Copied) -> Session:
    """Return the session without turns said in a pause of another conversation."""
    if not copied.unsaid:
        return session
    return replace(session, turns=tuple(turn for turn in session.turns if turn.ref not in copied.unsaid))


def inherit_pauses(context: Context, session: str, origins: Collection[str]) -> bool:
    """Apply the pauses and exclusion of the original conversations to their copy; return whether anything changed."""
    pauses = context.storage.pauses
    before = (pauses.all(), pauses.excluded())
    own = {pause.start for pause in pauses.all() if pause.session == session}
    for pause in pauses.all():
        if pause.session in origins and pause.session != session and pause.start not in own:
            pauses.begin(pause.start, session)
            if pause.end is not None:
                pauses.end(pause.end, session)
    if pauses.excluded() & set(origins):
        pauses.exclude(session, context.clock.now())
    return before != (pauses.all(), pauses.excluded())
