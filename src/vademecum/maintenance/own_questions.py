"""Check a person's own test questions: the property `answers` of a memory lists questions that must find it."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.memory import Memory
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
    return tuple(sorted(_asked(context, ask), key=lambda answered: (answered.title, answered.question)))


def _asked(context: Context, ask: Callable[[Query], Recall]) -> Iterator[Answered]:
    for memory in context.vault.list(statuses=("active",)):
        for question in _questions(memory):
            keys = [hit.item.key for hit in ask(Query(question)).hits]
            yield Answered(question, memory.id, memory.title, keys.index(memory.uri) + 1 if memory.uri in keys else 0)


def _questions(memory: Memory) -> list[str]:
    extra = memory.extra.get(ANSWERS) or ()
    return [str(entry) for entry in ([extra] if isinstance(extra, str) else extra if isinstance(extra, list | tuple) else ())]
