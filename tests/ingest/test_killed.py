"""X-52 and the like: a reading that is killed at any moment is gone on with, and loses and doubles nothing."""

import json
import random
import re
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from vademecum.adapters.clock import SystemClock
from vademecum.settings import Settings
from vademecum.wiring import open_memory

PROGRAM = Path(__file__).with_name("ingest_killed.py")
SESSIONS, TURNS = 15, 40
#: Ways in which transcripts are read; the last ones by a whole command, whose start is part of what is killed.
WAYS = ("one process", "two processes", "session end", "vade process", "vade watch")
#: `vade watch` does not end, so seconds after which it has surely read.
WATCHED_S = 2.0


def written(folder: Path, share: float = 1.0) -> None:
    """Conversations of three hosts, each with one thing worth remembering that no other has; so much of them, to the byte."""
    folder.mkdir(exist_ok=True)
    for number in range(SESSIONS):
        lines = []
        for turn in range(TURNS):
            words = (
                f"We decided to use engine{number} for shop{number}, because it is quiet." if turn == 4 else f"s{number}t{turn}"
            )
            if number % 3 == 0:
                role = "user" if turn % 2 == 0 else "assistant"
                lines.append({"role": role, "text": words, "id": f"{number}-{turn}", "time": f"2026-03-01T09:{turn:02d}:00Z"})
            elif number % 3 == 1:
                kind = "user_message" if turn % 2 == 0 else "agent_message"
                payload = {"type": kind, "message": words}
                lines.append({"timestamp": f"2026-03-01T10:{turn:02d}:00Z", "type": "event_msg", "payload": payload})
            else:
                kind = "user" if turn % 2 == 0 else "assistant"
                uuid = f"{number:08d}-0000-4000-8000-{turn:012d}"
                message = {"role": kind, "content": words if turn % 2 == 0 else [{"type": "text", "text": words}]}
                line = {"type": kind, "uuid": uuid, "sessionId": f"s{number}", "isSidechain": False, "message": message}
                lines.append({**line, "timestamp": f"2026-03-01T11:{turn:02d}:00Z"})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"talk{number}.jsonl").write_text(text[: int(len(text) * share)], encoding="utf-8")


class Later(SystemClock):
    """Two hours on, when what failed is tried again."""

    def now(self) -> datetime:
        return super().now() + timedelta(hours=2)


class Place:
    """A memory, and transcripts to be read into it."""

    def __init__(self, folder: Path) -> None:
        self.talk, self.home, self.data = folder / "talk", folder / "Vademecum", folder / "data"
        self.settings = Settings(
            home=str(self.home), data_dir=str(self.data), cache_dir=str(self.data), device="laptop", embedder="none",
            transcripts=(str(self.talk),),
        )  # fmt: skip
        self.config = folder / "config.toml"
        names = ("home", "data_dir", "cache_dir", "device", "embedder", "transcripts")
        rows = {name: getattr(self.settings, name) for name in names}
        self.config.write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in rows.items()))
        self.home.mkdir()

    def command(self, way: str) -> list[str]:
        """What reads the transcripts in this way."""
        if not way.startswith("vade "):
            return [sys.executable, str(PROGRAM), way, str(self.home), str(self.data), str(self.talk)]
        more = {"vade process": ["--threshold", "0"], "vade watch": ["--every", "1", "--debounce", "0", "--idle", "10"]}
        return [sys.executable, "-m", "vademecum", "--config", str(self.config), way.removeprefix("vade "), *more[way]]

    def read_for(self, way: str, within_s: float) -> float | None:
        """Read in this way, killed after so many seconds; how many it took, None when it was killed."""
        with subprocess.Popen(self.command(way), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            assert process.stdout is not None
            if not way.startswith("vade "):
                assert process.stdout.readline() == "ready\n"
            started = time.monotonic()
            try:
                process.wait(within_s)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                return None
            assert process.returncode == 0, process.stdout.read()
            return time.monotonic() - started


def killed_at_moments(tmp_path: Path, way: str, times: int, seed: int) -> None:
    """Ingest growing conversations until the reading was killed `times` times before it had ended, at random moments of the time that it
    takes; then read to the end, and compare with what was written."""
    (tmp_path / "measured").mkdir()
    lasts_s = time_taken_s(Place(tmp_path / "measured"), way, 1 / times)
    place, chance = Place(tmp_path), random.Random(seed)
    killed = rounds = 0
    while killed < times:
        rounds += 1
        assert rounds < 3 * times, f"only {killed} of {rounds} readings were killed in time"
        written(place.talk, min(rounds / times, 1))
        killed += place.read_for(way, chance.uniform(0, lasts_s)) is None
    with open_memory(place.settings, clock=Later()) as memory:
        memory.maintenance.process((str(place.talk),), threshold=0)
        memory.maintenance.sync(quick=True)
        assert_whole(memory, place)


def time_taken_s(place: Place, way: str, share: float) -> float:
    """Seconds that a first reading of so much takes on this machine, as it is just now."""
    if way == "vade watch":
        return WATCHED_S
    written(place.talk, share)
    taken = place.read_for(way, 120)
    assert taken is not None
    return taken


def assert_whole(memory, place: Place) -> None:
    """Every turn stands once, every memory, handoff and block of a day's note once, and the archive gives back every byte."""
    sessions = memory.context.index.fingerprints("sessions")
    assert len(sessions) == SESSIONS
    said = [stored.passage.text for key in sessions for stored in memory.context.index.passages_of(key)]
    assert len(said) == len(set(said)) == SESSIONS * TURNS
    items = memory.notes.list(limit=10_000)
    bodies = [memory.notes.get(item.key).body for item in items]
    for number in range(SESSIONS):
        assert sum(f"engine{number} " in body for body in bodies) == 1
    handoffs = memory.notes.list(limit=10_000, kind=("handoff",), status=("active",))
    assert sorted(item.origin for item in handoffs) == sorted(sessions)
    for note in (place.home / "_daily").glob("*.md"):
        blocks = re.findall(r"^## \d\d:\d\d \| (\S+)", note.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(blocks) == len(set(blocks)) == SESSIONS
    archive = memory.context.storage.archive
    kept = {record.path: b"".join(archive.read(record)) for record in archive.records()}
    assert kept == {str(file): file.read_bytes() for file in place.talk.iterdir()}
    assert archive.check() == ()
    assert memory.maintenance.capture((str(place.talk),)).unchanged == SESSIONS
    assert {marker.stage for marker in memory.context.storage.markers.all()} <= {"processed"}


@pytest.mark.slow
def test_killed_at_three_moments(tmp_path):
    """kill -9 at 3 random moments of the first ingest by two: every turn stands once, every memory exists once."""
    killed_at_moments(tmp_path, "two processes", 3, seed=4)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("way", WAYS)
def test_killed_at_many_moments(tmp_path, way, seed):
    """The same 200 times in all, in each way in which transcripts are read."""
    killed_at_moments(tmp_path, way, 20, seed=seed)
