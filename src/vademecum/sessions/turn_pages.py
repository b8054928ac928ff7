"""Read a conversation page by page from the index; a whole transcript may have hundreds of megabytes."""

from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.errors import NotFound
from vademecum.domain.item import Item, Passage, Touch
from vademecum.domain.query import EXCLUDED, Scope
from vademecum.ports.index import Index

#: Maximum tool uses and memories read for one page, and passages read at a time to find a turn.
_TOUCHES, _KEPT, _BLOCK = 5_000, 200, 1_000
#: Prefix of a turn's ref where the host gives no id. Such turns were once named by number, with fewer digits than this.
_HASHED, _DIGITS = "t-", 10


class Happened(Struct, frozen=True):
    """A memory that was shown in a conversation or came from it. `ref`: its turn; "" when unknown or on another page."""

    id: str
    title: str
    ref: str


class SessionPage(Struct, frozen=True):
    """A page of a conversation: passages that are each a turn, or a piece of a long one.

    Attributes:
        item: the conversation, without its passages.
        passages: passages from number `start` on, in order.
        more: whether passages follow.
        touches: tool uses in the turns of this page, in order.
        shown: memories shown in the conversation that are still in the agent's context.
        kept: memories that came from it.
        excluded: whether it is excluded from learning.
        turn: ref of the requested turn, or "".
    """

    item: Item
    passages: tuple[Passage, ...]
    start: int
    more: bool
    touches: tuple[Touch, ...]
    shown: tuple[Happened, ...]
    kept: tuple[Happened, ...]
    excluded: bool
    turn: str


def page(context: Context, uri: str, start: int = 0, limit: int = 200, turn: str = "") -> SessionPage:
    """Return the passages of a conversation from number `start` on, or the page with a turn.

    Args:
        turn: ref of a turn; its page is returned and `start` ignored. A number also finds a turn without an id of its host,
            because memories and links may still use its old name.

    Raises:
        NotFound: no such conversation or turn.
    """
    item = context.index.items([uri]).get(uri)
    if item is None or item.source != "session":
        raise NotFound(f"No conversation is known as {uri!r}.", "See what is known: vade sessions list")
    if turn:
        place, turn = _place(context.index, uri, turn)
        start = place // limit * limit
    start = max(0, start)
    passages = [stored.passage for stored in context.index.passages_of(uri, start, start + limit + 1)]
    shown = tuple(passages[:limit])
    behind = passages[limit].time if len(passages) > limit else None
    events = tuple(_memories_shown(context, uri, shown if start else (None, *shown), behind))
    touches, kept = _touches(context.index, uri, shown), tuple(_kept(context, uri))
    return SessionPage(item, shown, start, len(passages) > limit, touches, events, kept, EXCLUDED in item.tags, turn)


def _memories_shown(
    context: Context, uri: str, shown: tuple[Passage | None, ...], behind: datetime | None
) -> Iterator[Happened]:
    """Yield the memories shown in the conversation by time, each with the ref of the person's nearest turn.

    Args:
        shown: passages of the page; None in front means that the page begins with the conversation.
        behind: time of the first passage after the page.
    """
    times = context.state.shown.times(uri)
    items = context.index.items(list(times))
    asked = [passage for passage in shown if passage and passage.time and passage.role == "user"]
    first = min((passage.time for passage in asked if passage.time), default=None) if shown and shown[0] else None
    for key, at in sorted(times.items(), key=lambda pair: (pair[1], pair[0])):
        here = asked and (first is None or at >= first) and (behind is None or at < behind)
        nearest = min(asked, key=lambda passage: abs(passage.time - at)) if here else None  # type: ignore[operator]
        if key in items:
            yield Happened(key, items[key].title, nearest.ref if nearest else "")


def _place(index: Index, uri: str, turn: str) -> tuple[int, str]:
    """Return the number of a turn's first passage, and the turn's ref."""
    start, once = 0, None
    number = int(turn) - 1 if turn.isascii() and turn.isdigit() and len(turn) < _DIGITS else None
    while passages_of := index.passages_of(uri, start, start + _BLOCK):
        for stored in passages_of:
            passage = stored.passage
            if passage.ref == turn:
                return stored.ordinal, turn
            if once is None and passage.turn == number and passage.ref.startswith(_HASHED):
                once = stored.ordinal, passage.ref
        start += _BLOCK
    if once is not None:
        return once
    raise NotFound(f"{uri} has no turn {turn!r}.", "It may have been forgotten or excluded since.")


def _touches(index: Index, uri: str, shown: tuple[Passage, ...]) -> tuple[Touch, ...]:
    if not shown:
        return ()
    first, last = shown[0].turn, shown[-1].turn
    touches = index.touches(Scope(statuses=None, keys=(uri,)), _TOUCHES)
    return tuple(touch for _, touch in reversed(touches) if first <= touch.turn <= last)


def _kept(context: Context, uri: str) -> Iterator[Happened]:
    """Yield the memories that came from a conversation, oldest first."""
    items = context.index.select(Scope(sources=("memory",), statuses=None, branches=None, origins=(uri,)), limit=_KEPT)
    for item in sorted(items, key=lambda kept: kept.key):
        memory = context.vault.get(item.key.removeprefix("memory://"))
        yield Happened(memory.uri, memory.title, memory.source_span.partition(" to ")[0])
