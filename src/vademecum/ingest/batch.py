"""Index and mine what was read, and record how far reading came only afterwards.

Many small conversations are processed together.
"""

import contextlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from vademecum.actions.calls import log_calls
from vademecum.actions.failures import propose_lessons
from vademecum.context.context import Context
from vademecum.context.llm_queue import enqueue, is_read_by_model
from vademecum.domain.archive import Archived
from vademecum.domain.errors import Refused
from vademecum.domain.host import HookEvent
from vademecum.domain.lifecycle import Marker, noted
from vademecum.domain.query import EXCLUDED
from vademecum.domain.session import MIN_TURNS, SPOKEN, Candidate, Session
from vademecum.extract.follow_ups import follow_ups
from vademecum.extract.mine import ANSWER, EXPLICIT, STATEMENTS, as_proposal, mine, states_something
from vademecum.extract.recovery import snapshot
from vademecum.ingest.archiver import UNUSABLE, archive_ahead, archive_run_ahead
from vademecum.ingest.discover import owner_of
from vademecum.ingest.duplicates import lacking
from vademecum.ingest.growth import Captured, Found, Growth, captured, kept_cursor, note_unknown
from vademecum.ingest.ledger import Ledger
from vademecum.ingest.load_session import session_at, whole_session
from vademecum.ingest.verify_claims import verified
from vademecum.language.patterns import pattern_names
from vademecum.ports.worker import Worker
from vademecum.sync.index import follow
from vademecum.write.candidates import route_all
from vademecum.write.waiting import sure_enough

#: Turns read before a batch is indexed; a conversation is never split.
TURNS_AT_ONCE = 1000
#: A session found on disk that was written to within this time may still be running.
ADOPTED_WITHIN = timedelta(days=1)


class Intake:
    """Processes what was read, one batch behind the reader.

    While one batch is read, the previous one is mined and, with a spare processor, archived.

    Attributes:
        done: results, one for each transcript.
    """

    def __init__(self, context: Context, worker: Worker, ledger: Ledger, *, mined: bool, done: list[Captured]) -> None:
        self._context, self._worker, self._ledger, self._mined = context, worker, ledger, mined
        self._before: list[Growth] = []
        self._waiting: list[Growth] = []
        self._turns = 0
        self._failed_in: set[str] = set()
        self._followed = False
        self._archiving = archive_run_ahead(context, worker)
        self.done = done

    @property
    def cut(self) -> tuple[Archived, ...]:
        """Archived versions whose turns the host was found to have removed."""
        return tuple(self._archiving.cut) if self._archiving is not None else ()

    def add(self, growth: Growth) -> None:
        """Queue a growth for processing."""
        if growth.killed and self._mined and not self._followed:
            # Pick up memories that an interrupted run wrote before they would be written again.
            follow(self._context, quick=True)
            self._followed = True
        if self._mined and not growth.copy and EXCLUDED not in growth.session.tags:
            before = _agent_said_before(self._context, growth)
            growth = replace(growth, found=self._worker.begin(found_in, _new(growth), before, soon=True))
        self._waiting.append(growth)
        self._turns += len(growth.session.turns)
        if self._turns >= TURNS_AT_ONCE:
            self._next()

    def finish(self) -> None:
        """Process everything that is queued."""
        self._next()
        self._next()
        if self._mined:
            propose_lessons(self._context, self._failed_in)
        with contextlib.suppress(*UNUSABLE):  # reported by the round over all transcripts, which counts what is left
            if self._archiving is not None:
                self._archiving.finish()

    def _next(self) -> None:
        before, self._before, self._waiting, self._turns = self._before, self._waiting, [], 0
        if not before:
            return
        self.done += _taken_in(self._context, self._ledger, before, self._failed_in, mined=self._mined)
        if self._archiving is not None:
            try:
                archive_ahead(self._context, self._archiving, _by_themselves(before))
            except UNUSABLE:
                self._archiving = None


def _by_themselves(growths: Iterable[Growth]) -> Iterator[tuple[str, str]]:
    """Yield (session, path) of transcripts in a file of their own."""
    for growth in growths:
        path = str(growth.path)
        if not growth.copy and owner_of(path) == path:
            yield growth.session.uri, path


def _taken_in(
    context: Context, ledger: Ledger, growths: Iterable[Growth], failed_in: set[str], *, mined: bool
) -> Iterator[Captured]:
    """Index and mine growths in the given order: new sessions as one batch, grown ones one by one.

    Args:
        failed_in: receives the projects in which tool calls failed.
    """
    for fresh, some in itertools.groupby(growths, key=lambda growth: growth.fresh is not None):
        group = list(some)
        if fresh:
            context.indexer.put_sessions((entry.fresh, entry.stamp) for entry in group if entry.fresh)
        for one in group:
            growth = one
            if growth.copy:
                growth = replace(growth, session=lacking(context, growth.session))
            if not fresh:
                context.indexer.extend_session(growth.session, growth.stamp)
            done = _settled(context, growth, mined=mined)
            if log_calls(context, growth.fresh or growth.session, whole=fresh):
                failed_in.add(growth.session.project)
            ledger.settle(growth.session.uri)
            context.state.cursors.set(str(growth.path), kept_cursor(context, growth.reading.parsed))
            yield done


