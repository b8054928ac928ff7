"""Go through all transcripts: read each, mine it, and write its handoff.

Progress is derived from the data (the index has the session, the vault its handoff), so there is no separate list that could be
lost or be wrong: a killed run continues, and repeating a run does nothing twice.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from vademecum.domain.errors import Problem, VademecumError
from vademecum.domain.item import FILED_SOURCES
from vademecum.domain.query import Scope
from vademecum.domain.session import MIN_TURNS
from vademecum.plugin import Worked, after_session
from vademecum.plugin_api.conversations import (
    absorb,
    files_below,
    is_there,
    met,
    outline,
    owner_of,
    paths_within,
    whole_session,
    write_handoff,
)
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import SESSIONS

BATCH = 10


class CorpusSession(Struct, frozen=True):
    """State of one transcript in the pass.

    Attributes:
        session: its URI; "" if it was never read.
        status: "new" (never read), "read" (searchable, no handoff), "reflected" (done), "short" (too few turns), "unreadable"
            (unknown format), "gone" or "failed".
        turns: of speech, as far as known from this run.
        memories: new ones, as far as known from this run.
    """

    path: str
    session: str
    status: str
    turns: int = 0
    memories: int = 0


class CorpusReport(Struct, frozen=True):
    """Result of a pass through all transcripts.

    Attributes:
        executed: whether the waiting ones were processed.
        left: how many still wait.
    """

    sessions: tuple[CorpusSession, ...]
    executed: bool
    left: int
    problems: tuple[Problem, ...] = ()


def reflect_corpus(
    context: Context, paths: Sequence[str] = (), execute: bool = False, batch_size: int = BATCH, max_batches: int = 0
) -> CorpusReport:
    """Return every transcript with its status; with `execute`, process the waiting ones.

    Args:
        paths: files or folders; empty: those of the settings.
        max_batches: stop after this many batches; 0: continue to the end.

    Raises:
        Refused: memory is switched off.
    """
    if execute:
        context.must_be_enabled("nothing was done")
    problems: list[Problem] = []
    files = _conversations(context, files_below(paths or context.choices.transcripts, problems, context.outside.place_of))
    before = _statuses(context, files)
    waiting = [path for path in files if before[path].status in ("new", "read")]
    done: dict[str, CorpusSession] = {}
    batches = [waiting[start : start + batch_size] for start in range(0, len(waiting), max(1, batch_size))] if execute else []
    for batch in batches[: max_batches or None]:
        done |= _reflected(context, batch, problems)
        context.progress("corpus", len(done), len(waiting))
    corpus_sessions = tuple(done.get(path, before[path]) for path in files)
    return CorpusReport(corpus_sessions, executed=execute, left=len(waiting) - len(done), problems=tuple(problems))


def _conversations(context: Context, files: Iterable[Path]) -> list[str]:
    """Return the paths of the conversations in the files; a database or export has several."""
    known = {mark.path for mark in context.index.fingerprints(SESSIONS).values()}
    texts: list[str] = []
    for file in map(str, files):
        texts += [file] if file in known else sorted(paths_within(context, file))
    return texts


def _statuses(context: Context, files: Iterable[str]) -> dict[str, CorpusSession]:
    """Return path -> state of each transcript, without opening it."""
    known = {mark.path: key for key, mark in context.index.fingerprints(SESSIONS).items()}
    handoffs = Scope(sources=FILED_SOURCES, kinds=("handoff",), statuses=None)
    handed_over = {item.origin for item in context.index.select(handoffs, limit=1_000_000)}
    corpus_sessions = {}
    for path in files:
        session = known.get(path, "")
        status = "new" if not session else "reflected" if session in handed_over else "read"
        if status == "read" and _is_short(context, session):
            status = "short"
        corpus_sessions[path] = CorpusSession(path, session, status)
    return corpus_sessions


def _is_short(context: Context, session: str) -> bool:
    """Return whether a session has too little content for a handoff, as far as the index knows."""
    passages = context.index.passages_of(session)
    spoken = passages[-1].passage.turn + 1 if passages else 0
    item = context.index.items([session]).get(session)
    used = context.index.touches(Scope(sources=("session",), statuses=None, keys=(item.key,)), 1) if item else ()
    return spoken < MIN_TURNS and not used


def _reflected(context: Context, batch: Sequence[str], problems: list[Problem]) -> dict[str, CorpusSession]:
    """Process a batch of transcripts; return the state of each."""
    report = absorb(context, tuple(dict.fromkeys(map(owner_of, batch))))
    problems += report.problems
    gained = {captured.path: captured for captured in report.sessions}
    known = {mark.path: key for key, mark in context.index.fingerprints(SESSIONS).items()}
    done = {}
    for path in batch:
        captured = gained.get(path)
        memories = (
            sum(saved.action in ("saved", "superseded", "disputed", "inbox") for saved in captured.saved) if captured else 0
        )
        if path not in known:
            done[path] = CorpusSession(path, "", "unreadable" if is_there(path) else "gone")
            continue
        try:
            session = whole_session(context, known[path], path)[0]
            heard = met(session)
            whole_outline = outline(session, heard)
            saved = write_handoff(context, whole_outline)
            handoff = saved.memory.id if saved and saved.memory else ""
            after_session(context, Worked(session, whole_outline, heard, handoff), (VademecumError,))
        except VademecumError as error:
            problems.append(Problem(path, error.message))
            done[path] = CorpusSession(path, known[path], "failed", memories=memories)
            continue
        status = "reflected" if saved is not None and saved.memory is not None else "short"
        done[path] = CorpusSession(path, known[path], status, whole_outline.turns, memories)
    return done
