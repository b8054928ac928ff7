"""The page of lessons: what agents and the person learned, by section and key."""

import re
from collections.abc import Sequence

from vademecum.context.context import Context
from vademecum.domain.errors import NotFound
from vademecum.domain.learnt import EVOLUTION, EvolutionSection, Evolved
from vademecum.domain.memory import BY_PERSON, By, Memory
from vademecum.domain.query import Scope, is_withheld

_MOST = 10_000
_KEY = re.compile(r"[A-Z]\d{3,}")


def evolution(context: Context, *, by: By = BY_PERSON) -> tuple[Evolved, ...]:
    """Return the page of lessons, section by section (SW-03).

    An id that a memory brought along stays. The others are numbered by age, archived and superseded memories included, so that
    numbers never change. Only the person sees withheld memories.
    """
    scope = Scope(sources=("memory",), kinds=("lesson", "procedure", "skill"), statuses=None)
    items = sorted(context.index.select(scope, limit=_MOST), key=lambda item: item.key)
    all_evolved = []
    for section in EVOLUTION:
        own = [item for item in items if section.facet in (item.facet, *item.tags)]
        keys = _keys(section, [item.aliases for item in own])
        all_evolved += [
            Evolved(section.heading, key, context.vault.get(item.key))
            for key, item in sorted(zip(keys, own, strict=True), key=lambda pair: pair[0])
            if item.status == "active" and (by.actor == "user" or not is_withheld(item.tags))
        ]
    return tuple(all_evolved)


def evolved(context: Context, key: str) -> Memory:
    """Return the memory with this key on the page of lessons.

    Raises:
        NotFound: there is none.
    """
    lessons = evolution(context) if _KEY.fullmatch(key.upper()) else ()
    memory = next((lesson.memory for lesson in lessons if lesson.key == key.upper()), None)
    if memory is None:
        raise NotFound(f"No memory is called {key!r}.", "See what is known: vade list")
    return memory


def _keys(section: EvolutionSection, aliases: Sequence[Sequence[str]]) -> list[str]:
    brought = [next((name for name in names if _KEY.fullmatch(name) and name[0] == section.letter), "") for names in aliases]
    taken = {int(key[1:]) for key in brought if key}
    free = (number for number in range(1, len(brought) + len(taken) + 1) if number not in taken)
    return [key or f"{section.letter}{next(free):03d}" for key in brought]
