"""`vade bench`: measure memory. Installed with this distribution, it appears among the commands of `vade`."""

import contextlib
import json
import sys
import tempfile
from pathlib import Path

import click
import msgspec

from vademecum.domain.errors import InvalidInput
from vademecum.entrypoints.caller import current_settings
from vademecum.entrypoints.cli.progress import Progress
from vademecum.wiring import judge_outside, load_settings
from vademecum_bench import show
from vademecum_bench.code_since import code_since
from vademecum_bench.guard import bench_guard
from vademecum_bench.guard_corpora import bench_corpora
from vademecum_bench.hooks import bench_hook
from vademecum_bench.ingest import bench_ingest
from vademecum_bench.latency import bench_latency
from vademecum_bench.lint import bench_lint
from vademecum_bench.mixed import bench_mixed
from vademecum_bench.notes import bench_notes
from vademecum_bench.pages import bench_pages
from vademecum_bench.peers.boards import BOARDS, convert_board
from vademecum_bench.peers.page import write_page as write_comparison
from vademecum_bench.peers.run import Run, bench_peers, save_figures
from vademecum_bench.peers.sample import Size
from vademecum_bench.peers.table import chosen_rows
from vademecum_bench.real import bench_lives, bench_real, bench_story, bench_typed, lives, record, story
from vademecum_bench.real.repeats import bench_repeats, write_shown
from vademecum_bench.real.repeats import text_of as repeats_text
from vademecum_bench.realtalk import convert_realtalk
from vademecum_bench.recall import FULL, bench_recall
from vademecum_bench.week import Size as WeekSize
from vademecum_bench.week import bench_week


@click.group("bench")
def bench() -> None:
    """Measure memory on your own data."""


@bench.command("recall")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pooled", is_flag=True, help="All scopes in one index, as one person's years would be.")
@click.option("--profile", default="auto", help="Recall profile.")
@click.option("--embedder", default=None, help="Another embedder than the settings name.")
@click.option(
    "--vectors", default="100", show_default=True, help="Percent of passages with vectors to ask at, rising: 0,50,100."
)
@click.option("--mine", is_flag=True, help="Keep memories of what was said too; each answers for its turns.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a file.")
def recall_bench(
    files: tuple[Path, ...], pooled: bool, profile: str, embedder: str | None, vectors: str, mine: bool, as_json: bool
) -> None:
    """How well it recalls, on recall sets (one JSON object a line; see docs/benchmarks.md)."""

    settings = load_settings(overrides={"embedder": embedder})
    shares = _shares(vectors)
    for file in files:
        result = bench_recall(file, settings, pooled=pooled, profile=profile, progress=Progress(), shares=shares, mine=mine)
        click.echo(json.dumps(result) if as_json else show.recall(result))


@bench.command("realtalk")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
def realtalk(folder: Path, out: Path) -> None:
    """Make a recall set of REALTALK: FOLDER is data/ of a checkout of github.com/danny911kr/REALTALK."""
    chats, questions = convert_realtalk(folder, out)
    click.echo(f"{chats} chats and {questions} questions in {out}")


@bench.command("board")
@click.argument("board", type=click.Choice(sorted(BOARDS)))
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.argument("out", type=click.Path(path_type=Path, dir_okay=False))
def board_set(board: str, path: Path, out: Path) -> None:
    """Make a recall set of the files of a public suite (docs/measurements/comparison.md)."""
    scopes, questions = convert_board(board, path, out)
    click.echo(f"{scopes} scopes and {questions} questions in {out}")


