"""`vade bench recall`: how well memory answers, over the very path that real sessions and prompts take.

Each session is written as a plain transcript, captured, and asked by `Vademecum.recall`. Gold ids never reach indexed text:
a turn's id travels as its `ref`, which is not searched.
"""

import dataclasses
import json
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vademecum.api import Vademecum
from vademecum.domain.query import Query, Recall, Scope
from vademecum.settings import Settings
from vademecum.wiring import open_memory
from vademecum_bench.metrics import interval, mean_of, measures, percentile
from vademecum_bench.recall_set import RecallSet, SetQuery, SetSession, read_recall_set

#: Passages asked for. More than any measure looks at, because a long turn may take several places.
RANKED = 40
#: Asked and never part of the totals: they have no right answer.
ADVERSARIAL = "adversarial"
#: Questions asked of an index that cannot answer them, for the gate; spread evenly over the file.
UNRELATED_QUESTIONS = 400

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class _Tally:
    """What a run collects."""

    turn: dict[str, list[dict[str, float]]] = field(default_factory=lambda: defaultdict(list))
    session: dict[str, list[dict[str, float]]] = field(default_factory=lambda: defaultdict(list))
    kept: list[tuple[float, float]] = field(default_factory=list)
    injected_unrelated: list[float] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)
    turns: int = 0
    text_bytes: int = 0
    index_bytes: int = 0
    ingest_s: float = 0.0
    vectors_s: float = 0.0
    missing: set[str] = field(default_factory=set)


def bench_recall(path: Path, settings: Settings, *, pooled: bool, profile: str, progress: Progress) -> dict[str, Any]:
    """All figures of one recall set, as one JSON object (see docs/benchmarks.md for its keys)."""
    recall_set = read_recall_set(path)
    tally = _Tally()
    groups = [recall_set.scopes] if pooled else [(scope,) for scope in recall_set.scopes]
    for done, scopes in enumerate(groups):
        progress(f"bench {path.name}", done, len(groups))
        with tempfile.TemporaryDirectory(prefix="vade-bench-") as folder:
            _run_group(recall_set, scopes, Path(folder), settings, profile, tally)
    progress(f"bench {path.name}", len(groups), len(groups))
    return _report(recall_set, settings, pooled, profile, tally)


def _run_group(
    recall_set: RecallSet, scopes: Sequence[str], folder: Path, settings: Settings, profile: str, tally: _Tally
) -> None:
    sessions = [session for session in recall_set.sessions if session.scope in scopes]
    with open_memory(_isolated(settings, folder)) as memory:
        _ingest(memory, sessions, folder / "transcripts", tally)
        order = _order(sessions)
        for query in recall_set.queries:
            if query.scope in scopes:
                _ask(memory, query, order[query.scope], profile, tally)
        if len(recall_set.scopes) > len(scopes):
            _ask_unrelated(
                memory, [query for query in recall_set.queries if query.scope not in scopes], recall_set, profile, tally
            )
    tally.index_bytes += sum(file.stat().st_size for file in (folder / "data").rglob("index*") if file.is_file())


def _isolated(settings: Settings, folder: Path) -> Settings:
    """The same settings over an empty home."""
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


def _ingest(memory: Vademecum, sessions: Sequence[SetSession], folder: Path, tally: _Tally) -> None:
    folder.mkdir(parents=True)
    for session in sessions:
        _write_transcript(session, folder / f"{_name(session)}.jsonl")
        tally.turns += len(session.turns)
        tally.text_bytes += sum(len(turn["text"].encode("utf-8", "replace")) for turn in session.turns)
    start = time.perf_counter()
    memory.maintenance.capture((str(folder),), mine=False)
    tally.ingest_s += time.perf_counter() - start
    start = time.perf_counter()
    memory.maintenance.refine()
    tally.vectors_s += time.perf_counter() - start


def _write_transcript(session: SetSession, path: Path) -> None:
    lines = [{"type": "session", "id": _name(session), "time": session.time}]
    lines += [
        {"id": str(turn["id"]), "speaker": turn["speaker"], "text": turn["text"], "time": session.time}
        for turn in session.turns
    ]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8", errors="replace")


def _name(session: SetSession) -> str:
    return f"{session.scope}--{session.id}".replace("/", "_")


def _order(sessions: Iterable[SetSession]) -> dict[str, list[str]]:
    """Scope -> item keys of its sessions in the order in which they happened."""
    order: dict[str, list[str]] = defaultdict(list)
    for session in sessions:
        order[session.scope].append(f"session://plain/{_name(session)}")
    return order


