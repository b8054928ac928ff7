"""`vade bench recall`: quality of recall, over the same path as real sessions and prompts.

Each session is written as a plain transcript, captured, and queried by `Vademecum.recall`. Gold ids never reach indexed text: a
turn's id is its `ref`, which is not searched. The main figures are the results delivered as in use
(:mod:`vademecum_bench.asking`); rankings with and without the threshold are reported below. On request, mined memories take
part: each counts for the turns from which it was mined.
"""

import dataclasses
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import Struct

from vademecum.api import Vademecum
from vademecum.domain.query import Query, Recall, Scope
from vademecum.entrypoints.daemon.memory_usage import peak_mb
from vademecum.settings import Settings
from vademecum.sync.embed_backlog import embedded_text
from vademecum.wiring import open_memory
from vademecum_bench.asking import WAYS, Piece
from vademecum_bench.baseline import floors
from vademecum_bench.metrics import interval_over, mean_of, measures, percentile
from vademecum_bench.recall_set import RecallSet, SetQuery, SetSession, read_recall_set

#: Number of passages requested. It exceeds the largest cutoff of the measures, because a long turn may have several passages.
RANKED = 40
#: Category that is asked but never counted: these questions have no right answer.
ADVERSARIAL = "adversarial"
#: All passages, in percent.
FULL = 100
#: Number of questions asked of an index that cannot answer them, for the gate, spread evenly over the file.
UNRELATED_QUESTIONS = 400

#: Limit of a selection: all memories.
ALL = 1_000_000

Progress = Callable[[str, int, int], None]
#: Key of a memory -> (key of the conversation from which it was mined, turns).
Mined = Mapping[str, tuple[str, Sequence[str]]]


class Delivered(Struct, frozen=True):
    """Delivered results for one way of asking.

    Attributes:
        turns, sessions: share of the gold ones among the delivered; None: the question has none.
        pieces: number of delivered results.
    """

    turns: float | None
    sessions: float | None
    pieces: int


class _Answered(Struct, frozen=True):
    """A question with a right answer, and its measures.

    Attributes:
        turn, session: without the threshold; empty without gold.
        gated_turn, gated_session: behind the threshold.
        delivered: way of asking -> delivered results.
    """

    scope: str
    category: str
    turn: dict[str, float]
    session: dict[str, float]
    gated_turn: dict[str, float]
    gated_session: dict[str, float]
    delivered: dict[str, Delivered]


@dataclass(slots=True)
class _Tally:
    """Collected results of a run; questions are keyed by the percentage of passages with vectors."""

    answered: dict[int, list[_Answered]] = field(default_factory=lambda: defaultdict(list))
    unrelated: dict[int, list[dict[str, bool]]] = field(default_factory=lambda: defaultdict(list))
    floors: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    ms: list[float] = field(default_factory=list)
    turns: int = 0
    text_bytes: int = 0
    index_bytes: int = 0
    ingest_s: float = 0.0
    vectors_s: float = 0.0
    mined: int = 0
    missing: set[str] = field(default_factory=set)


def bench_recall(
    path: Path,
    settings: Settings,
    *,
    pooled: bool,
    profile: str,
    progress: Progress,
    shares: Sequence[int] = (100,),
    mine: bool = False,
) -> dict[str, Any]:
    """Return all figures of one recall set, as one JSON object.

    Args:
        shares: percentages of passages with vectors, ascending; everything is asked at each. The main figures are those of the
            last.
        mine: memories are mined and saved as in a real session, and take part.
    """
    recall_set = read_recall_set(path)
    tally = _Tally()
    groups = [recall_set.scopes] if pooled else [(scope,) for scope in recall_set.scopes]
    for done, scopes in enumerate(groups):
        progress(f"bench {path.name}", done, len(groups))
        with tempfile.TemporaryDirectory(prefix="vade-bench-") as folder:
            _run_group(recall_set, scopes, Path(folder), settings, profile, shares, tally, mine=mine)
    progress(f"bench {path.name}", len(groups), len(groups))
    return _report(recall_set, settings, pooled, profile, tally)


