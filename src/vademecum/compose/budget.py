"""Whole pieces into a budget: skip what does not fit, go on with what does, and name what was left out (X-18).

A piece is never cut. Quotas are upper bounds of a section; what one section leaves over, later ones may use.
"""

from collections.abc import Sequence

from msgspec import Struct

from vademecum.domain.tokens import estimate_tokens


class Piece(Struct, frozen=True):
    """Text that is taken whole or not at all. `key` and `title` name it among what was left out."""

    key: str
    title: str
    text: str


class Section(Struct, frozen=True):
    """Pieces under a heading, in order of preference.

    Attributes:
        heading: one Markdown line, or "" for none.
        quota: share of the budget it may take at most, 0..1.
    """

    heading: str
    pieces: tuple[Piece, ...]
    quota: float = 1.0


class Packed(Struct, frozen=True):
    """Text that keeps the budget.

    Attributes:
        text: Markdown; "" when nothing fitted.
        tokens: estimate for `text`; never over the budget.
        taken, omitted: pieces, in order.
    """

    text: str
    tokens: int
    taken: tuple[Piece, ...]
    omitted: tuple[Piece, ...]


def pack(sections: Sequence[Section], budget_tokens: int, *, frame: str = "") -> Packed:
    """Fill `budget_tokens` with sections in their order.

    Args:
        frame: text that the caller puts around the result; its tokens are kept free.
    """
    room = budget_tokens - (estimate_tokens(frame) if frame else 0)
    written: list[str] = []
    taken: list[Piece] = []
    omitted: list[Piece] = []
    for section in sections:
        quota = min(room, int(budget_tokens * section.quota))
        lines, kept, left = _fill(section, quota)
        if kept:
            written.append(lines)
            room -= estimate_tokens(lines) + 1
        taken += kept
        omitted += left
    text = "\n\n".join(written)
    return Packed(text, estimate_tokens(text), tuple(taken), tuple(omitted))


def _fill(section: Section, quota: int) -> tuple[str, list[Piece], list[Piece]]:
    text = section.heading
    kept: list[Piece] = []
    left: list[Piece] = []
    for piece in section.pieces:
        longer = f"{text}\n{piece.text}" if text else piece.text
        if estimate_tokens(longer) + 1 <= quota:
            text = longer
            kept.append(piece)
        else:
            left.append(piece)
    return text, kept, left