def _ask(memory: Vademecum, query: SetQuery, order: Sequence[str], profile: str, tally: _Tally) -> None:
    hidden = frozenset(order[query.visible :]) if query.visible is not None else frozenset()
    start = time.perf_counter()
    open_answer = memory.recall.ask(Query(query.text, Scope(without=hidden), profile, RANKED, gated=False))
    tally.ms.append((time.perf_counter() - start) * 1000)
    tally.missing.update(open_answer.missing)
    turn_rank, session_rank = _rankings(open_answer, query.scope)
    if query.gold_turns:
        row = measures(turn_rank, query.gold_turns)
        tally.turn[query.category].append(row)
        if query.category != ADVERSARIAL:
            gated = memory.recall.ask(Query(query.text, Scope(without=hidden), profile, RANKED))
            tally.kept.append((measures(_rankings(gated, query.scope)[0], query.gold_turns)["recall@10"], row["recall@10"]))
    if query.gold_sessions:
        tally.session[query.category].append(measures(session_rank, query.gold_sessions))


def _rankings(answer: Recall, scope: str) -> tuple[list[str], list[str]]:
    """Turn ids and session ids as the set names them, best first. Those of other scopes keep their place."""
    turns = [_own(hit.item.key, scope, hit.passage.ref) for hit in answer.hits]
    sessions = [_own(key, scope, key.rsplit("--", 1)[-1]) for key, _ in answer.items]
    return list(dict.fromkeys(turns)), list(dict.fromkeys(sessions))


def _own(key: str, scope: str, name: str) -> str:
    """`name` when the item belongs to the scope that was asked, else something no gold answer is called."""
    own = key.startswith(f"session://plain/{scope.replace('/', '_')}--")
    return name if own else f"{key} {name}"


def _ask_unrelated(memory: Vademecum, foreign: Sequence[SetQuery], recall_set: RecallSet, profile: str, tally: _Tally) -> None:
    """Questions whose answers are elsewhere: anything recalled is wrong."""
    share = max(1, UNRELATED_QUESTIONS // len(recall_set.scopes))
    step = max(1, len(foreign) // share)
    for query in foreign[::step][:share]:
        tally.injected_unrelated.append(float(bool(memory.recall.ask(Query(query.text, profile=profile)).hits)))


def _report(recall_set: RecallSet, settings: Settings, pooled: bool, profile: str, tally: _Tally) -> dict[str, Any]:
    categories = sorted({query.category for query in recall_set.queries})
    kept, possible = sum(gated for gated, _ in tally.kept), sum(full for _, full in tally.kept)
    return {
        "file": Path(recall_set.path).name,
        "pooled": pooled,
        "scopes": len(recall_set.scopes),
        "turns": tally.turns,
        "queries": len(recall_set.queries),
        "turn": _totals(tally.turn),
        "session": _totals(tally.session),
        "by_category": {
            name: {"turn": mean_of(tally.turn[name]), "session": mean_of(tally.session[name])} for name in categories
        },
        "gate": {
            "unrelated_asked": len(tally.injected_unrelated),
            "unrelated_injected": round(sum(tally.injected_unrelated) / len(tally.injected_unrelated), 4)
            if tally.injected_unrelated
            else None,
            "answerable_recall_kept": round(kept / possible, 4) if possible else None,
        },
        "ms": {"p50": round(percentile(tally.ms, 0.5), 2), "p95": round(percentile(tally.ms, 0.95), 2)},
        "ingest": {
            "turns_per_s": round(tally.turns / tally.ingest_s, 1),
            "vectors_per_s": round(tally.turns / max(tally.vectors_s, 1e-9), 1),
        },
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "index_bytes_per_text_byte": round(tally.index_bytes / tally.text_bytes, 3) if tally.text_bytes else None,
        "missing": sorted(tally.missing),
        "settings": {"profile": profile, "embedder": settings.embedder, "quick_embedder": settings.quick_embedder},
    }


def _totals(by_category: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    """Means over all questions that have a right answer, with intervals of the two that are quoted most."""
    rows = [row for category, found in by_category.items() if category != ADVERSARIAL for row in found]
    means: dict[str, Any] = mean_of(rows)
    for name in ("recall@5", "recall@10"):
        if rows:
            means[f"{name} 95%"] = list(interval([row[name] for row in rows]))
    return means
