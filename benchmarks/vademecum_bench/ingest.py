"""`vade bench ingest`: read transcripts into an empty memory: speed, size, completeness, and the cost of a session's end."""

import dataclasses
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from vademecum.api import Vademecum
from vademecum.domain.host import HookEvent
from vademecum.entrypoints.daemon.memory_usage import peak_mb
from vademecum.settings import Settings
from vademecum.wiring import open_memory
from vademecum_bench.generate import Generator
from vademecum_bench.latency import quote_figures
from vademecum_bench.talk import Talk, Talker

Progress = Callable[[str, int, int], None]

#: Sizes in megabytes of sessions that grow, and exchanges appended to each.
GROWN_MEGABYTES, GROWN_EXCHANGES = (5, 50), 2
#: Seconds during which vectors are computed, to extrapolate the total.
EMBEDDED_S = 20.0
QUERIES = 200


def bench_ingest(
    settings: Settings,
    path: Path | None,
    *,
    megabytes: float,
    files: int,
    progress: Progress,
    grown: tuple[int, ...] = GROWN_MEGABYTES,
) -> dict[str, Any]:
    """Return all figures as one JSON object. Transcripts are never changed; the memory is in a temporary folder.

    Args:
        path: transcripts; None: `megabytes` of synthetic ones in `files` files.
        grown: sizes of the sessions that grow, in megabytes.
    """
    with tempfile.TemporaryDirectory(prefix="vade-bench-") as name:
        folder = Path(name)
        talker = Talker()
        made: list[Talk] = []
        if path is None:
            path = folder / "talk"
            for talk in talker.write(path, megabytes, files):
                made.append(talk)
                progress("writing transcripts", len(made), files)
        figures = _ingest_figures(_lexical(settings, folder / "lexical"), path, made, progress)
        figures |= _later_figures(_here(settings, folder / "whole"), path, progress)
        figures["grown"] = [_grown_figures(settings, folder / f"grown-{size}", talker, size) for size in grown]
        return {"made": bool(made), **figures}


def _here(settings: Settings, folder: Path) -> Settings:
    """Return the person's settings with all paths in a temporary folder."""
    (folder / "home").mkdir(parents=True)
    return dataclasses.replace(
        settings, home=str(folder / "home"), vault="", projects=(), data_dir=str(folder / "data"), transcripts=(), enabled=True,
        archive=True, archive_mb=0, archive_days=0,
    )  # fmt: skip


def _lexical(settings: Settings, folder: Path) -> Settings:
    return dataclasses.replace(_here(settings, folder), embedder="none")


def _ingest_figures(here: Settings, path: Path, made: list[Talk], progress: Progress) -> dict[str, Any]:
    """Measure the first reading with words and archive only, its completeness, and exact search over it."""
    with open_memory(here, progress=progress) as memory:
        start, cpu = time.perf_counter(), _cpu_s()
        report = memory.maintenance.capture((str(path),))
        wall, used = time.perf_counter() - start, _cpu_s() - cpu
        size = memory.context.storage.archive.size() if memory.context.storage.archive else None
        read = size.source_bytes if size else 0
        said = _said(memory)
        figures: dict[str, Any] = {
            "files": len(report.sessions) + report.unchanged,
            "megabytes": round(read / 1e6, 1),
            "strange_files": report.unrecognised,
            "problems": len(report.problems),
            "seconds": round(wall, 2),
            "cpu_seconds": round(used, 2),
            "mb_per_s": round(read / 1e6 / wall, 2),
            "mb_per_cpu_s": round(read / 1e6 / used, 2),
            "turns": sum(sum(one.turns.values()) for one in report.sessions),
            "passages": memory.context.index.stats().passages,
            "prompts_found": sum(map(len, said.values())),
            "memories_proposed": sum(len(one.saved) for one in report.sessions),
        }
        if made:
            figures |= _compared(made, said)
        figures["exact_search"] = quote_figures(memory, QUERIES, Generator(9))
    figures |= _sizes(Path(here.data_dir), read)
    figures["peak_rss_mb"] = round(peak_mb(), 1)
    return figures


