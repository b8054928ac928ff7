"""The definition of a right answer, the same for every memory, by text alone.

A turn counts as delivered if an item of the answer contains a piece of it. A piece is PIECE letters and digits in a row,
ignoring case and all other characters; a shorter turn is one piece. So a truncated line counts, and so does a long chunk, whose
cost is reported as tokens. Pieces that occur twice in a scope are ignored, unless the turn has no other. A conversation counts
if any piece of it is delivered.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

from vademecum.domain.tokens import estimate_tokens
from vademecum_bench.recall_set import SetQuery, SetSession

#: Letters and digits of a piece.
PIECE = 60
#: Shorter pieces do not count as evidence for a conversation.
SHORT = 20
#: Token budget of the third measure.
BUDGET_TOKENS = 1000


def letters(text: str) -> str:
    """Return the letters and digits of a text, case-folded."""
    return "".join(letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter.isalnum())


class Gold:
    """The right answers of a scope's questions, as pieces of text."""

    def __init__(self, sessions: Sequence[SetSession]) -> None:
        self._sessions = {session.id: [letters(turn["text"]) for turn in session.turns] for session in sessions}
        self._turns = {str(turn["id"]): letters(turn["text"]) for session in sessions for turn in session.turns}
        self._all = "\n".join(text for texts in self._sessions.values() for text in texts)
        self.of_turn, self.of_session = cache(self._of_turn), cache(self._of_session)

    def of(self, query: SetQuery) -> list[tuple[str, ...]]:
        """Return the right answers of a question, each as alternative pieces: turns, or conversations if it names none."""
        if query.gold_turns:
            return [self.of_turn(turn) for turn in sorted(query.gold_turns) if turn in self._turns]
        return [self.of_session(name) for name in sorted(query.gold_sessions) if name in self._sessions]

    def _of_turn(self, turn: str) -> tuple[str, ...]:
        pieces = _pieces(self._turns[turn])
        return tuple(piece for piece in pieces if self._is_once(piece)) or pieces

    def _of_session(self, name: str) -> tuple[str, ...]:
        pieces = [piece for text in self._sessions[name] for piece in _pieces(text)]
        return tuple(piece for piece in pieces if len(piece) >= SHORT and self._is_once(piece))

    def _is_once(self, piece: str) -> bool:
        return self._all.find(piece, self._all.find(piece) + 1) < 0


def _pieces(text: str) -> tuple[str, ...]:
    whole = tuple(text[start : start + PIECE] for start in range(0, len(text) - PIECE + 1, PIECE))
    return whole or (text,)


def share_delivered(gold: Sequence[Iterable[str]], items: Sequence[str]) -> float:
    """Return the share of right answers with a piece in some item."""
    shown = [letters(item) for item in items]
    return sum(any(piece in text for piece in pieces for text in shown) for pieces in gold) / len(gold)


def within(items: Sequence[str], budget: int) -> list[str]:
    """Return the first items within a token budget; the last one is truncated."""
    fitting: list[str] = []
    left = budget
    for item in items:
        tokens = estimate_tokens(item)
        fitting.append(item if tokens <= left else item[: len(item) * left // tokens])
        left -= tokens
        if left <= 0:
            break
    return fitting
