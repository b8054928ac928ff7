"""docs/benchmarks.md, generated from the JSON files in benchmarks/results: a table, weaknesses, how to repeat it."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from vademecum_bench.results import RESULTS

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
Figures = Mapping[str, Any]


class Row(NamedTuple):
    """A row of the table.

    Attributes:
        what: what was measured.
        shown: figures -> (result, baseline of the same run) as text; "" if there is no baseline.
    """

    what: str
    shown: Callable[[Figures], tuple[str, str]]


def percent(share: float) -> str:
    """Return a fraction as a percentage with one digit: 0.54 is "54.0 %"."""
    return f"{share * 100:.1f} %"


def times(figures: Figures) -> str:
    """Return milliseconds as p50 / p95 / p99."""
    return " / ".join(f"{value:.1f}" for value in figures.values())


def recalled(figures: Figures) -> tuple[str, str]:
    """Return the share of right turns (or conversations) shown at prompts; baseline: the previous version or plain FTS5."""
    delivered = figures["delivered"]["hook"]
    level, name = ("turns", "turns") if "turns" in delivered else ("sessions", "conversations")
    shown = f"**{percent(delivered[level])}** of the right {name}"
    if f"{level} 95%" in delivered:
        shown += " ({} to {})".format(*map(percent, delivered[f"{level} 95%"]))
    if "unrelated" in delivered:
        shown += f"; {percent(delivered['unrelated'])} of unrelated questions get something"
    if "baseline" in figures:
        before = figures["baseline"]
        return shown, f"{percent(before[level])}; {percent(before['unrelated'])} ({before['of']})"
    floor = {
        "turns": ("turn recall@10", "plain FTS5, ten turns"),
        "sessions": ("session recall@5", "plain FTS5, five conversations"),
    }
    key, how = floor[level]
    return shown, f"{percent(figures['floor'][key])} ({how})"


def _lines(figures: Figures, moment: str) -> str:
    judged = figures["judged"][moment]
    return f"{judged['useful']} of {judged['lines']} lines useful ({judged['useful'] / judged['lines']:.0%})"


def lived(figures: Figures) -> tuple[str, str]:
    """Return the share of useful lines at prompts and session starts."""
    before = figures["baseline"]
    held = {moment: one["useful"] / one["lines"] for moment, one in figures["held_out"].items()}
    shown = (
        f"prompts: **{_lines(figures, 'prompt')}**, of a person held out {held['prompt']:.0%},"
        f" {figures['judged']['prompt']['tokens_each_useful']} tokens for each; starts: {_lines(figures, 'start')}, of that person"
        f" {held['start']:.0%}, {figures['judged']['start']['tokens_each_useful']} tokens for each, median {figures['start_tokens_median']}"
    )
    base = f"prompts: {_lines(before, 'prompt')}; starts: {_lines(before, 'start')}, {before['start_tokens_median']:,} tokens"
    return shown, f"{base} ({before['of']})"


def mixed(figures: Figures) -> tuple[str, str]:
    """Return how often the right memory is shown on the held-out half, and how often questions without an answer get one."""
    held = figures["held_out"]
    silent = [held[sort] for sort in ("unrelated", "order", "courtesy")]
    wrong = sum(round(sort["shown"] * sort["asked"]) for sort in silent)
    shown = (
        f"**{percent(held['answer']['right'])}** of questions get the right memory,"
        f" {percent(held['across']['right'])} of those in another language;"
        f" {wrong} of {sum(sort['asked'] for sort in silent)} that have no answer get something"
    )
    return shown, f"{percent(held['answer']['ungated'])}; {percent(held['across']['ungated'])} (without the threshold)"


def hooked(figures: Figures) -> tuple[str, str]:
    """Return the time of a prompt and of a session start."""
    helped = figures["with_helper_ms"]
    shown = f"prompt **{times(helped['prompt'])}** ms; session start {times(helped['session_start'])} ms (p50 / p95 / p99)"
    return shown, f"{times(figures['python_alone_ms'])} ms (a Python process that does nothing)"


def ingested(figures: Figures) -> tuple[str, str]:
    """Return the cost of reading conversations, and whether each prompt of the person was found."""
    shown = (
        f"**{figures['cpu_seconds']:.1f} s** of CPU for {figures['megabytes']:.0f} MB; of {figures['prompts_expected']:,} prompts"
        f" {figures['prompts_missed']} missed, {figures['prompts_invented']} invented; index and archive take"
        f" {percent(figures['share'])} of the input"
    )
    return shown, "the prompts that were written into them"


def fast(figures: Figures) -> tuple[str, str]:
    """Return the cost of indexing and searching notes."""
    shown = (
        f"first sync **{figures['sync_cpu_s']:.1f} s** of CPU; a question {times(figures['recall_ms'])} ms (p50 / p95 / p99);"
        f" {figures['peak_rss_mb']:.0f} MB of memory"
    )
    return shown, ""


def listed(figures: Figures) -> tuple[str, str]:
    """Return the tokens of the MCP tool list."""
    return f"**{figures['tokens']:,} tokens**", f"{figures['tokens_all']:,} tokens (all tools listed)"


def guarded(figures: Figures) -> tuple[str, str]:
    """Return how many secrets in corpora of others the guard finds, on the unread half."""
    form, name, wrong = figures["secrets_by_form"], figures["secrets_by_name"], figures["false_secrets"]
    before = figures["baseline"]
    shown = (
        f"**{percent(form[0] / form[1])}** of secrets with a recognisable form, {percent(name[0] / name[1])} of those that only a name"
        f" gives away; {wrong[0]} false one in {wrong[1]:,} turns"
    )
    base = f"{percent(before['secrets_by_form'])}; {percent(before['secrets_by_name'])}; {before['false_secrets'][0]}"
    return shown, f"{base} ({before['of']})"


#: Name of a result -> its row, in the order of the table.
ROWS = {
    "realtalk": Row("Recall at prompts: chats of real people, nothing fitted on them", recalled),
    "locomo": Row("Recall at prompts: chats of two people", recalled),
    "memdaily-300": Row("Recall at prompts: Chinese", recalled),
    "beam-100k": Row("Recall at prompts: long working chats", recalled),
    "realmem-5": Row("Recall at prompts: long prompts of work", recalled),
    "lives": Row("Real sessions of coding agents: lines shown", lived),
    "mixed": Row("A person's memories in five languages, half that nothing was fitted on", mixed),
    "guard": Row("Secrets in texts of others, half that nobody looked at", guarded),
    "hook": Row("Time of a hook", hooked),
    "latency": Row("5,000 notes", fast),
    "ingest": Row("Reading conversations", ingested),
    "agents": Row("Default list of MCP tools", listed),
}

#: Rows in the table; the others are listed below it.
TABLE = ("realtalk", "locomo", "memdaily-300", "beam-100k", "realmem-5", "lives", "mixed", "guard", "hook", "ingest")

#: (results, text): weaknesses, with placeholders for the shares in a result's hook figures.
WEAK = (
    (
        "realmem-5",
        "Long prompts of work get {sessions} of the right conversations. Such a prompt is given only what its rare words touch.",
    ),
    (
        "beam-100k",
        "Long working chats get {turns} of the right turns: their long turns seldom share a line, and at most five lines are shown.",
    ),
    (
        "memdaily-300",
        "{unrelated} of unrelated Chinese questions get something, and plain FTS5 finds more of the right turns in ten.",
    ),
    (
        "realtalk",
        "{unrelated} of unrelated questions about a chat get something, some of them about a chat with the same person.",
    ),
)


def results() -> dict[str, dict[str, Any]]:
    """Return the available results by name, in the order of the table."""
    files = {name: RESULTS / f"{name}.json" for name in ROWS}
    return {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items() if file.exists()}


def page(measured: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the page for these results."""
    lines = [
        "# Benchmarks",
        "",
        HEAD,
        "",
        "| what | result | baseline in the same run | set | command |",
        "|---|---|---|---|---|",
    ]
    for name in TABLE:
        if name in measured:
            lines.append("| " + " | ".join((ROWS[name].what, *_cells(name, measured[name]))) + " |")
    lines += ["", *WORDS, "", "## Where it is weak", ""]
    for name, text in WEAK:
        if name in measured:
            hook = measured[name]["figures"]["delivered"]["hook"]
            lines.append("* " + text.format(**{key: percent(value) for key, value in hook.items() if isinstance(value, float)}))
    if "mixed" in measured:
        across = measured["mixed"]["figures"]["held_out"]["across"]
        lines.append(
            f"* A question in another language than its memory gets the right one in {percent(across['right'])};"
            f" without the threshold it would be {percent(across['ungated'])}."
        )
    lines += [*ALSO_WEAK, "", "## Other figures", ""]
    for name in measured:
        if name not in TABLE:
            shown, baseline, about, command = _cells(name, measured[name])
            beside = "" if baseline == "-" else f" Beside it: {baseline}."
            lines.append(f"* {ROWS[name].what}: {shown}.{beside} Set: {about}. Command: {command}.")
    lines += ["", "## How to repeat it", "", *REPEAT, "", "| result | measured | on |", "|---|---|---|"]
    lines += [f"| {name} | {result['measured']} | {result['machine']} |" for name, result in measured.items()]
    return "\n".join(lines) + "\n"


