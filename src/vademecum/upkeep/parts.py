"""What the jobs work with: the vault, the index and their company, put together once by `wiring`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from vademecum.model.guarding import USUAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vademecum.capture.conversations import Conversations
    from vademecum.model.guarding import GuardLog, Policy
    from vademecum.model.ports import (
        Archive,
        Clock,
        Embedder,
        EventQueue,
        Host,
        Index,
        Judge,
        Markers,
        State,
        TranscriptFormat,
        TranscriptLibrary,
    )
    from vademecum.model.reports import AuditLine, Rows
    from vademecum.model.verdict import ReviewMode
    from vademecum.recall.questions import Questions
    from vademecum.vault.store import Vault

#: Told as (what, done, total) while something takes long.
Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """Nobody looks on."""


@dataclass(frozen=True)
class Parts:
    """Everything a verb needs.

    Attributes:
        open_vault, open_formats, open_libraries: make `vault`, `formats` and `libraries` when they are first used; a question
            uses none of them.
        embedder: makes the vectors that count; None: recall goes by words, and `missing` says why.
        quick: makes vectors at once, used until the embedder's are there; None: none.
        missing: what is not there and what to do about it, one sentence each.
        open_conversations: makes `conversations`, those that agents handed over.
        auto_interfaces: tools whose conversations are read at once.
        transcripts: folders where hosts write.
        min_turns: sessions with fewer spoken turns are not mined.
        review_mode: where candidates go that are only likely (:mod:`vademecum.capture.routing`).
        project_of: a working folder -> slug of its project, "" for none.
        enabled: False: nothing is written or captured.
        markers: lives of sessions. archive: transcripts kept verbatim; None: they are not.
        archive_days: transcripts untouched for so long are let go; 0: kept.
        helper: what the helper says of itself; None when there is none.
        queue: events that hooks left for later; None: none. open_hosts: makes `hosts`, which read them, by name.
        guess_host: payload of a hook -> name of the host that sent it, "" when unclear.
        checkpoints: folder of the checkpoints of chats.
        stop_folder: a file STOP in it stops all attending; "" for none.
        data_dir, cache_dir: folders of everything of ours outside the vault; "": none.
        open_questions: what turns questions into vectors; the same one for all who ask in this process.
        drop_vectors: forgets the cached vectors of texts; gives how many there were.
        policy: what the person decided about the guard. guard_log: what it held back; None: not noted.
        ask_sql: answers a SELECT (statement, lines of the audit, most rows, most seconds); None: there is no file to ask.
        judge: asked what a statement is to a known one when words do not tell; None: nobody is.
        silence_s: a session without a word for so many seconds has ended.
    """

    open_vault: Callable[[], Vault]
    index: Index
    state: State
    clock: Clock
    embedder: Embedder | None
    quick: Embedder | None
    open_formats: Callable[[], Sequence[TranscriptFormat]]
    open_questions: Callable[[], Questions]
    open_conversations: Callable[[], Conversations]
    markers: Markers
    open_libraries: Callable[[], Sequence[TranscriptLibrary]] = tuple
    missing: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()
    min_turns: int = 4
    review_mode: ReviewMode = "interactive"
    auto_interfaces: tuple[str, ...] = ()
    enabled: bool = True
    project_of: Callable[[str], str] = lambda folder: ""
    progress: Progress = no_progress
    archive: Archive | None = None
    archive_days: int = 0
    queue: EventQueue | None = None
    open_hosts: Callable[[], Mapping[str, Host]] = dict
    helper: Callable[[], Mapping[str, object] | None] = lambda: None
    guess_host: Callable[[Mapping[str, object]], str] = lambda payload: ""
    checkpoints: str = ""
    stop_folder: str = ""
    ask_sql: Callable[[str, Callable[[], Iterable[AuditLine]], int, float], Rows] | None = None
    judge: Judge | None = None
    silence_s: int = 3600
    policy: Policy = USUAL
    guard_log: GuardLog | None = None
    data_dir: str = ""
    cache_dir: str = ""
    drop_vectors: Callable[[Iterable[str]], int] = lambda texts: 0

    @cached_property
    def vault(self) -> Vault:
        """The memories' files."""
        return self.open_vault()

    @cached_property
    def conversations(self) -> Conversations:
        """Conversations that agents handed over."""
        return self.open_conversations()

    @cached_property
    def formats(self) -> Sequence[TranscriptFormat]:
        """Transcript formats, asked in order."""
        return self.open_formats()

    @cached_property
    def hosts(self) -> Mapping[str, Host]:
        """Programs whose hooks we understand, by name."""
        return self.open_hosts()

    @cached_property
    def libraries(self) -> Sequence[TranscriptLibrary]:
        """Kinds of files that hold many transcripts, asked in order, before the formats."""
        return self.open_libraries()
