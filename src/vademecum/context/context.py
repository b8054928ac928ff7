"""What use cases work with: stores, models, the world outside and the person's choices, put together once by `wiring`."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from vademecum.domain.errors import switched_off
from vademecum.ports.progress import Progress, no_progress
from vademecum.ports.projects import NO_PROJECTS, Projects
from vademecum.ports.transcripts import PlaceRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from vademecum.domain.daily import Commit
    from vademecum.domain.guarding import GuardLog
    from vademecum.domain.llm import ReaderChoice
    from vademecum.domain.verdict import ReviewMode
    from vademecum.guard import Guard
    from vademecum.ports.archive import Archive
    from vademecum.ports.call_log import CallLog
    from vademecum.ports.clock import Clock
    from vademecum.ports.conversations import Conversations
    from vademecum.ports.embedder import Embedder
    from vademecum.ports.event_queue import EventQueue
    from vademecum.ports.host import Host
    from vademecum.ports.index import Index
    from vademecum.ports.llm import LLM, Extractions, Ledger
    from vademecum.ports.markers import Markers
    from vademecum.ports.pauses import Pauses
    from vademecum.ports.repository import Branches, CodeHistory, Repository
    from vademecum.ports.state import State
    from vademecum.ports.transcripts import TranscriptFormat, TranscriptLibrary
    from vademecum.ports.views import AuditLine, Rows
    from vademecum.ports.web import Web
    from vademecum.ports.worker import Worker
    from vademecum.recall.questions import Questions
    from vademecum.sync.index_writer import IndexWriter
    from vademecum.vault.store import Vault


class Storage(Struct, frozen=True, dict=True):
    """What is kept beside vault, index and state.

    Attributes:
        pauses: times in which nothing said is kept, and the STOP files.
        queue: events that hooks left for later; None: none. checkpoints: folder of the checkpoints of chats.
        data_dir, cache_dir: folders of everything of ours outside the vault; "": none.
        bytes_of: yields a file's bytes, without taking the locks of databases that are open; OSError: it cannot be read.
        drop_rules: takes the rules that lie ready for tool calls away, until they are written anew.
        drop_vectors: forgets the cached vectors of texts; gives how many there were.
        drop_cache: removes all cached vectors, to make room on the disk; gives whether there were any.
        ask_sql: answers a SELECT (statement, lines of the audit, most rows, most seconds); None: there is no file to ask.
        guard_log: what the guard held back; compactions: tidying up; hook_log: what hooks were answered; None: not noted.
        open_archive, open_markers, open_extractions, open_ledger, open_conversations, open_calls: make what is named so when it is
            first used.
    """

    open_conversations: Callable[[], Conversations]
    open_markers: Callable[[], Markers]
    open_extractions: Callable[[], Extractions]
    open_ledger: Callable[[], Ledger]
    open_calls: Callable[[], CallLog]
    pauses: Pauses
    bytes_of: Callable[[Path], Iterator[bytes]]
    open_archive: Callable[[], Archive | None] = lambda: None
    queue: EventQueue | None = None
    checkpoints: str = ""
    data_dir: str = ""
    cache_dir: str = ""
    drop_vectors: Callable[[Iterable[str]], int] = lambda texts: 0
    drop_cache: Callable[[], bool] = lambda: False
    ask_sql: Callable[[str, Callable[[], Iterable[AuditLine]], int, float], Rows] | None = None
    drop_rules: Callable[[], None] = lambda: None
    guard_log: GuardLog | None = None
    compactions: GuardLog | None = None
    hook_log: GuardLog | None = None

    @cached_property
    def archive(self) -> Archive | None:
        """Transcripts kept verbatim; None: they are not."""
        return self.open_archive()

    @cached_property
    def conversations(self) -> Conversations:
        """Conversations that agents handed over."""
        return self.open_conversations()

    @cached_property
    def markers(self) -> Markers:
        """Lives of sessions."""
        return self.open_markers()

    @cached_property
    def extractions(self) -> Extractions:
        """What a language model is to read."""
        return self.open_extractions()

    @cached_property
    def ledger(self) -> Ledger:
        """What language models took."""
        return self.open_ledger()

    @cached_property
    def calls(self) -> CallLog:
        """Tool calls of conversations, with what each came to."""
        return self.open_calls()

    def close(self) -> None:
        """Release the files that were used."""
        for name in {"archive", "markers", "extractions", "ledger", "calls"} & self.__dict__.keys():
            if (opened := getattr(self, name)) is not None:
                opened.close()


class Models(Struct, frozen=True, dict=True):
    """Models of meaning and of language.

    Attributes:
        embedder: makes the vectors; None: recall goes by words, and `missing` says why.
        missing: what is not there and what to do about it, one sentence each.
        open_questions: what turns questions into vectors; the same one for all who ask in this process.
        llm_name: language model that reads conversations; "": none. llm_mark: changes when its settings do.
        readers: gives the programs of the person's that could read, at once. all_readers: also local models, which must be asked for.
        open_llm: makes `llm` when it is first used.
    """

    embedder: Embedder | None
    open_questions: Callable[[], Questions]
    missing: tuple[str, ...] = ()
    llm_name: str = ""
    llm_mark: str = ""
    readers: Callable[[], Sequence[ReaderChoice]] = tuple
    all_readers: Callable[[], Sequence[ReaderChoice]] = tuple
    open_llm: Callable[[], LLM | None] = lambda: None

    @cached_property
    def llm(self) -> LLM | None:
        """The language model; None: there is none.

        Raises:
            InvalidInput: the settings name no model that there is.
        """
        return self.open_llm()


class Outside(Struct, frozen=True, dict=True):
    """Programs, files and networks that are not ours.

    Attributes:
        guess_host: payload of a hook -> name of the host that sent it, "" when unclear.
        web: the network, for looking up ideas; None: the person did not configure it.
        open_worker: bytes of transcripts to be read -> what does part of that work.
        open_repository: a folder -> what its version control knows of what was done in it.
        open_code: (folder, seconds that it may take) -> what the repository there held at its commits; None: it is none.
        commits: (folder, since, until) -> what was committed there, oldest first.
        docs: a working folder -> what the pages of its repository for agents and people say, in short; "" for none.
        branches: (folder, seconds) -> what its version control says of branches within so many seconds; None: nothing is held for any.
        projects: tells which project a working folder belongs to.
        helper: what the helper says of itself; None when there is none.
        open_hosts, open_formats, open_libraries, open_places: make what is named so when it is first used.
    """

    open_formats: Callable[[], Sequence[TranscriptFormat]]
    open_worker: Callable[[int], Worker]
    open_repository: Callable[[str], Repository]
    open_libraries: Callable[[], Sequence[TranscriptLibrary]] = tuple
    open_hosts: Callable[[], Mapping[str, Host]] = dict
    guess_host: Callable[[Mapping[str, object]], str] = lambda payload: ""
    web: Web | None = None
    open_code: Callable[[str, float], CodeHistory | None] = lambda folder, seconds: None
    commits: Callable[[str, datetime, datetime], Sequence[Commit]] = lambda folder, since, until: ()
    docs: Callable[[str], str] = lambda folder: ""
    branches: Callable[[str, float], Branches | None] = lambda folder, seconds: None
    projects: Projects = NO_PROJECTS
    open_places: Callable[[], Callable[[str], PlaceRule]] = lambda: lambda path: PlaceRule("free")
    helper: Callable[[], Mapping[str, object] | None] = lambda: None

    @cached_property
    def formats(self) -> Sequence[TranscriptFormat]:
        """Transcript formats, asked in order."""
        return self.open_formats()

    @cached_property
    def libraries(self) -> Sequence[TranscriptLibrary]:
        """Kinds of files that hold many transcripts, asked in order, before the formats."""
        return self.open_libraries()

    @cached_property
    def place_of(self) -> Callable[[str], PlaceRule]:
        """Path of a file -> what it may be by the place where it lies."""
        return self.open_places()

    @cached_property
    def hosts(self) -> Mapping[str, Host]:
        """Programs whose hooks we understand, by name."""
        return self.open_hosts()


class Choices(Struct, frozen=True):
    """What the person chose in the settings, as use cases need it.

    Attributes:
        switched_on: False: memory is off. wrong_settings: what is set wrongly, one sentence each; a default stands in for it.
        transcripts: folders where hosts write. auto_interfaces: tools whose conversations are read at once.
        review_mode: where candidates go that are only likely (:mod:`vademecum.extract.triage`).
        section_caps: "archive": what is over the cap of its section is put away; "warn": it is only told.
        git_commit: when the memory folder is committed, where it lies in a repository.
        archive_days: transcripts untouched for so long are let go; 0: kept.
        handoff_form: "full", or "short" for three lines. transcript_tags: whether what is made of conversations is tagged so.
        llm_auto: the language model reads by itself. llm_daily: tokens that it may read and write in a day.
        llm_exclude: projects whose conversations it never reads. reader_undecided: nobody said yet whether one may read.
        measure_benefit: lots are drawn for what would be told. benefit_undecided: nobody said yet whether they may be.
        of_plugins: the settings of plugins, by name.
    """

    switched_on: bool = True
    wrong_settings: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()
    auto_interfaces: tuple[str, ...] = ()
    review_mode: ReviewMode = "interactive"
    section_caps: Literal["warn", "archive"] = "warn"
    git_commit: Literal["off", "session", "day"] = "off"
    archive_days: int = 0
    handoff_form: str = "full"
    transcript_tags: bool = False
    llm_auto: bool = True
    llm_daily: tuple[int, int] = (0, 0)
    llm_exclude: tuple[str, ...] = ()
    reader_undecided: bool = False
    measure_benefit: bool = False
    benefit_undecided: bool = False
    of_plugins: Mapping[str, Any] = {}


class Context(Struct, frozen=True, dict=True):
    """Everything a use case needs.

    Attributes:
        open_vault: makes `vault` when it is first used, so that what it writes comes into `index`; a question does not use it.
        open_indexer: makes `indexer`, what writes to `index`, when something is first written.
        guard: judges and cleans every text, by the person's policy.
        folder: where the work goes on; "": nobody knows.
        local_time: a moment in the person's own time. pause: waits so many seconds.
        unfiltered: the index with what an agent is told nothing of, where `index` leaves that out: for what must know that something
            exists and tells nothing of it. None: `index` holds everything.
        rebuild_index: makes a damaged index of theirs anew from the files; None: whoever finds the damage tells of it.
    """

    open_vault: Callable[[Context], Vault]
    index: Index
    state: State
    storage: Storage
    models: Models
    outside: Outside
    guard: Guard
    clock: Clock
    open_indexer: Callable[[Context], IndexWriter]
    choices: Choices
    local_time: Callable[[datetime], datetime]
    folder: str = ""
    progress: Progress = no_progress
    pause: Callable[[float], None] = time.sleep
    rebuild_index: Callable[[Context], object] | None = None
    unfiltered: Index | None = None

    @property
    def enabled(self) -> bool:
        """Whether memory is on at this moment; else nothing is written or captured."""
        return self.choices.switched_on and self.storage.pauses.stopped_at() is None

    def must_be_enabled(self, outcome: str) -> None:
        """Refuse while memory is switched off. Actions of the verb table need not ask: their row says so, and the runner asks.

        Args:
            outcome: what was left undone, such as "nothing was read".

        Raises:
            Refused: it is.
        """
        if not self.enabled:
            raise switched_off(outcome)

    def setting(self, name: str) -> Any:
        """Return the value of a plugin's setting.

        Raises:
            KeyError: no installed plugin has a setting of that name.
        """
        return self.choices.of_plugins[name]

    @cached_property
    def vault(self) -> Vault:
        """The memories' files."""
        return self.open_vault(self)

    @cached_property
    def indexer(self) -> IndexWriter:
        """The only way by which text comes into the index."""
        return self.open_indexer(self)

    def close(self) -> None:
        """Release files."""
        self.index.close()
        self.state.close()
        self.storage.close()