@bench.command("peers")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--cache", required=True, type=click.Path(path_type=Path, file_okay=False), help="Where environments are made and stay."
)
@click.option("--peer", "names", multiple=True, help="Ask this memory only. May be given several times.")
@click.option("--scopes", default=4, show_default=True, help="Scopes of the set, each a memory of its own.")
@click.option("--questions", default=60, show_default=True, help="Questions of all scopes together.")
@click.option("--unrelated", default=20, show_default=True, help="Questions whose answer is in another scope.")
@click.option("--seed", default=7, show_default=True, help="Which of them are drawn.")
@click.option("--python", default=sys.executable, help="Python that environments are made with.")
@click.option("--timeout", default=600, show_default=True, help="Seconds that one request may take.")
@click.option("--save", is_flag=True, help="Write the result and docs/measurements/comparison.md.")
def peers_bench(
    files: tuple[Path, ...], cache: Path, names: tuple[str, ...], python: str, timeout: int, save: bool, **size: int
) -> None:
    """Ask the same questions of us, of plain search and of other memories, on recall sets (docs/measurements/comparison.md)."""
    run = Run(cache.absolute(), python, timeout, Size(**size))
    for file in files:
        figures = bench_peers(file, chosen_rows(names), run, lambda line: click.echo(line, err=True))
        if save:
            command = f"vade bench peers {file.name} --cache FOLDER " + " ".join(
                f"--{name} {size[name]}" for name in sorted(size)
            )
            save_figures(file, figures, command)
            write_comparison()
        click.echo(json.dumps(figures, ensure_ascii=False))


def _shares(given: str) -> tuple[int, ...]:
    """Return the numbers of a list such as "0,50,100".

    Raises:
        InvalidInput: it is no such list.
    """
    parts = [part.strip() for part in given.split(",")]
    if not all(part.isdigit() and int(part) <= FULL for part in parts):
        raise InvalidInput("--vectors takes percents, such as 0,50,100.")
    return tuple(sorted({int(part) for part in parts}))


@bench.command("mixed")
@click.option(
    "--notes", type=click.Path(path_type=Path, exists=True, file_okay=False), help="A vault of ordinary notes beside it."
)
@click.option("--sessions", type=click.Path(path_type=Path, exists=True), help="Transcripts of past conversations beside it.")
@click.option("--embedder", default=None, help="Another embedder than the settings name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def mixed_bench(notes: Path | None, sessions: Path | None, embedder: str | None, as_json: bool) -> None:
    """What a person's memories in five languages tell, beside notes and past conversations, and what they are silent about."""
    result = bench_mixed(notes, load_settings(overrides={"embedder": embedder}), sessions)
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else show.mixed(result))


@bench.command("notes")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--translated",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The same notes in another language, under the same paths. May be given several times.",
)
@click.option(
    "--unrelated", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Notes about something else altogether."
)
@click.option("--embedder", default=None, help="Another embedder than the settings name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def notes_bench(
    folder: Path, translated: tuple[Path, ...], unrelated: Path | None, embedder: str | None, as_json: bool
) -> None:
    """Whether notes in FOLDER are found by title, by description, and from other languages: Markdown with both in its frontmatter."""
    result = bench_notes(folder, load_settings(overrides={"embedder": embedder}), translated, unrelated)
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else show.notes(result))


