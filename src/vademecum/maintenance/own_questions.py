"""Check a person's own test questions: the property `answers` of a memory lists questions that must find it."""

from collections.abc import Callable

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.query import Query, Recall

#: Name of that property.
ANSWERS = "answers"


class Answered(Struct, frozen=True):
    """A question, the memory that must answer it, and that memory's rank among the results, from 1; 0: not among them."""

    question: str
    id: str
    title: str
    place: int


def own_questions(context: Context, ask: Callable[[Query], Recall]) -> tuple[Answered, ...]:
    """Ask every question of active memories; return the ranks, sorted by title."""
    answers = list[Answered]()
    for memory in context.vault.list(statuses=("active",)):
        questions = memory.extra.get(ANSWERS) or ()
        for question in questions if isinstance(questions, list | tuple) else [questions] if isinstance(questions, str) else ():
            keys = [hit.item.key for hit in ask(Query(str(question))).hits]
            place = keys.index(memory.uri) + 1 if memory.uri in keys else 0
            answers.append(Answered(str(question), memory.id, memory.title, place))
    return tuple(sorted(answers, key=lambda answered: (answered.title, answered.question)))
