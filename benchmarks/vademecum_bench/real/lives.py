"""`vade bench lives`: replay real sessions in one memory per person, and record every line that agents would have been shown.

Each session starts, and its prompts are asked as by the hook, at their times and with the transcript up to then; afterwards the
session is captured and read. Shown lines are written to a file; only a reader can judge whether a line is useful, and sets
`verdict` in that file.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import msgspec
from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.benefit import Need
from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import Delivery, HookEvent
from vademecum.domain.ids import short_id
from vademecum.domain.item import Item
from vademecum.domain.query import Hit, Scope
from vademecum.domain.session import Session
from vademecum.domain.tokens import estimate_tokens
from vademecum.recall.eligibility import asks_outright
from vademecum.sessions.needs import needs_of
from vademecum.wiring import parse_transcript
from vademecum_bench.metrics import percentile
from vademecum_bench.real.labels import Expected, Label, by_person, read_labels
from vademecum_bench.real.life import ALL, Life
from vademecum_bench.real.oracle import ORACLE, Oracle, statements
from vademecum_bench.real.ruler import match, target_expected, words_of
from vademecum_bench.recall import Progress

#: An item shown again within this time, in another session of the same person, is a repeat.
REPEAT_WITHIN = timedelta(days=7)
#: Time between the start of a session and its first text.
BEFORE_IT = timedelta(seconds=10)
#: Heading of the part of an answer that was recalled for the prompt.
HEADING = "## Memory"
#: Most recorded characters of a prompt, and of what its session did next.
PROMPT_CHARS, NEXT_CHARS = 600, 900

#: Status of memories that contain an expected thing -> what became of it.
FATES = {"active": "saved and not shown", "disputed": "saved and not shown", "inbox": "waits for a yes", "archived": "archived"}
#: (upper bound, name) of the classes by which lines are counted.
AGES = ((24.0, "same day"), (72.0, "to three days"), (168.0, "to a week"), (float("inf"), "older"))
LENGTHS = ((8, "up to 8 words"), (14, "9 to 14 words"), (20, "15 to 20 words"), (100_000, "longer"))

_ID = re.compile(r"([0-9A-HJKMNP-TV-Z]{8})\)$")

Verdict = Literal["", "useful", "harmless", "noise"]


class Line(Struct, frozen=True):
    """One shown line.

    Attributes:
        moment: "start" or "prompt".
        section: its heading at a start.
        prompt: "" at a start.
        words: of the prompt.
        asks: the prompt is an outright question.
        key: of the item; "" for none.
        kind: of a memory; else "session" or "document".
        age_h: hours since it was said; None: unknown.
        score: log odds; 0 at a start.
        tokens: estimate.
        again: the same item was shown within a week in another session.
        next: what the session did then.
        verdict: by a reader; "": not yet read.
    """

    person: str
    session: str
    time: str
    moment: Literal["start", "prompt"]
    section: str
    prompt: str
    words: int
    asks: bool
    text: str
    key: str
    kind: str
    age_h: float | None
    score: float
    touch: float
    signals: dict[str, float]
    tokens: int
    again: bool
    next: str
    verdict: Verdict = ""


class Shown(Struct):
    """Everything shown so far.

    Attributes:
        starts, prompts: tokens of each start and each prompt; 0 if nothing was shown.
        lines: all shown lines.
    """

    starts: list[int]
    prompts: list[int]
    lines: list[Line]


class _Spoken(Struct, frozen=True):
    """A prompt of a session, and what the session did next. text: "" for the start."""

    session: Session
    at: datetime
    person: str
    text: str
    next: str


def bench_lives(
    labels: Path, transcripts: Path, *, llm: str, person: str, progress: Progress
) -> tuple[dict[str, Any], list[Line]]:
    """Return figures over all starts and prompts, and the shown lines in order.

    Args:
        llm: setting of the reading model; "oracle": answers made from the labels.
        person: only persons whose name contains this.
    """
    rows, _ = read_labels(labels, transcripts, person)
    shown_here = Shown([], [], [])
    fates: Counter[str] = Counter()
    needs: Counter[str] = Counter()
    shown = 0
    now: list[Label] = []
    reader = Oracle(lambda: now[-1], statements(rows)) if llm == ORACLE else llm
    for _, group in by_person(rows):
        with TemporaryDirectory(prefix="vade-bench-") as folder:
            life = Life(Path(folder), reader, lambda *_: None)
            try:
                for label in group:
                    progress("sessions", rows.index(label), len(rows))
                    now.append(label)
                    first_shown, needed = live_session(life, label, transcripts / label.path, Path(folder), shown_here)
                    shown += len(first_shown)
                    needs.update(needed)
                    fates.update(_fate(life.context, first_shown, one, group) for one in label.expect if one.repeats)
                    life.pass_session(label, transcripts)
            finally:
                life.close()
    figures = {
        **_counts(shown_here), "memories_shown": shown, "needed": dict(needs), "said_again": fates.total(), "fates": dict(fates),
    }  # fmt: skip
    return figures, shown_here.lines


def judged(file: Path) -> dict[str, Any]:
    """Return a reader's verdicts: moment -> number of lines read, useful, harmless and noise, and tokens per useful line.

    Raises:
        InvalidInput: a line does not have the written format.
    """
    try:
        lines = [msgspec.json.decode(line, type=Line) for line in file.read_bytes().splitlines() if line.strip()]
    except msgspec.MsgspecError as error:
        raise InvalidInput(f"{file} is not what bench lives wrote: {error}.") from error
    read = [line for line in lines if line.verdict]
    return {
        "judged": {
            moment: _verdicts([line for line in read if line.moment == moment])
            for moment in ("prompt", "start")
            if any(line.moment == moment for line in read)
        }
    }


def _verdicts(lines: Sequence[Line]) -> dict[str, Any]:
    count = Counter(line.verdict for line in lines)
    tokens = sum(line.tokens for line in lines)
    asked: dict[tuple[str, str], bool] = {}
    for line in lines:
        asked[line.session, line.time] = asked.get((line.session, line.time), False) or line.verdict == "useful"
    useful = count["useful"]
    return {
        "lines": len(lines), "useful": useful, "harmless": count["harmless"], "noise": count["noise"],
        "tokens_each_useful": round(tokens / useful) if useful else None,
        "moments": len(asked), "moments_useful": sum(asked.values()),
        **{name: _split(lines, by) for name, by in _CLASSES.items()},
    }  # fmt: skip


def _split(lines: Sequence[Line], by: Callable[[Line], str]) -> dict[str, str]:
    """Return class -> "useful of all"."""
    names = list(dict.fromkeys(map(by, lines)))
    return {
        name: f"{sum(line.verdict == 'useful' for line in lines if by(line) == name)} of {sum(by(line) == name for line in lines)}"
        for name in sorted(names)
    }


def write_lines(lines: Sequence[Line], file: Path) -> None:
    """Write the shown lines, one JSON object per line, for a reader who sets `verdict`."""
    file.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))


def text_of(found: Mapping[str, Any]) -> str:
    """Return the figures as sentences."""
    if "judged" in found:
        return "\n".join(_judged_text(moment, one) for moment, one in found["judged"].items())
    parts = []
    for moment in ("starts", "prompts"):
        one = found[moment]
        parts.append(
            f"{one['all']} {moment}, {one['shown']} were shown something: {one['lines']} lines ({one['most']} at most),"
            f" {one['tokens']} tokens, {one['median']:.0f} at the median of all; {one['again']} lines repeat within a week"
        )
        parts += [f"  {name.replace('_', ' '):<10} {_listed(counts)}" for name, counts in one["by"].items()]
    return "\n".join(
        [
            *parts,
            f"{found['memories_shown']} memories were shown in sessions, {sum(found['needed'].values())} of them needed there"
            f" all the same: {_listed(found['needed'])}",
            f"{found['said_again']} things came up again: {_listed(found['fates'])}",
        ]
    )


def _judged_text(moment: str, one: Mapping[str, Any]) -> str:
    head = (
        f"{moment}: {one['useful']} of {one['lines']} lines useful, {one['harmless']} harmless, {one['noise']} noise;"
        f" {one['tokens_each_useful']} tokens for each useful line; {one['moments_useful']} of {one['moments']} hold one"
    )
    rows = [f"  {name:<10} " + ", ".join(f"{sort} {share}" for sort, share in one[name].items()) for name in _CLASSES]
    return "\n".join([head, *rows])


def _counts(shown_here: Shown) -> dict[str, Any]:
    return {
        f"{moment}s": _moment_counts([line for line in shown_here.lines if line.moment == moment], tokens)
        for moment, tokens in (("start", shown_here.starts), ("prompt", shown_here.prompts))
    }


def _moment_counts(lines: Sequence[Line], tokens: Sequence[int]) -> dict[str, Any]:
    each = Counter((line.session, line.time) for line in lines)
    return {
        "all": len(tokens), "shown": sum(map(bool, tokens)), "lines": len(lines), "most": max(each.values(), default=0),
        "tokens": sum(tokens), "median": percentile(sorted(map(float, tokens)), 0.5) if tokens else 0.0,
        "again": sum(line.again for line in lines),
        "by": {name: dict(Counter(map(by, lines))) for name, by in _CLASSES.items()},
    }  # fmt: skip


def live_session(
    life: Life, label: Label, path: Path, folder: Path, shown_here: Shown
) -> tuple[dict[str, datetime], list[Need]]:
    """Start a session and ask its prompts in order.

    Returns:
        Keys of the shown memories with the first time of each; and the cases in which they were needed nevertheless.
    """
    session = parse_transcript(life.settings, path)
    data, growing = path.read_bytes(), folder / f"growing{path.suffix}"
    growing.write_bytes(b"")
    begun = session.started or datetime(2000, 1, 1, tzinfo=UTC)
    life.advance_to(begun - BEFORE_IT)
    start = HookEvent(session.host, "start", "SessionStart", session.id, session.cwd, cause="startup", transcript=str(growing))
    delivery = life.hear(start)
    shown_here.starts.append(estimate_tokens(delivery.text) if delivery.text else 0)
    first = _Spoken(session, begun, label.person, "", _done_next(session, -1))
    shown_here.lines += _start_lines(life, first, delivery, shown_here.lines)
    for place, turn in enumerate(session.turns):
        if turn.role != "user" or turn.sidechain:
            continue
        if turn.time is not None:
            life.advance_to(turn.time)
        growing.write_bytes(data[: turn.start])
        event = HookEvent(
            session.host, "prompt", "UserPromptSubmit", session.id, session.cwd, prompt=turn.text, transcript=str(growing)
        )
        delivery = life.hear(event)
        recalled = delivery.text.partition(HEADING)[2]
        shown_here.prompts.append(estimate_tokens(recalled) if recalled else 0)
        spoken = _Spoken(session, turn.time or begun, label.person, turn.text, _done_next(session, place))
        shown_here.lines += _prompt_lines(life, spoken, delivery, shown_here.lines)
    shown = _first_shown(life.context, session)
    return shown, list(needs_of(life.context, session, shown).values())


def _done_next(session: Session, place: int) -> str:
    """Return the text after a turn, up to the person's next one; after the start, up to their first one."""
    said: list[str] = []
    for turn in session.turns[place + 1 :]:
        if turn.sidechain or turn.role not in ("user", "agent", "tool"):
            continue
        if turn.role == "user" and place >= 0:
            break
        said.append(f"{turn.role}: {' '.join(turn.text.split())[:300]}")
        if sum(map(len, said)) > NEXT_CHARS:
            break
    return "\n".join(said)[:NEXT_CHARS]


