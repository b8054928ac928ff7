"""Text output of `vade bench`: one function for each measurement."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from vademecum_bench.real.recording import Recorded


def recall(result: Mapping[str, Any]) -> str:
    """Return the figures of one recall set, one per line."""
    how = "pooled" if result["pooled"] else "apart"
    lines = [f"{result['file']}: {result['turns']} turns, {result['queries']} questions, {result['scopes']} scopes {how}"]
    if result["mined"]:
        lines[0] += f", {result['mined']} memories mined"
    for way, figures in result["delivered"].items():
        lines.append(f"  as {way:<11} " + "  ".join(f"{name} {_measured(value)}" for name, value in figures.items()))
    for level, given in (("turn", result), ("session", result), ("turn", result["gated"]), ("session", result["gated"])):
        name = level if given is result else f"gated {level}"
        lines.append(f"  {name:<14}" + "  ".join(f"{measure} {_measured(value)}" for measure, value in given[level].items()))
    for category, levels in result["by_category"].items():
        row = levels["turn"] or {}
        lines.append(
            f"    {category:<26} turn recall@10 {row.get('recall@10', 0):.3f}"
            f"  session recall@5 {(levels['session'] or {}).get('recall@5', 0):.3f}"
        )
    lines.append("  floor   plain FTS5: " + ", ".join(f"{name} {value:.3f}" for name, value in result["floor"].items()))
    for share, figures in result["by_share"].items():
        figures_text = ", ".join(
            f"{name.replace('_', ' ')} {value:.3f}" for name, value in figures.items() if value is not None
        )
        lines.append(f"  gate    {share} % of vectors: {figures_text}")
    lines.append(
        f"  ms      p50 {result['ms']['p50']}, p95 {result['ms']['p95']};"
        f" {result['ingest']['turns_per_s']} turns/s in, peak {result['rss_mb']} MB"
    )
    return "\n".join(lines)


def _measured(value: float | Sequence[float]) -> str:
    """Return a measure, or the two ends of its interval."""
    return f"{value:.3f}" if isinstance(value, float) else " to ".join(f"{end:.3f}" for end in value)


def mixed(result: Mapping[str, Any]) -> str:
    """Return the figures of the mixed set, and each wrong question."""
    lines = [f"{result['memories']} memories beside {result['notes']} notes, embedder {result['settings']['embedder']}"]
    if result["sessions"]:
        lines[0] += f"; {result['sessions']} conversations, {result['mined']} memories mined of them"
    for half in ("all", "held_out"):
        shares = result[half]
        figures_text = [
            f"{sort} ({row['asked']}) shown {row['shown']:.1%}" for sort, row in shares.items() if "right" not in row
        ]
        answer, across = shares["answer"], shares["across"]
        lines.append(
            f"  {half.replace('_', ' '):<9} answers ({answer['asked']}): shown right {answer['right']:.1%},"
            f" first {answer['first']:.1%},"
            f" first without the gate {answer['ungated']:.1%}; in another language ({across['asked']}): shown right"
            f" {across['right']:.1%}, first {across['first']:.1%}; {', '.join(figures_text)}"
        )
    wrong = [
        f"    {one['sort']:<10}{one['confidence']:.2f}  {one['question']}  ->  {'; '.join(one['got'])}"
        for one in result["wrong"]
    ]
    return "\n".join([*lines, *wrong])


def notes(result: Mapping[str, Any]) -> str:
    """Return one line for each kind of question, with 95 % intervals."""
    lines = [f"{result['notes']} notes, embedder {result['settings']['embedder']}"]
    for sort, row in result["asked"].items():
        figures_text = ", ".join(
            f"{name} {one['share']:.3f} ({one['95%'][0]:.3f} to {one['95%'][1]:.3f})" for name, one in row.items()
        )
        lines.append(f"  {sort} ({row['first']['asked']}): {figures_text}")
    other = result["unrelated"]
    if other["asked"]:
        lines.append(f"  unrelated ({other['asked']}): something shown {other['share']:.1%}")
    return "\n".join(lines)


def latency(result: Mapping[str, Any]) -> str:
    """Return one figure per line."""
    return "\n".join(f"{name:<28}{value}" for name, value in result.items())


def ingest(result: Mapping[str, Any]) -> str:
    """Return the figures of reading transcripts, one per line."""
    grown = {f"grown_{one['megabytes']}_mb": one for one in result["grown"]}
    rest = {name: value for name, value in result.items() if name != "grown"}
    return "\n".join(f"{name:<22}{value}" for name, value in {**rest, **grown}.items())


def guard(result: Mapping[str, Any]) -> str:
    """Return the rates; for secrets, only the classes with a miss."""
    missed = [f"  {rule}: {_rate(counts)}" for rule, counts in result["secrets"].items() if counts[0] < counts[1]]
    return "\n".join([
        f"secrets found: {_rate(result['secrets_total'])}, {len(result['secrets'])} classes",
        *missed,
        f"orders held back: {_rate(result['orders_total'])}",
        *(f"  {name}: {_rate(counts)}" for name, counts in result["orders"].items()),
        f"harmless texts held back: {_rate(result['benign_quarantined'])}",
        f"harmless texts with a secret seen in them: {_rate(result['benign_with_secret'])}",
        f"{result['us_per_text']} microseconds a text",
    ])  # fmt: skip


def corpora(result: Mapping[str, Any]) -> str:
    """Return the rates of each corpus, separately for its halves, one per line."""
    return "\n".join(
        f"{corpus:<28}{half:<10}{name:<52}{_rate(counts)}"
        for corpus, halves in result.items()
        for half, rates in halves.items()
        for name, counts in rates.items()
    )


def _rate(counts: Sequence[int]) -> str:
    return f"{counts[0]} of {counts[1]} ({counts[0] / max(counts[1], 1):.1%})"


def hook(result: Mapping[str, Any]) -> str:
    """Return the figures of hooks, one per line."""
    at_once = result["at_once"]
    rows = [("an empty Python process", result["python_alone_ms"]), (f"{at_once} of them at once", result["python_at_once_ms"])]
    for heading, sorts in (("with the helper", result["with_helper_ms"]), ("without it", result["without_helper_ms"])):
        rows += [(f"{name.replace('_', ' ')}, {heading}", shares) for name, shares in sorts.items()]
    rows.append((f"{at_once} prompts at once", result["at_once_ms"]))
    if "reads_beside" in result:
        rows += [("prompt, alone", result["prompt_alone_ms"]), ("beside a reader", result["prompt_beside_reader_ms"])]
    lines = [f"{result['memories']} memories, {result['turns']} turns; milliseconds, whole process"]
    lines += [f"{name:<32}" + "  ".join(f"{share} {took:6.1f}" for share, took in shares.items()) for name, shares in rows]
    if "reads_beside" in result:
        poor = result["late_or_by_words_alone_beside"]
        lines.append(f"beside the reader, which read {result['reads_beside']} times: {poor} too late or by words alone")
    alone = result["at_once_by_words_alone"]
    lines.append(f"unanswered {result['unanswered']}, too late {result['too_late']}, of those at once by words alone {alone}")
    lines.append(
        f"helper: {result['helper_opened_mb']} MB when open, {result['helper_loaded_mb']} MB after all this, "
        f"{result['helper_own_mb']} MB of it not pages of files"
    )
    return "\n".join(lines)


#: Figures of a simulated week -> their values of each day.
_OF_A_DAY: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "session start, p50 / p95 ms": lambda day: _both(day["hooks_ms"]["SessionStart"]),
    "prompt": lambda day: _both(day["hooks_ms"]["UserPromptSubmit"]),
    "action": lambda day: _both(day["hooks_ms"]["PreToolUse"]),
    "stop": lambda day: _both(day["hooks_ms"]["Stop"]),
    "save by the command line": lambda day: _both(day["save_ms"]),
    "sync, many changed; one changed s": lambda day: f"{day['sync_many_s']}; {day['sync_one_changed_s']}",
    "work, CPU s; peak MB": lambda day: f"{day['work']['cpu_s']}; {day['work']['peak_mb']}",
    "jobs of the day, CPU s; peak MB": lambda day: f"{day['jobs']['cpu_s']}; {day['jobs']['peak_mb']}",
    "helper MB; not pages of files": lambda day: f"{day['helper_mb']}; {day['helper_own_mb']}",
    "disk MB": lambda day: day["disk_mb"],
    "prompts said; edits": lambda day: f"{day['said']}; {day['done']}",
    "lost": lambda day: len(day["lost"]),
    "index apart from files: new, changed, gone": lambda day: " ".join(map(str, day["drift"])),
    "hooks that failed": lambda day: day["hooks_failed"],
}


def week(result: Mapping[str, Any]) -> str:
    """Return the figures of a simulated week as a Markdown table, and those that were taken once."""
    days = [name for name in result if name.startswith("day ")]
    lines = [f"| | {' | '.join(days)} |", "|---" * (len(days) + 1) + "|"]
    lines += [f"| {row} | {' | '.join(str(value(result[day])) for day in days)} |" for row, value in _OF_A_DAY.items()]
    lines += [f"* {name}: {figures}" for name, figures in result.items() if name not in days]
    lines += [f"* lost on {day}: {entry}" for day in days for entry in result[day]["lost"]]
    return "\n".join(lines)


def _both(took: Mapping[str, float]) -> str:
    return f"{took['p50']} / {took['p95']}"


#: Limits of a page: milliseconds at p95, and bytes.
MOST_PAGE_MS, MOST_PAGE_BYTES = 100, 150_000


def pages(result: Mapping[str, Any]) -> str:
    """Return the figures of pages as the table of docs/web.md, then prompts and memory, one per line."""
    lines = [f"{result['memories']:,} memories, {result['turns']:,} turns; milliseconds from request to last byte", ""]
    lines += [
        "| page | first | p50 | p95 | after a change | largest paint | CPU, helper + reader | KB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, one in result["pages"].items():
        cpu = " + ".join(f"{one['cpu_ms'][part]}" for part in ("helper", "reader") if part in one["cpu_ms"])
        lines.append(
            f"| {name} | {one['first_ms']:.0f} | {one['p50']:.0f} | {one['p95']:.0f} | {one['changed_ms']:.0f} |"
            f" {one.get('paint_ms', 'not measured')} | {cpu} | {one['bytes'] / 1000:.0f} |"
        )
    return "\n".join([*lines, "", *_beside_pages(result)])


def _beside_pages(result: Mapping[str, Any]) -> list[str]:
    over = [name for name, one in result["pages"].items() if one["p95"] > MOST_PAGE_MS or one["bytes"] > MOST_PAGE_BYTES]
    ratios = f"{result['beside_ratio_p50']} and {result['beside_ratio_p95']} times at p50 and p95"
    return [
        f"over {MOST_PAGE_MS} ms at p95 or {MOST_PAGE_BYTES // 1000} KB: {', '.join(over) or 'none'}",
        f"the very first, with everything loaded for it: {result['first_of_all_ms']:.0f} ms;"
        f" the first checks: {result['first_checks_ms'] / 1000:.1f} s",
        f"prompt alone {_line(result['prompt_alone_ms'])}",
        f"beside a busy browser {_line(result['prompt_beside_ms'])}: {ratios}, {result['looked_beside']} pages turned meanwhile,"
        f" {result['late_beside']} late, {result['by_words_alone_beside']} by words alone",
        f"{result['at_once']} at once {_line(result['at_once_ms'])}: {result['late_at_once']} late,"
        f" {result['by_words_alone_at_once']} by words alone",
        f"helper {result['helper_opened_mb']} MB opened, {result['helper_loaded_mb']} after all this,"
        f" {result['helper_own_mb']} of it not pages of files",
    ]


def _line(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{share} {took}" for share, took in shares.items())


def recorded(taken: Recorded) -> str:
    """Return the outcome of recorded answers, one per line."""
    lines = [f"{len(taken.added)} answers recorded, {len(taken.refused)} refused"]
    lines += [f"refused {name}: {why}" for name, why in taken.refused]
    lines += [f"nobody said, in {name}: {words}" for name, words in taken.not_found]
    return "\n".join(lines)


def real(result: Mapping[str, Any]) -> str:
    """Return the figures of real sessions for each person and in total, then the requested lists."""
    lines = []
    for name, whole in (*result["persons"].items(), ("TOTAL", result["total"])):
        lines.append(f"{name}, {whole['handoffs']['sessions']} sessions")
        lines += [_kept(view, whole[view]) for view in ("active", "waiting", "active and waiting")]
        lines.append(_handed_over(whole["handoffs"]))
    total = result["total"]["active and waiting"]
    found = [f"{sort} {total['found'].get(sort, 0)}/{due}" for sort, due in sorted(total["expected"].items())]
    lines.append("found, active or waiting: " + ", ".join(found))
    lines += _read(result["reading"]) if "reading" in result else []
    lines += [f"{result['left_out']} labelled transcripts are not there"] if result["left_out"] else []
    lines += [f"! {problem}" for problem in result["problems"]]
    return "\n".join([*lines, *_listed(result.get("wrong", {}))])


def typed(result: Mapping[str, Any]) -> str:
    """Return how well typed and pasted turns are distinguished, one line per person and one in total."""
    lines = [
        f"{name}: {one['known']} of {one['pasted']} pasted turns known ({_percent(one['share_known'])}),"
        f" {one['lost']} of {one['typed']} typed ones lost ({_percent(one['share_lost'])})"
        for name, one in (*result["persons"].items(), ("TOTAL", result["total"]))
    ]
    return "\n".join([*lines, *_listed(result.get("wrong", {}))])


def _listed(wrong: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Return a heading for each kind of error, and a line for each entry."""
    for sort, entries in wrong.items():
        yield f"\n{sort} ({len(entries)})"
        for entry in entries:
            yield f"  {' | '.join(_as_text(name, value) for name, value in entry.items() if value not in ('', False))}"


