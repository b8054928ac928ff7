"""`vade bench lint`: the time to check all notes, on generated ones that link to each other."""

import dataclasses
import tempfile
import time
from pathlib import Path
from typing import Any

from vademecum.plugins.lint.run import lint
from vademecum.settings import Settings
from vademecum.wiring import open_memory
from vademecum_bench.generate import Generator, write_notes
from vademecum_bench.latency import Progress


def bench_lint(settings: Settings, *, notes: int, progress: Progress) -> dict[str, Any]:
    """Return wall-clock and CPU seconds; half of the notes are memories, half the person's own."""
    with tempfile.TemporaryDirectory(prefix="vade-bench-") as name:
        folder = Path(name)
        vault, home = folder / "vault", folder / "vault" / "Vademecum"
        home.mkdir(parents=True)
        (vault / ".obsidian").mkdir()
        here = dataclasses.replace(
            settings, home=str(home), vault=str(vault), projects=(), data_dir=str(folder / "data"), transcripts=(),
            enabled=True, archive=False,
        )  # fmt: skip
        generator = Generator()
        for place, count in ((home, notes // 2), (vault / "Own", notes - notes // 2)):
            _linked(place, count, generator)
        with open_memory(here, progress=progress) as memory:
            memory.maintenance.sync(confirm_loss=True)
            began, worked = time.perf_counter(), time.process_time()
            found = lint(memory.context)
            seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    return {"notes": found.notes, "seconds": round(seconds, 1), "cpu_seconds": round(cpu, 1), "findings": len(found.findings)}


def _linked(place: Path, count: int, generator: Generator) -> None:
    """Write notes that each link to two others, and every hundredth also to a missing one."""
    written = [path for path, _ in write_notes(place, count, generator)]
    for number, path in enumerate(written):
        others = [generator.chance.choice(written).stem for _ in range(2)] + (["nowhere"] if number % 100 == 0 else [])
        with path.open("a", encoding="utf-8") as file:
            file.write("\nSee " + " and ".join(f"[[{other}]]" for other in others) + ".\n")
