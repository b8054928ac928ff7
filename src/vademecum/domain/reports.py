"""What the verbs give back: values that a terminal, a program and a host can all be told."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Literal

import msgspec
from msgspec import Struct

from vademecum.domain.archive import Archived, ArchiveSize
from vademecum.domain.errors import Problem
from vademecum.domain.item import Passage
from vademecum.domain.lifecycle import Stage
from vademecum.domain.memory import Memory
from vademecum.domain.reading import ModelState
from vademecum.domain.relations import Relation


class Saved(Struct, frozen=True):
    """A memory was written, or an equal one confirmed.

    Attributes:
        action: "saved", "confirmed" (the same was known), "superseded" (it replaced `replaced`), "disputed" (it says otherwise than
            `related`, and both stand), "inbox", "refused", or "dropped" (routing keeps no such candidate).
        replaced: ids of the memories that gave way; titles: what they are called. related: ids of those that it was linked with.
        unclear: id of a memory that is about the same, of which words do not tell what this one is to it; "" for none.
        likely: id of a memory whose place it may have taken (property `may_replace`); both stand until somebody settles it; "" for none.
        asked: whether a language model will be asked about that, when its turn comes.
        warnings: what the guard changed or noticed; never the secret itself.
        note: what follows later, such as vectors still to be made.
    """

    action: Literal["saved", "confirmed", "superseded", "disputed", "inbox", "refused", "dropped"]
    memory: Memory | None
    replaced: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    note: str = ""
    related: tuple[str, ...] = ()
    unclear: str = ""
    likely: str = ""
    asked: bool = False
    titles: tuple[str, ...] = ()


class SyncReport(Struct, frozen=True):
    """The index follows the files again.

    Attributes:
        added, changed, touched, dropped, same: files. `touched` were rewritten without a change of content.
        by_hand: edits, moves and deletions that the person made, as sentences.
        vectors: passages embedded now; waiting: still without vectors of the chosen model.
        ms: milliseconds.
    """

    added: int = 0
    changed: int = 0
    touched: int = 0
    dropped: int = 0
    same: int = 0
    by_hand: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    vectors: int = 0
    waiting: int = 0
    ms: float = 0.0


class Captured(Struct, frozen=True):
    """What one transcript gave.

    Attributes:
        session: its URI. turns: new ones since the last reading, by role.
        saved: what became of each candidate.
        unknown: line types that were not understood, with counts. broken: lines that could not be read.
        copied: turns that the host copied from another session, where they stand.
    """

    path: str
    session: str
    title: str
    turns: Mapping[str, int]
    saved: tuple[Saved, ...] = ()
    unknown: Mapping[str, int] = msgspec.field(default_factory=dict)
    broken: int = 0
    copied: int = 0


class CaptureReport(Struct, frozen=True):
    """What a reading of transcripts gave.

    Attributes:
        unchanged: files with nothing new. unrecognised: files that are no transcript of a format we know.
    """

    sessions: tuple[Captured, ...] = ()
    unchanged: int = 0
    unrecognised: int = 0
    problems: tuple[Problem, ...] = ()
    ms: float = 0.0


class Marked(Struct, frozen=True):
    """A conversation was mined because somebody asked.

    Attributes:
        turns: how many were spoken in it so far; reading on starts there.
        reason: as given. queued: the language model reads it next.
        rejected: (text, why) of facts that an agent gave and that are not in the conversation.
    """

    captured: Captured
    turns: int
    reason: str = ""
    queued: bool = False
    rejected: tuple[tuple[str, str], ...] = ()


class SourceNote(Struct, frozen=True):
    """A note that memories are taken from.

    Attributes:
        path: in the vault around the memory. id: of the memory that marks it.
        dirty: it changed since it was read, or is gone.
        saved: what this reading proposed. note: what could not be done, or "".
    """

    path: str
    id: str
    dirty: bool
    saved: tuple[Saved, ...] = ()
    note: str = ""


class Version(Struct, frozen=True):
    """One state of a memory's file.

    Attributes:
        operation: id of the journal record; `undo` takes it. actor: user, agent, extraction or hand.
        time: ISO 8601, UTC. text: the whole file after the operation, None when it was removed.
    """

    operation: str
    time: str
    op: str
    actor: str
    path: str
    text: str | None
    reason: str = ""


Direction = Literal["out", "in", ""]


class Link(Struct, frozen=True):
    """An edge as it was walked.

    Attributes:
        hop: how many edges lie between it and where the walk began, from 1.
        source: key of the item it was met at. direction: "out" of the source or "in"to it; "" beyond the first hop, where nobody asks.
        type: as the note says it: refines, derived_from, contradicts, supersedes, links, mentions, ...
        target: key of the other item, or a URI, or the name that names nothing. title: of the other item, else "".
        state: "known", "outside" (a URI that is not ours), or "stale" (it names nothing any more; the note keeps it).
    """

    hop: int
    source: str
    direction: Direction
    type: str
    target: str
    title: str
    state: Literal["known", "outside", "stale"]


class AuditLine(Struct, frozen=True):
    """One change of one memory, as the view `memory_audit` shows it.

    Attributes:
        timestamp: ISO 8601, UTC. operation: insert, confirm, supersede, deprecate, or the verb itself.
        related_fact_id: the other memory of a supersession or dispute. metadata: JSON.
    """

    timestamp: str
    operation: str
    fact_id: str
    related_fact_id: str | None
    session_id: str | None
    rationale: str
    metadata: str


class Rows(Struct, frozen=True):
    """The answer to a SQL statement. `more`: there were more rows than were asked for."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool = False


