"""Results of reading with a language model."""

from msgspec import Struct

from vademecum.domain.reading import ModelState
from vademecum.domain.saved import Saved


class ModelRead(Struct, frozen=True):
    """Result of a language model's reading of one conversation.

    Attributes:
        calls: number of calls.
        saved: outcome of each candidate.
        rejected: (beginning of the text, reason) of each rejected entry.
        about: what the conversation was about.
        outcome: what was achieved; "" while something is open.
        more: whether part of it is still unread.
        drifted: whether it turned to another subject.
        error: why it failed, else "".
        halted: whether the error also stops all others.
    """

    session: str
    calls: int = 0
    saved: tuple[Saved, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    about: str = ""
    outcome: str = ""
    more: bool = False
    drifted: bool = False
    error: str = ""
    halted: bool = False


class ModelReport(Struct, frozen=True):
    """Results of a round of reading, and the state after it."""

    reads: tuple[ModelRead, ...]
    state: ModelState
