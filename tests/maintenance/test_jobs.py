"""Work that is done later: one table, each job under a lease, once when it is due, whatever happens in the others (SW-36)."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from vademecum.domain.errors import NotFound, UnknownWord, WriteFailed
from vademecum.maintenance import jobs
from vademecum.maintenance.jobs import Job
from vademecum.plugins.daily.notes import daily

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
NOTE = "---\ndate: {day}\ndistilled: false\n---\n\nWe decided to use PostgreSQL for the orders, because it locks rows.\n"


def ran(done):
    return [one.name for one in done]


@pytest.fixture
def note(memory, clock):
    """Writes the note of yesterday, with a decision of the person's in it."""
    day = (clock.now() - DAY).date()
    path = Path(daily(memory.context, day.isoformat()).path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(NOTE.format(day=day), encoding="utf-8")
    return path


def test_sw36_order_and_cool_down(memory, clock):
    """SW-36: a round does what is due in the order of the table; what was done within its span is passed over until that is over."""
    first = ran(memory.jobs.run())
    assert first == [job.name for job in jobs.all_jobs() if job.wanted(memory.context)]
    assert {"read", "sessions", "distil", "caps", "compact"} <= set(first)
    again = ran(memory.jobs.run())
    assert "read" in again
    assert not {"caps", "compact"} & set(again)
    clock.advance(DAY)
    assert "caps" in ran(memory.jobs.run())


@pytest.mark.parametrize("days", [6, 60])
def test_sw36_caught_up_after_downtime(memory, clock, note, days):
    """SW-36: what was due while nothing ran is done at the next round, once, after six days as after sixty."""
    memory.jobs.run(("caps", "compact"))
    clock.advance(days * DAY)
    assert "caps" in ran(memory.jobs.run())
    assert "caps" not in ran(memory.jobs.run())
    assert ("distilled: true" in note.read_text(encoding="utf-8")) == (days < 30)


def test_sw36_one_that_fails_stops_no_other(memory, clock, monkeypatch):
    """SW-36: a job that raises, foreseen or not, is told by `jobs` and `status`, tried again after an hour, and the next one is done."""
    fails = iter([WriteFailed("The disk is full."), KeyError("x"), KeyError("y")])

    def bad(context, seconds):
        error = next(fails, None)
        if error:
            raise error
        return "done", ()

    rows = Job("bad", "It fails.", bad, DAY), Job("good", "It works.", lambda context, seconds: ("fine", ()), DAY)
    monkeypatch.setattr(jobs, "all_jobs", lambda: rows)
    assert [(one.result, one.error) for one in memory.jobs.run()] == [("", "The disk is full."), ("fine", "")]
    assert memory.jobs.run() == ()
    clock.advance(HOUR)
    assert [(one.name, one.error) for one in memory.jobs.run()] == [("bad", "KeyError: 'x'")]
    assert "jobs: bad fails: KeyError: 'x'" in memory.maintenance.status().degraded
    assert memory.jobs.run(("bad",))[0].error, "named, it is done although it is not due"
    clock.advance(HOUR)
    assert ran(memory.jobs.run()) == ["bad"]
    assert memory.jobs.list()[0].last.error == ""
    assert not [said for said in memory.maintenance.status().degraded if said.startswith("jobs:")]


HOLD = """
import sys
from pathlib import Path
from vademecum.adapters.stores.state import SqliteState
with SqliteState(Path(sys.argv[1])).jobs.lease("caps") as mine:
    print(mine, flush=True)
    sys.stdin.read()
"""


def test_sw36_lease(memory, tmp_path):
    """SW-36: a job that another process does is passed over; when that process is killed, nobody waits for it."""
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "data" / "device.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout.readline() == "True\n"
    (done,) = memory.jobs.run(("caps",))
    assert done.result == "another process is doing it"
    assert [job.name for job in memory.jobs.list() if job.running] == ["caps"]
    other.kill()
    other.communicate()
    (done,) = memory.jobs.run(("caps",))
    assert done.result == ""
    assert next(job for job in memory.jobs.list() if job.name == "caps").last is not None


def test_a_whole_job_is_taken_back(memory, clock, note):
    """One word takes back all that a job changed; it is not done again, and what the person changed since stays."""
    memory.jobs.run(("distil",))
    (kept,) = memory.notes.list(status=("active", "caps"))
    memory.jobs.run(("distil",))
    assert memory.jobs.undo("distil").titles == (kept.title,)
    assert memory.notes.list(status=("active", "caps")) == ()
    clock.advance(DAY)
    memory.jobs.run()
    assert memory.notes.list(status=("active", "caps")) == ()
    with pytest.raises(NotFound):
        memory.jobs.undo("distil")


def test_what_was_changed_since_stays(memory, note):
    """A memory that a person edited after the job is not taken from them; it is named with the reason."""
    memory.jobs.run(("distil",))
    (kept,) = memory.notes.list(status=("active", "caps"))
    memory.notes.edit(kept.key, body="PostgreSQL, and nothing else.\n")
    undone = memory.jobs.undo("distil")
    assert undone.titles == ()
    assert [title for title, _ in undone.stay] == [kept.title]


def test_wrong_name(memory):
    """A job that there is not is said so, with those that there are."""
    with pytest.raises(UnknownWord, match="job 'tea'"):
        memory.jobs.run(("tea",))


def test_sw51_nothing_goes_by_age(memory, clock, note, home):
    """SW-51: after more than a year of rounds every note of a day and every memory stands where it stood, byte for byte."""
    memory.notes.save("event", "Fair", "The fair was in town.")
    memory.jobs.run()
    before = {path: path.read_bytes() for path in home.rglob("*.md")}
    for _ in range(14):
        clock.advance(30 * DAY)
        memory.jobs.run()
    assert {path: path.read_bytes() for path in home.rglob("*.md")} == before
