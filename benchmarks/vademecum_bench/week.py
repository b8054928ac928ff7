"""`vade bench week`: a large memory through a simulated week of hooks, captures, edits and syncs.

The memory is made once, in a folder that stays, by stages that are noted when they are complete; a run that was ended goes on at the
stage, or at the day, that it was in. On each day hosts call the installed hook client, transcripts grow, memories are saved, edited, moved
and deleted by hand, the helper follows, and the jobs of that day run. At its end all that was said and done that day is looked for.
"""

import dataclasses
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct

from vademecum.adapters.clock import ShiftedClock
from vademecum.api import Vademecum
from vademecum.domain.errors import NotFound, VademecumError
from vademecum.entrypoints.daemon.call import call, ensure, stop
from vademecum.entrypoints.hooks.place import write_client
from vademecum.settings import Settings
from vademecum.wiring import load_settings, open_memory, store_settings
from vademecum_bench.generate import Generator, identity, question_about, write_conversations, write_notes
from vademecum_bench.latency import fill_vectors
from vademecum_bench.metrics import percentile
from vademecum_bench.talk import Talk, Talker

Progress = Callable[[str, int, int], None]

#: Days before the memory was made on which its week begins.
WEEK = 7
#: Bytes of a session before its first hook, and exchanges that follow while it goes on.
SESSION_BYTES, EXCHANGES = 4_000, 2
#: Prompts without a helper, on the last day.
FIRST_PROMPTS = 5
#: Memories and conversations of the time before the week that are looked for each day.
LOOKED_FOR = 100
#: Of so many notes one may be deleted in the week.
KEPT = 7
_BARE = (sys.executable, "-I", "-S", "-c", "pass")
#: Seconds between two looks at the helper, and at a process.
_QUIET_S, LOOK_S = 0.5, 0.05


class Size(Struct, frozen=True):
    """Size of the memory before the week begins, and of each of its days. A shorter week is for a test."""

    notes: int
    turns: int
    projects: int
    sessions: int = 20
    edits: int = 20
    days: int = 7


def bench_week(settings: Settings, folder: Path, size: Size, progress: Progress) -> dict[str, Any]:
    """Make the memory in a folder and live through the week, or go on with it; return the figures of each stage and day."""
    folder.mkdir(parents=True, exist_ok=True)
    week = Week(settings, folder.absolute(), size, progress)
    week.prepare()
    week.live()
    return week.figures


class Day(Struct):
    """What was said and done on a day.

    Attributes:
        talks: conversations, with their prompts in order. saved: titles. edited: path of a note -> its new line.
        moved: path -> new path. deleted: paths.
    """

    number: int
    talks: list[Talk] = []
    saved: list[str] = []
    edited: dict[str, str] = {}
    moved: dict[str, str] = {}
    deleted: list[str] = []


