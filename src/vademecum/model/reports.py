"""What the verbs give back: values that a terminal, a program and a host can all be told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from vademecum.model.errors import Problem
from vademecum.model.memory import Memory
from vademecum.model.query import Recall


@dataclass(frozen=True, slots=True)
class Saved:
    """A memory was written, or an equal one confirmed.

    Attributes:
        action: "saved", "confirmed" (the same text was known), "superseded" (it replaced `replaced`), "inbox" or "refused".
        replaced: ids of the memories that gave way.
        warnings: what the guard changed or noticed; never the secret itself.
        note: what follows later, such as vectors still to be made.
    """

    action: Literal["saved", "confirmed", "superseded", "inbox", "refused"]
    memory: Memory | None
    replaced: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class SyncReport:
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


@dataclass(frozen=True, slots=True)
class Captured:
    """What one transcript gave.

    Attributes:
        session: its URI. turns: new ones since the last reading, by role.
        saved: what became of each candidate.
        unknown: line types that were not understood, with counts. broken: lines that could not be read.
    """

    path: str
    session: str
    title: str
    turns: Mapping[str, int]
    saved: tuple[Saved, ...] = ()
    unknown: Mapping[str, int] = field(default_factory=dict)
    broken: int = 0


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """What a reading of transcripts gave.

    Attributes:
        unchanged: files with nothing new. unrecognised: files that are no transcript of a format we know.
    """

    sessions: tuple[Captured, ...] = ()
    unchanged: int = 0
    unrecognised: int = 0
    problems: tuple[Problem, ...] = ()
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Marked:
    """A conversation was mined because somebody asked.

    Attributes:
        turns: how many were spoken in it so far; reading on starts there.
        reason: as given.
    """

    captured: Captured
    turns: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SourceNote:
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


@dataclass(frozen=True, slots=True)
class Bundle:
    """Text within a budget, ready to inject.

    Attributes:
        text: Markdown, or "" when there is nothing to say.
        tokens: estimate for `text`. budget_tokens: what it had to keep.
        loaded: titles of what it holds. omitted: titles of what did not fit. keys: of what it holds, as `Piece.key` names it.
        recall: what was asked and found; None for a briefing.
    """

    text: str
    tokens: int
    budget_tokens: int
    loaded: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    recall: Recall | None = None
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
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


@dataclass(frozen=True, slots=True)
class Status:
    """State of everything, for `vade status`."""

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


@dataclass(frozen=True, slots=True)
class Drift:
    """How far the index is behind the files: how many files are new, changed, or no longer there."""

    added: int = 0
    changed: int = 0
    gone: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check of `vade doctor` found.

    Attributes:
        id: stable, for programs. status: skip: it does not concern this machine, or could not be looked at.
        details: what is. hint: what to do; "" for nothing.
    """

    id: str
    status: Literal["ok", "warn", "fail", "skip"]
    details: str
    hint: str = ""
