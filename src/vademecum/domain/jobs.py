"""Background jobs: the record of a job's last run, and when it is due. Pure."""

from datetime import datetime, timedelta

from msgspec import Struct, field

from vademecum.domain.errors import Problem

#: Delay before a failed job is retried, if it is not due later anyway.
AGAIN_AFTER = timedelta(hours=1)
#: A job that has not run for this long after it was due is overdue.
OVERDUE = timedelta(days=7)


class JobRun(Struct, frozen=True):
    """The last run of a job on this device.

    Attributes:
        began, ended: of the last run. succeeded: start of the last successful run; None: none.
        result: the result in a sentence; "": nothing was done. error: why the last run failed, "" when it did not.
        changed: ids of the last run's operations that changed a memory, in order. changed_at: start of that run.
    """

    name: str
    began: datetime
    ended: datetime
    succeeded: datetime | None = None
    result: str = field(default="", name="told")
    error: str = ""
    changed: tuple[str, ...] = ()
    changed_at: datetime | None = None


class JobDone(Struct, frozen=True):
    """Result of a job. `result`: the result in a sentence, "" for nothing. `error`: why it failed, "" when it did not."""

    name: str
    result: str = field(default="", name="told")
    error: str = ""
    problems: tuple[Problem, ...] = ()


class JobLine(Struct, frozen=True):
    """A job as it is listed for a person.

    Attributes:
        every: seconds between two runs; 0: at each round. wanted: False: the settings disable it, or it has nothing to work on.
        running: another process is running it. last: None: it never ran. due: time of the next run; None: at the next round, or
            never.
    """

    name: str
    meaning: str
    every: float
    wanted: bool
    running: bool
    last: JobRun | None = None
    due: datetime | None = None


def due_at(every: timedelta, last: JobRun | None, now: datetime) -> datetime | None:
    """Return when a job is due next; None: now. Runs that were missed while nothing was running are made up by a single one."""
    if last is None or not every:
        return None
    moments = [last.succeeded + every] if last.succeeded else []
    if last.error:
        moments = [max(*moments, last.began + AGAIN_AFTER)] if moments else [last.began + AGAIN_AFTER]
    due = moments[0] if moments else now
    return due if now < due <= now + every else None  # a later time means that the clock was set back