def _adopt(context: Context, growth: Growth) -> None:
    """Record a session that was found on disk, so that it is processed even if its host reports no events.

    Only sessions that may still be running are recorded; older ones are read, but not processed further.
    """
    session, path = growth.session, str(growth.path)
    now = context.clock.now()
    changed = min(datetime.fromtimestamp(int(growth.stamp.partition(":")[2] or 0) / 1e9, UTC), now)
    if now - changed >= ADOPTED_WITHIN:
        return
    event = HookEvent(session.host, "other", "", session.id, session.cwd, transcript=path)

    def step(known: Marker | None) -> Marker:
        return replace(known, transcript=known.transcript or path) if known else noted(None, event, changed)

    context.storage.markers.change(session.uri, step)


def _settled(context: Context, growth: Growth, *, mined: bool) -> Captured:
    """Mine what was read and indexed; return the result."""
    spoken = _spoken(growth)
    host = growth.session.host
    candidates: tuple[Candidate, ...] = ()
    all_candidates: tuple[Candidate, ...] = ()
    long = growth.begun or _spoken(growth) >= MIN_TURNS
    if mined and EXCLUDED not in growth.session.tags:
        all_candidates, ideas = growth.found() if growth.found else found_in(_new(growth), _agent_said_before(context, growth))
        outright = tuple(
            candidate
            for candidate in all_candidates
            if candidate.confidence == "high" and candidate.pattern in (*pattern_names(*EXPLICIT, *STATEMENTS), ANSWER)
        )
        candidates = (*verified(context, all_candidates, growth.session.cwd), *ideas) if long else outright
    due = (
        mined
        and bool(spoken)
        and (long or states_something(_new(growth), all_candidates))
        and EXCLUDED not in growth.session.tags
    )
    queued = due and enqueue(context, growth.session.uri, str(growth.path), spoken=growth.session.turns[-1].time)
    if queued and is_read_by_model(context, growth.session.project):
        candidates = tuple(map(as_proposal, candidates))
    saved = route_all(context, sure_enough(context, candidates), host, folder=growth.session.cwd)
    last_words = (
        None
        if EXCLUDED in growth.session.tags
        else snapshot(
            growth.fresh or growth.session,
            None if growth.fresh else context.state.snapshots.get(growth.session.uri),
            context.clock.now(),
        )
    )
    if last_words is not None:
        context.state.snapshots.set(last_words)
    _adopt(context, growth)
    note_unknown(context, str(growth.path), growth.reading, anew=growth.fresh is not None)
    done = captured(growth.session, growth.path, growth.reading, saved)
    return replace(done, title=done.title or (growth.fresh.title if growth.fresh else ""), copied=growth.copied)


def _spoken(growth: Growth) -> int:
    return sum(turn.role in SPOKEN and not turn.sidechain for turn in growth.session.turns)


def _new(growth: Growth) -> Session:
    """Return the session with the turns that were never mined."""
    session = growth.session
    turns = tuple(turn for turn in session.turns if turn.ref not in growth.known)
    return replace(session, turns=turns)


def _agent_said_before(context: Context, growth: Growth) -> str:
    """Return the agent's message before the new turns; "" when the first new turn is not the person's."""
    turns = [turn for turn in growth.session.turns if turn.role in SPOKEN and not turn.sidechain]
    new = next((place for place, turn in enumerate(turns) if turn.ref not in growth.known), None)
    if new is None or turns[new].role != "user":
        return ""
    seen = [turn.text for turn in turns[:new] if turn.role == "agent"]
    if seen or not growth.begun:
        return seen[-1] if seen else ""
    stored = context.index.passages_of(growth.session.uri)
    return next((earlier.passage.text for earlier in reversed(stored) if earlier.passage.role == "agent"), "")


def found_in(session: Session, agent_said: str = "") -> Found:
    """Return the candidates and the follow-up ideas in a session.

    Args:
        agent_said: the agent's last message before the session's turns; "" for none.
    """
    return mine(session, agent_said), follow_ups(session)


def mine_again(context: Context, uri: str, path: str, *, since: int = 0, least: int = 0) -> tuple[Session, Captured]:
    """Mine a conversation again on request, however short it is. Known memories are confirmed.

    Args:
        uri: the conversation; "": the one at `path`.
        since: number of spoken turns to skip.
        least: minimum number of spoken turns after those; with fewer, nothing is mined.

    Returns:
        The session with the turns that were mined, and the result.

    Raises:
        NotFound: it is neither at `path` nor in the archive.
        Refused: the person excluded the conversation.
    """
    whole, path = whole_session(context, uri or session_at(context, path), path)
    if EXCLUDED in whole.tags:
        raise Refused(
            "The person excluded this conversation from learning.",
            f"They allow it with: vade sessions exclude --undo {whole.id}",
        )
    spoken = [turn for turn in whole.turns if turn.role in SPOKEN and not turn.sidechain]
    session = replace(whole, turns=tuple(spoken[since:]))
    enough = len(session.turns) >= max(least, 1)
    agent_said = next((turn.text for turn in reversed(spoken[:since]) if turn.role == "agent"), "")
    all_candidates, ideas = found_in(session, agent_said) if enough else ((), ())
    candidates = (*verified(context, all_candidates, session.cwd), *ideas)
    if is_read_by_model(context, session.project):
        candidates = tuple(map(as_proposal, candidates))
    saved = route_all(context, sure_enough(context, candidates), session.host, folder=session.cwd)
    return session, Captured(path, session.uri, session.title, dict(Counter(turn.role for turn in session.turns)), saved)
