"""What a terminal shows: lines that fit it, colour unless NO_COLOR says otherwise, and neither in a pipe."""

import io
import os
import pty
import subprocess
import sys
from types import SimpleNamespace

import pytest

from vademecum.entrypoints.cli import progress
from vademecum.entrypoints.cli.terminal import fitted, painted, say, show

TEXT = "The deploy box is called heron and stands in the second room. " * 4
LONG = f"1. Deploy box  (fact, 2026-11-23)  15.20\n   {TEXT}\n   G8G04VH0#1"


def test_lines_fit():
    """No line is wider than the window, no word is lost, and what follows is indented."""
    lines = fitted(LONG, 60).split("\n")
    assert max(map(len, lines)) <= 60
    assert " ".join(" ".join(lines).split()) == " ".join(LONG.split())
    assert lines[2].startswith("     ")


def test_columns_stay():
    """What follows in the last column of a row stays in that column, if the column is wide enough."""
    lines = fitted(f"ok    index.drift   {TEXT}", 60).split("\n")
    assert len(lines) > 2 and all(line[:20].isspace() and line[20] != " " for line in lines[1:])
    assert fitted(f"ok    {'index' * 10}   {TEXT}", 60).split("\n")[1].startswith("  The")


def test_tables_stay():
    """Rows of a table and JSON are not broken."""
    table = "title\t" + "long " * 40 + '\n{"a": "' + "b " * 100 + '"}'
    assert fitted(table, 60) == table


def test_ids_titles_warnings():
    assert "\x1b[2mG8G04VH0\x1b[0m#1" in painted(LONG)
    assert painted(LONG).startswith("\x1b[1m1. Deploy box")
    assert painted("degraded   index: gone").startswith("\x1b[33m")


@pytest.mark.parametrize(("more", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_in_a_terminal(vade, tmp_path, more, coloured):
    """A terminal gets colour, one whose person wants none does not, nor does a pipe."""
    vade("init", "memory")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", **more}
    environment.pop("NO_COLOR", None) if not more else None
    command = [sys.executable, "-m", "vademecum", "status"]
    subprocess.run(command, stdout=theirs, stdin=subprocess.DEVNULL, env=environment, check=True)
    os.close(theirs)
    assert (b"\x1b[33m" in os.read(ours, 65536)) is coloured
    os.close(ours)
    assert "\x1b" not in vade("status")[1]


class Screen(io.StringIO):
    """A terminal that keeps what was written to it."""

    def isatty(self):
        return True


@pytest.mark.parametrize("done", [40, 100])
def test_progress_leaves_a_clean_line(monkeypatch, done):
    """What is printed after work that was shown, whether it came to its end or not, begins on a line of its own."""
    screen, moments = Screen(), iter([0.0, 2.0, 4.0])
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "time", SimpleNamespace(perf_counter=lambda: next(moments)))
    told = progress.Progress()
    for so_far in (0, 30, done):
        told("Reading notes", so_far, 100)
    assert "Reading notes: 30 of 100, 5 s left" in screen.getvalue()
    show("2 notes are new.")
    assert screen.getvalue().endswith("\r\x1b[K")
    assert not progress.Progress.is_shown


def test_progress_is_shown_to_nobody_in_a_pipe(monkeypatch):
    """Where standard error is no terminal nothing is written."""
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    progress.Progress()("Reading notes", 1, 2)
    progress.clear_line()
    assert written.getvalue() == ""


@pytest.mark.parametrize(("stream", "err"), [("stdout", False), ("stderr", True)])
@pytest.mark.parametrize("at_terminal", [True, False])
def test_sentences_fit(monkeypatch, stream, err, at_terminal):
    """Errors and reports are wrapped between words at a terminal, and unchanged in a pipe."""
    screen = Screen() if at_terminal else io.StringIO()
    monkeypatch.setattr(sys, stream, screen)
    monkeypatch.setenv("COLUMNS", "60")
    say(TEXT, err=err)
    lines = screen.getvalue().splitlines()
    assert (max(map(len, lines)) <= 60) is at_terminal
    assert " ".join(screen.getvalue().split()) == " ".join(TEXT.split())


def test_errors_fit(vade, monkeypatch):
    """An error of a command is wrapped at a terminal."""
    screen = Screen()
    vade("init", "memory")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys, "stderr", screen)
    assert vade("list", "--since", "the time when the deploy box stood in the second room")[0]
    assert "no date." in screen.getvalue() and max(map(len, screen.getvalue().splitlines())) <= 60
