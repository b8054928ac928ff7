"""Randomised hold-out: hide a random part of the memories from one session, so that :mod:`vademecum.domain.benefit` can measure
whether showing them helps.

Warnings, memories that are always loaded, and corrections that were confirmed twice are never hidden. The draw is stored once its
result was delivered, and it applies to the whole session.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial

from vademecum.domain.benefit import falls_out
from vademecum.domain.host import HookEvent, uri_of
from vademecum.domain.item import Item
from vademecum.domain.procedural import SELF
from vademecum.inject.context import RecallContext
from vademecum.inject.memory_text import text_of_memory
from vademecum.inject.numbers import CONFIRMED_TWICE, SAYING_SHARE, TEXT_PASSAGES
from vademecum.language.load import languages
from vademecum.language.text import content_words
from vademecum.ports.state import Lots

#: Kinds that corrections are saved as.
_CORRECTING = frozenset({"preference", "lesson"})


class Holdout:
    """The hold-out of one session.

    Args:
        session: URI of the conversation, also for its sub-agents. seed: unpredictable, new each time.
        text_of: item key -> text of the memory. on: False: nothing is held out.
    """

    def __init__(self, lots: Lots, session: str, seed: str, text_of: Callable[[str], str], *, on: bool) -> None:
        self._lots, self._session, self._seed, self._text_of = lots, session, seed, text_of
        self._on = on and bool(session)
        self._drawn: dict[str, bool] = {}

    @property
    def drew(self) -> bool:
        """Whether the draw decided about any item."""
        return bool(self._drawn)

    def left_out(self, items: Iterable[Item] = ()) -> frozenset[str]:
        """Return the keys held out of the session, after drawing for those items that would be shown for the first time."""
        if not self._on:
            return frozenset()
        before = self._lots.drawn(self._session).keys() | self._drawn.keys()
        fresh = [item for item in items if item.key not in before and self._may_be_left_out(item)]
        self._drawn |= {item.key: not falls_out(self._seed, item.key) for item in fresh}
        return self._lots.left_out(self._session) | {key for key, is_known in self._drawn.items() if not is_known}

    def says(self, text: str) -> bool:
        """Return whether a text, such as a passage of a conversation, repeats the content of a held-out memory."""
        words = content_words(text)
        own = (content_words(self._text_of(key)) for key in self.left_out())
        return any(len(words & names) > SAYING_SHARE * len(names) for names in own)

    def note(self, moment: datetime) -> None:
        """Store the draw, because its result was delivered."""
        if self.drew:
            self._lots.note(self._session, self._drawn, moment)

    def _may_be_left_out(self, item: Item) -> bool:
        if item.source != "memory" or item.kind == SELF or item.always_load or item.pin:
            return False
        corrects = item.kind in _CORRECTING or "correction" in (item.facet, *item.tags)
        if corrects and item.confirmations >= CONFIRMED_TWICE:
            return False
        text = "\n".join((item.title, item.summary, *item.tags, self._text_of(item.key)))
        return not languages().sign("safety", "guarding").search(text)


def holdout_of(recall: RecallContext, event: HookEvent) -> Holdout:
    """Return the hold-out of a session; it is off unless the person chose to measure the benefit."""
    context = recall.context
    on = context.choices.measure_benefit
    text_of = partial(text_of_memory, context.index, TEXT_PASSAGES)
    return Holdout(context.state.lots, uri_of(event), context.clock.new_id() if on else "", text_of, on=on)