def _run_group(
    recall_set: RecallSet,
    scopes: Sequence[str],
    folder: Path,
    settings: Settings,
    profile: str,
    shares: Sequence[int],
    tally: _Tally,
    *,
    mine: bool,
) -> None:
    sessions = [session for session in recall_set.sessions if session.scope in scopes]
    own = [query for query in recall_set.queries if query.scope in scopes]
    foreign = [query for query in recall_set.queries if query.scope not in scopes and query.category != ADVERSARIAL]
    order = _order(sessions)
    with open_memory(isolated(settings, folder)) as memory:
        _ingest(memory, sessions, folder / "transcripts", tally, mine=mine)
        mined = _mined(memory)
        tally.mined += len(mined)
        for share in shares:
            start = time.perf_counter()
            _refine(memory, share)
            tally.vectors_s += time.perf_counter() - start
            for query in own:
                tally.answered[share].append(_ask(memory, query, order[query.scope], profile, tally, mined))
            tally.unrelated[share] += ask_unrelated(memory, foreign, recall_set, profile, recall_set.scopes.index(scopes[0]))
    for name, values in floors(sessions, own, len(scopes) > 1).items():
        tally.floors[name] += values
    tally.index_bytes += sum(file.stat().st_size for file in (folder / "data").rglob("index*") if file.is_file())


def _refine(memory: Vademecum, share: int) -> None:
    """Compute vectors for a share of the passages, newest first."""
    index, embedder = memory.context.index, memory.context.models.embedder
    if share >= FULL or embedder is None:
        memory.maintenance.refine()
        return
    stats = index.stats()
    missing = stats.passages * share // FULL - stats.vectors.get(embedder.model_id, 0)
    waiting = index.without_vectors(embedder.model_id, max(missing, 0))
    if waiting:
        rows = embedder.embed([embedded_text(stored.passage) for stored in waiting])
        index.add_vectors(embedder.model_id, [stored.number for stored in waiting], rows)


def isolated(settings: Settings, folder: Path) -> Settings:
    """Return the same settings over an empty home."""
    (folder / "home").mkdir()
    return dataclasses.replace(
        settings,
        home=str(folder / "home"),
        vault="",
        projects=(),
        data_dir=str(folder / "data"),
        transcripts=(),
        consent="silent",
        enabled=True,
    )


def _ingest(memory: Vademecum, sessions: Sequence[SetSession], folder: Path, tally: _Tally, *, mine: bool) -> None:
    folder.mkdir(parents=True)
    for session in sessions:
        write_transcript(session, folder / f"{_name(session)}.jsonl")
        tally.turns += len(session.turns)
        tally.text_bytes += sum(len(turn["text"].encode("utf-8", "replace")) for turn in session.turns)
    start = time.perf_counter()
    memory.maintenance.capture((str(folder),), mine=mine)
    tally.ingest_s += time.perf_counter() - start


def _mined(memory: Vademecum) -> Mined:
    kept = memory.context.index.select(Scope(sources=("memory",), statuses=None), limit=ALL)
    return {item.key: (item.origin, memory.notes.get(item.key).source_span.split(" to ")) for item in kept}


