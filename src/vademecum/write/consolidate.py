"""Merge extracted memories after a reading: if one of two says no more than the other, only the other remains.

The same lesson learned again in other words is merged, too: an obstacle that nobody removes is met, and noted, in many
conversations. The shorter one is archived and the other confirmed; one undo restores it. Memories that the person wrote or pinned are never
touched, nor are pairs that differ in a number, a negation or a value.
"""

from collections.abc import Iterable, Iterator

from vademecum.context.context import Context
from vademecum.domain.errors import EmbedderUnavailable
from vademecum.domain.memory import By, Memory
from vademecum.domain.query import Scope
from vademecum.domain.saved import Saved
from vademecum.language.text import common_words
from vademecum.reconcile.clash import denies_the_other, is_clash
from vademecum.reconcile.compare import alike, compare, is_number, taken_apart
from vademecum.reconcile.decide import CLASHING, LEARNT, STATING
from vademecum.write.gate import merged, similar

#: Number of memories of the project that each saved one is compared with.
LOOKED_AT = 6
#: Minimum share of one memory's words in the other, and minimum cosine similarity, for a merge.
HELD, NEAR = 0.9, 0.8
#: The same for two lessons of at least `LESSON_WORDS_MIN` content words. Chosen on 45 lessons and fixes that a recorded reader noted in
#: 106 real sessions, read one by one: all 29 pairs above both are the same lesson. Different lessons of one project, as labelled by
#: others, reach .70 with .33, .63 with .44 and .62 with .50.
LESSON_HELD, LESSON_NEAR, LESSON_WORDS_MIN = 0.44, 0.73, 8
#: Minimum number of words of a statement; a shorter one cannot be told apart from others with the same words.
WORDS_MIN = 3
#: Trust of memories that may be merged away.
_TAKEN_FROM_TALK = ("extracted", "agent")


def consolidate(context: Context, saved: Iterable[Saved], *, by: By) -> tuple[Saved, ...]:
    """Merge newly saved memories with others of their project where one of the two says no more.

    Returns the outcomes; instead of a new memory that was merged away, the known one is confirmed.
    """
    return tuple(_after_merging(context, outcome, by) for outcome in saved)


def _after_merging(context: Context, outcome: Saved, by: By) -> Saved:
    if outcome.action != "saved" or outcome.memory is None:
        return outcome
    new = context.vault.get(outcome.memory.id)
    for known in _like(context, new):
        less = _which_says_less(context, known, new)
        if less is not None and less.id == new.id:
            return merged(context, less, known.id, by=by)
        if less is not None:
            merged(context, less, new.id, by=by)
    return outcome


def _like(context: Context, new: Memory) -> Iterator[Memory]:
    """Yield active memories of the same project and type that share the rarest words of a new one."""
    kinds = LEARNT if new.kind in LEARNT else STATING
    scope = Scope(sources=("memory",), kinds=tuple(sorted(kinds)), statuses=("active",), projects=(new.project,))
    for item in similar(context, f"{new.title} {new.body}", scope, LOOKED_AT):
        known = context.vault.get(item.key.removeprefix("memory://"))
        if known.id != new.id and (known.project, known.agent, known.profile) == (new.project, new.agent, new.profile):
            yield known


def _which_says_less(context: Context, known: Memory, new: Memory) -> Memory | None:
    """Return the one of two memories that says no more than the other and may be archived; None for neither."""
    if new.status != "active" or known.status != "active":
        return None
    was, now = _words(known, known), _words(known, new)
    less, held_in, more = (known, was, now) if len(was) < len(now) else (new, now, was)
    numbers = {word for word in held_in if is_number(word)}
    shortest = min(len(was), len(now))
    are_lessons = new.kind in LEARNT and shortest >= LESSON_WORDS_MIN
    held = LESSON_HELD if are_lessons else HELD
    if shortest < WORDS_MIN or not numbers <= more or len(held_in & more) < held * len(held_in):
        return None
    if not _say_one_thing(context, known, new, are_lessons=are_lessons):
        return None
    return less if less.trust in _TAKEN_FROM_TALK and not (less.always_load or less.pin) else None


def _say_one_thing(context: Context, known: Memory, new: Memory, *, are_lessons: bool) -> bool:
    """Return whether two memories are near in meaning and conflict in nothing.

    Two statements must both deny something, or neither. Of two lessons one often adds what is not the cause, so only a denial of what
    the other says parts them.
    """
    old, text = _text(known), _text(new)
    if compare(old, text).relation in CLASHING or is_clash(old, text):
        return False
    denies = denies_the_other(old, text) if are_lessons else taken_apart(old).negative != taken_apart(text).negative
    return not denies and _cosine(context, old, text) >= (LESSON_NEAR if are_lessons else NEAR)


def _words(known: Memory, memory: Memory) -> frozenset[str]:
    """Return the content words of a memory, in the spelling of a known one."""
    text = _text(memory)
    return frozenset(alike(taken_apart(_text(known)).words, taken_apart(text).words)) - common_words(text)


def _text(memory: Memory) -> str:
    return memory.body.strip() or memory.title


def _cosine(context: Context, entry: str, other: str) -> float:
    """Return the cosine similarity of two texts; 0 without an embedder."""
    embedder = context.models.embedder
    if embedder is None:
        return 0.0
    try:
        rows = embedder.embed([entry, other])
    except EmbedderUnavailable:
        return 0.0
    return float(rows[0] @ rows[1])