def _start_lines(life: Life, start: _Spoken, delivery: Delivery, before: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines of a briefing, without the line below the headings."""
    by_id = {short_id(key): item for key, item in life.context.index.items(list(delivery.keys)).items()}
    section = ""
    for text in delivery.text.splitlines():
        if text.startswith("### "):
            section = text.removeprefix("### ")
        elif text.startswith("- "):
            found = _ID.search(text)
            yield _line(life, start, section, text, (by_id.get(found[1]) if found else None, None), before)


def _prompt_lines(life: Life, prompt: _Spoken, delivery: Delivery, before: Sequence[Line]) -> Iterator[Line]:
    texts = [text for text in delivery.text.partition(HEADING)[2].splitlines() if text.startswith("- ")]
    hits = {f"{hit.item.key}#{hit.passage.ref}": hit for hit in life.story(delivery.trace)} if texts else {}
    keys = [key for key in delivery.keys if "#" in key]
    for text, key in zip(texts, keys, strict=True):
        hit = hits.get(key)
        yield _line(life, prompt, "", text, (hit.item if hit else None, hit), before)


def _line(
    life: Life, spoken: _Spoken, section: str, text: str, what: tuple[Item | None, Hit | None], before: Sequence[Line]
) -> Line:
    item, hit = what
    key = item.key if item else ""
    said = _said_at(life, hit) if hit else item.said_at if item else None
    return Line(
        person=spoken.person,
        session=spoken.session.uri,
        time=spoken.at.isoformat(),
        moment="prompt" if spoken.text else "start",
        section=section,
        prompt=spoken.text[:PROMPT_CHARS],
        words=len(spoken.text.split()),
        asks=asks_outright(spoken.text),
        text=text,
        key=key,
        kind="" if item is None else item.kind if item.source == "memory" else item.source,
        age_h=round((spoken.at - said) / timedelta(hours=1), 1) if said else None,
        score=round(hit.score, 2) if hit else 0.0,
        touch=round(life.touch(spoken.session.cwd, spoken.text, hit), 2) if hit else 0.0,
        signals=dict(hit.signals) if hit else {},
        tokens=estimate_tokens(text),
        again=bool(key) and key in _lately(before, spoken),
        next=spoken.next,
    )


def _said_at(life: Life, hit: Hit) -> datetime | None:
    """Return when a turn, or another hit, was said; the trace of a recall does not contain it."""
    turns = life.context.index.passages_of(hit.item.key)
    said = next((one.passage.time for one in turns if one.passage.ref == hit.passage.ref), None)
    item = life.context.index.items([hit.item.key]).get(hit.item.key)
    return said or (item.said_at if item else None)


def _lately(before: Iterable[Line], spoken: _Spoken) -> set[str]:
    """Return the keys of items shown in other sessions of the person within a week."""
    return {
        line.key
        for line in before
        if line.person == spoken.person
        and line.session != spoken.session.uri
        and spoken.at - datetime.fromisoformat(line.time) <= REPEAT_WITHIN
    }


def _class_of(value: float | None, bounds: Iterable[tuple[float, str]]) -> str:
    return "unknown" if value is None else next(name for most, name in bounds if value <= most)


#: Name of a split -> function that returns the class of a line.
_CLASSES: Mapping[str, Callable[[Line], str]] = {
    "kind": lambda line: line.kind or line.section or "other",
    "age": lambda line: _class_of(line.age_h, AGES),
    "length": lambda line: _class_of(line.words, LENGTHS) if line.moment == "prompt" else "start",
    "asks": lambda line: "asks" if line.asks else "orders or tells",
}


def _first_shown(context: Context, session: Session) -> dict[str, datetime]:
    """Return key of each memory shown in the session -> first time."""
    found: dict[str, datetime] = {}
    for key, at in context.state.shown.times(session.uri).items():
        item = key.partition("#")[0]
        found[item] = min(at, found.get(item, at))
    return {key: found[key] for key, item in context.index.items(list(found)).items() if item.source == "memory"}


def _fate(context: Context, shown: Collection[str], wanted: Expected, labels: Sequence[Label]) -> str:
    """Return the fate, before a session's end, of something from an earlier session that came up again in it.

    Args:
        shown: keys of the memories shown in the session.
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
    if saying.keys() & set(shown):
        return "shown"
    return next((FATES[status] for status in FATES if status in saying.values()), "not saved so that the ruler knows it")


def _text(context: Context, key: str) -> str:
    return "\n".join(one.passage.text for one in context.index.passages_of(key))


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda one: -one[1])) or "none"
