"""What the jobs work with: the vault, the index and their company, put together once by `wiring`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vademecum.model.ports import Clock, Embedder, Index, State, TranscriptFormat
from vademecum.vault.store import Vault

#: Told as (what, done, total) while something takes long.
Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """Nobody looks on."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything a verb needs.

    Attributes:
        embedder: makes the vectors that count; None: recall goes by words, and `missing` says why.
        quick: makes vectors at once, used until the embedder's are there; None: none.
        formats: transcript formats, asked in order.
        missing: what is not there and what to do about it, one sentence each.
        transcripts: folders where hosts write.
        min_turns: sessions with fewer spoken turns are not mined.
        project_of: a working folder -> slug of its project, "" for none.
        enabled: False: nothing is written or captured.
    """

    vault: Vault
    index: Index
    state: State
    clock: Clock
    embedder: Embedder | None
    quick: Embedder | None
    formats: Sequence[TranscriptFormat]
    missing: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()
    min_turns: int = 4
    enabled: bool = True
    project_of: Callable[[str], str] = lambda folder: ""
    progress: Progress = no_progress
