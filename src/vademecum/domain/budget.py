"""Whole pieces into a budget: skip what does not fit, go on with what does, and name what was left out (X-18).

A piece is never cut. Quotas are upper bounds of a section; what one section leaves over, later ones may use.
"""

from collections.abc import Sequence

from msgspec import Struct

from vademecum.domain.tokens import estimate_tokens

#: Tokens that a section may take of a budget of which its share would be less: about two lines.
LEAST_QUOTA = 80


class Piece(Struct, frozen=True):
    """Text that is taken whole or not at all. `key` and `title` name it among what was left out.

    Attributes:
        short: told where `text` finds no room; "": nothing is.
    """

    key: str
    title: str
    text: str
    short: str = ""


class Section(Struct, frozen=True):
    """Pieces under a heading, in order of preference.

    Attributes:
        heading: one Markdown line, or "" for none.
        quota: share of the budget it may take at most, 0..1; of a small one as much as :data:`LEAST_QUOTA`.
        rank: sections with a smaller one are filled earlier, wherever they stand; so what is dropped last has the smallest.
    """

    heading: str
    pieces: tuple[Piece, ...]
    quota: float = 1.0
    rank: int = 0


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
    """Fill `budget_tokens` with sections by rank; the text has them in their order.

    Args:
        frame: text that the caller puts around the result; its tokens are kept free.
    """
    room = budget_tokens - (estimate_tokens(frame) if frame else 0)
    filled: dict[int, tuple[str, list[Piece], list[Piece]]] = {}
    for place, section in sorted(enumerate(sections), key=lambda pair: pair[1].rank):
        quota = min(room, max(LEAST_QUOTA, int(budget_tokens * section.quota)) if section.quota else 0)
        filled[place] = lines, kept, _ = _fill(section, quota)
        if kept:
            room -= estimate_tokens(lines) + 1
    parts = [filled[place] for place in range(len(sections))]
    text = "\n\n".join(lines for lines, kept, _ in parts if kept)
    taken = tuple(piece for _, kept, _ in parts for piece in kept)
    omitted = tuple(piece for _, _, left in parts for piece in left)
    return Packed(text, estimate_tokens(text), taken, omitted)


def _fill(section: Section, quota: int) -> tuple[str, list[Piece], list[Piece]]:
    text = section.heading
    kept: list[Piece] = []
    left: list[Piece] = []
    for piece in section.pieces:
        ways = (f"{text}\n{entry}" if text else entry for entry in (piece.text, piece.short) if entry)
        longer = next((way for way in ways if estimate_tokens(way) + 1 <= quota), "")
        (kept if longer else left).append(piece)
        text = longer or text
    return text, kept, left
