"""What reading with a language model gives back."""

from msgspec import Struct

from vademecum.domain.reading import ModelState
from vademecum.write.gate import Saved


class ModelRead(Struct, frozen=True):
    """What a language model's reading of one conversation gave.

    Attributes:
        calls: that it took. saved: what became of each candidate. rejected: (beginning of a text, why) of what was none.
        about: what the conversation was about; outcome: what came of it, "" when what was wanted was not reached.
        more: some of it is still to be read. drifted: it turned to another subject.
        error: why it failed, else "". halted: for a reason that keeps all others waiting, too.
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
    """A round of reading by a language model, and how things stand after it."""

    reads: tuple[ModelRead, ...]
    state: ModelState
