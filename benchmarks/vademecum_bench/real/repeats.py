"""`vade bench repeats`: what agents are shown at tool calls before a mistake is repeated.

A person's sessions are replayed in time order. At each call the hook's own code runs, with the rules that the memory has from
sessions that ended before this one began, captured with default settings and without a model. The output is compared with
labelled repeats; output elsewhere is counted.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from msgspec import Struct

from vademecum.actions.call_rules import KnownRules
from vademecum.actions.ready import ready_lines
from vademecum.adapters.clock import new_mark
from vademecum.domain import call_patterns
from vademecum.domain.action import LoggedCall
from vademecum.domain.session import Session
from vademecum.entrypoints.hooks import acting
from vademecum.extract.logged_calls import logged_calls
from vademecum.wiring import parse_transcript
from vademecum.wiring.stores import ready_briefings
from vademecum_bench.real.labels import Label, by_person, read_labels
from vademecum_bench.real.life import Life
from vademecum_bench.real.ruler import words_of

Progress = Callable[[str, int, int], None]

#: A notice matches a remedy if it has this share of its words and at least this number; or all words of one of its short forms.
SHARE, LEAST = 0.4, 3
#: Kind of a logged call -> (tool name, argument) in a payload.
_TOOLS = {"run": ("Bash", "command"), "edit": ("Write", "file_path"), "web": ("WebFetch", "url"), "skill": ("Skill", "skill")}

sys.modules.setdefault("call_patterns", call_patterns)  # the hook's code imports its copy under this name


class Place(Struct, frozen=True):
    """A call: (path of its session as in the labels, id given by the host)."""

    session: str
    id: str


class Repeat(Struct, frozen=True):
    """A call at which a mistake is repeated.

    Attributes:
        remedy: what should have been shown there.
        group: name of the remedy.
        also: ids of calls of the same attempt.
        short: other wordings.
        must: words of which at least one must be shown.
    """

    person: str
    call: Place
    remedy: str
    group: str
    also: tuple[str, ...] = ()
    short: tuple[str, ...] = msgspec.field(name="or", default=())
    must: tuple[str, ...] = ()


class ShownAtCall(Struct, frozen=True):
    """The text shown at a call, and the outcome of the call without it."""

    session: str
    call_id: str
    memory_text: str
    outcome: str


class Played(Struct, frozen=True):
    """Everything shown in a person's sessions, and the number of their calls."""

    person: str
    calls: int
    shown: tuple[ShownAtCall, ...]


def bench_repeats(data: Path, *, person: str, progress: Progress) -> tuple[dict[str, Any], tuple[ShownAtCall, ...]]:
    """Return figures for each person and in total, and everything that was shown.

    Args:
        data: folder with labels.jsonl, transcripts and repeats.jsonl.
        person: only persons whose name contains this; "": all.
    """
    rows, missing = read_labels(data / "labels.jsonl", data / "transcripts", person)
    repeats = [
        msgspec.json.decode(line, type=Repeat) for line in (data / "repeats.jsonl").read_bytes().splitlines() if line.strip()
    ]
    played: list[Played] = []
    for name, labels in by_person(rows):
        passed = [one for one in rows if one.person < name]
        played.append(_played(name, labels, data / "transcripts", partial(_progress, progress, len(passed), len(rows))))
    shown = tuple(one for some in played for one in some.shown)
    total = Played("", sum(one.calls for one in played), shown)
    persons = {one.person: _figures(one, [row for row in repeats if row.person == one.person]) for one in played}
    whole = _figures(total, [row for row in repeats if row.person in persons])
    return {"left_out": missing, "total": whole, "persons": persons}, shown


def _progress(progress: Progress, passed: int, total: int, count: int) -> None:
    progress("sessions", passed + count, total)


def write_shown(shown: Sequence[ShownAtCall], path: Path) -> None:
    """Write one line of JSON for each."""
    path.write_text("".join(msgspec.json.encode(one).decode() + "\n" for one in shown), encoding="utf-8")


