"""Commands that only make sense on a command line: making a memory, measuring it, showing it."""

import contextlib
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Event

import click

from vademecum import __version__
from vademecum import settings as settings_module
from vademecum.doors import doctor, hosts, show
from vademecum.doors.serve import commands as serving
from vademecum.memory import Vademecum
from vademecum.model.errors import InvalidInput
from vademecum.model.places import place_named
from vademecum.wiring import HOME_NAME, changes_of, open_memory

#: Shorter quiet is only a pause in typing.
IDLE_LEAST_S = 10


def version() -> str:
    """Version of the installed package."""
    return __version__


def _settings() -> settings_module.Settings:
    root = click.get_current_context().find_root()
    return settings_module.load(config=root.params.get("config"), overrides={"home": root.params.get("home")})


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--vault",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Surrounding vault, if it is not found by itself.",
)
def init(folder: Path, vault: Path | None) -> None:
    """Make a memory in FOLDER. Inside an Obsidian vault, a folder `Vademecum` is made and its notes become searchable."""
    folder = place_named(folder).absolute()
    vault = vault.absolute() if vault else _vault_around(folder)
    home = folder / HOME_NAME if vault == folder else folder
    home.mkdir(parents=True, exist_ok=True)
    config = click.get_current_context().find_root().params.get("config") or settings_module.config_path()
    settings_module.store(config, {"home": str(home), "vault": str(vault or "")})
    settings = settings_module.load(config=config)
    with open_memory(settings, progress=show.Progress()) as memory:
        report = memory.sync(quick=True)
    hosts.place_client(settings)  # hooks registered earlier, or by a plugin, now find this memory
    click.echo(f"Memory in {home}")
    click.echo(
        f"Vault {vault}: {report.added} notes are searchable; they are never changed." if vault else "No vault around it."
    )
    click.echo(f"Settings in {config}")
    click.echo(
        "Next: vade install HOST lets a tool use it (vade install alone lists them); vade doctor tells whether all works."
    )


def _vault_around(folder: Path) -> Path | None:
    """The Obsidian vault that `folder` is or lies in, or None."""
    return next((place for place in (folder, *folder.parents) if (place / ".obsidian").is_dir()), None)


@click.group("bench")
def bench() -> None:
    """Measure memory on your own data."""


@bench.command("recall")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pooled", is_flag=True, help="All scopes in one index, as one person's years would be.")
@click.option("--profile", default="auto", help="Recall profile.")
@click.option("--embedder", default=None, help="Another embedder than the settings name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a file.")
def recall_bench(files: tuple[Path, ...], pooled: bool, profile: str, embedder: str | None, as_json: bool) -> None:
    """How well it recalls, on recall sets (one JSON object a line; see docs/benchmarks.md)."""
    from vademecum.bench.recall import bench_recall

    settings = settings_module.load(overrides={"embedder": embedder})
    for file in files:
        result = bench_recall(file, settings, pooled=pooled, profile=profile, progress=show.Progress())
        click.echo(json.dumps(result) if as_json else show.bench_recall(result))


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
    from vademecum.bench.latency import bench_latency

    settings = settings_module.load(overrides={"embedder": embedder})
    result = bench_latency(settings, memories=memories, turns=turns, queries=queries, progress=show.Progress())
    click.echo(json.dumps(result) if as_json else show.bench_latency(result))