def _cells(name: str, result: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Return result, baseline, set and command of a row, as text."""
    shown, baseline = ROWS[name].shown(result["figures"])
    return shown, baseline or "-", result["set"], f"`{result['command']}`"


HEAD = """\
How well memory recalls, how much of what it shows is useful, and how fast it is. `make bench` measures and writes this
page; each row is one file of `benchmarks/results/`, with all its figures and its date. Other memories, asked the same, are in
[comparison](measurements/comparison.md)."""

WORDS = """\
*Recall at prompts* is the share of the right turns that a prompt is shown, through the same code as the installed hook,
with its limits and threshold. *Unrelated* questions have their answer in another scope, so they should get nothing.
*Plain FTS5* is twenty lines of SQLite: stop words out, words joined by OR, BM25. Intervals are 95 %, over scopes.""".splitlines()

ALSO_WEAK = """\
* Half of the lines at prompts, and more than three quarters of those at session starts, help nobody in the session that
  they are shown in.
* With 100,000 memories and 1,000,000 turns a prompt takes 83 ms at p95
  ([record](measurements/benchmarks-until-2026-11-27.md#hooks)), three times as long as with 1,000 memories.
* Nothing was measured on macOS and Windows.""".splitlines()

REPEAT = """\
```
make bench                                        # every row that this machine can measure; recall sets take longest
.venv/bin/python -m vademecum_bench --only mixed  # one row
.venv/bin/vade bench recall FILE                  # your own set, one JSON object a line
```

Public sets are not shipped. `make bench` looks for `<name>.jsonl` in `../shared/data/recall` and leaves out a set that is
not there: its row stays as it was, with its date. A set has one line for each session and question:
`{"type": "session", "scope", "id", "time", "turns": [{"id", "speaker", "text"}]}` and
`{"type": "query", "scope", "id", "text", "category", "gold_turns", "gold_sessions", "visible_sessions"}`.

| set | from |
|---|---|
| REALTALK | `github.com/danny911kr/REALTALK`; `vade bench realtalk FOLDER OUT` makes the file |
| LoCoMo | `snap-research/LoCoMo` |
| MemDaily | a part of `nuster1128/MemSim` |
| BEAM-100K | `mohammadtavakoli78/BEAM` |
| RealMem | half of `zhiyuan5986/RealMemBench` |

*lives* needs a person who reads each line and says whether it helped, and *guard* texts of others, so `make bench` writes
neither. Times depend on the machine and on what else it does: compare within a row. [Measurements](measurements/README.md)
holds what was tried, and earlier figures.""".splitlines()


def write_page() -> None:
    """Write docs/benchmarks.md from the available results."""
    PAGE.write_text(page(results()), encoding="utf-8")
