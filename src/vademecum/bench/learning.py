"""`vade bench learn`: what memory keeps of labelled sessions, over the very path that real sessions take.

Every session of a file is written as its host would write it and captured, one after the other, into one memory: what was
learnt before can be confirmed, doubled or wrongly replaced, as in a life. Only what becomes active counts as saved; what waits for
the person is counted apart. No model takes part: what would be asked of one is put to an answer that never finds anything, so that the
calls are counted and change nothing.
"""

import dataclasses
import json
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from vademecum.memory import Vademecum
from vademecum.model.errors import InvalidInput
from vademecum.model.llm import Answer, Prompt, Usage
from vademecum.model.memory import Memory
from vademecum.model.reports import Captured, Saved
from vademecum.settings import Settings
from vademecum.wiring import clock_at, open_memory

#: The sessions that come with the package: those the patterns were worked on with, and those held out.
DEV, TEST = (Path(__file__).parent / "learn" / f"{name}.toml" for name in ("dev", "test"))
#: When the first session is held; each next one a day later.
FIRST = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
#: Words that tell whose a line of a transcript is.
_ROLES = {"user": "user", "agent": "assistant", "tool": "tool"}
#: Kinds that capture writes about a session as such, which nobody labels.
_UNLABELLED = ("handoff",)

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Expected:
    """Something a session teaches.

    Attributes:
        kinds: what it may be kept as. says: words that its text must hold, in any case.
        name: by which a later one can name it. replaces: name of the one that it does away with, "" for none.
    """

    kinds: tuple[str, ...]
    says: tuple[str, ...]
    name: str = ""
    replaces: str = ""

    def fits(self, memory: Memory) -> bool:
        """Whether the memory says it, and is of a kind that it may be kept as."""
        return memory.kind in self.kinds and self.is_said_by(memory)

    def is_said_by(self, memory: Memory) -> bool:
        """Whether the memory says it, whatever its kind."""
        text = f"{memory.title}\n{memory.body}".casefold()
        return all(word.casefold() in text for word in self.says)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A session and what it teaches; nothing, when `expected` is empty. `turns` are (speaker, text)."""

    name: str
    language: str
    host: str
    project: str
    turns: tuple[tuple[str, str], ...]
    expected: tuple[Expected, ...]


@dataclass(slots=True)
class _Count:
    """What a language or a kind of memory gave: saved and right (or right but for the kind), stated and found (saved, or saved or
    waiting)."""

    saved: int = 0
    right: int = 0
    other_kind: int = 0
    stated: int = 0
    found: int = 0
    proposed: int = 0


@dataclass(slots=True)
class _Tally:
    """What a run collects."""

    languages: dict[str, _Count] = field(default_factory=lambda: defaultdict(_Count))
    kinds: dict[str, _Count] = field(default_factory=lambda: defaultdict(_Count))
    patterns: dict[str, _Count] = field(default_factory=lambda: defaultdict(_Count))
    named: dict[str, str] = field(default_factory=dict)
    waiting: int = 0
    waiting_right: int = 0
    silent: int = 0
    broken_silence: int = 0
    saved_in_silence: int = 0
    updates: int = 0
    unposed: int = 0
    missed: int = 0
    pointed_out: int = 0
    pointed_out_wrongly: int = 0
    replaced: int = 0
    wrongly_replaced: int = 0
    conversations: int = 0
    readings: int = 0
    readings_most: int = 0
    comparisons: int = 0
    wrong: list[str] = field(default_factory=list)
    not_found: list[str] = field(default_factory=list)


def read_labelled(path: Path) -> tuple[Labelled, ...]:
    """The sessions of a file, in order.

    Raises:
        InvalidInput: it is no such file, or a label names something that does not stand before it.
    """
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["session"]
        sessions = tuple(_labelled(row) for row in rows)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise InvalidInput(f"{path} holds no labelled sessions: {error}", "Their form: docs/learning.md") from error
    known: set[str] = set()
    for session in sessions:
        wrong = [one.replaces for one in session.expected if one.replaces and one.replaces not in known]
        if wrong:
            raise InvalidInput(f"{session.name} of {path} replaces {wrong[0]!r}, which nothing before it is named.")
        known.update(one.name for one in session.expected)
    return sessions


def _labelled(row: Mapping[str, Any]) -> Labelled:
    expected = tuple(
        Expected(tuple(one["kind"].split("|")), tuple(one["says"]), one.get("id", ""), one.get("replaces", ""))
        for one in row.get("expect", ())
    )
    turns = tuple((str(role), str(text)) for role, text in row["turns"])
    return Labelled(row["id"], row["language"], row["host"], row.get("project", ""), turns, expected)


def bench_learn(path: Path, settings: Settings, *, progress: Progress) -> dict[str, Any]:
    """All figures of one file of labelled sessions, as one JSON object (docs/learning.md names its keys)."""
    sessions = read_labelled(path)
    tally = _Tally()
    with tempfile.TemporaryDirectory(prefix="vade-bench-") as name:
        folder = Path(name)
        with open_memory(isolated(settings, folder), clock=clock_at(FIRST + timedelta(days=len(sessions)))) as memory:
            counter = _Nobody()
            memory.parts = replace(
                memory.parts, llm_name="none", llm_mark="none", open_llm=lambda ledger: counter, pause=_at_once
            )
            for done, session in enumerate(sessions):
                progress(f"bench {path.name}", done, len(sessions))
                file = _write(session, FIRST + timedelta(days=done), folder / "transcripts")
                for captured in memory.capture((str(file),)).sessions:
                    _judge(memory, session, captured, tally)
                _count_calls(memory, counter, tally)
    return _report(path, sessions, tally)


def isolated(settings: Settings, folder: Path) -> Settings:
    """The settings over folders of their own, without models."""
    return dataclasses.replace(
        settings, home=str(folder / "home"), vault="", projects=(), data_dir=str(folder / "data"), transcripts=(),
        consent="silent", enabled=True, archive=False, embedder="none", quick_embedder="none",
    )  # fmt: skip


def _write(session: Labelled, start: datetime, folder: Path) -> Path:
    """The session as a transcript: of Claude Code when it was held there, else plain with its host's name."""
    lines = _claude_code(session, start) if session.host == "claude-code" else _plain(session, start)
    folder.mkdir(exist_ok=True)
    path = folder / f"{session.name}.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def _plain(session: Labelled, start: datetime) -> Iterable[Mapping[str, Any]]:
    yield {"type": "session", "id": session.name, "time": start.isoformat(), "project": session.project, "host": session.host}
    for number, (role, text) in enumerate(session.turns):
        yield {"id": f"t{number}", "role": _ROLES[role], "text": text, "time": _at(start, number)}


