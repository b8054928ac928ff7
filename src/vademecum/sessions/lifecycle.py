"""Record session events that hosts report, and process each session after it has ended.

A hook only records; the slow work is done by :func:`process_due`, at a later hook that has time or at the helper's next tick.
Processing reads, archives and mines a session and writes its handoff. Failures are retried and stay visible until they succeed
(X-17).
"""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.llm_queue import hasten
from vademecum.domain.clocks import AHEAD
from vademecum.domain.errors import InvalidInput, Problem, VademecumError
from vademecum.domain.host import HookEvent, uri_of
from vademecum.domain.jobs import JobDone
from vademecum.domain.lifecycle import (
    OPEN,
    SETTLED,
    HostSessions,
    Marker,
    Stage,
    begun,
    ended,
    failed,
    fare,
    is_due,
    is_spent,
    noted,
    orphaned,
    settled,
)
from vademecum.domain.pause import going_on
from vademecum.domain.session import SPOKEN, Session
from vademecum.extract.mine import met
from vademecum.extract.outline import outline
from vademecum.ingest.discover import owner_of, stamp_of
from vademecum.ingest.load_session import long_session
from vademecum.ingest.pauses import follow_clock, follow_stop, is_stopped
from vademecum.ingest.transcripts import SHORT_WAIT_S, CaptureReport, absorb
from vademecum.plugin import Worked, after_session
from vademecum.sessions.handoff import hand_over, own_outline, write_page
from vademecum.sessions.needs import note_needs
from vademecum.sessions.uses import count_uses
from vademecum.sync.index import follow

#: A session without a turn for this long has ended.
SILENCE_MINUTES = 60
#: Error of a session whose processing died without reporting one.
CUT_SHORT = "the work on it was cut short"


class Attended(Struct, frozen=True):
    """Result of processing one session.

    Attributes:
        stage: its stage now.
        handoff: id of its handoff, "" for none.
        error: why it failed, "" when it did not.
        days: days whose notes changed.
        turns: number of spoken turns.
    """

    session: str
    stage: Stage
    handoff: str = ""
    error: str = ""
    days: tuple[date, ...] = ()
    turns: int = 0


class TendReport(Struct, frozen=True):
    """Result of one round of processing.

    Attributes:
        events: queued hook events that were recorded.
        orphans: sessions that had gone silent.
        collected: expired markers that were removed.
        waiting: due sessions that were not reached.
        jobs: maintenance jobs that followed.
    """

    sessions: tuple[Attended, ...] = ()
    events: int = 0
    orphans: int = 0
    collected: int = 0
    waiting: int = 0
    problems: tuple[Problem, ...] = ()
    jobs: tuple[JobDone, ...] = ()


class ProcessReport(Struct, frozen=True):
    """Result of a round over all transcripts.

    Attributes:
        silent: sessions with new turns that have ended, for now.
        tended: result of processing the due sessions.
    """

    capture: CaptureReport
    silent: tuple[str, ...] = ()
    tended: TendReport = msgspec.field(default_factory=TendReport)


def record_event(context: Context, event: HookEvent, at: datetime | None = None) -> Marker | None:
    """Record a session event of a host. Fast enough for a hook.

    Args:
        at: when it happened; None: now.

    Returns:
        The session's marker; None when the event belongs to no session, or memory is switched off, stopped or paused for it.
    """
    session = uri_of(event)
    if not session or not context.enabled or is_stopped(context, event.cwd) or going_on(context.storage.pauses.all(), session):
        return None
    step: Callable[[Marker | None, HookEvent, datetime], Marker] = noted
    if not event.agent:  # start and end of a sub-agent are not those of the conversation
        step = {"start": begun, "end": ended}.get(event.moment, noted)
    moment = at or context.clock.now()
    return context.storage.markers.change(session, lambda known: step(known, event, moment))


def process_due(
    context: Context, *, most: int = 50, seconds: float | None = None, silence: timedelta | None = None
) -> TendReport:
    """Drain the queue, find orphans, process due sessions, and remove expired markers.

    Args:
        most: maximum number of sessions to process.
        seconds: start no further session after this time; None: no limit.
        silence: a session without a turn for this long has ended; None: SILENCE_MINUTES.

    Raises:
        Refused: memory is switched off.
    """
    follow_stop(context)
    follow_clock(context)
    context.must_be_enabled("nothing was done")
    problems: list[Problem] = []
    start = context.clock.elapsed_s()
    events = drain(context, problems)
    silence = timedelta(minutes=SILENCE_MINUTES) if silence is None else silence
    orphans = _find_orphans(context, silence)
    due = _due(context, silence)
    done: list[Attended] = []
    if any(marker.at_work for marker in due[:most]):
        follow(context, quick=True)  # pick up what an interrupted run wrote before it would be written again
    for marker in due[:most]:
        if seconds is not None and context.clock.elapsed_s() - start >= seconds:
            break
        done.append(process(context, marker, problems))
        context.progress("Closing conversations", len(done), len(due))
    write_page(context)  # entries that were forgotten, undone or edited must disappear from the page
    now = context.clock.now()
    spent = [marker for marker in context.storage.markers.all(SETTLED) if is_spent(marker, now)]
    for marker in spent:
        context.storage.markers.change(marker.session, lambda known: None if known and is_spent(known, now) else known)
    return TendReport(tuple(done), events, orphans, len(spent), len(due) - len(done), tuple(problems))


