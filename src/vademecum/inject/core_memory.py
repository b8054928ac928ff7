"""The curated core of memory for a prompt: in full while it is small, else its index and the memories relevant to the question.

Reproduces the numbers of a published design: in full up to 30,000 tokens; the budget falls as the context window fills.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from vademecum.domain.budget import Piece, Section, pack, titles_of
from vademecum.domain.decay import importance_of
from vademecum.domain.ids import short_id
from vademecum.domain.item import Item
from vademecum.domain.kinds import CURATED
from vademecum.domain.query import PREAMBLE, Bundle
from vademecum.domain.tokens import estimate_tokens
from vademecum.inject.numbers import INDEX_QUOTA, LAST_LIMIT, LIMITS, WHOLE_TOKENS
from vademecum.inject.render import UNCONFIRMED_HEADING, age, is_unconfirmed, memory_line

HEADING = "## Curated memory"
INDEX_HEADING = "### Index"
#: The section that is also shown in channels.
OPEN_THREADS = "### Open threads"


def allowed_tokens(used: float) -> int | None:
    """Return the token budget when `used` (0..1) of the context window is taken; None: no limit."""
    return next((limit for below, limit in LIMITS if used < below), LAST_LIMIT)


def compose_brain(
    items: Sequence[Item],
    text_of: Callable[[str], str],
    relevance: Mapping[str, float],
    now: datetime,
    *,
    used: float = 0.0,
    channel: bool = False,
) -> Bundle:
    """Compose the core within the budget for `used` of the context window.

    Args:
        items: active items of the core's kinds, in any order. text_of: item key -> full text.
        relevance: item key -> relevance to the question, for the relevant items only.
        channel: others can read along: show only the index and the open threads.
    """
    head = f"{HEADING}\n{PREAMBLE}"
    whole = _sections(items, text_of, now)
    everything = _tokens(head, whole)
    index = Section(INDEX_HEADING, tuple(_index_piece(item, now) for item in _by_weight(items, now)))
    limit = allowed_tokens(used)
    budget = limit if limit is not None else everything + _tokens(head, [index])
    if channel:
        chosen = [index, *_sections([item for item in items if item.kind in CURATED[OPEN_THREADS]], text_of, now)]
    elif everything <= min(WHOLE_TOKENS, budget):
        chosen = whole
    else:
        near = sorted((item for item in items if item.key in relevance), key=lambda item: (-relevance[item.key], item.key))
        pieces = tuple(_piece(item, text_of, now) for item in near)
        chosen = [index, Section("### About the question", pieces)]
    if limit is not None and chosen[0] is index:
        chosen[0] = Section(index.heading, index.pieces, INDEX_QUOTA)
    packed = pack(chosen, budget, frame=head)
    text = f"{head}\n\n{packed.text}" if packed.text else ""
    return Bundle(
        text=text,
        tokens=estimate_tokens(text),
        budget_tokens=budget,
        loaded=titles_of(packed.taken),
        omitted=titles_of(packed.omitted),
    )


def _sections(items: Sequence[Item], text_of: Callable[[str], str], now: datetime) -> list[Section]:
    ordered = _by_weight(items, now)
    rows = [
        (heading, [item for item in ordered if item.kind in kinds and not is_unconfirmed(item)])
        for heading, kinds in CURATED.items()
    ]
    rows.append((UNCONFIRMED_HEADING, [item for item in ordered if is_unconfirmed(item)]))
    return [Section(heading, tuple(_piece(item, text_of, now) for item in some)) for heading, some in rows]


def _by_weight(items: Sequence[Item], now: datetime) -> list[Item]:
    return sorted(items, key=lambda item: (-item.priority, -importance_of(item, now), item.key))


def _piece(item: Item, text_of: Callable[[str], str], now: datetime) -> Piece:
    return Piece(item.key, item.title, memory_line(item, text_of(item.key) or item.summary, now, most_chars=None))


def _index_piece(item: Item, now: datetime) -> Piece:
    also = f" | {', '.join(item.aliases)}" if item.aliases else ""
    facts = ", ".join(fact for fact in (item.kind, age(item.updated, now), short_id(item.key)) if fact)
    return Piece(item.key, item.title, f"- {item.title}{also} ({facts})")


def _tokens(head: str, sections: Sequence[Section]) -> int:
    """Return an upper estimate of the tokens of the sections: each piece and heading is counted separately."""
    texts = [head, *(text for section in sections for text in (section.heading, *(piece.text for piece in section.pieces)))]
    return sum(estimate_tokens(text) + 1 for text in texts)
