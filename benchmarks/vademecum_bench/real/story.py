"""One person's sessions, from one start to the next: what was shown, asked, saved and handed over in each."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vademecum.domain.errors import InvalidInput, LLMUnavailable
from vademecum.domain.llm import Answer, Prompt
from vademecum.wiring import parse_transcript
from vademecum_bench.metrics import percentile
from vademecum_bench.real.labels import Label, by_person, read_labels, with_refs_of
from vademecum_bench.real.life import Life
from vademecum_bench.real.lives import Shown, live_session
from vademecum_bench.real.oracle import ORACLE, Oracle, statements
from vademecum_bench.real.verdicts import VIEWS, Judged, judge
from vademecum_bench.recall import Progress


def bench_story(labels: Path, transcripts: Path, *, llm: str, person: str, sessions: int, progress: Progress) -> dict[str, Any]:
    """Return the results of one person's first sessions, in order, with totals.

    Args:
        llm: setting of the reading model, as for :func:`bench_real`.
        person: part of the name; the first matching person is taken.
        sessions: maximum number of sessions.

    Raises:
        InvalidInput: nobody has that name.
    """
    persons = by_person(read_labels(labels, transcripts, person)[0])
    if not persons:
        raise InvalidInput(f"No session of {person!r} is labelled.")
    name, group = persons[0]
    rows = group[:sessions]
    now: list[Label] = []
    tokens: Counter[str] = Counter()

    def asked(prompt: Prompt, answer: Answer | LLMUnavailable) -> None:
        if isinstance(answer, Answer):
            tokens[now[-1].path] += answer.usage.input_tokens

    reader = Oracle(lambda: now[-1], statements(rows)) if llm == ORACLE else llm
    passed: list[dict[str, Any]] = []
    with TemporaryDirectory(prefix="vade-bench-") as folder:
        life = Life(Path(folder), reader, asked)
        try:
            for number, label in enumerate(rows, 1):
                progress("sessions", number - 1, len(rows))
                now.append(label)
                passed.append({"number": number, **_passed(life, label, transcripts, Path(folder)), "read": tokens[label.path]})
        finally:
            life.close()
    return {"person": name, "llm": llm, "sessions": passed, "total": _total(passed)}


def _passed(life: Life, label: Label, transcripts: Path, folder: Path) -> dict[str, Any]:
    """Replay a session: start, prompts, end and reading; return its results."""
    shown = Shown([], [], [])
    live_session(life, label, transcripts / label.path, folder, shown)
    lived = life.pass_session(label, transcripts)
    label = with_refs_of(label, parse_transcript(life.settings, transcripts / label.path))
    judged = [
        one
        for name in ("active", "waiting")
        for one in judge(label, [kept for kept in lived.kept if kept.status in VIEWS[name]])
    ]
    return {
        "path": label.path,
        "time": label.time,
        "prompts": len(shown.prompts),
        "start_tokens": sum(shown.starts),
        "start": [line.text for line in shown.lines if line.moment == "start"],
        "at_prompts": [line.text for line in shown.lines if line.moment == "prompt"],
        "saved": [_saved(one) for one in judged],
        "handoff": lived.handoff.partition("\n")[0].removeprefix("# "),
        "expected": len(label.expect),
    }  # fmt: skip


def _saved(one: Judged) -> dict[str, Any]:
    kept = one.kept
    return {"verdict": one.verdict, "status": kept.status, "kind": kept.kind, "again": kept.again, "text": kept.text.strip()}


def _total(passed: list[dict[str, Any]]) -> dict[str, Any]:
    fresh = [one for session in passed for one in session["saved"] if not one["again"]]
    active = Counter(one["verdict"] for one in fresh if one["status"] == "active")
    starts = sorted(float(session["start_tokens"]) for session in passed)
    return {
        "sessions": len(passed),
        "prompts": sum(session["prompts"] for session in passed),
        "expected": sum(session["expected"] for session in passed),
        "active": dict(active),
        "waiting": sum(one["status"] != "active" for one in fresh),
        "confirmed": sum(one["again"] for session in passed for one in session["saved"]),
        "start_lines": sum(len(session["start"]) for session in passed),
        "start_tokens": percentile(starts, 0.5),
        "lines_at_prompts": sum(len(session["at_prompts"]) for session in passed),
        "read": sum(session["read"] for session in passed),
    }


def text_of(story: Mapping[str, Any], *, counts_only: bool) -> str:
    """Return the story as text. counts_only: without quotations and saved texts."""
    lines = [f"{story['person']}, reader {story['llm']}"]
    for one in story["sessions"]:
        lines.append(
            f"{one['number']}. {one['time'][:16]}: start {len(one['start'])} lines, {one['start_tokens']} tokens; {one['prompts']} prompts,"
            f" {len(one['at_prompts'])} lines shown at them; read {one['read']} tokens; saved"
            f" {_counted(one['saved'], 'active') or 'nothing'}; waiting {_counted(one['saved'], 'inbox') or 'nothing'};"
            f" expected {one['expected']}"
        )
        if not counts_only:
            lines += [f"   {one['path']}", *(f"   start    {text}" for text in one["start"])]
            lines += [f"   prompt   {text}" for text in one["at_prompts"]]
            lines += [
                f"   {'saved' if saved['status'] == 'active' else 'waits':<8} {saved['verdict']}"
                f"{', said again' if saved['again'] else ''}: {saved['kind']}: {saved['text']}"
                for saved in one["saved"]
            ]
            lines.append(f"   handoff  {one['handoff'] or 'none'}")
    total = story["total"]
    lines.append(
        f"TOTAL {total['sessions']} sessions, {total['prompts']} prompts: saved"
        f" {', '.join(f'{count} {verdict}' for verdict, count in sorted(total['active'].items())) or 'nothing'} of {total['expected']}"
        f" expected; {total['waiting']} wait; {total['confirmed']} said again; starts {total['start_lines']} lines,"
        f" {total['start_tokens']:.0f} tokens at the median; {total['lines_at_prompts']} lines at prompts; read {total['read']} tokens"
    )
    return "\n".join(lines)


def _counted(saved: list[dict[str, Any]], status: str) -> str:
    verdicts = Counter("said again" if one["again"] else one["verdict"] for one in saved if one["status"] == status)
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