def process_transcripts(context: Context, paths: Sequence[str], *, threshold: timedelta) -> ProcessReport:
    """Read new turns from transcripts, then process every due session.

    A conversation whose file did not change for `threshold` is silent: it has ended, for now.

    Raises:
        Refused: memory is switched off.
    """
    report = absorb(context, paths)
    now = context.clock.now()
    silent = tuple(captured.session for captured in report.sessions if now - _file_changed(captured.path) >= threshold)
    return ProcessReport(report, silent, process_due(context, silence=threshold))


def _file_changed(path: str) -> datetime:
    """Return when a transcript's file last changed; 1970 when the file is gone."""
    nanoseconds = stamp_of(Path(owner_of(path))).partition(":")[2]
    return datetime.fromtimestamp(int(nanoseconds or 0) / 1e9, UTC)


def drain(context: Context, problems: list[Problem]) -> int:
    """Record the events that hooks queued; return their number."""
    queue, count = context.storage.queue, 0
    for left in queue.waiting() if queue else ():
        try:
            if left.payload is None:
                raise InvalidInput("It is no JSON object.")
            name = context.outside.guess_host(left.payload) or left.host
            host = context.outside.hosts.get(name)
            if host is None:
                raise InvalidInput(f"No host {name!r} is known.")
            record_event(context, host.read(left.payload, left.cwd), left.at)
        except InvalidInput as error:
            problems.append(Problem(str(left.path), f"This event cannot be understood and was skipped: {error.message}"))
            queue.set_aside(left)  # type: ignore[union-attr]
            continue
        queue.done(left)  # type: ignore[union-attr]
        count += 1
    return count


def process(context: Context, marker: Marker, problems: list[Problem]) -> Attended:
    """Process a session: index and mine new turns, archive it, write its handoff and daily notes.

    It is marked as failed until it succeeds, so that a session that crashes the process does not block the others.
    """
    began = context.clock.now()
    context.storage.markers.change(
        marker.session, lambda known: replace(failed(known or marker, began, CUT_SHORT), at_work=True)
    )
    try:
        session, path = _read_through(context, marker, problems)
        spoken = sum(turn.role in SPOKEN and not turn.sidechain for turn in session.turns)
        heard = met(session)
        whole_outline = outline(session, heard)
        handoff = hand_over(context, own_outline(context, session))
        days = after_session(context, Worked(session, whole_outline, heard, handoff), (VademecumError, OSError))
        count_uses(context, session)
        note_needs(context, session)
        hasten(context, session.uri)
    except (VademecumError, OSError) as error:
        why = str(error)
        left = context.storage.markers.change(marker.session, lambda known: replace(known or marker, error=why, at_work=False))
        return Attended(marker.session, left.stage if left else "failed", error=why)
    size = _size(path)
    done = context.storage.markers.change(
        marker.session, lambda known: settled(known or marker, began, context.clock.now(), bytes_read=size, spoken=spoken)
    )
    return Attended(marker.session, done.stage if done else "processed", handoff, days=days, turns=spoken)


def stats(context: Context) -> tuple[HostSessions, ...]:
    """Count each host's sessions by how they ended; `doctor` compares them (X-17)."""
    return fare(context.storage.markers.all(), context.clock.now())


def warnings(context: Context) -> list[str]:
    """Return a warning for each host with overdue or permanently failed sessions, and one for unreadable events (X-17)."""
    lines = []
    owed = fare(context.storage.markers.all(("ended", "failed")), context.clock.now())
    for host in stats(context) if any(row.overdue or row.given_up for row in owed) else ():
        why = f" ({'; '.join(host.errors[:2])})" if host.errors else ""
        if host.overdue:
            lines.append(f"sessions: {host.overdue} of {host.seen} sessions of {host.host} ended and were never processed{why}")
        elif host.given_up:
            lines.append(f"sessions: {host.given_up} of {host.seen} sessions of {host.host} failed permanently{why}")
    unread = context.storage.queue.count_aside() if context.storage.queue else 0
    return lines + ([f"sessions: {unread} events could not be understood; they are in the queue folder"] if unread else [])


def _find_orphans(context: Context, silence: timedelta) -> int:
    now = context.clock.now()
    count = 0
    for marker in context.storage.markers.all(OPEN):
        written = _changed(marker.transcript, now)
        if written is not None and now - written < silence:
            continue  # its host reports few events, but is still writing the transcript
        after = context.storage.markers.change(marker.session, lambda known: orphaned(known, now, silence) if known else None)
        count += after is not None and after.stage == "ended"
    return count


def _due(context: Context, silence: timedelta) -> list[Marker]:
    """Return the sessions to process, those that ended first first."""
    now = context.clock.now()
    due = []
    for marker in context.storage.markers.all({"ended", "failed", *SETTLED}):
        written = _changed(marker.transcript, now)
        if is_due(marker, now, _size(marker.transcript), written, silence) and not is_stopped(context, marker.cwd):
            due.append(marker)
    return due


def _read_through(context: Context, marker: Marker, problems: list[Problem]) -> tuple[Session, str]:
    """Index, mine and archive a session; return what its handoff needs of it, and the path of its transcript.

    Raises:
        NotFound: neither the host nor the archive has a transcript.
    """
    path = marker.transcript
    if path and Path(path).is_file():
        problems += absorb(context, (path,), wait_s=SHORT_WAIT_S).problems  # absorb also archives it
    session, place = long_session(context, marker.session, path)
    return (session if session.ended else replace(session, ended=_changed(place, context.clock.now()))), place


def _changed(path: str, now: datetime) -> datetime | None:
    """Return when a file was last written; None when it does not exist or the time is in the future."""
    try:
        written = datetime.fromtimestamp(Path(path).stat().st_mtime, UTC) if path else None
    except OSError:
        return None
    return None if written is not None and written > now + AHEAD else written


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size if path else 0
    except OSError:
        return 0
