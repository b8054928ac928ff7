"""`make bench`: measures, and writes docs/benchmarks.md with machine and date. Takes about an hour; figures are of one run.

Recall sets are looked for in ../shared/data/recall; what is not there is left out and said so.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from vademecum_bench.agents import agents_table
from vademecum_bench.commands import bench
from vademecum_bench.generate import Generator, write_notes
from vademecum_bench.metrics import percentile

ROOT = Path(__file__).parents[2]
SETS = ROOT.parent / "shared" / "data" / "recall"
PAGE = ROOT / "docs" / "benchmarks.md"
VADE = (sys.executable, "-m", "vademecum")
COLD_RUNS = 7


def vade(*arguments: str, config: Path | None = None) -> str:
    """Standard output of one command."""
    chosen = ("--config", str(config)) if config else ()
    return subprocess.run([*VADE, *chosen, *arguments], check=True, capture_output=True, text=True).stdout


def recall_tables() -> list[str]:
    """Return quality and speed on each recall set, apart and pooled, without and with the gate, beside the plain way."""
    lines = [
        "| set | index | turn recall@10 | gated | 95 % over scopes | plain FTS5 | plain FTS5, a turn with its neighbours"
        " | session recall@5 | gated | plain FTS5 | ms p50 / p95 |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    gates = [
        "| set | index | have vectors | turn recall@10, gated | session recall@5, gated | unrelated questions that get something |",
        "|---|---|---|---|---|---|",
    ]
    categories = ["| set | category | turn recall@10 | session recall@5 |", "|---|---|---|---|"]
    for path in sorted(SETS.glob("*.jsonl")):
        for pooled in (False, True):
            how = ["--pooled"] if pooled else ["--vectors", "0,50,100"]
            found = json.loads(vade("bench", "recall", "--json", *how, str(path)))
            lines.append(_recall_row(found))
            gates += [_gate_row(found, share, figures) for share, figures in found["by_share"].items()]
            if not pooled:
                categories += [_category_row(path.stem, name, both) for name, both in found["by_category"].items()]
    return [*lines, "", *gates, "", *categories]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _gate_row(found: dict[str, Any], share: str, figures: dict[str, float | None]) -> str:
    both = [
        f"{_share(figures[f'{level} {name}'])}, {_share(figures[f'gated_{level} {name}'])}"
        for level, name in (("turn", "recall@10"), ("session", "recall@5"))
    ]
    unrelated = figures["unrelated_injected"]
    told = "-" if unrelated is None else f"{unrelated:.1%}"
    return f"| {found['file'].removesuffix('.jsonl')} | {_how(found)} | {share} % | {both[0]} | {both[1]} | {told} |"


def _how(found: dict[str, Any]) -> str:
    return "pooled" if found["pooled"] else "per scope"


def _recall_row(found: dict[str, Any]) -> str:
    turn, session, gated, floor = found["turn"], found["session"], found["gated"], found["floor"]
    low, high = turn.get("recall@10 95%") or session["recall@5 95%"]
    return (
        f"| {found['file'].removesuffix('.jsonl')} | {_how(found)} | **{_share(turn.get('recall@10'))}**"
        f" | {_share(gated['turn'].get('recall@10'))} | {low:.3f} to {high:.3f}"
        f" | {_share(floor.get('turn recall@10'))} | {_share(floor.get('windowed turn recall@10'))}"
        f" | **{_share(session.get('recall@5'))}** | {_share(gated['session'].get('recall@5'))} | {_share(floor.get('session recall@5'))}"
        f" | {found['ms']['p50']:.1f} / {found['ms']['p95']:.1f} |"
    )


def _category_row(name: str, category: str, both: dict[str, dict[str, float]]) -> str:
    turn, session = both["turn"] or {}, both["session"] or {}
    return f"| {name} | {category} | {turn.get('recall@10', 0):.3f} | {session.get('recall@5', 0):.3f} |"


def latency_table(sizes: tuple[int, ...]) -> list[str]:
    """Sync, recall, briefing, memory and disk on generated notes."""
    found = [json.loads(vade("bench", "latency", "--json", "--memories", str(size))) for size in sizes]
    names = [
        ("sync_s", "first sync, words answer (s)"),
        ("sync_unchanged_s", "sync, nothing changed (s)"),
        ("sync_one_changed_s", "sync, one note changed (s)"),
        ("as_of_first_s", "a list as of a moment, the first (s)"),
        ("as_of_again_s", "the same again (s)"),
        ("memories_embedded_minutes", "vectors of memories, which come first (min of one processor)"),
        ("all_embedded_minutes", "vectors of all passages (min of one processor)"),
        ("recall_ms", "recall, question embedded, p50 / p95 / p99 (ms)"),
        ("recall_mistyped_ms", "the same with a wrong letter in each longer word, profile `agent`, p50 / p95 / p99 (ms)"),
        ("topics_first_ms", "topics of a text, 500 topics, the first in a process (ms)"),
        ("topics_ms", "topics of a text, embedded, p50 / p95 / p99 (ms)"),
        ("briefing_ms", "briefing (ms)"),
        ("peak_rss_mb", "peak memory (MB)"),
        ("index_mb", "index (MB)"),
        ("index_bytes_per_text_byte", "index bytes per byte of text"),
    ]
    lines = ["| | " + " | ".join(f"{size:,} notes" for size in sizes) + " |", "|---|" + "---|" * len(sizes)]
    for key, meaning in names:
        lines.append(f"| {meaning} | " + " | ".join(_cell(one[key]) for one in found) + " |")
    return lines


def lint_line(notes: int) -> str:
    """Return how long it takes to look through all notes."""
    found = json.loads(vade("bench", "lint", "--json", "--notes", str(notes)))
    return (
        f"`vade lint` (`vade bench lint`) looks through {found['notes']:,} notes that link to each other, half of them memories, in"
        f" {found['seconds']} s, {found['cpu_seconds']} s of them processor time; aim: 20,000 in 20 s."
    )


def _cell(value: Any) -> str:
    return " / ".join(f"{part:.1f}" for part in value.values()) if isinstance(value, dict) else f"{value:g}"


def cold_table(notes: int) -> list[str]:
    """CPU seconds of whole processes: a question, a save, help; beside a bare interpreter."""
    with tempfile.TemporaryDirectory(prefix="vade-cold-") as name:
        folder = Path(name)
        environment = _as_installed(folder)
        config = folder / "config.toml"
        config.write_text(
            f'home = "{folder}/home"\ndata_dir = "{folder}/data"\ncache_dir = "{folder}/cache"\n', encoding="utf-8"
        )
        (folder / "home").mkdir()
        text = [text for _, text in write_notes(folder / "home", notes, Generator())][notes // 2]
        vade("sync", "--quick", config=config)
        question = "what about " + " ".join(text.split()[:5])
        commands = {
            "python -c pass": (sys.executable, "-c", "pass"),
            "vade --help": (*VADE, "--help"),
            "vade recall (hybrid)": (*VADE, "--config", str(config), "recall", question),
            "vade briefing": (*VADE, "--config", str(config), "briefing"),
        }
        lines = [f"| whole process, {notes:,} notes | CPU s, median | p95 | peak memory MB |", "|---|---|---|---|"]
        for label, command in commands.items():
            peak = _peak_mb(command, environment)  # also the warm-up
            seconds = sorted(_cpu_seconds(command, environment) for _ in range(COLD_RUNS))
            lines.append(f"| `{label}` | {percentile(seconds, 0.5):.3f} | {percentile(seconds, 0.95):.3f} | {peak:.0f} |")
        return lines


def ingest_table(megabytes: int, files: int) -> list[str]:
    """Made transcripts read into an empty memory."""
    found = json.loads(vade("bench", "ingest", "--json", "--megabytes", str(megabytes), "--files", str(files)))
    quotes, vectors = found["exact_search"], found["vectors"]
    grown = "; ".join(f"{one['megabytes']} MB: {one['seconds']} s ({one['cpu_seconds']} s CPU)" for one in found["grown"])
    rows = [
        ("read, words and archive, wall (CPU)", f"{found['seconds']} s ({found['cpu_seconds']} s)", "180 s"),
        ("MB a second; of CPU", f"{found['mb_per_s']}; {found['mb_per_cpu_s']}", "3.9"),
        (
            "index + archive, share of the input",
            f"{found['index_share']} + {found['archive_share']} = {found['share']}",
            "0.35",
        ),
        ("the same with vectors of all passages", str(vectors["share"]), ""),
        (
            "prompts of the person: made, missed, invented",
            f"{found['prompts_expected']}, {found['prompts_missed']}, {found['prompts_invented']}",
            "none missed, none invented",
        ),
        ("a session that grew, at its end: archived and handed over", grown, "0.3 s"),
        ("exact search, p50 / p95 (ms)", f"{quotes['quote_ms']['p50']} / {quotes['quote_ms']['p95']}", "p95 20"),
        (
            "vectors in the background",
            f"{vectors['minutes_for_all']} min for {vectors['of']:,} passages, at {vectors['cores']} cores"
            f" (measured for {vectors['measured']} of them)",
            "30 min",
        ),
        ("peak memory while reading (MB)", str(found["peak_rss_mb"]), ""),
    ]
    head = [f"| {found['megabytes']:.0f} MB in {found['files']:,} transcripts | measured | aim |", "|---|---|---|"]
    return [*head, *(f"| {name} | {value} | {aim} |" for name, value, aim in rows)]


def _as_installed(folder: Path) -> dict[str, str]:
    """The environment of a process whose modules are compiled, as those of an installed package are."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}