@bench.command("latency")
@click.option("--memories", default=5000, show_default=True, help="Memories to generate.")
@click.option("--turns", default=0, show_default=True, help="Turns of sessions to generate.")
@click.option("--queries", default=100, show_default=True, help="Questions to ask.")
@click.option("--embedder", default=None, help="Another embedder than the settings name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def latency_bench(memories: int, turns: int, queries: int, embedder: str | None, as_json: bool) -> None:
    """How fast it is, on generated notes with realistic word frequencies."""
    if memories < 1 or turns < 0 or queries < 1:
        raise InvalidInput("--memories and --queries take at least 1, --turns at least 0.")

    settings = load_settings(overrides={"embedder": embedder})
    result = bench_latency(settings, memories=memories, turns=turns, queries=queries, progress=Progress())
    click.echo(json.dumps(result) if as_json else show.latency(result))


@bench.command("lint")
@click.option("--notes", default=20_000, show_default=True, help="Notes to generate.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def lint_bench(notes: int, as_json: bool) -> None:
    """How long it takes to look through all notes."""
    if notes < 2:
        raise InvalidInput("--notes takes at least 2.")

    result = bench_lint(load_settings(), notes=notes, progress=Progress())
    click.echo(json.dumps(result) if as_json else show.latency(result))


@bench.command("ingest")
@click.argument("path", required=False, type=click.Path(path_type=Path, exists=True))
@click.option("--megabytes", default=700.0, show_default=True, help="Without PATH: how much to make.")
@click.option("--files", default=1500, show_default=True, help="Without PATH: in how many transcripts.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def ingest_bench(path: Path | None, megabytes: float, files: int, as_json: bool) -> None:
    """How fast transcripts are read, archived and searchable: those at PATH, which stay as they are, or made ones."""
    if megabytes <= 0 or files < 1:
        raise InvalidInput("--megabytes takes more than 0, --files at least 1.")

    result = bench_ingest(load_settings(), path, megabytes=megabytes, files=files, progress=Progress())
    click.echo(json.dumps(result) if as_json else show.ingest(result))


@bench.command("guard")
@click.option("--corpora", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Labelled texts of others.")
@click.option("--misses", type=click.Path(path_type=Path), help="With --corpora: a file for what was judged wrongly.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def guard_bench(corpora: Path | None, misses: Path | None, as_json: bool) -> None:
    """What the guard finds, and what it takes for something it is not, by class (docs/security.md)."""

    if corpora is None:
        result = bench_guard(judge_outside)
    else:
        result = bench_corpora(corpora, judge_outside, misses=misses)
    tell = show.guard if corpora is None else show.corpora
    click.echo(json.dumps(result) if as_json else tell(result))


@bench.command("hook")
@click.option("--memories", default=1000, show_default=True, help="Memories to generate.")
@click.option("--turns", default=0, show_default=True, help="Turns of sessions to generate.")
@click.option("--calls", default=200, show_default=True, help="Hooks of each sort.")
@click.option("--folder", type=click.Path(path_type=Path), help="Keep what is generated here, and use it the next time.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def hook_bench(memories: int, turns: int, calls: int, folder: Path | None, as_json: bool) -> None:
    """What a host waits for at each of its events, whole process, with and without the helper."""
    if memories < 1 or turns < 0 or calls < 1:
        raise InvalidInput("--memories and --calls take at least 1, --turns at least 0.")

    with contextlib.ExitStack() as stack:
        place = folder.absolute() if folder else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vade-bench-")))
        result = bench_hook(current_settings(), place, memories=memories, turns=turns, calls=calls, progress=Progress())
    click.echo(json.dumps(result) if as_json else show.hook(result))


@bench.command("week")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--notes", default=100_000, show_default=True, help="Memories before the week.")
@click.option("--turns", default=1_000_000, show_default=True, help="Turns of conversations before it.")
@click.option("--projects", default=2_000, show_default=True, help="Repositories in which they took place.")
@click.option("--sessions", default=20, show_default=True, help="Conversations of each day.")
@click.option("--edits", default=20, show_default=True, help="Notes changed by hand on each day.")
@click.option("--days", default=7, show_default=True, help="Days of the week.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def week_bench(folder: Path, as_json: bool, **size: int) -> None:
    """Live a week with a large memory in FOLDER: hooks, captures, edits and syncs. Goes on where it ended."""
    if min(size.values()) < 1:
        raise InvalidInput("Each size is at least 1.")
    result = bench_week(current_settings(), folder, WeekSize(**size), Progress())
    click.echo(json.dumps(result) if as_json else show.week(result))


@bench.command("pages")
@click.option("--memories", default=1000, show_default=True, help="Memories to generate.")
@click.option("--turns", default=2000, show_default=True, help="Turns of sessions to generate.")
@click.option("--calls", default=20, show_default=True, help="Requests for each page.")
@click.option("--folder", type=click.Path(path_type=Path), help="Keep what is generated here, and use it the next time.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def pages_bench(memories: int, turns: int, calls: int, folder: Path | None, as_json: bool) -> None:
    """What a browser waits for at each page, and prompts beside one that turns pages without a pause."""
    with tempfile.TemporaryDirectory(prefix="vade-bench-") as name:
        place = folder or Path(name)
        result = bench_pages(current_settings(), place, memories=memories, turns=turns, calls=calls, progress=Progress())
    click.echo(json.dumps(result) if as_json else show.pages(result))


@bench.command("real")
@click.argument("labels", required=False, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("transcripts", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--person", default="", help="Only persons whose name contains this.")
@click.option(
    "--llm",
    default="none",
    show_default=True,
    help="Model that reads, as the setting; replay:FILE for recorded answers, oracle for perfect ones.",
)
@click.option("--prompts", type=click.Path(path_type=Path), help="Write each question that replay:FILE has no answer to here.")
@click.option(
    "--record", "answers", nargs=2, type=click.Path(path_type=Path), metavar="DIR FILE",
    help="Only add the answers written beside the prompts in DIR to the recording FILE.",
)  # fmt: skip
@click.option("--typed", is_flag=True, help="Only tell how well typed turns are told from pasted ones.")
@click.option("--wrong", is_flag=True, help="List junk, doubles, memories of another kind, and what was missed.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def real_bench(
    labels: Path | None, transcripts: Path | None, person: str, llm: str, prompts: Path | None, answers: tuple[Path, Path] | None,
    typed: bool, wrong: bool, as_json: bool,
) -> None:  # fmt: skip
    """What it keeps of real sessions: every transcript that LABELS names below TRANSCRIPTS, in time order (docs/benchmarks.md)."""
    if answers:
        taken = record(*answers)
        click.echo(json.dumps(msgspec.to_builtins(taken)) if as_json else show.recorded(taken))
        return
    if labels is None or transcripts is None:
        raise InvalidInput("vade bench real takes LABELS and TRANSCRIPTS, or --record DIR FILE.")
    if prompts and not llm.startswith("replay:"):
        raise InvalidInput("--prompts writes what replay:FILE has no answer to.", "Add: --llm replay:FILE")
    if typed:
        heard = bench_typed(labels, transcripts, person=person, wrong=wrong, progress=Progress())
        click.echo(json.dumps(heard, ensure_ascii=False) if as_json else show.typed(heard))
        return
    result = bench_real(labels, transcripts, llm=llm, person=person, wrong=wrong, prompts=prompts, progress=Progress())
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else show.real(result))


@bench.command("story")
@click.argument("labels", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("transcripts", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--person", default="", help="Whose sessions: a part of the name; of several persons the first.")
@click.option("--sessions", default=10, show_default=True, help="How many of theirs, from the first on.")
@click.option("--llm", default="none", show_default=True, help="Model that reads, as for bench real: replay:FILE, oracle.")
@click.option("--counts", is_flag=True, help="Only figures, no text of sessions and memories.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def story_bench(
    labels: Path, transcripts: Path, person: str, sessions: int, llm: str, counts: bool, as_json: bool
) -> None:  # fmt: skip
    """One person's sessions, one after the other: what each start shows, what is saved, and what the next start shows of it."""
    figures = bench_story(labels, transcripts, llm=llm, person=person, sessions=sessions, progress=Progress())
    click.echo(json.dumps(figures, ensure_ascii=False) if as_json else story.text_of(figures, counts_only=counts))


@bench.command("lives")
@click.argument("labels", required=False, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("transcripts", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--person", default="", help="Only persons whose name contains this.")
@click.option("--llm", default="none", show_default=True, help="Model that reads, as for bench real: replay:FILE, oracle.")
@click.option(
    "--lines",
    "lines_file",
    type=click.Path(path_type=Path),
    help="Write each line that was shown here, for a reader to set `verdict` in.",
)
@click.option("--judged", "read", type=click.Path(path_type=Path, exists=True), help="Only sum up such a file that was read.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def lives_bench(
    labels: Path | None,
    transcripts: Path | None,
    person: str,
    llm: str,
    lines_file: Path | None,
    read: Path | None,
    as_json: bool,
) -> None:
    """What real sessions are shown at their starts and prompts, as their hooks would (docs/benchmarks.md)."""
    if read is not None:
        result = lives.judged(read)
    elif labels is None or transcripts is None:
        raise InvalidInput("vade bench lives takes LABELS and TRANSCRIPTS, or --judged FILE.")
    else:
        result, lines = bench_lives(labels, transcripts, llm=llm, person=person, progress=Progress())
        if lines_file is not None:
            lives.write_lines(lines, lines_file)
    click.echo(json.dumps(result, ensure_ascii=False) if as_json else lives.text_of(result))


@bench.command("repeats")
@click.argument("data", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--person", default="", help="Only persons whose name contains this.")
@click.option(
    "--lines",
    "lines_file",
    type=click.Path(path_type=Path),
    help="Write what was shown at each call here, a line of JSON each.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def repeats_bench(data: Path, person: str, lines_file: Path | None, as_json: bool) -> None:
    """What agents are shown at their tool calls before a mistake is made again: labels, transcripts and repeats in the folder DATA."""
    result, shown = bench_repeats(data, person=person, progress=Progress())
    if lines_file is not None:
        write_shown(shown, lines_file)
    click.echo(json.dumps(result) if as_json else repeats_text(result))


@bench.command("scale")
@click.option("--hosts", default="10,25,50,100", help="Numbers of hosts, with commas.")
@click.option("--seed", default=1)
def scale_bench(hosts: str, seed: int) -> None:
    """Simulate hosts of a team's server with 1,000,000,000 passages, one of them lost or added (docs/measurements/scale.md)."""
    from vademecum_bench.scale import simulate  # noqa: PLC0415 -- arithmetic that the other commands do without

    for count in map(int, hosts.split(",")):
        for change in ("none", "lost", "added"):
            click.echo(simulate(count, change, seed))


@bench.command("team")
@click.option("--passages", default="10000,100000", show_default=True, help="Sizes of a space, with commas.")
@click.option(
    "--partitions", default="10,100,1000", show_default=True, help="Numbers of spaces, rising, with commas; empty: none."
)
@click.option("--hnsw-up-to", default=1_000_000, show_default=True, help="Larger spaces get no index of vectors.")
@click.option("--folder", type=click.Path(path_type=Path), help="New folder for the database; it stays.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object at the end, and nothing before.")
def team_bench(passages: str, partitions: str, hnsw_up_to: int, folder: Path | None, as_json: bool) -> None:
    """How a team's store on PostgreSQL loads, finds and plans, at several sizes (docs/measurements/scale.md)."""
    from vademecum_bench.team import bench_team  # noqa: PLC0415 -- its driver is an extra

    sizes, counts = (tuple(int(one) for one in given.split(",") if one) for given in (passages, partitions))
    result = bench_team(sizes, counts, hnsw_up_to, folder, (lambda line: None) if as_json else click.echo)
    if as_json:
        click.echo(json.dumps(result))


@bench.command("team-vectors")
@click.argument("texts", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("questions", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--passages", default="10000,100000", show_default=True, help="Sizes of a space, rising, with commas.")
@click.option("--shared-buffers-gb", default=1, show_default=True, help="Memory that the database keeps pages in.")
@click.option("--folder", type=click.Path(path_type=Path), help="New folder for the database; it stays.")
def team_vectors_bench(texts: Path, questions: Path, passages: str, shared_buffers_gb: int, folder: Path | None) -> None:
    """Compare indexes of vectors in a team's space of real TEXTS, a passage a line, for QUESTIONS, one a line.

    Vectors are written to TEXTS.npy and QUESTIONS.npy, and read from there the next time.
    """
    from vademecum_bench.team_vectors import Server, bench_team_vectors  # noqa: PLC0415 -- its driver is an extra

    sizes = [int(one) for one in passages.split(",")]
    try:
        bench_team_vectors(texts, questions, sizes, Server(folder, shared_buffers_gb), click.echo)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


@bench.command("team-load")
@click.option("--members", default=16, show_default=True, help="How many ask at once, each with a token and a connection.")
@click.option("--requests", default=100, show_default=True, help="Of each member.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def team_load_bench(members: int, requests: int, as_json: bool) -> None:
    """How fast a team's server answers many members at once, as a process of its own on PostgreSQL."""
    from vademecum_bench.team_load import bench_team_load, team_load_text  # noqa: PLC0415 -- its driver is an extra

    result = bench_team_load(members, requests)
    click.echo(json.dumps(result) if as_json else team_load_text(result))


bench.add_command(code_since)
