"""Ask the compared memories one after the other, and summarise results and resources."""

import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from vademecum import __version__
from vademecum.domain.tokens import estimate_tokens
from vademecum_bench.metrics import interval, percentile
from vademecum_bench.peers.delivered import BUDGET_TOKENS, Gold, share_delivered, within
from vademecum_bench.peers.process import PeerProcess, disk_mb, environment
from vademecum_bench.peers.sample import ScopeSample, Size, sampled
from vademecum_bench.peers.table import PeerFailed, Row, install
from vademecum_bench.recall_set import read_recall_set
from vademecum_bench.results import RESULTS, read_result, save_result

#: Items in the second measure, and items requested for the token budget.
FEW, MANY = 5, 20


class Run(NamedTuple):
    """Parameters of a comparison.

    Attributes:
        cache: folder of the environments.
        python: interpreter for them.
        timeout_s: limit of one request.
    """

    cache: Path
    python: str
    timeout_s: float
    size: Size


@dataclass(slots=True)
class _Tally:
    """Results of one memory: share of right answers of each question by measure, and resources."""

    shares: dict[str, list[float]] = field(default_factory=lambda: {"own": [], "few": [], "budget": []})
    items: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    unrelated: list[bool] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)
    ingest_cpu_s: float = 0.0
    turns: int = 0
    text_bytes: int = 0
    peak_mb: float = 0.0
    disk_mb: float = 0.0


def bench_peers(path: Path, rows: Sequence[Row], run: Run, tell: Callable[[str], None]) -> dict[str, Any]:
    """Return the figures of each memory on the same part of a recall set; for one that failed, the reason.

    Raises:
        InvalidInput: the file is no recall set.
    """
    scopes = sampled(read_recall_set(path), run.size)
    found: dict[str, Any] = {}
    for row in rows:
        tell(f"{row.name} on {path.name}")
        tally = _Tally()
        try:
            install(row, run.cache, run.python, tell)
            for scope in scopes:
                with tempfile.TemporaryDirectory(prefix="vade-peers-") as folder:
                    _one_scope(row, scope, Path(folder), run, tally)
        except PeerFailed as failure:
            found[row.name] = {"failed": str(failure), "version": row.version}
        else:
            found[row.name] = {**_figures(tally), "version": _version(row)}
        found[row.name]["measured"] = f"{datetime.now(UTC):%Y-%m-%d}"
    return {
        "scopes": len(scopes),
        "questions": sum(len(scope.questions) for scope in scopes),
        "unrelated": sum(len(scope.unrelated) for scope in scopes),
        "seed": run.size.seed,
        "peers": found,
    }


def _version(row: Row) -> str:
    """Return the version that was asked: the pinned one, or the one installed here."""
    if row.adapter[0] == "use_vademecum":
        return __version__
    if row.programs:
        printed = subprocess.run([row.programs[0], "--version"], capture_output=True, text=True, check=True).stdout
        return printed.split()[1]
    return row.version or sqlite3.sqlite_version


def _one_scope(row: Row, scope: ScopeSample, folder: Path, run: Run, tally: _Tally) -> None:
    store = folder / "store"
    store.mkdir()
    cached = row.folder(run.cache) / "cache" if row.packages else folder / "cache"  # only downloads are kept
    variables = environment(folder / "home", row.path(run.cache), cached)
    process = PeerProcess(row.command(run.cache, store), variables, folder / "errors.txt", run.timeout_s)
    try:
        process.do(do="ready")
        _ask_scope(process, scope, tally, takes_number=row.takes_number)
        tally.disk_mb += disk_mb(store) + disk_mb(folder / "home")
        process.close()
    finally:
        process.end()
        tally.peak_mb = max(tally.peak_mb, process.peak_mb)


def _ask_scope(process: PeerProcess, scope: ScopeSample, tally: _Tally, *, takes_number: bool) -> None:
    """Ingest what existed before each question, and ask it; then ask the questions without an answer."""
    gold, taken = Gold(scope.sessions), 0
    for query in scope.questions:
        wanted = len(scope.sessions) if query.visible is None else query.visible
        if wanted > taken:
            new = scope.sessions[taken:wanted]
            taken = wanted
            sessions = [{"id": one.id, "time": one.time, "turns": list(one.turns)} for one in new]
            tally.ingest_cpu_s += process.do(do="ingest", sessions=sessions).cpu_s
            tally.turns += sum(len(one.turns) for one in new)
            tally.text_bytes += sum(len(turn["text"].encode("utf-8", "replace")) for one in new for turn in one.turns)
        if query is scope.questions[0]:
            process.do(do="ask", question=query.text, limit=None)  # warm-up: loading at the first question is not counted
        right = gold.of(query)
        done = process.do(do="ask", question=query.text, limit=None)
        own = done.answer["items"]
        few, many = (
            process.do(do="ask", question=query.text, limit=limit).answer["items"] if takes_number else own
            for limit in (FEW, MANY)
        )
        cuts = {"own": own, "few": few[:FEW], "budget": within(many, BUDGET_TOKENS)}
        for measure, items in cuts.items():
            tally.shares[measure].append(share_delivered(right, items))
        tally.items.append(len(own))
        tally.tokens.append(sum(estimate_tokens(item) for item in own))
        tally.cpu_ms.append(done.cpu_s * 1000)
        tally.ms.append(done.wall_s * 1000)
    for question in scope.unrelated:
        tally.unrelated.append(bool(process.do(do="ask", question=question, limit=None).answer["items"]))


def _figures(tally: _Tally) -> dict[str, Any]:
    asked = len(tally.items)
    figures: dict[str, Any] = {}
    for measure, shares in tally.shares.items():
        whole = [float(share == 1) for share in shares]
        figures[measure] = {
            "all": _mean(whole),
            "all 95%": list(interval(whole)),
            "any": _mean([float(share > 0) for share in shares]),
            "share": _mean(shares),
        }
    right = sum(share == 1 for share in tally.shares["own"])
    return {
        **figures,
        "items": round(sum(tally.items) / asked, 1),
        "tokens": round(sum(tally.tokens) / asked),
        "tokens_per_right": round(sum(tally.tokens) / right) if right else None,
        "unrelated_answered": _mean([float(one) for one in tally.unrelated]) if tally.unrelated else None,
        "cpu_ms": round(sum(tally.cpu_ms) / asked, 1),
        "ms_p50": round(percentile(tally.ms, 0.5), 1),
        "ingest_cpu_s_per_1000_turns": round(tally.ingest_cpu_s / tally.turns * 1000, 2),
        "peak_mb": round(tally.peak_mb),
        "disk_per_text": round(tally.disk_mb * 1024 * 1024 / tally.text_bytes, 1),
    }


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)


def save_figures(path: Path, figures: dict[str, Any], command: str) -> None:
    """Write the figures of a set, merged with those of other memories for the same questions."""
    name = f"peers-{path.stem}"
    before = read_result(name, RESULTS)
    of_sample = {key: value for key, value in figures.items() if key != "peers"}
    if before and {key: value for key, value in before["figures"].items() if key != "peers"} == of_sample:
        figures = {**of_sample, "peers": before["figures"]["peers"] | figures["peers"]}
    save_result(name, path.stem, command, figures, RESULTS)