def _as_text(name: str, value: Any) -> str:
    """Return a self-explaining value as it is, any other with its name."""
    return str(value) if isinstance(value, str) and name not in ("asked", "why") else f"{name} {value}"


def _kept(view: str, one: Mapping[str, Any]) -> str:
    """Return two lines about the memories of one status."""
    return (
        f"  {view:<19}{one['right']} right, {one['double']} double, {one['junk']} junk, {one['allowed']} allowed;"
        f" precision {_percent(one['precision'])}, recall explicit {_percent(one['recall_explicit'])},"
        f" contextual {_percent(one['recall_contextual'])}, kind {_percent(one['right_kind'])}, alone {_percent(one['right_alone'])}\n"
        f"{'':21}from pasted turns {one['right_from_pasted']} right, {one['junk_from_pasted']} junk;"
        f" tempting {one['junk_tempting']}, in silent sessions"
        f" {one['junk_in_silent']} ({one['silent_broken']} of {one['silent_sessions']} broken);"
        f" replaced {one['replaced']}, wrongly {one['wrongly_replaced']};"
        f" updates done {one['updates_done']} of {one['updates_posed']}"
    )


def _handed_over(one: Mapping[str, Any]) -> str:
    return (
        f"  {'handoffs':<19}{one['right']} of {one['sessions']} right ({_percent(one['share_right'])}): asked right {one['asked_right']},"
        f" with a false done {one['with_false_done']}, open named {one['opens_named']} of {one['opens']}"
    )


def _read(one: Mapping[str, Any]) -> list[str]:
    """Return the model's consumption, and missing answers of its recording."""
    taken = [f"{name.replace('_', ' ')} {one[name]['median']:.0f} / {one[name]['p95']:.0f}" for name in ("tokens_in", "tokens_out")
             if one[name]]  # fmt: skip
    lines = [f"read {one['sessions_read']} sessions; median / p95 a session: {', '.join(taken) or 'nothing'}"]
    lines += [f"no answer is recorded to {len(one['unanswered'])} questions"] if one["unanswered"] else []
    differ = one["other_memories_shown"]
    lines += [f"other memories than when it was recorded were shown beside {len(differ)} conversations"] if differ else []
    lines += [f"{len(one['prompts_written'])} prompts written"] if one["prompts_written"] else []
    return [*lines, f"{one['rejected']} of its facts were rejected"]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
