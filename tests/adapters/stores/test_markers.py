"""The Markers port: one suite for the file and for the reference; and a real process that is killed."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from msgspec.structs import replace
from tests.adapters.stores.references import MemoryMarkers

from vademecum.adapters.stores.markers import SqliteMarkers
from vademecum.domain.host import HookEvent
from vademecum.domain.lifecycle import STAGES, Marker, begun, ended, failed, noted, settled

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture(params=["memory", "sqlite"])
def markers(request, tmp_path):
    made = MemoryMarkers() if request.param == "memory" else SqliteMarkers(tmp_path / "device.db")
    yield made
    made.close()


def marker(session="session://codex/a", stage="active", minute=0):
    return Marker(session, stage, NINE, NINE + timedelta(minutes=minute))


def test_round_trip(markers):
    """Every field comes back as it was given, moments to the microsecond."""
    full = Marker(
        "session://codex/a", "failed", NINE, NINE, NINE, NINE + timedelta(microseconds=7), "/t.jsonl", "/wörk", "gpt", True, 9, 2,
        "no disk", NINE,
    )  # fmt: skip
    assert markers.get(full.session) is None
    assert markers.change(full.session, lambda known: full) == full
    assert markers.get(full.session) == full


def test_order_and_stages(markers):
    """Those longest silent come first; stages can be asked for."""
    for name, stage, minute in (("c", "active", 1), ("a", "ended", 9), ("b", "active", 1)):
        markers.change(f"session://x/{name}", lambda _, n=name, s=stage, m=minute: marker(f"session://x/{n}", s, m))
    assert [one.session[-1] for one in markers.all()] == ["b", "c", "a"]
    assert [one.session[-1] for one in markers.all({"ended"})] == ["a"]
    assert markers.all(set()) == ()


def test_removed(markers):
    """A change to None removes; an unknown one stays unknown."""
    markers.change("session://codex/a", lambda _: marker())
    assert markers.change("session://codex/a", lambda known: None) is None
    assert markers.all() == ()
    assert markers.change("session://codex/a", lambda known: known) is None


def test_error_changes_nothing(markers):
    """What a change raises is passed on, and the marker stays."""
    markers.change("session://codex/a", lambda _: marker())
    with pytest.raises(ZeroDivisionError):
        markers.change("session://codex/a", lambda known: 1 / 0)
    assert markers.get("session://codex/a") == marker()
    assert markers.change("session://codex/a", lambda known: replace(known, tries=1)).tries == 1


def test_bad_text(markers):
    """Half a character in what a host tells does not stop the marker."""
    kept = markers.change("session://codex/a", lambda _: replace(marker(), error="x"))
    assert kept.error == "x"
    markers.change("session://codex/\ud800", lambda _: replace(marker(), cwd="/\udc00"))
    assert len(markers.all()) == 2


def test_damaged_file(tmp_path):
    """A file that is no database is set aside; markers start anew rather than fail every hook."""
    (tmp_path / "device.db").write_bytes(b"not a database" * 500)
    markers = SqliteMarkers(tmp_path / "device.db")
    assert markers.all() == ()
    assert (tmp_path / "device.damaged").exists()
    markers.close()


def _count(path, times):
    markers = SqliteMarkers(path)
    for _ in range(times):
        markers.change("session://codex/a", lambda known: replace(known, tries=known.tries + 1))
    markers.close()


def test_two_processes(tmp_path):
    """Two processes that change one marker at once lose no change of each other's."""
    path = tmp_path / "device.db"
    markers = SqliteMarkers(path)
    markers.change("session://codex/a", lambda _: marker())
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_count, args=(path, 100)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert markers.get("session://codex/a").tries == 200
    markers.close()


WRITER = """
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from vademecum.adapters.stores.markers import SqliteMarkers
from vademecum.domain.lifecycle import Marker
markers = SqliteMarkers(Path(sys.argv[1]))
start = datetime(2026, 3, 2, 9, tzinfo=UTC)
for number in range(100000):
    name = f"session://codex/{number}"
    markers.change(name, lambda _: Marker(name, "active", start, start + timedelta(seconds=number)))
    print(number, flush=True)
"""


@pytest.mark.parametrize("after", [1, 17, 60])
def test_killed_writer(tmp_path, after):
    """What a process was told is noted is there after kill -9, whenever that came, and the file is whole."""
    path = tmp_path / "device.db"
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    told = [process.stdout.readline() for _ in range(after)]
    os.kill(process.pid, signal.SIGKILL)
    told += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    numbers = [int(line) for line in told if line.endswith("\n")]
    markers = SqliteMarkers(path)
    assert {f"session://codex/{number}" for number in numbers} <= {one.session for one in markers.all()}
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    markers.close()


class Lives(RuleBasedStateMachine):
    """Hosts tell things of some sessions, processes reopen the file: it always equals the reference."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "device.db"
        self.real, self.reference, self.now = SqliteMarkers(self.path), MemoryMarkers(), NINE

    def both(self, session, step):
        uri = f"session://claude-code/{session}"
        assert self.real.change(uri, step) == self.reference.change(uri, step)

    @rule(session=st.sampled_from("abc"), moment=st.sampled_from(["start", "prompt", "end"]), minutes=st.integers(-90, 90))
    def told(self, session, moment, minutes):
        """A hook speaks, perhaps late."""
        step = {"start": begun, "end": ended}.get(moment, noted)
        at = self.now + timedelta(minutes=minutes)
        self.both(session, lambda known: step(known, HookEvent("claude-code", moment, "E", session), at))

    @rule(session=st.sampled_from("abc"), spoken=st.integers(0, 3))
    def processed(self, session, spoken):
        """A session is processed."""
        self.both(session, lambda known: known and settled(known, self.now, self.now, bytes_read=7, spoken=spoken))

    @rule(session=st.sampled_from("abc"))
    def failing(self, session):
        """Or fails."""
        self.both(session, lambda known: known and failed(known, self.now, "no file"))

    @rule(minutes=st.integers(1, 3000))
    def later(self, minutes):
        """Time passes."""
        self.now += timedelta(minutes=minutes)

    @rule(session=st.sampled_from("abc"))
    def collected(self, session):
        """A marker is dropped."""
        self.both(session, lambda known: None)

    @rule()
    def reopened(self):
        """The process ends and another one begins."""
        self.real.close()
        self.real = SqliteMarkers(self.path)

    @invariant()
    def equal(self):
        """Whatever happened, both know the same."""
        assert self.real.all() == self.reference.all()
        for one in self.real.all():
            assert one.stage in STAGES and one.seen >= one.started

    def teardown(self):
        self.real.close()
        self.folder.cleanup()


Lives.TestCase.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
TestLives = Lives.TestCase
