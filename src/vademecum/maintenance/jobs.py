"""The table of background jobs, and the rounds that run them.

Rounds run in the helper, after sessions processed by hand, or for one job by name. A row defines everything about a job. A
round runs the due jobs in table order, each under its own lease, and continues when one fails. A job that was due while nothing
ran is run once in the next round, however long that was.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import IndexDamaged, NotFound, Problem, StateReplaced, UnknownWord, VademecumError
from vademecum.domain.jobs import JobDone, JobLine, JobRun, due_at
from vademecum.domain.memory import BY_PERSON, By
from vademecum.domain.query import Scope
from vademecum.ingest.discover import must_be_there
from vademecum.ingest.transcripts import SHORT_WAIT_S, absorb
from vademecum.llm_reading import read_sessions
from vademecum.maintenance.commit import commit_memory
from vademecum.maintenance.compact import compact
from vademecum.maintenance.forget import complete
from vademecum.maintenance.overflow import cap_sections
from vademecum.maintenance.projects import settle as settle_projects
from vademecum.maintenance.rebuild import complete_index
from vademecum.maintenance.release_held import tend_branches
from vademecum.maintenance.undo_many import Undone, undo_operations
from vademecum.plugin import named
from vademecum.recall.topics import few_labels
from vademecum.sessions import lifecycle
from vademecum.sessions.lifecycle import ProcessReport, TendReport
from vademecum.sync import embed_backlog, index
from vademecum.views.keep import keep_views_after
from vademecum.write.source_notes import read_dirty

DAY, WEEK = timedelta(days=1), timedelta(days=7)
BY_SOURCES = By("extraction", "note")

#: (result of a job in one sentence or "", problems with single files).
Did = tuple[str, Sequence[Problem]]


class Job(Struct, frozen=True):
    """One kind of background work.

    Attributes:
        meaning: what it does, one sentence.
        run: runs it for about the given number of seconds (None: to the end).
        every: minimum time between runs; zero: in each round.
        wanted: whether there is anything for it to do.
        alone: whether only a round of the helper, or a request by name, runs it; others also run after sessions processed by
            hand.
    """

    name: str
    meaning: str
    run: Callable[[Context, float | None], Did]
    every: timedelta = timedelta()
    wanted: Callable[[Context], bool] = lambda context: True
    alone: bool = False


def _follow(context: Context, _seconds: float | None) -> Did:
    complete(context, by=BY_PERSON)
    complete_index(context)
    report = index.follow(context, quick=True)
    settle_projects(context)
    count = report.added + report.changed + report.dropped
    return (f"files changed: {count}" if count else ""), report.problems


def _read(context: Context, _seconds: float | None) -> Did:
    problems: list[Problem] = []
    lifecycle.drain(context, problems)  # hooks report folders and paths that transcripts lack
    report = absorb(context, (), wait_s=SHORT_WAIT_S)
    if report.sessions:
        settle_projects(context)
    notes = read_dirty(context, by=BY_SOURCES)
    text = f"conversations with something new: {len(report.sessions)}; notes read as sources: {len(notes)}"
    return (text if report.sessions or notes else ""), (*problems, *report.problems)


def _sessions(context: Context, _seconds: float | None) -> Did:
    report = lifecycle.process_due(context)
    text = f"handoffs written: {len(report.sessions)}; waiting: {report.waiting}"
    return (text if report.sessions else ""), report.problems


def _branches(context: Context, _seconds: float | None) -> Did:
    done = tend_branches(context)
    text = f"joined: {done.joined}; offered: {done.offered}; held: {done.held}"
    return (text if done.joined or done.offered else ""), ()


def _compact(context: Context, _seconds: float | None) -> Did:
    done = compact(context)
    return f"index {done.bytes_before / 1e6:.1f} MB -> {done.index_bytes / 1e6:.1f} MB", ()


def refine(context: Context, seconds: float | None = None) -> int:
    """Compute missing vectors of passages for that many seconds; return how many were computed."""
    done, _ = embed_backlog.try_refine(context.index, context.models.embedder, context.clock, context.progress, seconds=seconds)
    index.drop_former_vectors(context)
    if context.models.embedder is not None:
        labels = few_labels(context.index.topics(Scope(), context.models.embedder.model_id))
        embed_backlog.remember_labels(context.models.embedder, labels)
    return done


def _vectors(context: Context, seconds: float | None) -> Did:
    count = refine(context, seconds)
    return (f"passages: {count}" if count else ""), ()


def _model(context: Context, seconds: float | None) -> Did:
    count = len(read_sessions.drain(context, seconds).reads)
    return (f"conversations read: {count}" if count else ""), ()


#: Those that change memories; then those of plugins are done.
_FIRST: tuple[Job, ...] = (
    Job("follow", "Updates the index from the files, and forgets here what was forgotten on another device.", _follow, alone=True),
    Job("read", "Reads transcripts that grew and notes that are sources, and proposes memories.", _read, alone=True),
    Job("sessions", "Writes handoffs of sessions that ended, and adds them to the notes of their days.", _sessions, alone=True),
    Job("branches", "Shows memories of a branch everywhere once it is merged; when the branch is gone, they wait for you.", _branches,
        timedelta(minutes=5), lambda context: bool(context.index.held())),
    Job("caps", "Reports sections over their limit; with section_caps = archive it archives the least used.", cap_sections, DAY),
)  # fmt: skip
#: Those that follow what was changed.
_LAST: tuple[Job, ...] = (
    Job("views", "Updates generated pages whose memories changed.", keep_views_after),
    Job("compact", "Frees space in the index and in the state of this device.", _compact, WEEK, alone=True),
    Job("vectors", "Makes the vectors of passages.", _vectors, wanted=lambda context: context.models.embedder is not None, alone=True),
    Job("model", "Lets the language model read conversations that ended.", _model,
        wanted=lambda context: bool(context.models.llm_name), alone=True),
    Job("commit", "Commits the memory folder, if it is in a git repository.", commit_memory,
        wanted=lambda context: context.choices.git_commit != "off"),
)  # fmt: skip


@cache
def _added() -> tuple[Job, ...]:
    return named("jobs", (*_FIRST, *_LAST), lambda job: job.name)


def all_jobs() -> tuple[Job, ...]:
    """Return the jobs in the order in which a round does them, those of the installed plugins among them."""
    return (*_FIRST, *_added(), *_LAST)


def jobs(context: Context) -> tuple[JobLine, ...]:
    """Return every job with its last result and when it is due, in table order."""
    runs, now = context.state.jobs.all(), context.clock.now()
    lines = []
    for job in all_jobs():
        with context.state.jobs.lease(job.name) as free:
            running = not free
        last, wanted = runs.get(job.name), job.wanted(context)
        due = due_at(job.every, last, now) if wanted else None
        lines.append(JobLine(job.name, job.meaning, job.every.total_seconds(), wanted, running, last, due))
    return tuple(lines)


def run_jobs(context: Context, names: Sequence[str] = (), seconds: float | None = None) -> tuple[JobDone, ...]:
    """Run the named jobs whether due or not, else all that are due; each for about that many seconds (None: to the end).

    Raises:
        Refused: memory is switched off.
        UnknownWord: there is no such job.
        IndexDamaged, StateReplaced: the caller repairs it and repeats the round.
    """
    unknown = [name for name in names if name not in {job.name for job in all_jobs()}]
    if unknown:
        raise UnknownWord("job", unknown[0], [job.name for job in all_jobs()], list_all=True)
    chosen = [job for job in all_jobs() if job.name in names] if names else _due(context, all_jobs())
    return _round(context, chosen, seconds)


def _due(context: Context, among: Iterable[Job]) -> list[Job]:
    runs, now = context.state.jobs.all(), context.clock.now()
    return [job for job in among if job.wanted(context) and due_at(job.every, runs.get(job.name), now) is None]


def _round(context: Context, chosen: Sequence[Job], seconds: float | None = None) -> tuple[JobDone, ...]:
    context.must_be_enabled("nothing was done")
    done = []
    for job in chosen:
        with context.state.jobs.lease(job.name) as free:
            done.append(_run(context, job, seconds) if free else JobDone(job.name, "another process is doing it"))
    return tuple(done)


def _run(context: Context, job: Job, seconds: float | None) -> JobDone:
    """Run a job and record the result. Its errors are recorded with it, so that the other jobs still run."""
    began = context.clock.now()
    with context.vault.history.noted() as changed:
        try:
            text, problems = job.run(context, seconds)
            error = ""
        except (IndexDamaged, StateReplaced):
            raise  # the caller repairs it and starts again
        except VademecumError as why:
            text, problems, error = "", (), f"{why.message} {why.hint}".strip()
        except Exception as why:  # noqa: BLE001 -- recorded, and shown by `vade jobs` and `vade status`
            text, problems, error = "", (), f"{type(why).__name__}: {why}"
    last = context.state.jobs.all().get(job.name)
    run = JobRun(
        job.name,
        began,
        context.clock.now(),
        succeeded=(last.succeeded if last else None) if error else began,
        result=text,
        error=context.guard.clean(error),
        changed=tuple(changed) or (last.changed if last else ()),
        changed_at=began if changed else (last.changed_at if last else None),
    )
    context.state.jobs.note(run)
    return JobDone(job.name, text, run.error, tuple(problems))


def undo_job(context: Context, name: str, *, by: By = BY_PERSON) -> Undone:
    """Undo all changes to memories by a job's last run that made any; memories changed since then are left alone.

    Raises:
        NotFound: no run changed a memory on this device.
    """
    run = context.state.jobs.all().get(name)
    if run is None or not run.changed:
        raise NotFound(f"No run of {name!r} changed a memory on this device.", "See: vade jobs")
    undone = undo_operations(context, name, run.changed, by=by)
    context.state.jobs.note(replace(run, changed=(), changed_at=None))
    return undone


def warnings(context: Context) -> list[str]:
    """Return a warning for each failing job."""
    runs = context.state.jobs.all()
    failing = [runs[job.name] for job in all_jobs() if job.name in runs and runs[job.name].error]
    return [f"jobs: {run.name} fails: {run.error}" for run in failing]


def process_due(context: Context, seconds: float | None = None) -> TendReport:
    """Process due sessions, then run the due jobs that follow sessions.

    Args:
        seconds: start no further session after this time; None: no limit.

    Raises:
        Refused: memory is switched off.
    """
    settle_projects(context)
    return _with_jobs(context, lifecycle.process_due(context, seconds=seconds))


def process(context: Context, paths: Sequence[str] = (), threshold: int = 5) -> ProcessReport:
    """Read every transcript once, then process every due session: handoff, daily note, retries.

    A conversation whose file did not change for `threshold` minutes is silent: it has ended, for now.

    Raises:
        Refused: memory is switched off.
        NotFound: none of the given paths exists; nothing was read.
    """
    must_be_there(paths)
    if context.enabled:
        settle_projects(context)
    report = lifecycle.process_transcripts(context, paths, threshold=timedelta(minutes=threshold))
    if report.capture.sessions:
        settle_projects(context)
    return replace(report, tended=_with_jobs(context, report.tended))


def _with_jobs(context: Context, report: TendReport) -> TendReport:
    return replace(report, jobs=_round(context, _due(context, (job for job in all_jobs() if not job.alone))))