def _claude_code(session: Labelled, start: datetime) -> Iterable[Mapping[str, Any]]:
    for number, (role, text) in enumerate(session.turns):
        kind = "assistant" if role == "agent" else "user"
        content: Any = [{"type": "text", "text": text}] if role == "agent" else text
        if role == "tool":
            content = [{"type": "tool_result", "tool_use_id": f"tool{number}", "content": text}]
        yield {
            "type": kind, "sessionId": session.name, "uuid": f"{session.name}-{number}", "isSidechain": False,
            "cwd": f"/projects/{session.project}" if session.project else "", "timestamp": _at(start, number),
            "version": "2.1.320", "userType": "external", "message": {"role": kind, "content": content},
        }  # fmt: skip


def _at(start: datetime, number: int) -> str:
    return (start + timedelta(minutes=number)).isoformat().replace("+00:00", "Z")


def _count_calls(memory: Vademecum, counter: "_Nobody", tally: _Tally) -> None:
    """Put everything that waits for a model to one that finds nothing, and count how often it was asked, for what."""
    before = len(counter.asked)
    for one in memory.queue():
        memory.queue_retry(one.session)
    memory.queue_run()
    compared = sum(prompt.name == "relation" for prompt in counter.asked[before:])
    readings = len(counter.asked) - before - compared
    tally.conversations += 1
    tally.readings += readings
    tally.readings_most = max(tally.readings_most, readings)
    tally.comparisons += compared


class _Nobody:
    """A language model that finds nothing.

    Attributes:
        asked: every prompt so far.
    """

    model_id = "nobody"

    def __init__(self) -> None:
        self.asked: list[Prompt] = []

    def ask(self, prompt: Prompt) -> Answer:
        """See the port."""
        self.asked.append(prompt)
        return Answer(_nothing(prompt.schema), Usage())


def _nothing(schema: Mapping[str, Any]) -> Any:
    """The emptiest value that a JSON Schema allows; of a choice "new", else the first."""
    if schema.get("enum"):
        return "new" if "new" in schema["enum"] else schema["enum"][0]
    wanted = schema.get("type")
    if wanted == "object":
        return {name: _nothing(part) for name, part in schema.get("properties", {}).items()}
    return {"array": [], "boolean": False, "number": 0.0, "integer": 0}.get(str(wanted), "")


def _at_once(seconds: float) -> None:
    """Nobody waits between two questions to nobody."""


def _judge(memory: Vademecum, session: Labelled, captured: Captured, tally: _Tally) -> None:
    """Compare what a session left behind with its labels."""
    kept = [(saved, memory.get(saved.memory.id)) for saved in captured.saved if saved.memory]
    kept = [(saved, one) for saved, one in kept if one.kind not in _UNLABELLED]
    active = [one for _, one in kept if one.status == "active"]
    waiting = [one for _, one in kept if one.status == "inbox"]
    for one in active:
        _count_saved(session, one, tally)
    tally.waiting += len(waiting)
    tally.waiting_right += sum(any(want.fits(one) for want in session.expected) for one in waiting)
    for want in session.expected:
        _count_stated(session, want, active, waiting, tally)
    replaced = [old for saved, _ in kept for old in saved.replaced]
    _count_replaced(memory, session, replaced, _pointed_at(kept), tally)
    if not session.expected:
        tally.silent += 1
        tally.broken_silence += bool(active)
        tally.saved_in_silence += len(active)
    for want in session.expected:
        fitting = next((one.id for one in active if want.fits(one)), "")
        if want.name and fitting:
            tally.named[want.name] = fitting


