"""The Pauses port: what begins, ends and is left out, and what the file does."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from vademecum.adapters.device.pauses import FilePauses
from vademecum.domain.pause import Pause

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
ONE = "session://codex/a"


@pytest.fixture
def pauses(tmp_path):
    return FilePauses(tmp_path / "data" / "pauses.jsonl", [tmp_path / "STOP"])


def test_begin_and_end(pauses):
    """A pause is known from when it begins, goes on until it is ended, and stays known."""
    assert pauses.all() == ()
    pauses.begin(NINE)
    assert pauses.all() == (Pause(NINE),)
    pauses.end(NINE + HOUR, written={"/t.jsonl": (10, 20)})
    assert pauses.all() == (Pause(NINE, NINE + HOUR, written={"/t.jsonl": (10, 20)}),)
    pauses.begin(NINE + 3 * HOUR)
    assert [pause.end for pause in pauses.all()] == [NINE + HOUR, None]


def test_twice_is_once(pauses):
    """Who pauses what is paused already changes nothing; nor does who resumes what was not paused."""
    pauses.end(NINE)
    pauses.begin(NINE)
    pauses.begin(NINE + HOUR)
    pauses.end(NINE + 2 * HOUR)
    pauses.end(NINE + 3 * HOUR)
    assert pauses.all() == (Pause(NINE, NINE + 2 * HOUR),)


def test_folders_apart(pauses):
    """A folder is paused and resumed by itself, with what was held in it or below it."""
    pauses.begin(NINE, folder="/work/a")
    pauses.begin(NINE + HOUR)
    pauses.end(NINE + 2 * HOUR, folder="/work/a")
    assert pauses.all() == (Pause(NINE, NINE + 2 * HOUR, folder="/work/a"), Pause(NINE + HOUR))
    assert [pauses.all()[0].is_about(ONE, cwd) for cwd in ("/work/a", "/work/a/src", "/work/ab", "")] == [
        True,
        True,
        False,
        False,
    ]


def test_sessions_apart(pauses):
    """One conversation is paused and resumed by itself."""
    pauses.begin(NINE, ONE)
    pauses.begin(NINE + HOUR)
    pauses.end(NINE + 2 * HOUR, ONE)
    assert pauses.all() == (Pause(NINE, NINE + 2 * HOUR, ONE), Pause(NINE + HOUR))
    assert pauses.all()[0].is_about(ONE, "") and not pauses.all()[0].is_about("session://codex/b", "")


def test_excluded(pauses):
    """Conversations that nothing is learnt from stand beside the pauses, until the person says otherwise."""
    pauses.begin(NINE, ONE)
    pauses.exclude(ONE, NINE)
    pauses.exclude(ONE, NINE + HOUR)
    pauses.exclude("session://codex/b", NINE)
    assert pauses.excluded() == {ONE, "session://codex/b"}
    pauses.exclude(ONE, NINE + HOUR, out=False)
    assert (pauses.excluded(), pauses.all()) == ({"session://codex/b"}, (Pause(NINE, session=ONE),))


def test_half_open():
    """The moment of its end is outside."""
    pause = Pause(NINE, NINE + HOUR)
    assert pause.covers(NINE) and not pause.covers(NINE + HOUR) and not pause.covers(NINE - HOUR / 60)


def test_other_processes(tmp_path):
    """What another process notes is seen; a torn or strange line costs only itself; nobody else may read the file."""
    path = tmp_path / "pauses.jsonl"
    ours, theirs = FilePauses(path, []), FilePauses(path, [])
    ours.begin(NINE)
    assert theirs.all() == ours.all()
    with path.open("a") as file:
        file.write('{"resumed": 7}\n["x"]\n{"paused": "nev\n' + json.dumps({"resumed": "2026-03-02T10:00:00+00:00"}) + "\n")
    theirs.end(NINE + 2 * HOUR)
    assert ours.all() == (Pause(NINE, NINE + 2 * HOUR),)
    assert os.name == "nt" or path.stat().st_mode & 0o077 == 0


def test_stop_file(tmp_path):
    """A STOP file switches off from when it was made; of two the older counts."""
    marks = [tmp_path / "a", tmp_path / "b"]
    pauses = FilePauses(tmp_path / "pauses.jsonl", marks)
    assert pauses.stopped_at() is None
    for hours, mark in enumerate(marks):
        mark.touch()
        os.utime(mark, (NINE.timestamp() + hours, NINE.timestamp() + hours))
    assert pauses.stopped_at() == NINE


def test_a_line_that_a_full_disk_cut_off(pauses, tmp_path):
    """The next line begins anew, so that only the cut one is lost."""
    pauses.begin(NINE)
    with (tmp_path / "data" / "pauses.jsonl").open("a") as file:
        file.write('{"resumed": "2026-')
    pauses.end(NINE + HOUR)
    assert pauses.all() == (Pause(NINE, NINE + HOUR),)