class Proposal(Struct, frozen=True):
    """One memory that waits.

    Attributes:
        cluster: number of the group it belongs to, from 0. of: how many belong to that group.
        excerpt: the passage that it was taken from, with what stands around it. rationale: why it was proposed.
    """

    memory: Memory
    cluster: int
    of: int
    excerpt: str
    rationale: str


class Decided(Struct, frozen=True):
    """A decision on a proposal, done in one operation of the journal (none for "skip").

    Attributes:
        memory: that says it now: the proposal, or the known one that said the same. proposal: id of what was decided about.
        relation: of the proposal to `others`: "same" confirmed, "update" replaced, "contradict" disputed, "extend" and "derive" linked.
        asked: a language model will be asked what it is to a known one. pattern: that it was counted for. likely: as in :class:`Saved`.
    """

    decision: Literal["approve", "edit", "reject", "skip", "supersede"]
    memory: Memory
    proposal: str
    relation: Relation = "new"
    others: tuple[Memory, ...] = ()
    asked: bool = False
    pattern: str = ""
    likely: str = ""


class Foreseen(Struct, frozen=True):
    """What approving a proposal would do to what is known: `relation` as in :class:`Decided`, "new" and none for nothing.

    Attributes:
        likely: the memory whose place it may have taken; both would stay.
    """

    relation: Relation = "new"
    others: tuple[Memory, ...] = ()
    likely: Memory | None = None


class PatternFare(Struct, frozen=True):
    """What became of the proposals of one pattern.

    Attributes:
        confidence: that it has by itself; "" for a pattern that is no more. lowered: by how many steps its proposals are believed less.
        extractor: that it belongs to: "patterns", "model", "agent", or "upkeep" for what we propose ourselves.
    """

    name: str
    accepted: int
    rejected: int
    confidence: str
    lowered: int
    extractor: str = "patterns"


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


class SessionUndone(Struct, frozen=True):
    """What was taken back of a conversation.

    Attributes:
        session: its URI. titles: of the memories that are gone. stay: (title, why) of those that could not be taken back.
    """

    session: str
    titles: tuple[str, ...]
    stay: tuple[tuple[str, str], ...] = ()


class ModelReport(Struct, frozen=True):
    """A round of reading by a language model, and how things stand after it."""

    reads: tuple[ModelRead, ...]
    state: ModelState


class Status(Struct, frozen=True):
    """State of everything, for `vade status`.

    Attributes:
        archive: of transcripts; None: none is kept, or it cannot be read. unarchived: transcripts that are not in it as
            they were read last. doubts: memories that may have taken the place of others. damage: of the
            index; "": none. With damage memories are counted in the files, and what only the index knows is 0.
    """

    home: str
    vault: str
    memories: Mapping[str, int]
    documents: int
    sessions: int
    passages: int
    index_bytes: int
    vectors: Mapping[str, int]
    waiting: int
    embedder: str
    inbox: int
    degraded: tuple[str, ...] = ()
    helper: Mapping[str, object] | None = None
    inbox_oldest: datetime | None = None
    inbox_alarm: str = ""
    model: ModelState | None = None
    archive: ArchiveSize | None = None
    unarchived: int = 0
    doubts: int = 0
    damage: str = ""


class Evidence(Struct, frozen=True):
    """A memory with what it comes from.

    Attributes:
        source: URI of the conversation, note or page; "": none is known. span: refs of the turns, "FIRST to LAST" or one; "": none.
        body: what it says.
    """

    id: str
    title: str
    kind: str
    path: str
    status: str
    source: str
    span: str
    body: str


class Confirmed(Struct, frozen=True):
    """One confirmation of a memory: when, by whom, and in which words it was said again ("": none were kept)."""

    time: str
    actor: str
    said: str


class Provenance(Struct, frozen=True):
    """A memory with everything that is known of where it comes from.

    Attributes:
        evidence: as the vault's format names it: source, source_span, mining_rationale, mining_sessions, ...
        said: the turns that it was taken from, as far as the conversation is known. confirmed: oldest first.
    """

    memory: Memory
    evidence: Mapping[str, object]
    said: tuple[Passage, ...]
    confirmed: tuple[Confirmed, ...]


class Attended(Struct, frozen=True):
    """What became of one session.

    Attributes:
        stage: where it stands now. handoff: id of the memory that tells where it stopped, "" for none.
        error: why it failed, "" when it did not. days: whose notes changed. turns: of speech in it.
    """

    session: str
    stage: Stage
    handoff: str = ""
    error: str = ""
    days: tuple[date, ...] = ()
    turns: int = 0