def _said(memory: Vademecum) -> dict[str, list[str]]:
    """Return session -> the beginning of each turn of the person in it, from the index."""
    found: dict[str, list[str]] = {}
    for key in memory.context.index.fingerprints():
        if not key.startswith("session://"):
            continue
        texts: dict[int, str] = {}
        for stored in memory.context.index.passages_of(key):
            if stored.passage.role == "user" and stored.passage.speaker == "user":
                texts.setdefault(stored.passage.turn, stored.passage.text)
        found[key] = [_beginning(text) for text in texts.values()]
    return found


def _beginning(text: str) -> str:
    return " ".join(text.split())[:80]


def _compared(made: Iterable[Talk], said: dict[str, list[str]]) -> dict[str, int]:
    """Compare the prompts in synthetic sessions with the indexed ones."""
    expected = Counter((talk.session, _beginning(prompt)) for talk in made for prompt in talk.prompts)
    found = Counter((session, text) for session, texts in said.items() for text in texts)
    return {
        "prompts_expected": sum(expected.values()),
        "prompts_missed": sum((expected - found).values()),
        "prompts_invented": sum((found - expected).values()),
    }


def _sizes(data: Path, read: int) -> dict[str, Any]:
    archive = sum(file.stat().st_size for file in data.glob("archive.db*"))
    index = sum(file.stat().st_size for file in data.glob("index.db*"))
    return {
        "index_mb": round(index / 1e6, 2),
        "archive_mb": round(archive / 1e6, 2),
        "index_share": round(index / max(read, 1), 3),
        "archive_share": round(archive / max(read, 1), 3),
        "share": round((index + archive) / max(read, 1), 3),
    }


def _later_figures(here: Settings, path: Path, progress: Progress) -> dict[str, Any]:
    """Measure with vectors: compute a part of them, to extrapolate time and size of all."""
    with open_memory(here, progress=progress) as memory:
        memory.maintenance.capture((str(path),))
        read = memory.context.storage.archive.size().source_bytes if memory.context.storage.archive else 0
        without = _sizes(Path(here.data_dir), read)["share"]
        start, cpu = time.perf_counter(), _cpu_s()
        made = memory.maintenance.refine(seconds=EMBEDDED_S)
        took, used = time.perf_counter() - start, _cpu_s() - cpu
        waiting = memory.maintenance.status().waiting
        added = _sizes(Path(here.data_dir), read)["share"] - without
    whole = made + waiting
    return {
        "vectors": {
            "measured": made,
            "of": whole,
            "seconds": round(took, 2),
            "cpu_seconds": round(used, 2),
            "cores": round(used / took, 2) if took else 0.0,
            "minutes_for_all": round(took / made * whole / 60, 1) if made else None,
            "share": round(without + added / made * whole, 3) if made else None,
        },
    }


def _grown_figures(settings: Settings, folder: Path, talker: Talker, megabytes: int) -> dict[str, Any]:
    """Measure the end of a session that grew by a few turns: read, archived and handed over, as by the helper."""
    with open_memory(_lexical(settings, folder)) as memory:
        talk = talker.session(folder / "talk", "claude-code", int(megabytes * 1e6))
        memory.maintenance.capture((str(talk.path),))
        took, used = [], []
        for _ in range(3):
            talker.grow(talk, GROWN_EXCHANGES)
            start, cpu = time.perf_counter(), _cpu_s()
            memory.sessions.record(HookEvent("claude-code", "end", "SessionEnd", talk.path.stem, transcript=str(talk.path)))
            report = memory.sessions.process_due()
            took.append(time.perf_counter() - start)
            used.append(_cpu_s() - cpu)
            if [one.stage for one in report.sessions] != ["processed"]:
                raise AssertionError(f"{talk.session} was not attended to: {report}")
    return {"megabytes": megabytes, "seconds": round(sorted(took)[1], 3), "cpu_seconds": round(sorted(used)[1], 3)}


def _cpu_s() -> float:
    """Return the CPU seconds of this process and of its finished child processes."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