def write_transcript(session: SetSession, path: Path) -> None:
    lines = [{"type": "session", "id": _name(session), "time": session.time}]
    lines += [
        {"id": str(turn["id"]), "speaker": turn["speaker"], "text": turn["text"], "time": session.time}
        for turn in session.turns
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8", errors="replace")


def _name(session: SetSession) -> str:
    return f"{session.scope}--{session.id}".replace("/", "_")


def _order(sessions: Iterable[SetSession]) -> dict[str, list[str]]:
    """Return scope -> item keys of its sessions in order of time."""
    order: dict[str, list[str]] = defaultdict(list)
    for session in sessions:
        order[session.scope].append(f"session://plain/{_name(session)}")
    return order


def _ask(memory: Vademecum, query: SetQuery, order: Sequence[str], profile: str, tally: _Tally, mined: Mined) -> _Answered:
    hidden = frozenset(order[query.visible :]) if query.visible is not None else frozenset()
    hidden |= {key for key, (talk, _) in mined.items() if talk in hidden}
    start = time.perf_counter()
    open_answer = memory.recall.ask(Query(query.text, Scope(without=hidden), profile, RANKED, gated=False))
    tally.ms.append((time.perf_counter() - start) * 1000)
    tally.missing.update(open_answer.missing)
    gated = memory.recall.ask(Query(query.text, Scope(without=hidden), profile, RANKED))
    turns, sessions = _rankings(open_answer, query.scope, mined)
    gated_turns, gated_sessions = _rankings(gated, query.scope, mined)
    gold, whole = query.gold_turns, query.gold_sessions
    return _Answered(
        query.scope,
        query.category,
        measures(turns, gold) if gold else {},
        measures(sessions, whole) if whole else {},
        measures(gated_turns, gold) if gold else {},
        measures(gated_sessions, whole) if whole else {},
        {name: _delivered(ask(memory, query.text, hidden, profile), query, mined) for name, ask in WAYS.items()},
    )


def _delivered(pieces: Sequence[Piece], query: SetQuery, mined: Mined) -> Delivered:
    said = [mined.get(key, (key, [ref])) for key, ref in pieces]
    turns = {_own(key, query.scope, ref) for key, refs in said for ref in refs}
    sessions = {_own(key, query.scope, key.rsplit("--", 1)[-1]) for key, _ in said}
    return Delivered(_share_of(query.gold_turns, turns), _share_of(query.gold_sessions, sessions), len(pieces))


def _share_of(gold: frozenset[str], found: set[str]) -> float | None:
    return len(gold & found) / len(gold) if gold else None


def _rankings(answer: Recall, scope: str, mined: Mined) -> tuple[list[str], list[str]]:
    """Return (turn ids, session ids) as in the set, best first. Results of other scopes keep their rank."""
    said = [mined.get(hit.item.key, (hit.item.key, [hit.passage.ref])) for hit in answer.hits]
    turns = [_own(key, scope, ref) for key, refs in said for ref in refs]
    talks = [mined.get(key, (key, ()))[0] for key, _ in answer.items]
    sessions = [_own(key, scope, key.rsplit("--", 1)[-1]) for key in talks]
    return list(dict.fromkeys(turns)), list(dict.fromkeys(sessions))


def _own(key: str, scope: str, name: str) -> str:
    """Return `name` if the item belongs to the requested scope, else a name that is never gold."""
    own = key.startswith(f"session://plain/{scope.replace('/', '_')}--")
    return name if own else f"{key} {name}"


def ask_unrelated(
    memory: Vademecum, foreign: Sequence[SetQuery], recall_set: RecallSet, profile: str, place: int
) -> list[dict[str, bool]]:
    """Return for questions without an answer in the index, for each way of asking, whether anything was delivered, which is wrong.

    Args:
        place: index of the scope in the set. The questions begin half the file behind it: scopes next to each other are often about
            the same person, so that one answers what is asked of the other.
    """
    share = max(1, UNRELATED_QUESTIONS // len(recall_set.scopes))
    step = max(1, len(foreign) // share)
    half = (place + len(foreign) // 2) % max(1, len(foreign))
    asked = [*foreign[half:], *foreign[:half]][::step][:share]
    return [{name: bool(ask(memory, query.text, frozenset(), profile)) for name, ask in WAYS.items()} for query in asked]


def _report(recall_set: RecallSet, settings: Settings, pooled: bool, profile: str, tally: _Tally) -> dict[str, Any]:
    last = max(tally.answered, default=FULL)
    answered = tally.answered[last]
    categories = sorted({query.category for query in recall_set.queries})
    of_category = {name: [one for one in answered if one.category == name] for name in categories}
    unrelated = tally.unrelated[last]
    return {
        "file": Path(recall_set.path).name,
        "pooled": pooled,
        "scopes": len(recall_set.scopes),
        "turns": tally.turns,
        "queries": len(recall_set.queries),
        "mined": tally.mined,
        "delivered": {way: _totals_of(way, answered, unrelated) for way in WAYS},
        "turn": _totals(answered, "turn"),
        "session": _totals(answered, "session"),
        "gated": {"turn": _totals(answered, "gated_turn"), "session": _totals(answered, "gated_session")},
        "floor": {name: round(sum(values) / len(values), 4) for name, values in tally.floors.items() if values},
        "by_category": {
            name: {
                level: mean_of([getattr(one, level) for one in some if getattr(one, level)]) for level in ("turn", "session")
            }
            for name, some in of_category.items()
        },
        "by_share": {str(share): _at(tally, share) for share in tally.answered},
        "gate": {"unrelated_asked": len(unrelated), **_gate(answered, unrelated)},
        "ms": {"p50": round(percentile(tally.ms, 0.5), 2), "p95": round(percentile(tally.ms, 0.95), 2)},
        "ingest": {
            "turns_per_s": round(tally.turns / tally.ingest_s, 1),
            "vectors_per_s": round(tally.turns / max(tally.vectors_s, 1e-9), 1),
        },
        "rss_mb": round(peak_mb(), 1),
        "index_bytes_per_text_byte": round(tally.index_bytes / tally.text_bytes, 3) if tally.text_bytes else None,
        "missing": sorted(tally.missing),
        "settings": {"profile": profile, "embedder": settings.embedder},
    }


def _at(tally: _Tally, share: int) -> dict[str, Any]:
    """Return the most important figures at a share of vectors, without and with the gate."""
    quoted = (("turn", "recall@10"), ("session", "recall@5"))
    found: dict[str, Any] = {}
    for level, name in quoted:
        for how in (level, f"gated_{level}"):
            found[f"{how} {name}"] = _totals(tally.answered[share], how).get(name)
    found["hook turns"] = _totals_of("hook", tally.answered[share], tally.unrelated[share]).get("turns")
    return found | _gate(tally.answered[share], tally.unrelated[share])


def _totals_of(way: str, answered: Sequence[_Answered], unrelated: Sequence[Mapping[str, bool]]) -> dict[str, Any]:
    """Return the results of one way of asking.

    They are the shares of gold turns and sessions with intervals over scopes, the number of results per question, and the share
    of unrelated questions with results.
    """
    rows = [one for one in answered if one.category != ADVERSARIAL]
    found: dict[str, Any] = {}
    for level in ("turns", "sessions"):
        by_scope: dict[str, list[float]] = defaultdict(list)
        for one in rows:
            if (value := getattr(one.delivered[way], level)) is not None:
                by_scope[one.scope].append(value)
        if values := [value for some in by_scope.values() for value in some]:
            found[level] = round(sum(values) / len(values), 4)
            found[f"{level} 95%"] = list(interval_over(by_scope))
    if rows:
        found["pieces"] = round(sum(one.delivered[way].pieces for one in rows) / len(rows), 2)
    if unrelated:
        found["unrelated"] = round(sum(one[way] for one in unrelated) / len(unrelated), 4)
    return found


def _gate(answered: Sequence[_Answered], unrelated: Sequence[Mapping[str, bool]]) -> dict[str, float | None]:
    """Return the share of unrelated questions that pass the gate, and the share of right results that it lets through."""
    kept: dict[str, float | None] = {}
    for level, name in (("turn", "recall@10"), ("session", "recall@5")):
        rows = [
            (getattr(one, f"gated_{level}")[name], getattr(one, level)[name])
            for one in answered
            if getattr(one, level) and one.category != ADVERSARIAL
        ]
        possible = sum(full for _, full in rows)
        kept[f"{'answerable' if level == 'turn' else 'session'}_recall_kept"] = (
            round(sum(gated for gated, _ in rows) / possible, 4) if possible else None
        )
    by_mcp = [one["mcp"] for one in unrelated]
    return {"unrelated_injected": round(sum(by_mcp) / len(by_mcp), 4) if by_mcp else None, **kept}


def _totals(answered: Sequence[_Answered], level: str) -> dict[str, Any]:
    """Return means over all questions with a right answer, with intervals over scopes for the two main measures."""
    rows = [one for one in answered if one.category != ADVERSARIAL and getattr(one, level)]
    means: dict[str, Any] = mean_of([getattr(one, level) for one in rows])
    for name in ("recall@5", "recall@10"):
        by_scope: dict[str, list[float]] = defaultdict(list)
        for one in rows:
            by_scope[one.scope].append(getattr(one, level)[name])
        if rows:
            means[f"{name} 95%"] = list(interval_over(by_scope))
    return means
