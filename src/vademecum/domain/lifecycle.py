"""The life cycle of a session: its stages, and when it is due for processing. Pure: markers in, markers out.

    started -> active -> ended -> processed | empty
                 ^         |  \\-> failed -> (tried again) ...
                 +---------+-- a new turn makes the session active again

Events may arrive late, twice or never: hooks are killed, queued events are processed later, hosts crash. So every step takes
the time of the event, and an event that is older than the known state only adds missing facts.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.host import HookEvent, uri_of
from vademecum.domain.uris import host_of

Stage = Literal["started", "active", "ended", "processed", "failed", "empty"]

STAGES: tuple[Stage, ...] = get_args(Stage)
#: Stages of a session that may still continue.
OPEN: frozenset[Stage] = frozenset({"started", "active"})
#: Stages in which nothing remains to be done.
SETTLED: frozenset[Stage] = frozenset({"processed", "empty"})

#: A session that is silent for this long is treated as ended without an event (a crash, a closed terminal).
SILENCE = timedelta(hours=1)
#: How long markers of settled sessions are stored.
KEPT = timedelta(days=30)
#: Most attempts for a session, and the wait after the first failure; each further wait is twice as long.
TRIES_MAX = 5
RETRY_AFTER = timedelta(minutes=5)
#: A session that was not processed for this long after its end is overdue.
OVERDUE = timedelta(days=1)


class Marker(Struct, frozen=True):
    """The state of one session's life cycle.

    Attributes:
        session: its URI, "session://<host>/<id>".
        started, seen: times of its first and last event; aware, UTC.
        ended, processed: when the host reported the end, and when processing was completed; aware, UTC, or None.
        transcript, cwd, model: as the host reported, "" when it did not.
        orphaned: the end was not reported; the session fell silent.
        bytes_read: size of the transcript when it was processed. A larger one has grown since.
        tries: attempts since the last success. error: why the last one failed.
        tried: time of the last attempt, or None. at_work: that attempt is still running, or was interrupted.
    """

    session: str
    stage: Stage
    started: datetime
    seen: datetime
    ended: datetime | None = None
    processed: datetime | None = None
    transcript: str = ""
    cwd: str = ""
    model: str = ""
    orphaned: bool = False
    bytes_read: int = 0
    tries: int = 0
    error: str = ""
    tried: datetime | None = None
    at_work: bool = False

    @property
    def host(self) -> str:
        """The host it belongs to."""
        return host_of(self.session)


def begun(known: Marker | None, event: HookEvent, at: datetime) -> Marker:
    """Record that a session starts or is resumed."""
    if known is None:
        return _first(event, "started", at)
    return _revived(_updated(known, event, at), at)


def noted(known: Marker | None, event: HookEvent, at: datetime) -> Marker:
    """Record an event in a session. A session whose start was not seen becomes active."""
    if known is None:
        return _first(event, "active", at)
    return _revived(_updated(known, event, at), at)


def ended(known: Marker | None, event: HookEvent, at: datetime) -> Marker:
    """Record that the host reports the end of a session. Events after `at` are not undone."""
    marker = _updated(known, event, at) if known else _first(event, "active", at)
    if marker.seen > at or (marker.processed and at <= marker.processed):
        return marker
    return replace(marker, stage="ended", ended=at, orphaned=False, tries=0, error="", tried=None)


def orphaned(known: Marker, now: datetime, silence: timedelta = SILENCE) -> Marker:
    """End a session that fell silent; any other stays as it is."""
    if not (known.stage in OPEN and now - known.seen >= silence):
        return known
    return replace(known, stage="ended", ended=known.seen, orphaned=True, tries=0, error="", tried=None)


def settled(known: Marker, began: datetime, now: datetime, *, bytes_read: int, spoken: int) -> Marker:
    """Record that processing of a session is complete.

    Args:
        began: when processing began; a session with later events stays open.
        spoken: spoken turns in it; a session without any is empty.
    """
    done = replace(known, processed=now, bytes_read=bytes_read, tries=0, error="", tried=now, at_work=False)
    if known.stage in OPEN and known.seen > began:
        return done
    return replace(done, stage="processed" if spoken else "empty")


def failed(known: Marker, now: datetime, error: str) -> Marker:
    """Record that an attempt failed; the next wait is longer."""
    stage: Stage = known.stage if known.stage in OPEN else "failed"
    return replace(known, stage=stage, tries=known.tries + 1, error=error, tried=now)


def is_due(known: Marker, now: datetime, size: int | None, changed: datetime | None, silence: timedelta = SILENCE) -> bool:
    """Return whether a session is to be processed now.

    Args:
        size: bytes of its transcript, None when there is none. changed: when it was last written to.
    """
    if known.stage == "ended":
        return True
    if known.stage == "failed":
        set_back = known.tried is not None and now < known.tried  # a clock that was set back must not delay it for years
        return known.tries < TRIES_MAX and (set_back or now >= retry_at(known))
    grew = size is not None and size > known.bytes_read
    return known.stage in SETTLED and grew and (changed is None or now - changed >= silence)


def retry_at(known: Marker) -> datetime:
    """Return when a failed session may be tried again."""
    doubled: int = 2 ** max(0, known.tries - 1)
    return (known.tried or known.seen) + RETRY_AFTER * doubled


def is_spent(known: Marker, now: datetime) -> bool:
    """Return whether a marker is old enough to be deleted."""
    return known.stage in SETTLED and now - (known.processed or known.seen) >= KEPT


def _first(event: HookEvent, stage: Stage, at: datetime) -> Marker:
    return Marker(uri_of(event), stage, at, at, transcript=event.transcript, cwd=event.cwd, model=event.model)


def _updated(known: Marker, event: HookEvent, at: datetime) -> Marker:
    """Return the marker updated from an event; facts that the event does not contain stay."""
    return replace(
        known,
        started=min(known.started, at),
        seen=max(known.seen, at),
        transcript=event.transcript or known.transcript,
        cwd=event.cwd or known.cwd,
        model=event.model or known.model,
    )


def _revived(marker: Marker, at: datetime) -> Marker:
    """Make the session active again, unless the event is older than its end or its processing."""
    if marker.stage == "started":
        return replace(marker, stage="active") if at > marker.started else marker
    closed = [moment for moment in (marker.ended, marker.processed) if moment is not None]
    if marker.stage == "active" or any(at <= moment for moment in closed):
        return marker
    return replace(marker, stage="active", tries=0, error="", tried=None)


class HostSessions(Struct, frozen=True):
    """Numbers of a host's sessions by state (X-17): every session must end up processed or empty.

    Attributes:
        seen: total, the sum of open, waiting, processed, empty and failed. waiting: ended, not yet processed.
        failed: the last attempt failed. given_up: those of them without further attempts; a person must help.
        overdue: ended a day ago or more and not processed.
        errors: reasons, each once.
    """

    host: str
    seen: int = 0
    open: int = 0
    waiting: int = 0
    processed: int = 0
    empty: int = 0
    failed: int = 0
    given_up: int = 0
    overdue: int = 0
    errors: tuple[str, ...] = ()


def fare(markers: Collection[Marker], now: datetime) -> tuple[HostSessions, ...]:
    """Count the sessions of each host by state; sorted by host name."""
    return tuple(
        _fare_of(host, [marker for marker in markers if marker.host == host], now) for host in sorted({m.host for m in markers})
    )


def _fare_of(host: str, markers: list[Marker], now: datetime) -> HostSessions:
    failures = [marker for marker in markers if marker.stage == "failed"]
    late = [
        marker for marker in markers if marker.stage in ("ended", "failed") and now - (marker.ended or marker.seen) >= OVERDUE
    ]
    counts = {stage: sum(marker.stage == stage for marker in markers) for stage in STAGES}
    return HostSessions(
        host,
        seen=len(markers),
        open=counts["started"] + counts["active"],
        waiting=counts["ended"],
        processed=counts["processed"],
        empty=counts["empty"],
        failed=len(failures),
        given_up=sum(marker.tries >= TRIES_MAX for marker in failures),
        overdue=len(late),
        errors=tuple(dict.fromkeys(marker.error for marker in failures if marker.error)),
    )
