"""Attend to sessions: note what hosts tell of them, and make of each what is owed to it once it has ended.

A hook only notes; what takes time is done by :func:`tend`, at the next hook that may or the helper's next tick. A session is
read, archived, mined, and handed over; whatever fails is tried again, and stays visible until it succeeds (X-17).
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from vademecum.capture.mine import met
from vademecum.capture.outline import outline
from vademecum.model.errors import InvalidInput, Problem, Refused, VademecumError
from vademecum.model.host import HookEvent, Waiting, uri_of
from vademecum.model.lifecycle import (
    OPEN,
    SETTLED,
    HostSessions,
    Marker,
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
from vademecum.model.pause import going_on
from vademecum.model.reports import Attended, TendReport
from vademecum.model.session import SPOKEN, Session
from vademecum.upkeep.absorb import absorb
from vademecum.upkeep.daily import write_days
from vademecum.upkeep.distil import distil
from vademecum.upkeep.follow import follow
from vademecum.upkeep.hand_over import hand_over
from vademecum.upkeep.model_queue import hasten
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.pausing import follow_stop
from vademecum.upkeep.whole import long_session

#: A file of this name beside the memory or in a project's `.harness` folder: nothing is noted and nothing is done (MV-43).
STOP = "STOP"
#: Why a session failed when nobody lived to say why.
CUT_SHORT = "the work on it was cut short"


def attend(parts: Parts, event: HookEvent, at: datetime | None = None) -> Marker | None:
    """Note what a host tells of a session; quick, for use in a hook.

    Args:
        at: when it happened; None: now.

    Returns:
        The session's marker; None when the event is about none, or memory is switched off, stopped or paused for it.
    """
    session = uri_of(event)
    if not session or not parts.enabled or is_stopped(parts, event.cwd) or going_on(parts.pauses.all(), session):
        return None
    step: Callable[[Marker | None, HookEvent, datetime], Marker] = noted
    if not event.agent:  # a sub-agent that starts or ends is not the conversation
        step = {"start": begun, "end": ended}.get(event.moment, noted)
    moment = at or parts.clock.now()
    return parts.markers.change(session, lambda known: step(known, event, moment))


def is_stopped(parts: Parts, cwd: str) -> bool:
    """Whether the person stopped memory for this folder, or altogether, by a file named STOP."""
    places = [Path(parts.stop_folder)] if parts.stop_folder else []
    if cwd:
        places += [folder / ".harness" for folder in (Path(cwd), *Path(cwd).parents)]
    return any((place / STOP).exists() for place in places)


def tend(parts: Parts, *, most: int = 50, seconds: float | None = None, silence: timedelta | None = None) -> TendReport:
    """Do what is owed: drain the queue, find orphans, process what is due, collect what has served its time; take memories from the
    notes of past days.

    Args:
        most: sessions to process at most. seconds: begin no further session after so much time; None: no limit.
        silence: a session without a word for so long has ended; None: as the settings say.

    Raises:
        Refused: memory is switched off.
    """
    follow_stop(parts)
    if is_stopped(parts, ""):
        return TendReport()
    if not parts.enabled:
        raise Refused("Memory is switched off; nothing was done.", "Switch it on with: vade resume, or enabled = true")
    problems: list[Problem] = []
    start = parts.clock.elapsed_s()
    events = drain(parts, problems)
    silence = timedelta(seconds=parts.silence_s) if silence is None else silence
    orphans = _find_orphans(parts, silence)
    due = _due(parts, silence)
    done: list[Attended] = []
    if any(marker.at_work for marker in due[:most]):
        follow(parts, quick=True)  # what the work that was cut short wrote is known before it would be written again
    for marker in due[:most]:
        if seconds is not None and parts.clock.elapsed_s() - start >= seconds:
            break
        done.append(process(parts, marker, problems))
        parts.progress("sessions", len(done), len(due))
    days = distil(parts, problems)
    return TendReport(tuple(done), events, orphans, _collect(parts), len(due) - len(done), tuple(problems), days)


def drain(parts: Parts, problems: list[Problem]) -> int:
    """Note the events that hooks left; how many."""
    queue, count = parts.queue, 0
    for left in queue.waiting() if queue else ():
        try:
            attend(parts, _event_of(parts, left), left.at)
        except InvalidInput as error:
            problems.append(Problem(str(left.path), f"This event cannot be understood and was put aside: {error.message}"))
            queue.set_aside(left)  # type: ignore[union-attr]
            continue
        queue.done(left)  # type: ignore[union-attr]
        count += 1
    return count


def _event_of(parts: Parts, left: Waiting) -> HookEvent:
    """What an event that was left tells.

    Raises:
        InvalidInput: nobody can tell.
    """
    if left.payload is None:
        raise InvalidInput("It is no JSON object.")
    name = left.host or parts.guess_host(left.payload)
    host = parts.hosts.get(name)
    if host is None:
        raise InvalidInput(f"No host {name!r} is known.")
    return host.read(left.payload, left.cwd)


def process(parts: Parts, marker: Marker, problems: list[Problem]) -> Attended:
    """Make of a session what is owed to it: index and mine what is new, archive it, hand it over.

    It counts as failed until it succeeds, so that a session on which the process dies does not keep the others waiting.
    """
    began = parts.clock.now()
    parts.markers.change(marker.session, lambda known: replace(failed(known or marker, began, CUT_SHORT), at_work=True))
    try:
        session, path = _read_through(parts, marker, problems)
        spoken = sum(turn.role in SPOKEN and not turn.sidechain for turn in session.turns)
        heard = met(session)
        found = outline(session, heard)
        handoff = hand_over(parts, found)
        days = write_days(parts, session, found, heard)
        hasten(parts, session.uri)
    except (VademecumError, OSError) as error:
        why = str(error)
        left = parts.markers.change(marker.session, lambda known: replace(known or marker, error=why, at_work=False))
        return Attended(marker.session, left.stage if left else "failed", error=why)
    size = _size(path)
    done = parts.markers.change(
        marker.session, lambda known: settled(known or marker, began, parts.clock.now(), bytes_read=size, spoken=spoken)
    )
    return Attended(marker.session, done.stage if done else "processed", handoff, days=days, turns=spoken)


def fares(parts: Parts) -> tuple[HostSessions, ...]:
    """How the sessions of each host fare; what `doctor` compares (X-17)."""
    return fare(parts.markers.all(), parts.clock.now())


def sorrows(parts: Parts) -> list[str]:
    """What a person should know of sessions that fare badly, as sentences (X-17)."""
    told = []
    for host in fares(parts):
        why = f" ({'; '.join(host.errors[:2])})" if host.errors else ""
        if host.overdue:
            told.append(f"sessions: {host.overdue} of {host.seen} sessions of {host.host} ended and were never processed{why}")
        elif host.given_up:
            told.append(f"sessions: {host.given_up} of {host.seen} sessions of {host.host} failed for good{why}")
    unread = parts.queue.count_aside() if parts.queue else 0
    return told + ([f"sessions: {unread} events could not be understood; they lie in the queue folder"] if unread else [])


def _find_orphans(parts: Parts, silence: timedelta) -> int:
    now = parts.clock.now()
    found = 0
    for marker in parts.markers.all(OPEN):
        written = _changed(marker.transcript)
        if written is not None and now - written < silence:
            continue  # its host tells us little, but it is being written
        after = parts.markers.change(marker.session, lambda known: orphaned(known, now, silence) if known else None)
        found += after is not None and after.stage == "ended"
    return found


def _due(parts: Parts, silence: timedelta) -> list[Marker]:
    """Sessions to process, those that ended first first."""
    now = parts.clock.now()
    due = []
    for marker in parts.markers.all({"ended", "failed", *SETTLED}):
        written = _changed(marker.transcript)
        size = _size(marker.transcript) if written is not None else None
        if is_due(marker, now, size, written, silence):
            due.append(marker)
    return due


def _read_through(parts: Parts, marker: Marker, problems: list[Problem]) -> tuple[Session, str]:
    """The session, indexed, mined and archived as it is now, as far as its handoff needs it, and the path of its transcript.

    Raises:
        NotFound: there is no transcript, here or in the archive.
    """
    path = marker.transcript
    if path and Path(path).is_file():
        problems += absorb(parts, (path,)).problems  # which archives it as well
    session, place = long_session(parts, marker.session, path)
    return (session if session.ended else replace(session, ended=_changed(place))), place


def _collect(parts: Parts) -> int:
    now = parts.clock.now()
    spent = [marker for marker in parts.markers.all(SETTLED) if is_spent(marker, now)]
    for marker in spent:
        parts.markers.change(marker.session, lambda known: None if known and is_spent(known, now) else known)
    return len(spent)


def _changed(path: str) -> datetime | None:
    """When a file was last written to; None when there is none."""
    try:
        return datetime.fromtimestamp(Path(path).stat().st_mtime, UTC) if path else None
    except OSError:
        return None


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size if path else 0
    except OSError:
        return 0