def text_of(result: Mapping[str, Any]) -> str:
    """Return the figures, one line per person and one in total."""
    lines = [f"{result['left_out']} sessions without a transcript"] if result["left_out"] else []
    for name, row in (*result["persons"].items(), ("all", result["total"])):
        lines.append(
            f"{name}: shown at {row['reached']} of {row['repeats']} repeats, {row['by_remedy']:.0%} of {row['remedies']} remedies;"
            f" {row['needless']} needless in {row['calls']} calls ({row['needless_per_100']:.2f} per 100);"
            f" {row['failed']} of {row['shown']} of these calls failed or were refused again"
        )
    return "\n".join(lines)


def _played(person: str, labels: Sequence[Label], transcripts: Path, progress: Callable[[int], None]) -> Played:
    """Replay a person's sessions, each with the rules from sessions that ended before it."""
    with TemporaryDirectory(prefix="vade-bench-") as name:
        life = Life(Path(name), "none", lambda prompt, answer: None)
        try:
            sessions = [(label, parse_transcript(life.settings, transcripts / label.path)) for label in labels]
            sessions.sort(key=lambda one: _began(*one))
            waiting = list(sessions)
            calls, shown = 0, list[ShownAtCall]()
            for count, (label, session) in enumerate(sessions):
                progress(count)
                ended = [one for one in waiting if _ended(*one) < _began(label, session)]
                for before, _ in sorted(ended, key=lambda one: _ended(*one)):
                    life.pass_session(before, transcripts)
                waiting = [one for one in waiting if one not in ended]
                made = logged_calls(session)
                calls += len(made)
                shown += _shown_at_calls(life, label, session, made)
        finally:
            life.close()
    return Played(person, calls, tuple(shown))


def _shown_at_calls(life: Life, label: Label, session: Session, calls: Sequence[LoggedCall]) -> Iterator[ShownAtCall]:
    """Yield the output of the hook at the calls of a session."""
    ready = ready_briefings(life.settings)
    ready.put_rules(ready_lines(life.context, KnownRules(), [session.cwd]), ready.mark(new_mark()))
    for call in calls:
        called, _, given = call.target.partition(" ")
        name, argument = _TOOLS.get(call.tool, (called, "input"))
        payload = {
            "hook_event_name": "PreToolUse", "session_id": session.id, "cwd": session.cwd, "tool_name": name,
            "tool_input": {argument: call.target if call.tool in _TOOLS else given},
        }  # fmt: skip
        printed = acting.answer({"data": life.settings.data_dir}, json.dumps(payload).encode(), session.host, session.cwd)
        if printed:
            answer = json.loads(printed)["hookSpecificOutput"]
            text = answer.get("additionalContext") or answer["permissionDecisionReason"]
            yield ShownAtCall(label.path, call.id, text, call.outcome)


def _began(label: Label, session: Session) -> datetime:
    return session.started or datetime.fromisoformat(label.time)


def _ended(label: Label, session: Session) -> datetime:
    return session.ended or _began(label, session)


def _figures(played: Played, repeats: Sequence[Repeat]) -> dict[str, Any]:
    """Return how many repeats were preceded by a matching notice, by call and by remedy, and the number of other notices."""
    by_call = defaultdict[tuple[str, str], list[ShownAtCall]](list)
    for one in played.shown:
        by_call[one.session, one.call_id].append(one)
    groups = defaultdict[tuple[str, str], list[bool]](list)
    right = set[ShownAtCall]()
    for repeat in repeats:
        at = [one for call in (repeat.call.id, *repeat.also) for one in by_call[repeat.call.session, call]]
        matching = [one for one in at if _matches(one.memory_text, repeat)]
        right.update(matching)
        groups[repeat.person, repeat.group].append(bool(matching))
    needless = len(played.shown) - len(right)
    return {
        "calls": played.calls,
        "shown": len(played.shown),
        "failed": sum(one.outcome in ("failed", "refused") for one in played.shown),
        "repeats": len(repeats),
        "reached": sum(map(sum, groups.values())),
        "remedies": len(groups),
        "by_remedy": sum(sum(found) / len(found) for found in groups.values()) / max(1, len(groups)),
        "needless": needless,
        "needless_per_100": 100 * needless / max(1, played.calls),
    }


def _matches(text: str, repeat: Repeat) -> bool:
    said, remedy = words_of(text), words_of(repeat.remedy)
    must = words_of(" ".join(repeat.must))
    if must and not said & must:
        return False
    common = len(said & remedy)
    return (common >= LEAST and common >= SHARE * len(remedy)) or any(words_of(short) <= said for short in repeat.short)
