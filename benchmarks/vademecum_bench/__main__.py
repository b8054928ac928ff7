"""`make bench`: measure, write each result to benchmarks/results/ as JSON, and regenerate docs/benchmarks.md.

Recall sets are expected in ../shared/data/recall; the row of a missing one keeps its last result.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from vademecum_bench.agents import agents_figures
from vademecum_bench.commands import bench
from vademecum_bench.page import ROWS, write_page
from vademecum_bench.results import RESULTS, save_result

ROOT = Path(__file__).parents[2]
SETS = ROOT.parent / "shared" / "data" / "recall"
VADE = (sys.executable, "-m", "vademecum")


class Part(NamedTuple):
    """The measurement of one row.

    Attributes:
        about: the set, as named on the page.
        command: arguments after `vade bench`.
        small: the same with less data, as a smoke test.
    """

    about: str
    command: tuple[str, ...]
    small: tuple[str, ...]


#: Name of a row -> its measurement. `lives` requires a person who reads each line.
PARTS = {
    "mixed": Part("61 memories and 180 questions of ours", ("mixed",), ("mixed",)),
    "hook": Part(
        "1,000 generated memories, 50 calls, whole processes",
        ("hook", "--memories", "1000", "--calls", "50"),
        ("hook", "--memories", "100", "--calls", "3"),
    ),
    "latency": Part("generated notes with Zipf's word frequencies", ("latency",), ("latency", "--memories", "200")),
    "ingest": Part(
        "made transcripts of four hosts",
        ("ingest", "--megabytes", "60", "--files", "130"),
        ("ingest", "--megabytes", "2", "--files", "5"),
    ),
}
#: Row of a recall set -> the set, as named on the page.
RECALL_SETS = {
    "realtalk": "REALTALK, held out",
    "locomo": "LoCoMo, ten chats",
    "memdaily-300": "MemDaily, 300 Chinese days",
    "beam-100k": "BEAM-100K, twenty chats",
    "realmem-5": "RealMem, five persons",
}


def measured(command: tuple[str, ...]) -> dict[str, Any]:
    """Run one `vade bench` command and return its figures."""
    done = subprocess.run([*VADE, "bench", *command, "--json"], check=True, capture_output=True, text=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    figures.pop("every", None)  # the single questions of `mixed`; the shares are enough
    figures.pop("wrong", None)
    return figures


def tasks(small: bool) -> dict[str, tuple[str, str, Callable[[], dict[str, Any]]]]:
    """Return row -> (set, command as a person types it, function that measures it), for each row that can be measured here."""
    found: dict[str, tuple[str, str, Callable[[], dict[str, Any]]]] = {}
    for name, part in PARTS.items():
        command = part.small if small else part.command
        found[name] = (part.about, f"vade bench {' '.join(command)}", partial(measured, command))
    found["agents"] = ("the list as a client gets it", "python -m vademecum_bench --only agents", agents_figures)
    for name, about in RECALL_SETS.items():
        file = SETS / f"{name}.jsonl"
        if file.exists() and not small:
            command = ("recall", str(file))
            found[name] = (about, f"vade bench recall {file.name}", partial(measured, command))
    return found


@click.command(context_settings={"ignore_unknown_options": True})
@click.option(
    "--only", multiple=True, type=click.Choice(sorted(ROWS)), help="Measure this row only. May be given several times."
)
@click.option("--small", is_flag=True, help="Measure on less, to see that it works; results are not saved.")
@click.argument("unknown", nargs=-1, type=click.UNPROCESSED, metavar="")
def main(only: tuple[str, ...], small: bool, unknown: tuple[str, ...]) -> None:
    """Measure every available row, save the results, and write docs/benchmarks.md."""
    if unknown:
        names = ", ".join(f"vade bench {name}" for name in sorted(bench.commands))
        raise click.UsageError(f"This measures everything and does not know {unknown[0]!r}. One part by itself: {names}.")
    here = tasks(small)
    for name in only or here:
        if name not in here:
            raise click.UsageError(
                f"{name} cannot be measured here: its set is not in {SETS}, or a person must read its lines."
            )
        about, command, measure = here[name]
        click.echo(f"{name}: {command}")
        figures = measure()
        if small:
            click.echo(" | ".join(ROWS[name].shown(figures)))
        else:
            save_result(name, about, command, figures, RESULTS)
    if not small:
        write_page()


if __name__ == "__main__":
    main()
