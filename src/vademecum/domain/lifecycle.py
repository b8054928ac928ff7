"""The life of a session: what was seen of it, and what is still owed to it. Pure: markers in, markers out.

    started -> active -> ended -> processed | empty
                 ^         |  \\-> failed -> (tried again) ...
                 +---------+-- whoever speaks again is active again

Events may come late, twice or not at all: hooks are killed, spools are drained after the fact, hosts crash. So every step
takes the moment at which the event happened, and an event that is older than what is known changes nothing but what it adds.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.host import HookEvent, uri_of

Stage = Literal["started", "active", "ended", "processed", "failed", "empty"]

STAGES: tuple[Stage, ...] = get_args(Stage)
#: Stages of a session that may still be spoken in.
OPEN: frozenset[Stage] = frozenset({"started", "active"})
#: Stages to which nothing is owed.
SETTLED: frozenset[Stage] = frozenset({"processed", "empty"})

#: A session that is silent for so long has ended without saying so (a crash, a closed terminal).
SILENCE = timedelta(hours=1)
#: Markers of settled sessions are kept so long.
KEPT = timedelta(days=30)
#: How often a session is tried, and how long to wait after the first failure; each further wait is twice as long.
TRIES_MAX = 5
RETRY_AFTER = timedelta(minutes=5)
#: A session that ended is overdue when nothing was made of it for so long.
OVERDUE = timedelta(days=1)


class Marker(Struct, frozen=True):
    """What is known of one session's life.

    Attributes:
        session: its URI, "session://<host>/<id>".
        started, seen: when it was first and last heard of; aware, UTC.
        ended, processed: when the host said so, and when all was made of it that is made; aware, UTC, or None.
        transcript, cwd, model: as the host told, "" when it did not.
        orphaned: nobody said that it ended; it fell silent.
        bytes_read: size of the transcript when it was processed. A larger one has grown since.
        tries: attempts since the last success. error: why the last one failed.
        tried: moment of the last attempt, or None. at_work: it has not ended, or it was cut short.
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
        return self.session.removeprefix("session://").partition("/")[0]


def begun(known: Marker | None, event: HookEvent, at: datetime) -> Marker:
    """Note that a session starts, or is taken up again."""
    if known is None:
        return _first(event, "started", at)
    return _revived(_told(known, event, at), at)


def noted(known: Marker | None, event: HookEvent, at: datetime) -> Marker:
    """Note that something happens in a session. One that nobody saw starting is active from now on."""
    if known is None:
        return _first(event, "active", at)
    return _revived(_told(known, event, at), at)


def ended(known: Marker | None, event: HookEvent, at: datetime) -> Marker:
    """Note that the host says a session ended. What happened after `at` is not taken back."""
    marker = _told(known, event, at) if known else _first(event, "active", at)
    if marker.seen > at or (marker.processed and at <= marker.processed):
        return marker
    return replace(marker, stage="ended", ended=at, orphaned=False, tries=0, error="", tried=None)


def orphaned(known: Marker, now: datetime, silence: timedelta = SILENCE) -> Marker:
    """End a session that fell silent; any other stays as it is."""
    if not is_orphan(known, now, silence):
        return known
    return replace(known, stage="ended", ended=known.seen, orphaned=True, tries=0, error="", tried=None)


def settled(known: Marker, began: datetime, now: datetime, *, bytes_read: int, spoken: int) -> Marker:
    """Note that all is made of a session that was being made.

    Args:
        began: when the work began; whoever spoke since keeps the session open.
        spoken: turns of speech in it; a session without any is empty.
    """
    done = replace(known, processed=now, bytes_read=bytes_read, tries=0, error="", tried=now, at_work=False)
    if known.stage in OPEN and known.seen > began:
        return done
    return replace(done, stage="processed" if spoken else "empty")


def failed(known: Marker, now: datetime, error: str) -> Marker:
    """Note that an attempt failed; the next one waits longer."""
    stage: Stage = known.stage if known.stage in OPEN else "failed"
    return replace(known, stage=stage, tries=known.tries + 1, error=error, tried=now)


def is_orphan(known: Marker, now: datetime, silence: timedelta = SILENCE) -> bool:
    """Return whether nobody spoke in an open session for `silence`."""
    return known.stage in OPEN and now - known.seen >= silence


def is_due(known: Marker, now: datetime, size: int | None, changed: datetime | None, silence: timedelta = SILENCE) -> bool:
    """Return whether something is to be made of a session now.

    Args:
        size: bytes of its transcript, None when there is none. changed: when it was last written to.
    """
    if known.stage == "ended":
        return True
    if known.stage == "failed":
        set_back = known.tried is not None and now < known.tried  # a clock that went back must not make it wait for years
        return known.tries < TRIES_MAX and (set_back or now >= retry_at(known))
    grew = size is not None and size > known.bytes_read
    return known.stage in SETTLED and grew and (changed is None or now - changed >= silence)


def retry_at(known: Marker) -> datetime:
    """Return when a failed session may be tried again."""
    doubled: int = 2 ** max(0, known.tries - 1)
    return (known.tried or known.seen) + RETRY_AFTER * doubled


def is_spent(known: Marker, now: datetime) -> bool:
    """Return whether a marker has served its time."""
    return known.stage in SETTLED and now - (known.processed or known.seen) >= KEPT


def _first(event: HookEvent, stage: Stage, at: datetime) -> Marker:
    return Marker(uri_of(event), stage, at, at, transcript=event.transcript, cwd=event.cwd, model=event.model)


def _told(known: Marker, event: HookEvent, at: datetime) -> Marker:
    """Return the marker with what the event tells about the session; what it leaves out stays."""
    return replace(
        known,
        started=min(known.started, at),
        seen=max(known.seen, at),
        transcript=event.transcript or known.transcript,
        cwd=event.cwd or known.cwd,
        model=event.model or known.model,
    )


def _revived(marker: Marker, at: datetime) -> Marker:
    """Make the session active again, unless the event is older than the end or the processing that followed it."""
    if marker.stage == "started":
        return replace(marker, stage="active") if at > marker.started else marker
    closed = [moment for moment in (marker.ended, marker.processed) if moment is not None]
    if marker.stage == "active" or any(at <= moment for moment in closed):
        return marker
    return replace(marker, stage="active", tries=0, error="", tried=None)


class HostSessions(Struct, frozen=True):
    """How a host's sessions fare (X-17): every one that was seen must end up processed or empty.

    Attributes:
        seen: all of them; the others sum up to it. waiting: ended, not yet due or not yet reached.
        failed: tried without success. given_up: tried so often that only a person can help.
        overdue: ended a day ago or more, and still nothing was made of them.
        errors: why, each once.
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
    """Count how the sessions of each host fare, by host name."""
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
