"""Render the hits of a search as text for a prompt, within its budget."""

from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from vademecum.domain.budget import Packed, Piece, Section, pack, titles_of
from vademecum.domain.query import PREAMBLE, Bundle, Hit, Left, Recall
from vademecum.domain.why_nothing import OVER_BUDGET
from vademecum.inject.render import hit_lines

HEADING = "## Memory"


def compose_bundle(recall: Recall, budget_tokens: int, now: datetime) -> Bundle:
    """Compose the text that an agent is given for a prompt; empty if there are no hits.

    A hit is included completely or not at all. Hits are best first, or in time order if the question asks how something went. A hit
    that does not fit is skipped and named in the result; smaller ones after it may still fit.
    """
    pieces = tuple(Piece(f"{hit.item.key}#{hit.passage.ref}", hit.item.title, hit_lines(hit, now)) for hit in recall.hits)
    packed = _pack(recall.hits, pieces, f"{HEADING}\n{PREAMBLE}\n", budget_tokens)
    if recall.by_time:
        earliest = sorted(zip(recall.hits, pieces, strict=True), key=lambda pair: _said(pair[0]))
        again = tuple(piece for _, piece in earliest if piece in packed.taken)
        packed = replace(pack([Section(f"{HEADING}\n{PREAMBLE}\n", again)], budget_tokens), omitted=packed.omitted)
    return Bundle(
        text=packed.text,
        tokens=packed.tokens,
        budget_tokens=budget_tokens,
        loaded=titles_of(packed.taken),
        omitted=titles_of(packed.omitted),
        missing=recall.missing,
        recall=recall,
        keys=tuple(piece.key for piece in packed.taken),
    )


def within(recall: Recall, budget_tokens: int, now: datetime) -> Recall:
    """Return the answer with the hits that fit the budget, best first; the others are added to its omitted items."""
    pieces = [Piece(str(place), hit.item.title, hit_lines(hit, now)) for place, hit in enumerate(recall.hits)]
    taken = {int(piece.key) for piece in _pack(recall.hits, pieces, "", budget_tokens).taken}
    left = [
        Left(hit.item.key, hit.item.title, OVER_BUDGET, hit.score)
        for place, hit in enumerate(recall.hits)
        if place not in taken
    ]
    return replace(recall, hits=tuple(recall.hits[place] for place in sorted(taken)), left=(*left, *recall.left))


def _pack(hits: Sequence[Hit], pieces: Sequence[Piece], heading: str, budget_tokens: int) -> Packed:
    """Pack the pieces of the hits. A hit added because of another hit (`via`) is dropped if that one does not fit."""
    packed = pack([Section(heading, tuple(pieces))], budget_tokens)
    pairs = list(zip(hits, pieces, strict=True))
    out = {hit.item.key for hit, piece in pairs if piece not in packed.taken}
    alone = [piece for hit, piece in pairs if piece in packed.taken and hit.via and hit.via.rpartition(" ")[2] in out]
    if not alone:
        return packed
    others = [(hit, piece) for hit, piece in pairs if piece not in alone]
    again = _pack([hit for hit, _ in others], [piece for _, piece in others], heading, budget_tokens)
    return replace(again, omitted=(*again.omitted, *alone))


def _said(hit: Hit) -> datetime:
    return hit.passage.time or hit.item.valid_from or hit.item.updated or datetime.min.replace(tzinfo=UTC)
