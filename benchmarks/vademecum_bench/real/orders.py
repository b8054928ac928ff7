"""`vade bench orders`: the prompts of real sessions, asked of their own person's memory as the hook would, for reading.

Each prompt is asked before its session has ended, with the transcript as it stood then, at the time at which it was typed. What was
pushed is written down; whether it is useful only a reader can say, who marks it so in the same file.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.benefit import Need
from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import HookEvent
from vademecum.domain.query import Scope
from vademecum.domain.session import Session, Turn
from vademecum.sessions.needs import needs_of
from vademecum.wiring import parse_transcript
from vademecum_bench.real.labels import Expected, Label, by_person, read_labels
from vademecum_bench.real.life import ALL, Life
from vademecum_bench.real.ruler import match, target_expected, words_of
from vademecum_bench.recall import Progress

#: What is told again within so long, in another session of the same person, is a repeat.
REPEAT_WITHIN = timedelta(days=7)
#: A session starts so long before its first words.
BEFORE_IT = timedelta(seconds=10)
#: What stands above the part of an answer that was recalled for the prompt.
HEADING = "## Memory"

#: Status of a memory -> what becomes of something that only memories of that status say.
FATES = {"active": "kept and not told", "disputed": "kept and not told", "inbox": "waits for a yes", "archived": "put away"}

_KEY = re.compile(r"[0-9A-HJKMNP-TV-Z]{8}\)$")


class Push(Struct, frozen=True):
    """One line that was told beside a prompt.

    Attributes:
        key: of what was told: the id at the end of the line, else the line. again: the same was told within a week in another session.
        useful: what a reader says; None: nobody has read it yet.
    """

    person: str
    session: str
    time: str
    prompt: str
    told: str
    key: str
    again: bool
    useful: bool | None = None


def bench_orders(
    labels: Path, transcripts: Path, *, llm: str, person: str, progress: Progress
) -> tuple[dict[str, Any], list[Push]]:
    """Return figures over all prompts, and what was pushed in order.

    Args:
        llm: setting of the model that reads the sessions before. person: only persons whose name contains this.
    """
    rows, _ = read_labels(labels, transcripts, person)
    pushes: list[Push] = []
    prompts = pushed = told_all = 0
    fates: Counter[str] = Counter()
    needs: Counter[str] = Counter()
    for name, group in by_person(rows):
        with TemporaryDirectory(prefix="vade-bench-") as folder:
            life = Life(Path(folder), llm, lambda *_: None)
            try:
                for label in group:
                    progress("prompts", rows.index(label), len(rows))
                    texts, told, needed = _session(life, label, transcripts, Path(folder), name, pushes)
                    told_all += len(told)
                    needs.update(needed)
                    prompts, pushed = prompts + len(texts) - 1, pushed + sum(HEADING in text for text in texts)
                    fates.update(_fate(life.context, told, one, group) for one in label.expect if one.repeats)
                    life.pass_session(label, transcripts)
            finally:
                life.close()
    figures = {
        "prompts": prompts, "prompts_pushed": pushed, "lines": len(pushes), "repeats": sum(one.again for one in pushes),
        "said_again": fates.total(), "fates": dict(fates), "memories_told": told_all, "needed": dict(needs),
    }  # fmt: skip
    return figures, pushes


def judged(file: Path) -> dict[str, Any]:
    """Return what a reader said of pushes: how many lines and prompts were read, and how many were useful.

    Raises:
        InvalidInput: a line is not as it was written.
    """
    try:
        pushes = [msgspec.json.decode(line, type=Push) for line in file.read_bytes().splitlines() if line.strip()]
    except msgspec.MsgspecError as error:
        raise InvalidInput(f"{file} is not what bench orders wrote: {error}.") from error
    read = [one for one in pushes if one.useful is not None]
    asked = {(one.session, one.time): False for one in read}
    for one in read:
        asked[one.session, one.time] |= bool(one.useful)
    useful = sum(bool(one.useful) for one in read)
    return {"lines_read": len(read), "lines_useful": useful, "prompts_read": len(asked), "prompts_useful": sum(asked.values())}


def write_pushes(pushes: Sequence[Push], file: Path) -> None:
    """Write what was pushed, a JSON object a line, for somebody to set `useful` in."""
    file.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in pushes))


def text_of(found: Mapping[str, Any]) -> str:
    """Return the figures as sentences."""
    if "lines_read" in found:
        return (
            f"{found['lines_useful']} of {found['lines_read']} lines useful;"
            f" {found['prompts_useful']} of {found['prompts_read']} pushes hold a useful one"
        )
    return (
        f"{found['prompts']} prompts, {found['prompts_pushed']} were told something, {found['lines']} lines,"
        f" {found['repeats']} of them repeats within a week\n"
        f"{found['memories_told']} memories were told in sessions, {sum(found['needed'].values())} of them needed there all the same:"
        f" {_listed(found['needed'])}\n"
        f"{found['said_again']} things came up again: {_listed(found['fates'])}"
    )


def _session(
    life: Life, label: Label, transcripts: Path, folder: Path, person: str, pushes: list[Push]
) -> tuple[list[str], dict[str, datetime], list[Need]]:
    """Start a session and ask its prompts as they came.

    Returns:
        What was told at the start and at each prompt; keys of those memories and when first; how they were needed all the same.
    """
    path = transcripts / label.path
    session = parse_transcript(life.settings, path)
    data, growing = path.read_bytes(), folder / f"growing{path.suffix}"
    growing.write_bytes(b"")
    if session.started is not None:
        life.advance_to(session.started - BEFORE_IT)
    begun = HookEvent(session.host, "start", "SessionStart", session.id, session.cwd, cause="startup", transcript=str(growing))
    texts = [life.hear(begun).text]
    for turn in _prompts(session):
        if turn.time is not None:
            life.advance_to(turn.time)
        growing.write_bytes(data[: turn.start])
        event = HookEvent(
            session.host, "prompt", "UserPromptSubmit", session.id, session.cwd, prompt=turn.text, transcript=str(growing)
        )
        text = life.hear(event).text
        texts.append(text)
        pushes += _pushes(person, session, turn, text, pushes)
    told = _first_told(life.context, session)
    return texts, told, list(needs_of(life.context, session, told).values())


def _first_told(context: Context, session: Session) -> dict[str, datetime]:
    """Return key of each memory that the session was told -> when first."""
    found: dict[str, datetime] = {}
    for key, at in context.state.told.times(session.uri).items():
        item = key.partition("#")[0]
        found[item] = min(at, found.get(item, at))
    return {key: found[key] for key, item in context.index.items(list(found)).items() if item.source == "memory"}


def _prompts(session: Session) -> list[Turn]:
    return [turn for turn in session.turns if turn.role == "user" and not turn.sidechain]


def _pushes(person: str, session: Session, turn: Turn, text: str, before: Sequence[Push]) -> list[Push]:
    at = turn.time or session.started or datetime(2000, 1, 1, tzinfo=UTC)
    lines = [line for line in text.partition(HEADING)[2].splitlines() if line.startswith("- ")]
    keys = [(found[0] if (found := _KEY.search(line)) else line) for line in lines]
    lately = {
        one.key
        for one in before
        if one.person == person and one.session != session.uri and at - datetime.fromisoformat(one.time) <= REPEAT_WITHIN
    }
    prompt = json.loads(json.dumps(turn.text[:400]))
    return [
        Push(person, session.uri, at.isoformat(), prompt, line, key, key in lately)
        for line, key in zip(lines, keys, strict=True)
    ]


def _fate(context: Context, told: Collection[str], wanted: Expected, labels: Sequence[Label]) -> str:
    """Return what became, before a session's end, of something that an earlier session had and that came up in it again.

    Args:
        told: keys of the memories that the session was told.
    """
    repeats = wanted.repeats or {}
    first = [
        one for other in labels if other.path == repeats.get("path") for one in other.expect if one.id == repeats.get("id")
    ]
    targets = [target_expected(one) for one in (*first, wanted)]
    saying = {
        item.key: item.status
        for item in context.index.select(Scope(sources=("memory",), statuses=None), limit=ALL)
        if any(match(words_of(_text(context, item.key)), (), target, again=True) for target in targets)
    }
    if saying.keys() & set(told):
        return "told"
    return next((FATES[status] for status in FATES if status in saying.values()), "not kept so that the ruler knows it")


def _text(context: Context, key: str) -> str:
    return "\n".join(one.passage.text for one in context.index.passages_of(key))


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda one: -one[1])) or "none"
