"""The choice of questions from a set: the same for every memory, drawn with a seed."""

import random
from collections.abc import Collection, Sequence
from typing import NamedTuple

from vademecum_bench.recall import ADVERSARIAL
from vademecum_bench.recall_set import RecallSet, SetQuery, SetSession

#: Category of questions of a scope that should get nothing.
SILENCE = "silence"


class ScopeSample(NamedTuple):
    """One scope, whose sessions form one memory.

    Attributes:
        questions: in the order in which they can be asked.
        unrelated: questions that should get nothing: those that the set names for this scope, else some of other scopes.
    """

    sessions: tuple[SetSession, ...]
    questions: tuple[SetQuery, ...]
    unrelated: tuple[str, ...]


class Size(NamedTuple):
    """Size of a sample: scopes, total questions, total unrelated questions, and the seed."""

    scopes: int
    questions: int
    unrelated: int
    seed: int


def sampled(recall_set: RecallSet, size: Size) -> list[ScopeSample]:
    """Return scopes of a set with their questions, evenly distributed, without adversarial ones and those without gold."""
    chance = random.Random(size.seed)
    known = {(one.scope, str(turn["id"])) for one in recall_set.sessions for turn in one.turns}
    known |= {(one.scope, one.id) for one in recall_set.sessions}
    asked = [query for query in recall_set.queries if query.category != ADVERSARIAL and _has_answer(query, known)]
    names = [name for name in recall_set.scopes if any(query.scope == name for query in asked)]
    names = sorted(chance.sample(names, min(size.scopes, len(names))), key=names.index)
    return [_scope(recall_set, asked, name, _part(size, number, len(names)), chance) for number, name in enumerate(names)]


def _has_answer(query: SetQuery, known: Collection[tuple[str, str]]) -> bool:
    """Return whether a right answer of a question is in the set."""
    return any((query.scope, name) in known for name in query.gold_turns or query.gold_sessions)


def _part(size: Size, number: int, scopes: int) -> tuple[int, int]:
    """Return the numbers of questions and unrelated questions for a scope, so that the totals are as requested."""
    return tuple(total * (number + 1) // scopes - total * number // scopes for total in (size.questions, size.unrelated))  # type: ignore[return-value]


def _scope(
    recall_set: RecallSet, asked: Sequence[SetQuery], name: str, part: tuple[int, int], chance: random.Random
) -> ScopeSample:
    sessions = tuple(session for session in recall_set.sessions if session.scope == name)
    own = [query for query in asked if query.scope == name]
    silent = [query.text for query in recall_set.queries if query.scope == name and query.category == SILENCE]
    foreign = silent or [query.text for query in asked if query.scope != name]
    questions = chance.sample(own, min(part[0], len(own)))
    questions.sort(key=lambda query: len(sessions) if query.visible is None else query.visible)
    return ScopeSample(sessions, tuple(questions), tuple(chance.sample(foreign, min(part[1], len(foreign)))))