class Week:
    """A memory in a folder, and what is known of it there.

    Attributes:
        figures: stage or day -> its figures, as far as they are complete.
    """

    def __init__(self, settings: Settings, folder: Path, size: Size, progress: Progress) -> None:
        self.folder, self.size, self._progress = folder, size, progress
        self.settings = dataclasses.replace(
            settings, home=str(folder / "home"), data_dir=str(folder / "data"), cache_dir=str(folder / "cache"),
            transcripts=(str(folder / "talk"),), vault="", projects=(), enabled=True,
        )  # fmt: skip
        self._config, self._noted = folder / "config.toml", folder / "week.json"
        self.figures: dict[str, Any] = json.loads(self._noted.read_text()) if self._noted.exists() else {}

    def note(self, name: str, figures: dict[str, Any]) -> None:
        """Note the figures of a stage or day that is complete."""
        self.figures[name] = figures
        beside = self._noted.with_suffix(".new")
        beside.write_text(json.dumps(self.figures, indent=1), encoding="utf-8")
        beside.replace(self._noted)

    def prepare(self) -> None:
        """Make the memory, stage by stage: files, their index, conversations, vectors."""
        stages = (("written", self._write), ("synced", self._sync), ("captured", self._capture), ("vectors", self._vectors))
        for name, stage in stages:
            if name in self.figures:
                continue
            self._progress(name, 0, 1)
            wall, used = time.perf_counter(), _cpu_s()
            stage()
            self.note(name, {"seconds": round(time.perf_counter() - wall, 1), "cpu_seconds": round(_cpu_s() - used, 1)})

    def place(self, number: int) -> Path:
        """Return the folder of a project's repository."""
        return self.folder / "repositories" / _slug(number)

    def _write(self) -> None:
        for folder in ("home", "talk"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
        numbers = range(self.size.projects)
        for number in numbers:
            git = self.place(number) / ".git"
            for part in ("refs", "objects"):
                (git / part).mkdir(parents=True, exist_ok=True)
            (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
            address = f"https://git.example.org/team/{_slug(number)}.git"
            (git / "config").write_text(f'[remote "origin"]\n\turl = {address}\n', encoding="utf-8")
        generator, slugs = Generator(), [_slug(number) for number in numbers]
        for number, _ in enumerate(write_notes(self.folder / "home", self.size.notes, generator, slugs)):
            self._progress("writing notes", number, self.size.notes)
        places = [self.place(number) for number in numbers]
        for number, _ in enumerate(write_conversations(self.folder / "talk", self.size.turns, generator, places=places)):
            self._progress("writing conversations", number, self.size.turns // 200)
        kept = {name: getattr(self.settings, name) for name in ("home", "data_dir", "cache_dir", "embedder")}
        store_settings(self._config, kept | {"transcripts": list(self.settings.transcripts), "port": 0})

    def _sync(self) -> None:
        with self._open() as memory:
            memory.maintenance.sync(quick=True)

    def _capture(self) -> None:
        with self._open() as memory:
            memory.maintenance.capture((str(self.folder / "talk"),), mine=False)

    def _vectors(self) -> None:
        with self._open() as memory:
            fill_vectors(memory)

    def _open(self) -> Vademecum:
        return open_memory(self.settings, progress=self._progress)

    def live(self) -> None:
        """Live through the days that are not noted yet."""
        client = str(write_client(self.settings, self._config))
        try:
            for number in range(self.size.days):
                if f"day {number + 1}" not in self.figures:
                    self._progress("day", number + 1, self.size.days)
                    self.note(f"day {number + 1}", self._day(number, client))
            if "at last" not in self.figures:
                self.note("at last", self._at_last(client))
        finally:
            stop(self.settings)

    def _day(self, number: int, client: str) -> dict[str, Any]:
        """Live through a day; return its figures."""
        day, clock = Day(number), time.monotonic_ns()  # a day that is lived again has other sessions
        host = Host(client, self.folder, random.Random(clock))
        _running(self.settings, self._config)
        for session in range(self.size.sessions):
            place = self.place(host.chance.randrange(self.size.projects))
            begins = _moment(self.folder, number) + timedelta(minutes=20 * session)
            talker = Talker(clock % 2**31 + session, begins, [str(place)])
            day.talks.append(host.session(talker, place))
            self._progress("sessions", session, self.size.sessions)
        self._edit(day, host)
        with self._open() as memory:
            synced_s = _seconds(lambda: memory.maintenance.sync(quick=True))
            one_changed_s = self._one_changed(memory, day, host)
        took_saves = [self._save(day, number) for number in range(self.size.edits // 2)]
        _until_idle(self.settings)
        work = _child(sys.executable, "-m", "vademecum", "--config", str(self._config), "work")
        jobs = _child(sys.executable, "-m", "vademecum_bench.week", str(self.folder), str(number))
        _until_idle(self.settings)
        status = call(self.settings, "status") or {}
        with self._open() as memory:
            lost = self._lost(memory, day)
            stats, drift = memory.context.index.stats(), memory.maintenance.drift()
        return {
            **host.figures(),
            "save_ms": _shares(took_saves),
            "sync_many_s": round(synced_s, 2), "sync_one_changed_s": round(one_changed_s, 3),
            "work": work, "jobs": jobs,
            "helper_mb": status.get("memory_mb", 0), "helper_own_mb": status.get("own_mb", 0),
            "passages": stats.passages, "disk_mb": round(_size_of(self.folder / "data") / 1e6),
            "said": sum(len(talk.prompts) for talk in day.talks), "done": 2 * self.size.edits,
            "lost": lost, "drift": [drift.added, drift.changed, drift.gone],
        }  # fmt: skip

    def _edit(self, day: Day, host: "Host") -> None:
        """Edit, move and delete notes by hand."""
        home = Path(self.settings.home)
        while len(day.edited) + len(day.moved) + len(day.deleted) < self.size.edits:
            path = host.note()
            rest = path.relative_to(home).as_posix()
            if rest in day.edited or not path.exists():
                continue
            act = host.chance.random()
            if act < 0.8:
                day.edited[rest] = self._append(path, f"{day.number}-{len(day.edited)}")
            elif act < 0.9 or not _may_go(path):
                target = path.with_name(f"moved-{day.number}-{path.name}")
                path.rename(target)
                day.moved[rest] = target.relative_to(home).as_posix()
            else:
                path.unlink()
                day.deleted.append(rest)

    def _append(self, path: Path, mark: str) -> str:
        line = f"One more line about kettle {mark}."
        path.write_text(f"{path.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
        return line

    def _one_changed(self, memory: Vademecum, day: Day, host: "Host") -> float:
        """Return the least seconds of three syncs after one note changed."""
        took = []
        for number in range(3):
            path = host.note()
            while not path.exists() or path.relative_to(self.settings.home).as_posix() in day.edited:
                path = host.note()
            day.edited[path.relative_to(self.settings.home).as_posix()] = self._append(path, f"{day.number}-one-{number}")
            took.append(_seconds(lambda: memory.maintenance.sync(quick=True)))
        return min(took)

    def _save(self, day: Day, number: int) -> float:
        """Save a memory by the command line; return its milliseconds."""
        title = f"Kettle {day.number} {number} of {time.monotonic_ns()}"
        body = f"The kettle {title.rpartition(' ')[2]} stands in room {number}."
        command = (sys.executable, "-m", "vademecum", "--config", str(self._config), "save", "fact", title, "--body", body)
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, cwd=self.place(number % self.size.projects))
        day.saved.append(title)
        return (time.perf_counter() - start) * 1000

    def _lost(self, memory: Vademecum, day: Day) -> list[str]:
        """Return what was said or done that day and is not there, and what is missing of a sample of the time before."""
        lost = []
        index = memory.context.index
        for talk in day.talks:
            texts = " ".join(" ".join(stored.passage.text.split()) for stored in index.passages_of(talk.session))
            lost += [
                f"{talk.session}: {prompt[-40:]}" for prompt in talk.prompts if " ".join(prompt.split())[-40:] not in texts
            ]
            read = memory.maintenance.transcripts_read().get(str(talk.path))
            if read is None or read.offset != talk.path.stat().st_size:
                lost.append(f"{talk.path}: read to {read}")
        items = memory.context.index.items(list(memory.context.index.fingerprints()))
        paths = {item.path: item for item in items.values() if item.space == "personal"}
        lost += [title for title in day.saved if not any(item.title == title for item in paths.values())]
        for path, line in day.edited.items():
            there = paths.get(day.moved.get(path, path))
            texts = " ".join(stored.passage.text for stored in index.passages_of(there.key)) if there else ""
            lost += [] if line in texts and line in (Path(self.settings.home) / path).read_text(encoding="utf-8") else [path]
        lost += [path for path in day.moved.values() if path not in paths]
        lost += [f"still there: {path}" for path in day.deleted if path in paths]
        return [*lost, *self._lost_before(memory)]

    def _lost_before(self, memory: Vademecum) -> list[str]:
        """Return which of a sample of the first memories and conversations have become fewer."""
        chance, lost = random.Random(3), []
        kept = [number for number in range(self.size.notes) if number % KEPT]
        for number in chance.sample(kept, k=min(LOOKED_FOR, len(kept))):
            try:
                memory.notes.get(identity(number))
            except NotFound:
                lost.append(f"note {number}")
        talks = sorted((self.folder / "talk").glob("c*.jsonl"))
        for path in chance.sample(talks, k=min(LOOKED_FOR, len(talks))):
            said = sum(b'"speaker"' in line for line in path.read_bytes().splitlines())
            stored = {stored.passage.ref for stored in memory.context.index.passages_of(f"session://plain/{path.stem}")}
            lost += [f"{path.stem}: {len(stored)} of {said} turns"] if len(stored) < said else []
        return lost

    def _at_last(self, client: str) -> dict[str, Any]:
        """Return the figures that are taken once: first prompts without a helper, an empty Python, the size of all."""
        host = Host(client, self.folder, random.Random(9))
        first = []
        for _ in range(FIRST_PROMPTS):
            stop(self.settings)
            first.append(host.hook("UserPromptSubmit", f"first-{time.monotonic_ns()}", self.place(0)))
        stop(self.settings)
        with self._open() as memory:
            items = memory.context.index.items(list(memory.context.index.fingerprints())).values()
            counted = {
                "memories": sum(item.source == "memory" for item in items),
                "conversations": sum(item.source == "session" for item in items),
                "turns": _turns(memory), "projects": len(memory.context.outside.projects.known()),
                "passages": memory.context.index.stats().passages,
            }  # fmt: skip
        bare = [host.timed(_BARE, b"") for _ in range(20)]
        size = {
            "index_mb": round(_size_of(self.folder / "data", "index.db") / 1e6),
            "data_mb": round(_size_of(self.folder / "data") / 1e6),
        }
        return {"first_prompt_ms": _shares(first), "python_alone_ms": _shares(bare), **counted, **size}


class Host:
    """A host that calls the installed hook client, and a person who writes in it."""

    def __init__(self, client: str, folder: Path, chance: random.Random) -> None:
        self._client, self._folder, self.chance = client, folder, chance
        self._generator = Generator(chance.randrange(1000))
        self._notes = sorted((folder / "home" / "projects").rglob("*.md"))
        self._took: dict[str, list[float]] = {}
        self.unanswered = 0

    def note(self) -> Path:
        """Return a note, chosen at random."""
        return self.chance.choice(self._notes)

    def session(self, talker: Talker, place: Path) -> Talk:
        """Have a conversation from its start to its end."""
        talk = talker.session(self._folder / "talk", "claude-code", SESSION_BYTES)
        name, prompts = talk.path.stem, list(talk.prompts)
        self.hook("SessionStart", name, place, talk.path)
        for _ in range(EXCHANGES):
            self.hook("UserPromptSubmit", name, place, talk.path)
            self.hook("PreToolUse", name, place, talk.path)
            prompts += talker.grow(talk, 1)
            self.hook("Stop", name, place, talk.path)
        self.hook("SessionEnd", name, place, talk.path)
        return Talk(talk.path, talk.session, tuple(prompts))

    def hook(self, event: str, session: str, place: Path, transcript: Path | None = None) -> float:
        """Return the milliseconds that a host waits for one hook, from start to end of the process."""
        payload: dict[str, Any] = {"hook_event_name": event, "session_id": session, "cwd": str(place)}
        payload |= {"transcript_path": str(transcript)} if transcript else {}
        if event == "UserPromptSubmit":
            note = self.note()
            text = note.read_text(encoding="utf-8") if note.exists() else "kettle"
            payload["prompt"] = question_about(text.rpartition("---\n")[2], self._generator)
        elif event == "PreToolUse":
            payload |= {"tool_name": "Bash", "tool_input": {"command": f"make {self._generator.words(1)[0]}"}}
        took = self.timed((sys.executable, "-I", "-S", self._client, "claude-code"), json.dumps(payload).encode())
        self._took.setdefault(event, []).append(took)
        return took

    def timed(self, command: Sequence[str], data: bytes) -> float:
        """Return the milliseconds of one process."""
        start = time.perf_counter()
        done = subprocess.run(command, input=data, capture_output=True, check=False)
        self.unanswered += done.returncode != 0 or done.stderr != b""
        return (time.perf_counter() - start) * 1000

    def figures(self) -> dict[str, Any]:
        """Return the shares of milliseconds by event, and how many hooks failed."""
        return {"hooks_ms": {event: _shares(took) for event, took in self._took.items()}, "hooks_failed": self.unanswered}


def _moment(folder: Path, number: int) -> datetime:
    """Return the morning of a day of the week, whose last day is that on which the memory was made."""
    made = datetime.fromtimestamp((folder / "config.toml").stat().st_mtime, UTC)
    return made - timedelta(days=WEEK - number)


def _may_go(path: Path) -> bool:
    """Return whether a note may be deleted in the week: those that are looked for each day may not."""
    number = path.stem.rpartition("-")[2]
    return not number.isdigit() or int(number) % KEPT == 0


def _slug(number: int) -> str:
    return f"p{number:04}"


def _turns(memory: Vademecum) -> int:
    """Return the number of turns in all conversations."""
    index = memory.context.index
    keys = [key for key in index.fingerprints() if key.startswith("session://")]
    return sum(len({stored.passage.turn for stored in index.passages_of(key)}) for key in keys)


def _shares(took: Sequence[float]) -> dict[str, float]:
    return {f"p{share}": round(percentile(list(took), share / 100), 1) for share in (50, 95)} if took else {}


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _cpu_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _size_of(folder: Path, name: str = "") -> int:
    return sum(path.stat().st_size for path in folder.rglob(f"{name}*") if path.is_file())


def _running(settings: Settings, config: Path) -> None:
    """Start a helper.

    Raises:
        VademecumError: none came up.
    """
    if not ensure(settings, config):
        raise VademecumError("No helper came up.", f"See {settings.data_dir}/log/helper.log")
    _until_idle(settings)


def _until_idle(settings: Settings) -> None:
    """Wait until the helper does nothing."""
    while (status := call(settings, "status")) and (status["working"] or not status["work_runs"]):
        time.sleep(_QUIET_S)


def _child(*command: str) -> dict[str, float]:
    """Run a process; return its CPU seconds and its highest memory.

    Raises:
        VademecumError: it failed.
    """
    if sys.platform == "win32":
        raise VademecumError("The week is measured where processes tell what they used: not on Windows.")
    process, peak_kb = subprocess.Popen(command, stdout=subprocess.DEVNULL), 0
    while True:
        ended, code, used = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        peak_kb = max(peak_kb, _peak_kb(process.pid))  # what wait4 tells began as that of this process
        time.sleep(LOOK_S)
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode:
        raise VademecumError(f"{' '.join(command)} ended with {process.returncode}.")
    return {"cpu_s": round(used.ru_utime + used.ru_stime, 1), "peak_mb": round(peak_kb / 1024)}


def _peak_kb(process: int) -> int:
    """Return the highest memory of a process so far; 0 when it has just ended."""
    rows = dict(row.split(":", 1) for row in Path(f"/proc/{process}/status").read_text().splitlines() if ":" in row)
    return int(rows.get("VmHWM", "0 kB").split()[0])


def run_jobs_of(folder: Path, number: int) -> None:
    """Run the jobs that are due on a day of the week."""
    settings = load_settings(config=folder / "config.toml")
    with open_memory(settings, clock=ShiftedClock(_moment(folder, number) + timedelta(hours=14))) as memory:
        memory.jobs.run()


if __name__ == "__main__":
    run_jobs_of(Path(sys.argv[1]), int(sys.argv[2]))
