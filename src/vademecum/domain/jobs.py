"""Work that is done later: what is known of a job, and when it is due. Pure."""

from datetime import datetime, timedelta

from msgspec import Struct

from vademecum.domain.errors import Problem

#: A job that failed is tried again after so long, or when it would have been due anyway.
AGAIN_AFTER = timedelta(hours=1)
#: A job that has done nothing for so long when it was due is overdue.
OVERDUE = timedelta(days=7)


class JobRun(Struct, frozen=True):
    """How a job went last on this device.

    Attributes:
        began, ended: of the last run. succeeded: when the last run that did not fail began; None: none did.
        told: what it did, one sentence; "": nothing. error: why the last run failed, "" when it did not.
        changed: ids of the operations of the last run that changed a memory, the first first. changed_at: when that run began.
    """

    name: str
    began: datetime
    ended: datetime
    succeeded: datetime | None = None
    told: str = ""
    error: str = ""
    changed: tuple[str, ...] = ()
    changed_at: datetime | None = None


class JobDone(Struct, frozen=True):
    """What became of a job in a round. `told`: one sentence, "" for nothing. `error`: why it failed, "" when it did not."""

    name: str
    told: str = ""
    error: str = ""
    problems: tuple[Problem, ...] = ()


class JobLine(Struct, frozen=True):
    """A job as a person is told of it.

    Attributes:
        every: seconds between two runs; 0: at each round. wanted: False: the settings switch it off, or there is nothing it is for.
        running: another process is doing it. last: None: it never ran. due: when it runs next; None: at the next round, or never.
    """

    name: str
    meaning: str
    every: float
    wanted: bool
    running: bool
    last: JobRun | None = None
    due: datetime | None = None


def due_at(every: timedelta, last: JobRun | None, now: datetime) -> datetime | None:
    """Return when a job is due next; None: now. One that was due while nothing ran is done once, however long that was."""
    if last is None or not every:
        return None
    moments = [last.succeeded + every] if last.succeeded else []
    if last.error:
        moments = [max(*moments, last.began + AGAIN_AFTER)] if moments else [last.began + AGAIN_AFTER]
    due = moments[0] if moments else now
    return due if now < due <= now + every else None  # later than that: the clock was set back
