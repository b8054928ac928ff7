"""Compare and merge several versions of one conversation.

Two turns are the same if the host gives both the same ref and one text continues the other (an answer still being written), or
if the same speaker says the same text at the same time, the same number of times.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from hashlib import blake2b

from msgspec.structs import replace

from vademecum.domain.session import SPOKEN, Session, Turn

#: Earlier than the time of any turn.
_FIRST = datetime.min.replace(tzinfo=UTC)


def lost_turns(older: Session, newer: Session) -> tuple[Turn, ...]:
    """Return spoken and tool turns of the older version that the newer one lacks."""
    pairs = _pairs(older.turns, newer.turns)
    return tuple(
        turn
        for number, turn in enumerate(older.turns)
        if (turn.role in SPOKEN or turn.role == "tool")
        and (number not in pairs or not _continues(newer.turns[pairs[number]], turn))
    )


def united(versions: Sequence[Session]) -> Session:
    """Merge the versions of a conversation: each turn once, by time if every spoken turn has one.

    Args:
        versions: oldest first; at least one. Properties of the conversation come from the last version that has them.
    """
    turns: tuple[Turn, ...] = ()
    for version in versions:
        turns = _merged(turns, version.turns)
    last = versions[-1]
    return replace(
        last,
        turns=_by_time(turns),
        **{name: _known(versions, name) for name in ("title", "project", "cwd", "branch", "summary")},
        started=min(filter(None, (session.started for session in versions)), default=None),
        ended=max(filter(None, (session.ended for session in versions)), default=None),
        tags=tuple(dict.fromkeys(tag for session in versions for tag in session.tags)),
    )


def _known(versions: Sequence[Session], name: str) -> str:
    """Return a field from the last version that has it. Versions with turns come first, for they have the better titles."""
    sessions = [session for session in versions if session.turns] or versions
    return next((value for session in reversed(sessions) if (value := getattr(session, name))), "")


def _merged(older: Sequence[Turn], newer: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the older turns with the newer version's additional ones inserted before the next turn that both have."""
    if not older:
        return tuple(newer)
    pairs = _pairs(older, newer)
    merged = [
        replace(newer[pairs[at]], ref=turn.ref) if at in pairs and _continues(newer[pairs[at]], turn) else turn
        for at, turn in enumerate(older)
    ]
    places = {number: at for at, number in pairs.items()}
    names = {turn.ref for turn in older}
    behind: dict[int, list[Turn]] = defaultdict(list)
    place = len(older)
    for number in range(len(newer) - 1, -1, -1):  # each goes before the next turn that both have
        if number in places:
            place = places[number]
        else:
            behind[place].append(_renamed(newer[number], names))
    return tuple(turn for at in range(len(older) + 1) for turn in (*reversed(behind.get(at, [])), *merged[at : at + 1]))


def _renamed(turn: Turn, names: set[str]) -> Turn:
    """Return the turn with a unique ref: in a rewritten file, a ref made of a position may mean another turn than before."""
    name = turn.ref
    if name in names:
        name = f"{name}~{blake2b(turn.text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"
    number = 1
    while name in names:
        number += 1
        name = f"{turn.ref}~{number}"
    names.add(name)
    return turn if name == turn.ref else replace(turn, ref=name)


def _pairs(older: Sequence[Turn], newer: Sequence[Turn]) -> dict[int, int]:
    """Return index of a turn in the older version -> its index in the newer one."""
    by_ref = {turn.ref: number for number, turn in enumerate(newer)}
    pairs = {}
    for at, turn in enumerate(older):
        number = by_ref.get(turn.ref)
        if number is not None and _is_same(turn, newer[number]):
            pairs[at] = number
    taken = set(pairs.values())
    if len(pairs) == len(older):
        return pairs
    by_text: dict[tuple[str, str, bool], deque[int]] = defaultdict(deque)
    for number, turn in enumerate(newer):
        if number not in taken:
            by_text[_said(turn)].append(number)
    for at, turn in enumerate(older):
        waiting = by_text.get(_said(turn)) if at not in pairs else None
        number = next((count for count in waiting or () if _at_once(turn, newer[count])), None)
        if waiting is not None and number is not None:
            waiting.remove(number)
            pairs[at] = number
    return pairs


def _said(turn: Turn) -> tuple[str, str, bool]:
    return turn.role, turn.text, turn.sidechain


def _at_once(turn: Turn, other: Turn) -> bool:
    return turn.time == other.time or turn.time is None or other.time is None


def _is_same(older: Turn, newer: Turn) -> bool:
    """Return whether two turns with the same ref are the same turn."""
    if older.role != newer.role:
        return False
    if newer.text.startswith(older.text) or older.text.startswith(newer.text):
        return True
    return older.role not in SPOKEN and older.call != "" and older.call == newer.call


def _continues(newer: Turn, older: Turn) -> bool:
    """Return whether the newer form of a turn contains the older one; a tool call is rewritten as it proceeds."""
    return newer.text.startswith(older.text) or (older.role not in SPOKEN and older.call != "" and older.call == newer.call)


def _by_time(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns by time, those without one after their predecessor; unchanged if a spoken turn has no time."""
    if any(turn.time is None for turn in turns if turn.role in SPOKEN):
        return tuple(turns)
    time = _FIRST
    timed = []
    for number, turn in enumerate(turns):
        time = turn.time or time
        timed.append((time, number, turn))
    return tuple(turn for _, _, turn in sorted(timed, key=lambda row: row[:2]))


def spoken_turns(session: Session | None) -> int:
    """Return the number of spoken turns of a version; 0 when no format recognises it."""
    return sum(turn.role in SPOKEN for turn in session.turns) if session else 0


def fullest(versions: Iterable[tuple[int, Session | None]]) -> int:
    """Return the number of the version with the most spoken turns; of several, the last."""
    return max(versions, key=lambda pair: (spoken_turns(pair[1]), pair[0]))[0]
