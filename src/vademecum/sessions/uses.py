"""Detect which shown memories were used in a session: their distinctive words occur again in what was said and done afterwards.

Only use keeps a memory fresh. Because it is inferred from words, it affects only ranking and changes no memory.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from vademecum.context.context import Context
from vademecum.domain.session import Session, Turn
from vademecum.domain.uris import item_and_place
from vademecum.language.text import common_words
from vademecum.ports.index import Term

#: Turns after a prompt in which a memory shown at it must be used.
TURNS_AFTER = 12
#: Maximum characters of a turn that are read.
TURN_CHARS = 4000
#: Minimum number of a memory's words that occur again, and their minimum share of its word weight. Rare words weigh more.
WORDS_LEAST, SHARE_LEAST = 2, 0.3
#: Minimum share for memories shown at the start; higher, because over a whole session words occur again by chance.
SHARE_OF_SESSION = 0.4
#: A memory counts once per session, however often the session is processed.
ONCE_S = 2 * 86400.0


def count_uses(context: Context, session: Session) -> tuple[str, ...]:
    """Count the memories shown in a session that were used; return their keys."""
    times = context.state.shown.times(session.uri)
    firsts = _by_item(times)
    if not firsts or not session.turns:
        return ()
    used = [key for key, (at, refs) in firsts.items() if _is_taken_up(context, session.turns, key, refs, at)]
    now = context.clock.now()
    fresh = [key for key in used if context.state.claims.claim(f"used {key} in {session.uri}", now, ONCE_S)]
    if fresh:
        context.state.usage.note("used", fresh, now)
    return tuple(fresh)


def _by_item(moments: Mapping[str, datetime]) -> dict[str, tuple[datetime, frozenset[str]]]:
    """Return key of a memory or note -> when it was first shown, and which passages; no passages means all."""
    by_key: dict[str, tuple[datetime, frozenset[str]]] = {}
    for key, at in moments.items():
        item, ref = item_and_place(key)
        if item.startswith(("memory://", "document://")):
            first, refs = by_key.get(item, (at, frozenset()))
            by_key[item] = (min(first, at), refs | {ref} if ref else refs)
    return by_key


def _is_taken_up(context: Context, turns: Sequence[Turn], key: str, refs: frozenset[str], at: datetime) -> bool:
    """Return whether an item's words occur again after it was shown.

    An item shown at a prompt must be used soon; one from a briefing (no refs) anywhere in the session.
    """
    before, after = _around(turns, at)
    if refs:
        after = after[:TURNS_AFTER]
    if not after:
        return False
    passages = [stored.passage for stored in context.index.passages_of(key) if not refs or stored.passage.ref in refs]
    text = "\n".join(f"{passage.heading} {passage.text}" for passage in passages)
    terms = context.index.terms(text, common_words(text))
    known = _codes(context, before)
    fresh = [term for term in terms if term.code not in known]
    again = _codes(context, after)
    met = [term for term in fresh if term.code in again]
    share = SHARE_LEAST if refs else SHARE_OF_SESSION
    return len(met) >= min(WORDS_LEAST, len(fresh)) > 0 and weight_of(met) >= share * weight_of(fresh)


def _around(turns: Sequence[Turn], at: datetime) -> tuple[list[Turn], list[Turn]]:
    """Return the turns up to a moment, its prompt included, and the turns after it. Turns without a time count as later."""
    all_turns = [turn for turn in turns if turn.role in ("user", "agent") or (turn.role == "tool" and turn.tools)]
    place = next((number for number, turn in enumerate(all_turns) if turn.time is None or turn.time > at), len(all_turns))
    if place < len(all_turns) and all_turns[place].role == "user" and all_turns[place].time is None:
        place += 1  # the prompt that it was shown at
    return all_turns[:place], all_turns[place:]


def _codes(context: Context, turns: Iterable[Turn]) -> frozenset[int]:
    text = "\n".join(turn.text[:TURN_CHARS] for turn in turns)
    return frozenset(term.code for term in context.index.terms(text, common_words(text)))


def weight_of(terms: Iterable[Term]) -> float:
    """Return the joint weight of words; rarer words weigh more."""
    return sum(1 / math.sqrt(1 + term.passages) for term in terms)