class Distilled(Struct, frozen=True):
    """What the person's own words in the note of a day gave."""

    day: date
    saved: tuple[Saved, ...]


class TendReport(Struct, frozen=True):
    """What a round of tending to sessions did.

    Attributes:
        events: left by hooks and noted now. orphans: sessions that had fallen silent.
        collected: markers that had served their time. waiting: sessions that are due and were not reached.
        distilled: notes of past days that memories were taken from.
    """

    sessions: tuple[Attended, ...] = ()
    events: int = 0
    orphans: int = 0
    collected: int = 0
    waiting: int = 0
    problems: tuple[Problem, ...] = ()
    distilled: tuple[Distilled, ...] = ()


class MigratedFile(Struct, frozen=True):
    """What was taken over of one flat file of an earlier design.

    Attributes:
        name: of the file. agent: whose it was.
        taken, known: entries that became memories, or would; and those taken over before.
        saved: what became of each. problems: what could not be taken over, and why.
    """

    name: str
    agent: str
    taken: int = 0
    known: int = 0
    saved: tuple[Saved, ...] = ()
    problems: tuple[str, ...] = ()


class Migrated(Struct, frozen=True):
    """What was taken over of a folder; with `dry_run` what would be."""

    files: tuple[MigratedFile, ...]
    dry_run: bool = False


class Compacted(Struct, frozen=True):
    """What tidying up did.

    Attributes:
        time: aware, UTC. checkpoints: removed, because nobody can recover them any more.
        bytes_before, index_bytes: size of the index before and after. trimmed: long chats in checkpoints that were shortened.
    """

    time: datetime
    checkpoints: int
    bytes_before: int
    index_bytes: int
    trimmed: int = 0


class ProcessReport(Struct, frozen=True):
    """What one round over all transcripts gave. `silent`: sessions with something new that have ended, for now. `tended`: what was
    made of those that were due.
    """

    capture: CaptureReport
    silent: tuple[str, ...] = ()
    tended: TendReport = msgspec.field(default_factory=TendReport)


class SessionLine(Struct, frozen=True):
    """One conversation in a list.

    Attributes:
        updated: when somebody spoke last; aware, UTC, or None.
        turns: of speech. stage: of its life, "" when no hook told of it. error: why it failed, else "".
        there: whether the host still has the transcript. archived: whether we have it.
        about: what it was about, in a sentence of the language model that read it; "" when none did. mentions: addresses named in it.
        excluded: nothing is learnt from it.
    """

    session: str
    title: str
    path: str
    project: str = ""
    updated: datetime | None = None
    turns: int = 0
    stage: str = ""
    error: str = ""
    there: bool = False
    archived: bool = False
    about: str = ""
    mentions: tuple[str, ...] = ()
    excluded: bool = False


class Eligible(Struct, frozen=True):
    """Whether memories are taken from a conversation.

    Attributes:
        session: its URI. title: as the index knows it, or "". learnt: memories that were taken from it before and still stand.
    """

    session: str
    title: str
    eligible: bool
    learnt: tuple[str, ...] = ()


class Restored(Struct, frozen=True):
    """A transcript written back. `placeholders`: secrets that the guard took out; they stay placeholders."""

    session: str
    path: str
    bytes: int
    placeholders: int = 0


class Exported(Struct, frozen=True):
    """A transcript as the archive keeps it."""

    session: str
    text: str


class ArchiveReport(Struct, frozen=True):
    """State of the archive: how much it holds, what is archived and deleted by its host, and what is damaged."""

    size: ArchiveSize
    only_here: tuple[Archived, ...] = ()
    problems: tuple[Problem, ...] = ()


class CorpusSession(Struct, frozen=True):
    """How far one transcript is in the pass through everything.

    Attributes:
        session: its URI, "" while it was never read.
        status: "new" (never read), "read" (searchable, nothing handed over), "reflected" (done), "short" (too little was said),
            "unreadable" (of no format we know), "gone" or "failed".
        turns, memories: of speech, and memories gained, as far as known from this run.
    """

    path: str
    session: str
    status: str
    turns: int = 0
    memories: int = 0


class CorpusReport(Struct, frozen=True):
    """A pass through all transcripts: what each is, whether anything was done, and how many still wait."""

    sessions: tuple[CorpusSession, ...]
    executed: bool
    left: int
    problems: tuple[Problem, ...] = ()


class Drift(Struct, frozen=True):
    """How far the index is behind the files: how many files are new, changed, or no longer there."""

    added: int = 0
    changed: int = 0
    gone: int = 0


class Finding(Struct, frozen=True):
    """What one check of `vade doctor` found.

    Attributes:
        id: stable, for programs. status: skip: it does not concern this machine, or could not be looked at.
        details: what is. hint: what to do; "" for nothing.
    """

    id: str
    status: Literal["ok", "warn", "fail", "skip"]
    details: str
    hint: str = ""
