"""The dependencies of use cases: stores, models, external programs and the person's choices. `wiring` creates them once."""

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
    from vademecum.domain.memory import Space
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
    from vademecum.ports.web import Web
    from vademecum.ports.worker import Worker
    from vademecum.recall.questions import Questions
    from vademecum.sync.index_writer import IndexWriter
    from vademecum.vault.store import Vault


class Storage(Struct, frozen=True, dict=True):
    """Stores other than vault, index and state.

    Attributes:
        pauses: periods in which nothing is saved, and the STOP files.
        queue: events that hooks left for later; None: none. checkpoints: folder of the checkpoints of chats.
        data_dir, cache_dir: folders of everything of ours outside the vault; "": none.
        bytes_of: yields a file's bytes, without taking the locks of databases that are open; OSError: it cannot be read.
        drop_rules: takes the rules that lie ready for tool calls away, until they are written anew.
        drop_vectors: forgets the cached vectors of texts; gives how many there were.
        drop_cache: removes all cached vectors, to make room on the disk; gives whether there were any.
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
    drop_rules: Callable[[], None] = lambda: None
    guard_log: GuardLog | None = None
    compactions: GuardLog | None = None
    hook_log: GuardLog | None = None

    @cached_property
    def archive(self) -> Archive | None:
        """Verbatim transcripts; None: they are not archived."""
        return self.open_archive()

    @cached_property
    def conversations(self) -> Conversations:
        """Conversations handed over by agents."""
        return self.open_conversations()

    @cached_property
    def markers(self) -> Markers:
        """Lifecycle of sessions."""
        return self.open_markers()

    @cached_property
    def extractions(self) -> Extractions:
        """Queue of what a language model is to read."""
        return self.open_extractions()

    @cached_property
    def ledger(self) -> Ledger:
        """Token use of language models."""
        return self.open_ledger()

    @cached_property
    def calls(self) -> CallLog:
        """Tool calls of sessions, with their outcomes."""
        return self.open_calls()

    def close(self) -> None:
        """Close the stores that were opened."""
        for name in {"archive", "markers", "extractions", "ledger", "calls"} & self.__dict__.keys():
            if (opened := getattr(self, name)) is not None:
                opened.close()


class Models(Struct, frozen=True, dict=True):
    """Embedding and language models.

    Attributes:
        embedder: computes vectors; None: search uses words only, and `missing` says why.
        missing: what is missing and what to do about it, one sentence each.
        open_questions: returns the embedder of questions, shared by all searches of this process.
        llm_name: language model that reads conversations; "": none. llm_mark: changes with its settings.
        readers: returns the person's programs that could read, without a delay. all_readers: also local models, which must be queried.
        open_llm: creates `llm` at first use.
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
            InvalidInput: the settings name an unknown model.
        """
        return self.open_llm()


class Outside(Struct, frozen=True, dict=True):
    """External programs, files and networks.

    Attributes:
        guess_host: payload of a hook -> name of the host that sent it, "" if unclear.
        web: the network, for looking up ideas; None: not configured.
        open_worker: bytes of transcripts to read -> a worker for part of that work.
        open_repository: folder -> its version control history.
        open_code: (folder, maximum seconds) -> the contents of its repository at past commits; None: it is no repository.
        commits: (folder, since, until) -> its commits, oldest first.
        docs: working folder -> a summary of its repository's pages for agents and people; "" for none.
        branches: (folder, maximum seconds) -> its branches; None: memories are limited to no branch there.
        projects: maps working folders to projects.
        helper: status of the helper; None if there is none.
        open_hosts, open_formats, open_libraries, open_places: create the value at first use.
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
        """Transcript formats, tried in order."""
        return self.open_formats()

    @cached_property
    def libraries(self) -> Sequence[TranscriptLibrary]:
        """Kinds of files that hold many transcripts, tried in order, before the formats."""
        return self.open_libraries()

    @cached_property
    def place_of(self) -> Callable[[str], PlaceRule]:
        """Path of a file -> what it may be, judged by its location."""
        return self.open_places()

    @cached_property
    def hosts(self) -> Mapping[str, Host]:
        """Programs whose hooks are supported, by name."""
        return self.open_hosts()


class Choices(Struct, frozen=True):
    """The person's settings, as use cases need them.

    Attributes:
        switched_on: False: memory is off. wrong_settings: invalid settings, one sentence each; defaults apply instead.
        transcripts: folders where hosts write transcripts. auto_interfaces: tools whose conversations are read at once.
        review_mode: where merely likely candidates go (:mod:`vademecum.write.candidates`).
        section_caps: "archive": memories above the cap of their section are archived; "warn": they are only reported.
        git_commit: when the memory folder is committed, if it is in a repository.
        archive_days: archived transcripts unchanged for this many days are deleted; 0: never.
        handoff_form: "full", or "short" for three lines. transcript_tags: tag what is extracted from conversations.
        llm_auto: the language model reads without being asked. llm_daily: tokens per day that it may read, and write.
        llm_exclude: projects whose conversations it never reads. reader_undecided: the person has not decided whether a model may read.
        measure_benefit: hold memories out at random to measure the benefit. benefit_undecided: the person has not decided on it.
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
    """All dependencies of a use case.

    Attributes:
        open_vault: creates `vault` at first use, so that its writes update `index`; a search does not need it.
        open_indexer: creates `indexer`, the writer of `index`, at the first write.
        guard: judges and cleans every text by the person's policy.
        folder: the working folder; "": unknown.
        spaces: of the vault, without those of plugins; known before it is opened.
        local_time: a moment in the person's time zone. pause: waits that many seconds.
        unfiltered: the full index, if `index` omits what is hidden from an agent; only for checks whether an item exists. None: `index` is
            not filtered.
        rebuild_index: rebuilds a damaged index from the files; None: the damage is only reported.
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
    spaces: tuple[Space, ...] = ()
    progress: Progress = no_progress
    pause: Callable[[float], None] = time.sleep
    rebuild_index: Callable[[Context], object] | None = None
    unfiltered: Index | None = None

    @property
    def enabled(self) -> bool:
        """Whether memory is on at this moment; if not, nothing is written or captured."""
        return self.choices.switched_on and self.storage.pauses.stopped_at() is None

    def must_be_enabled(self, outcome: str) -> None:
        """Refuse while memory is switched off. Not needed in verbs: their row in the table says so, and the runner checks it.

        Args:
            outcome: what was left undone, such as "nothing was read".

        Raises:
            Refused: memory is switched off.
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
        """The files of the memories."""
        return self.open_vault(self)

    @cached_property
    def indexer(self) -> IndexWriter:
        """The only writer of the index."""
        return self.open_indexer(self)

    def let_go(self) -> None:
        """Free caches, that of the vault with what it read of journals; they are filled again when needed."""
        self.__dict__.pop("vault", None)
        self.index.let_go()

    def close(self) -> None:
        """Close the open files."""
        self.index.close()
        self.state.close()
        self.storage.close()
