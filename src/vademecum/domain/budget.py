"""Packs pieces into a token budget: skips pieces that do not fit, goes on with smaller ones, and lists those left out (X-18).

A piece is never cut. A quota is the upper bound of a section; later sections may use what an earlier one leaves over.
"""

from collections.abc import Sequence

from msgspec import Struct

from vademecum.domain.tokens import estimate_tokens

#: Minimum quota of a section in tokens, about two lines, if its share of the budget would be smaller.
LEAST_QUOTA = 80


class Piece(Struct, frozen=True):
    """Text that is included completely or not at all. `key` and `title` identify it if it is left out.

    Attributes:
        short: shorter form, used if `text` does not fit; "": none.
    """

    key: str
    title: str
    text: str
    short: str = ""


class Section(Struct, frozen=True):
    """Pieces under a heading, in order of preference.

    Attributes:
        heading: one Markdown line, or "" for none.
        quota: largest share of the budget, 0..1; unless 0, at least :data:`LEAST_QUOTA` tokens.
        rank: sections with a smaller rank are filled first, whatever their position in the text.
    """

    heading: str
    pieces: tuple[Piece, ...]
    quota: float = 1.0
    rank: int = 0


class Packed(Struct, frozen=True):
    """Text within the budget.

    Attributes:
        text: Markdown; "" when nothing fitted.
        tokens: estimate for `text`; never over the budget.
        taken, omitted: pieces, in order.
    """

    text: str
    tokens: int
    taken: tuple[Piece, ...]
    omitted: tuple[Piece, ...]


def titles_of(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """Return the titles of pieces, each once."""
    return tuple(dict.fromkeys(piece.title for piece in pieces))


def pack(sections: Sequence[Section], budget_tokens: int, *, frame: str = "") -> Packed:
    """Fill `budget_tokens` with sections by rank; in the text they have the given order.

    Args:
        frame: text that the caller puts around the result; its tokens are reserved.
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