@bench.command("ingest")
@click.argument("path", required=False, type=click.Path(path_type=Path, exists=True))
@click.option("--megabytes", default=700.0, show_default=True, help="Without PATH: how much to make.")
@click.option("--files", default=1500, show_default=True, help="Without PATH: in how many transcripts.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def ingest_bench(path: Path | None, megabytes: float, files: int, as_json: bool) -> None:
    """How fast transcripts are read, archived and searchable: those at PATH, which stay as they are, or made ones."""
    if megabytes <= 0 or files < 1:
        raise InvalidInput("--megabytes takes more than 0, --files at least 1.")
    from vademecum.bench.ingest import bench_ingest

    result = bench_ingest(settings_module.load(), path, megabytes=megabytes, files=files, progress=show.Progress())
    click.echo(json.dumps(result) if as_json else show.bench_ingest(result))


@bench.command("guard")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def guard_bench(as_json: bool) -> None:
    """What the guard finds, and what it takes for something it is not, by class (docs/security.md)."""
    from vademecum.bench.guard import bench_guard
    from vademecum.wiring import judge_outside

    result = bench_guard(judge_outside)
    click.echo(json.dumps(result) if as_json else show.bench_guard(result))


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
    from vademecum.doors.hooks.bench import bench_hook

    with contextlib.ExitStack() as stack:
        place = folder.absolute() if folder else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vade-bench-")))
        result = bench_hook(_settings(), place, memories=memories, turns=turns, calls=calls, progress=show.Progress())
    click.echo(json.dumps(result) if as_json else show.bench_hook(result))


@bench.command("learn")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--wrong", is_flag=True, help="Also list what was saved wrongly and what was not found.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a file.")
def learn_bench(files: tuple[Path, ...], wrong: bool, as_json: bool) -> None:
    """What it learns from labelled sessions; without FILES, from those that come with it (see docs/learning.md)."""
    from vademecum.bench.learning import DEV, TEST, bench_learn

    for file in files or (DEV, TEST):
        result = bench_learn(file, settings_module.Settings(), progress=show.Progress())
        click.echo(json.dumps(result, ensure_ascii=False) if as_json else show.bench_learn(result, wrong=wrong))


@bench.command("integrate")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--embedder", default="none", show_default=True, help="Whose cosine goes with the words.")
@click.option("--wrong", is_flag=True, help="Also list the pairs that went wrong.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a file.")
def integrate_bench(files: tuple[Path, ...], embedder: str, wrong: bool, as_json: bool) -> None:
    """What becomes of a statement like a known one; without FILES, on the pairs that come with it (see docs/learning.md)."""
    from vademecum.bench.integration import DEV, TEST, bench_integrate

    for file in files or (DEV, TEST):
        result = bench_integrate(file, settings_module.Settings(), embedder=embedder, progress=show.Progress())
        click.echo(json.dumps(result, ensure_ascii=False) if as_json else show.bench_integrate(result, wrong=wrong))


@click.command("watch")
@click.option("--every", default=60, show_default=True, help="Look at least every so many seconds, whatever was heard.")
@click.option("--debounce", default=30, show_default=True, help="Seconds of quiet after a change before it is read.")
@click.option("--idle", default=180, show_default=True, help="Seconds of quiet before the slow work is done; at least 10.")
@click.option(
    "--wait-for-transcripts", is_flag=True, help="Look for a host's transcripts every 15 seconds until there are some."
)
@click.option("-q", "--quiet", is_flag=True, help="Tell only of problems.")
def watch(every: int, debounce: int, idle: int, wait_for_transcripts: bool, quiet: bool) -> None:
    """Follow notes and transcripts as they change, until stopped: sync, capture, and finer vectors in between."""
    if every < 1 or debounce < 0 or idle < IDLE_LEAST_S:
        raise InvalidInput(f"--every takes at least 1, --debounce at least 0, --idle at least {IDLE_LEAST_S} seconds.")
    stop, settings = Event(), _settings()
    say = (lambda text: None) if quiet else click.echo
    while wait_for_transcripts and not settings.transcripts:
        say("No transcripts of any host yet; looking again in 15 seconds.")
        stop.wait(15)
        settings = _settings()
    with open_memory(settings, progress=show.Progress(wanted=settings.progress and not quiet)) as memory:
        say(f"Watching {len(settings.transcripts)} places of transcripts. Stop with Ctrl-C.")
        _follow(memory, settings, say)
        for moment in changes_of(settings, stop, debounce_s=debounce, idle_s=idle, look_every_s=every):
            if moment == "idle":
                memory.refine(seconds=every)
            else:
                _follow(memory, settings, say)


def _follow(memory: Vademecum, settings: settings_module.Settings, say: Callable[[str], object]) -> None:
    """Read what changed, and tell of it when anything did."""
    synced = memory.sync(quick=True)
    if synced.added or synced.changed or synced.dropped or synced.by_hand:
        say(show.synced(synced))
    if settings.transcripts:
        processed = memory.process(threshold=settings.silence_minutes)
        if processed.capture.sessions or processed.tended.sessions:
            say(show.processed(processed))
        for problem in (*processed.capture.problems, *processed.tended.problems):
            click.echo(f"problem: {problem.path}: {problem.message}", err=True)


@click.command("mcp")
@click.option("--no-helper", is_flag=True, help="Serve from this process, without a helper.")
def mcp_command(no_helper: bool) -> None:
    """Serve MCP on standard input and output, for hosts that start their servers themselves.

    Carries the bytes to the helper, which is started when there is none. Register it with: vade install HOST
    """
    from vademecum.doors.mcp.command import run

    config: Path | None = click.get_current_context().find_root().params.get("config")
    run(config.absolute() if config else None, helper=not no_helper)


@click.command("demo")
def demo() -> None:
    """Show on sample conversations what memory does: what it keeps, how it briefs, when it speaks and when it does not."""
    from vademecum.demo.show import run_demo

    run_demo(click.echo)


@click.command("settings")
def settings_command() -> None:
    """What is set."""
    click.echo(show.settings(_settings()))


COMMANDS = (init, watch, bench, demo, mcp_command, settings_command, *hosts.COMMANDS, *doctor.COMMANDS, *serving.COMMANDS)