def _cpu_seconds(command: tuple[str, ...], environment: dict[str, str]) -> float:
    before = _children_cpu_s()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return _children_cpu_s() - before


def _children_cpu_s() -> float:
    """Return processor seconds of the processes that this one has started and that ended; 0 on Windows, which does not tell."""
    if sys.platform == "win32":
        return 0.0
    import resource  # noqa: PLC0415 -- Windows has none

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _peak_mb(command: tuple[str, ...], environment: dict[str, str]) -> float:
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], capture_output=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    done = subprocess.run([sys.executable, "-c", script, *command], check=True, capture_output=True, text=True, env=environment)
    return float(done.stdout)


def machine() -> str:
    """What it ran on."""
    cores = (
        len(Path("/proc/cpuinfo").read_text(encoding="utf-8").split("processor\t")) - 1 if Path("/proc/cpuinfo").exists() else 0
    )
    return f"{platform.machine()}, {cores or 'some'} cores, Python {platform.python_version()}, {platform.system()}"


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--small", is_flag=True, help="Measure on less, to see that it works.")
@click.argument("unknown", nargs=-1, type=click.UNPROCESSED, metavar="")
def main(small: bool, unknown: tuple[str, ...]) -> None:
    """Measure everything and write docs/benchmarks.md. Takes about an hour."""
    if unknown:
        names = ", ".join(f"vade bench {name}" for name in sorted(bench.commands))
        raise click.UsageError(f"This measures everything and does not know {unknown[0]!r}. One part by itself: {names}.")
    parts = [
        "# Benchmarks",
        "",
        f"Written by `make bench` on {datetime.now(UTC):%Y-%m-%d}: {machine()}. Its parts are measured",
        "one after the other; times are wall times of a machine that was doing other things too, so compare within a table.",
        "What was tried and dropped is in [experiments](experiments.md).",
        "",
        "## Recall",
        "",
        "Each session is captured as a transcript, each question asked as a prompt (`vade bench recall`). *Plain FTS5* is twenty lines of",
        "SQLite in the same run: stop-words out, words joined by OR, BM25. Aims: turn recall@10 / session recall@5.",
        "",
        *(recall_tables() if SETS.exists() else ["The recall sets are not on this machine."]),
        "",
        "## Speed",
        "",
        "Generated notes with Zipf's word frequencies (`vade bench latency`). Vectors are drawn at random there, which costs the",
        "same to search; questions are embedded by the real model.",
        "",
        *latency_table((1_000, 5_000) if small else (5_000, 20_000, 100_000)),
        "",
        lint_line(2_000 if small else 20_000),
        "",
        "## Reading conversations",
        "",
        "Made transcripts of four hosts with the shares of real ones (`vade bench ingest`).",
        "",
        *ingest_table(*((20, 45) if small else (700, 1500))),
        "",
        "## Cold start",
        "",
        "Modules compiled, as an installed package has them; page cache warm.",
        "",
        *cold_table(1_000 if small else 5_000),
        "",
        "## Agents",
        "",
        *agents_table(),
    ]
    PAGE.write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