def _count_saved(session: Labelled, one: Memory, tally: _Tally) -> None:
    right = any(want.fits(one) for want in session.expected)
    pattern = str(one.extra.get("mining_rationale", "")).split(":")[0]
    for count in (tally.languages[session.language], tally.kinds[one.kind], tally.patterns[pattern]):
        count.saved += 1
        count.right += right
        count.other_kind += not right and any(want.is_said_by(one) for want in session.expected)
    if not right:
        tally.wrong.append(f"{session.name}: {one.kind}: {one.body.strip() or one.title}")


def _count_stated(
    session: Labelled, want: Expected, active: Sequence[Memory], waiting: Sequence[Memory], tally: _Tally
) -> None:
    found = any(want.fits(one) for one in active)
    for count in (tally.languages[session.language], tally.kinds[want.kinds[0]]):
        count.stated += 1
        count.found += found
        count.proposed += found or any(want.fits(one) for one in waiting)
    if not found:
        tally.not_found.append(f"{session.name}: {'|'.join(want.kinds)}: {', '.join(want.says)}")


def _pointed_at(kept: Iterable[tuple[Saved, Memory]]) -> frozenset[str]:
    """Ids of the memories that are marked as perhaps replaced by one of those that were saved, or that a proposal would replace."""
    likely = {saved.likely for saved, _ in kept}
    return frozenset(likely | {str(one.extra.get("mining_target", "")) for _, one in kept if one.status == "inbox"})


def _count_replaced(
    memory: Vademecum, session: Labelled, replaced: Sequence[str], pointed_at: frozenset[str], tally: _Tally
) -> None:
    """Supersessions that were due and those that were not (X-44). What was never saved cannot be replaced: unposed."""
    due = {want.replaces for want in session.expected if want.replaces}
    tally.unposed += sum(name not in tally.named for name in due)
    meant = {tally.named[name] for name in due if name in tally.named}
    tally.updates += len(meant)
    missed = {old for old in meant if memory.get(old).status == "active"}
    tally.missed += len(missed)
    tally.pointed_out += len(missed & pointed_at)
    tally.pointed_out_wrongly += len(pointed_at - meant - {""})
    tally.replaced += len(replaced)
    tally.wrongly_replaced += len(set(replaced) - meant)
    tally.wrong += [f"{session.name}: replaced: {memory.get(old).title}" for old in replaced if old not in meant]


def _report(path: Path, sessions: Sequence[Labelled], tally: _Tally) -> dict[str, Any]:
    whole = _Count(*(sum(getattr(count, row.name) for count in tally.languages.values()) for row in dataclasses.fields(_Count)))
    return {
        "file": path.name,
        "sessions": len(sessions),
        "hosts": sorted({session.host for session in sessions}),
        "total": _figures(whole),
        "by_language": {name: _figures(count) for name, count in sorted(tally.languages.items())},
        "by_kind": {name: _figures(count) for name, count in sorted(tally.kinds.items())},
        "by_pattern": {name: [count.right, count.saved] for name, count in sorted(tally.patterns.items())},
        "waiting": {"proposals": tally.waiting, "right": tally.waiting_right},
        "silence": {
            "sessions": tally.silent,
            "broken": tally.broken_silence,
            "saved": tally.saved_in_silence,
            "saved_per_20": _share(20 * tally.saved_in_silence, tally.silent),
        },
        "supersession": {
            "replaced": tally.replaced,
            "false": tally.wrongly_replaced,
            "false_rate": _share(tally.wrongly_replaced, whole.saved),
            "updates": tally.updates,
            "missed": tally.missed,
            "pointed_out": tally.pointed_out,
            "pointed_out_wrongly": tally.pointed_out_wrongly,
            "missed_rate": _share(tally.missed, tally.updates),
            "unposed": tally.unposed,
        },
        "model_calls": {
            "conversations": tally.conversations,
            "readings": tally.readings,
            "per_conversation": _share(tally.readings, tally.conversations),
            "most": tally.readings_most,
            "conflict_calls": tally.comparisons,
            "conflict_calls_per_insert": _share(tally.comparisons, whole.saved),
        },
        "wrong": tally.wrong,
        "not_found": tally.not_found,
    }


def _figures(count: _Count) -> dict[str, Any]:
    return {
        **dataclasses.asdict(count),
        "precision": _share(count.right, count.saved),
        "recall": _share(count.found, count.stated),
        "recall_proposed": _share(count.proposed, count.stated),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
