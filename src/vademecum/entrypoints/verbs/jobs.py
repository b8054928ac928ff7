"""Verbs for background work: jobs, running them by hand, and processing of sessions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from vademecum.api import Vademecum
from vademecum.domain.jobs import JobDone, JobLine
from vademecum.domain.memory import By
from vademecum.entrypoints.verbs.sessions import taken_back_text
from vademecum.entrypoints.verbs.verb import Param, Verb
from vademecum.maintenance.overflow import DIGEST_FROM, Digested, Merged
from vademecum.sessions.lifecycle import Attended, ProcessReport, TendReport

#: First word of two-word verbs -> what they are about.
FIRST_WORDS = {"jobs": "Background jobs: when each ran, what it did, and when it is due."}
#: First word -> default second word.
USUAL = {"jobs": "list"}
_SPANS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def jobs_text(result: Sequence[JobLine]) -> str:
    """Return a line for each job: its purpose, last run, result, and next run."""
    lines = []
    for job in result:
        lines.append(f"{job.name:<9} {job.meaning} {_often(job.every)}.")
        *more, last = _last(job)
        lines += [f"          {entry}" for entry in (*more, f"{last}; {_next(job)}")]
    return "\n".join(lines)


def _often(seconds: float) -> str:
    span = next((f"Every {seconds / size:g} {word}s" for size, word in _SPANS if seconds >= size), "At each round")
    return span.replace("Every 1 ", "Every ").rstrip("s") if span.startswith("Every 1 ") else span


def _last(job: JobLine) -> list[str]:
    if job.last is None:
        return ["did not run yet"]
    text = f"failed: {job.last.error}" if job.last.error else job.last.result or "nothing to do"
    changed = (
        f"changes of memories on {job.last.changed_at:%Y-%m-%d %H:%M}: {len(job.last.changed)}" if job.last.changed_at else ""
    )
    return [
        *([f"{changed}; take them back: vade jobs undo {job.name}"] if changed else []),
        f"ran {job.last.began:%Y-%m-%d %H:%M}: {text}",
    ]


def _next(job: JobLine) -> str:
    if not job.wanted:
        return "off: it has nothing to do here, or is switched off"
    if job.running:
        return "running now"
    return f"due {job.due:%Y-%m-%d %H:%M}" if job.due else "due at the next round"


def done_text(result: Sequence[JobDone]) -> str:
    """Return a line for each job that did something or failed."""
    return "\n".join(_done_lines(result)) or "There was nothing to do."


def _done_lines(result: Sequence[JobDone]) -> list[str]:
    lines = []
    for job_done in result:
        text = f"failed: {job_done.error}" if job_done.error else job_done.result
        lines += [f"{job_done.name}: {text}"] if text else []
        lines += [f"problem: {problem.path}: {problem.message}" for problem in job_done.problems]
    return lines


def tended_text(result: TendReport) -> str:
    """Return the result for each session."""
    lines = [f"{one.session}  {_became(one)}" for one in result.sessions]
    facts = f"{len(result.sessions)} sessions, {result.events} events, {result.orphans} ended without notice"
    facts += f", {result.collected} old markers removed"
    lines.append(facts + (f", {result.waiting} still waiting" if result.waiting else ""))
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    return "\n".join([*lines, *_done_lines(result.jobs)])


def _became(session: Attended) -> str:
    noted = ", ".join(map(str, session.days))
    texts = [
        f"{session.turns} turns" if session.turns else "",
        f"handoff {session.handoff}" if session.handoff else "",
        f"noted in {noted}" if noted else "",
        session.error,
    ]
    return "  ".join([session.stage, *filter(None, texts)])


def processed_text(result: ProcessReport) -> str:
    """Return a line for each session with new content, then the totals."""
    report = result.capture
    lines = []
    for session in report.sessions:
        turns = ", ".join(f"{count} {role}" for role, count in session.turns.items()) or "no new turns"
        kept = ", ".join(f"{count} {action}" for action, count in Counter(saved.action for saved in session.saved).items())
        state = "ended" if session.session in result.silent else "going on"
        lines.append(f"{session.session}  {session.title}\n  {turns}{f'; {kept}' if kept else ''}; {state}")
    lines += [f"{tended.session}  {_became(tended)}" for tended in result.tended.sessions]
    problems = (*report.problems, *result.tended.problems)
    lines.append(
        f"{len(report.sessions)} sessions with something new, {report.unchanged} files up to date, {len(problems)} errors"
    )
    if result.tended.sessions or result.tended.waiting:
        waiting = f", {result.tended.waiting} still waiting" if result.tended.waiting else ""
        lines.append(f"Sessions that had ended and were processed: {len(result.tended.sessions)}{waiting}")
    lines += [f"problem: {problem.path}: {problem.message}" for problem in problems]
    return "\n".join([*lines, *_done_lines(result.tended.jobs)])


def _compact(memory: Vademecum, digest: str, merge: str, apply: bool, by: By) -> Mapping[str, Any] | Digested | Merged:
    if merge:
        return memory.jobs.merge_alike(merge, apply, by=by)
    if digest:
        return memory.jobs.digest(digest, apply, by=by)
    done = memory.maintenance.compact()
    return {"time": done.time, "bytes_before": done.bytes_before, "index_bytes": done.index_bytes, **done.counts}


def compacted_text(result: Mapping[str, Any] | Digested | Merged) -> str:
    """Return how much space was freed."""
    if isinstance(result, Merged):
        return _merged_text(result)
    if isinstance(result, Digested):
        return _digested_text(result)
    sizes = f"index {result['bytes_before'] / 1e6:.1f} MB -> {result['index_bytes'] / 1e6:.1f} MB"
    counts = (f"{name}: {count}" for name, count in result.items() if name not in ("time", "bytes_before", "index_bytes"))
    return "; ".join([sizes, *counts])


def _merged_text(result: Merged) -> str:
    if not result.groups:
        return "No section is over its limit and has entries that say nearly the same; nothing was changed."
    lines = [" + ".join(group) for group in result.groups]
    done = "Each line is one memory now. One undo takes all of it back: vade undo"
    return "\n".join(
        [
            *lines,
            done
            if result.applied
            else "Each line would become one memory; the originals are archived unchanged. To do it, add --apply",
        ]
    )


def _digested_text(result: Digested) -> str:
    if not result.sections:
        return f"No section has more than {DIGEST_FROM} entries; nothing was changed."
    what = "were merged into one entry" if result.applied else "would be merged into one entry"
    lines = [f"{name}: {count} entries, {older} older ones {what}" for name, (count, older) in result.sections.items()]
    more = (
        "One undo takes all of it back: vade undo"
        if result.applied
        else "The originals are archived unchanged. To do it, add --apply"
    )
    return "\n".join([*lines, more])


VERBS = (
    Verb("jobs list", "List the background jobs: last run, result, next run.", (),
         Vademecum.jobs.list, jobs_text),
    Verb("jobs run", "Run jobs now, due or not; without a name, all that are due.",
         (Param("names", "list", "Names of jobs, as `vade jobs` lists them.", (), place=True),), Vademecum.jobs.run, done_text,
         writes=True, agents=False),
    Verb("jobs undo", "Undo all changes to memories by the last run of a job; later changes stay.",
         (Param("name", "text", "Name of the job.", place=True, max_chars=40),), Vademecum.jobs.undo, taken_back_text,
         writes=True, agents=False, signed=True),
    Verb("compact",
         "Clean up: free space in the index, and delete what has expired. No memory changes, unless you ask for a digest or a merge.", (
        Param("digest", "text", "A kind: if there are many, all but the newest 20 are merged into one entry.", "", named="kind",
              max_chars=40),
        Param("merge", "text", "A kind: if there are more than its limit, those that say nearly the same are merged.", "",
              named="kind", max_chars=40),
        Param("apply", "flag", "Apply it; without this, only show what would be digested or merged.", False),
    ), _compact, compacted_text, writes=True, agents=False, signed=True),
    Verb("process", "Read all hosts' transcripts once, count what each session brought, and write handoffs of those that ended.", (
        Param("paths", "list", "Files or folders; empty: the folders of the settings.", (), place=True, commas=False,
              named="place"),
        Param("threshold", "number", "Minutes of silence after which a session has ended.", 5),
    ), Vademecum.maintenance.process, processed_text, writes=True, agents=False),
    Verb("process --due", "Process sessions that ended or went silent: read, archive and write their handoffs.",
         (), Vademecum.sessions.process_due, tended_text, writes=True, agents=False),
)  # fmt: skip
