"""What the jobs work with: the vault, the index and their company, put together once by `wiring`."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

from vademecum.model.guarding import USUAL
from vademecum.model.records import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from vademecum.capture.conversations import Conversations
    from vademecum.model.daily import Commit
    from vademecum.model.guarding import GuardLog, Policy
    from vademecum.model.ports import (
        LLM,
        Archive,
        Clock,
        Embedder,
        EventQueue,
        Extractions,
        Hands,
        Host,
        Index,
        Ledger,
        Markers,
        Pauses,
        State,
        TranscriptFormat,
        TranscriptLibrary,
        Web,
        Witness,
    )
    from vademecum.model.reports import AuditLine, Rows
    from vademecum.model.verdict import ReviewMode
    from vademecum.recall.questions import Questions
    from vademecum.vault.store import Vault

T = TypeVar("T")

#: Told as (what, done, total) while something takes long.
Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """Nobody looks on."""


class _Nobody:
    """A witness that saw nothing."""

    files: tuple[str, ...] = ()
    subjects: tuple[tuple[str, str], ...] = ()

    def __init__(self, folder: str) -> None: ...

    def commit_of(self, path: str) -> str:
        """None."""
        return ""

    def holding(self, word: str) -> str:
        """None."""
        return ""


class _OwnHands:
    """Nobody but the one who asks."""

    spare = False

    def begin(self, work: Callable[..., T], *given: object, soon: bool = False) -> Callable[[], T]:
        """Done when its result is wanted."""
        return partial(work, *given)

    def close(self) -> None:
        """Nothing to release."""


@record
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
        switched_on: False: the settings switch memory off. pauses: times in which nothing said is kept, and the STOP files.
        open_markers: makes `markers`, lives of sessions. archive: transcripts kept verbatim; None: they are not.
        archive_days: transcripts untouched for so long are let go; 0: kept.
        handoff_form: "full", or "short" for three lines. transcript_tags: whether what is made of conversations is tagged so.
        helper: what the helper says of itself; None when there is none.
        queue: events that hooks left for later; None: none. open_hosts: makes `hosts`, which read them, by name.
        guess_host: payload of a hook -> name of the host that sent it, "" when unclear.
        checkpoints: folder of the checkpoints of chats.
        stop_folder: a file STOP in it stops all attending; "" for none.
        data_dir, cache_dir: folders of everything of ours outside the vault; "": none.
        open_questions: what turns questions into vectors; the same one for all who ask in this process.
        drop_vectors: forgets the cached vectors of texts; gives how many there were.
        policy: what the person decided about the guard. guard_log: what it held back; None: not noted.
        web: the network, for looking up ideas; None: the person did not configure it.
        local_time: a moment in the person's own time. commits: (folder, since, until) -> what was committed there, oldest first.
        compactions: a log of the same sort, of tidying up; None: not noted.
        ask_sql: answers a SELECT (statement, lines of the audit, most rows, most seconds); None: there is no file to ask.
        silence_s: a session without a word for so many seconds has ended.
        llm_name: language model that reads conversations; "": none. llm_mark: changes when its settings do. llm_auto: it reads by
            itself. llm_daily: tokens that it may read and write in a day. open_llm: makes `llm`, given what counts its tokens.
        open_extractions, open_ledger: make `extractions` (what it is to read) and `ledger` (what it took) when they are first used.
        background_share: of one processor, what background work may take.
        open_hands: bytes of transcripts to be read -> what does part of that work.
        pause: waits so many seconds. open_witness: a folder -> what its version control knows of what was done in it.
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
    open_markers: Callable[[], Markers]
    open_extractions: Callable[[], Extractions]
    open_ledger: Callable[[], Ledger]
    pauses: Pauses
    open_libraries: Callable[[], Sequence[TranscriptLibrary]] = tuple
    missing: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()
    min_turns: int = 4
    review_mode: ReviewMode = "interactive"
    auto_interfaces: tuple[str, ...] = ()
    switched_on: bool = True
    project_of: Callable[[str], str] = lambda folder: ""
    progress: Progress = no_progress
    archive: Archive | None = None
    archive_days: int = 0
    handoff_form: str = "full"
    transcript_tags: bool = False
    queue: EventQueue | None = None
    open_hosts: Callable[[], Mapping[str, Host]] = dict
    helper: Callable[[], Mapping[str, object] | None] = lambda: None
    guess_host: Callable[[Mapping[str, object]], str] = lambda payload: ""
    checkpoints: str = ""
    stop_folder: str = ""
    ask_sql: Callable[[str, Callable[[], Iterable[AuditLine]], int, float], Rows] | None = None
    silence_s: int = 3600
    web: Web | None = None
    local_time: Callable[[datetime], datetime] = lambda moment: moment
    commits: Callable[[str, datetime, datetime], Sequence[Commit]] = lambda folder, since, until: ()
    policy: Policy = USUAL
    guard_log: GuardLog | None = None
    compactions: GuardLog | None = None
    data_dir: str = ""
    cache_dir: str = ""
    drop_vectors: Callable[[Iterable[str]], int] = lambda texts: 0
    llm_name: str = ""
    llm_mark: str = ""
    llm_auto: bool = True
    llm_daily: tuple[int, int] = (0, 0)
    open_llm: Callable[[Ledger], LLM | None] = lambda ledger: None
    background_share: float = 1.0
    open_hands: Callable[[int], Hands] = lambda size: _OwnHands()
    pause: Callable[[float], None] = time.sleep
    open_witness: Callable[[str], Witness] = _Nobody

    @property
    def enabled(self) -> bool:
        """Whether memory is on at this moment; else nothing is written or captured."""
        return self.switched_on and self.pauses.stopped_at() is None

    @cached_property
    def llm(self) -> LLM | None:
        """What is asked; None: nothing is.

        Raises:
            InvalidInput: the settings name no model that there is.
        """
        return self.open_llm(self.ledger)

    @cached_property
    def extractions(self) -> Extractions:
        """What a language model is to read."""
        return self.open_extractions()

    @cached_property
    def ledger(self) -> Ledger:
        """What language models took."""
        return self.open_ledger()

    @cached_property
    def markers(self) -> Markers:
        """Lives of sessions."""
        return self.open_markers()

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
