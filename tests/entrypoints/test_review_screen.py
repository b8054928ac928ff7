"""The review screen, with keys pressed by a script and over a real terminal."""

import os
import pty
import re
import select
import sys
import time
from datetime import timedelta

import pytest
from msgspec.structs import replace
from tests.entrypoints.reviewer import ONE, Person

from vademecum.write.candidates import route

THINGS = (
    "tabs", "puns", "globals", "acronyms", "colours", "mocks", "macros", "threads", "singletons", "emojis",
)  # fmt: skip
PLACES = ("in the parser", "in the importer", "in the web page", "in the log", "in the exporter")


def proposed(memory, count):
    """So many proposals, of ten patterns."""
    for number in range(count):
        text = f"Don't use {THINGS[number % 10]} {PLACES[number // 10]}"
        pattern = f"en.preference.p{number % 10}"
        more = {"title": text, "text": f"{text}.", "pattern": pattern, "rationale": f'{pattern}: "don\'t use"'}
        route(memory.context, replace(ONE, **more), "plain")


def test_fifty(memory):
    """Fifty proposals take 52 keys, and never more than 80: one each, with a mistake taken back and some edited on the way."""
    proposed(memory, 50)
    person = Person(memory, "aarsu" + "aree" + "a" * 60, edited="Use neither.")
    person.screen.run()
    assert person.screen.keys == 52
    assert [one.memory.status for one in memory.inbox.proposals()] == []
    assert "0 still wait" in person.text


def test_by_group(memory):
    """Whole groups at a time, proposals take no more keys than there are groups."""
    proposed(memory, 20)
    groups = memory.inbox.proposals()[-1].cluster + 1
    person = Person(memory, "A" * 50)
    person.screen.run()
    assert person.screen.keys == groups <= 10
    assert memory.inbox.proposals() == ()


def test_shows(memory):
    """Beside the proposal stand its passage, why it was proposed, and memories that say something like it."""
    memory.notes.save("preference", "Use tabs in the parser")
    proposed(memory, 1)
    person = Person(memory, "q")
    person.screen.run()
    for part in (
        "Don't use tabs in the parser.",
        "said: what stood around it",
        'why:  the words "don',
        "1: Use tabs in the parser",
    ):
        assert part in person.text


def test_supersede(memory):
    """The number of a memory shown replaces it."""
    old = memory.notes.save("preference", "Use tabs in the parser").memory
    proposed(memory, 1)
    Person(memory, "1").screen.run()
    assert memory.notes.get(old.id).status == "superseded"


def test_told_before_and_after(memory, clock):
    """What approving does to what is known is shown before the key is pressed, and told after it."""
    memory.notes.save("fact", "Port", "The API listens on port 8080.")
    clock.advance(timedelta(hours=1))
    text = "The API listens on port 8081."
    route(
        memory.context,
        replace(ONE, kind="fact", title="New port", text=text, rationale="x: port", pattern="x", trust="agent"),
        "plain",
    )
    looked = Person(memory, "q")
    looked.screen.run()
    assert "approved, it is disputed by: Port" in looked.text
    person = Person(memory, "a")
    person.screen.run()
    assert "now disputed with: Port (" in person.text


def test_undo_a_group(memory):
    """A group that was decided at once is taken back at once, and the screen goes back to it."""
    proposed(memory, 20)
    first = memory.inbox.proposals()[0].of
    person = Person(memory, "Ruq")
    assert person.screen.run() == ()
    assert first > 1
    assert len(memory.inbox.proposals()) == 20
    assert memory.inbox.patterns() == ()


def test_other_keys(memory):
    """A key that means nothing tells what the keys are; an edit that was given up changes nothing."""
    proposed(memory, 1)
    person = Person(memory, "x9ueq")
    person.screen.run()
    assert person.text.count("a approve") == 3
    assert "There is nothing to undo." in person.text
    assert "Nothing was changed." in person.text
    assert len(memory.inbox.proposals()) == 1


def test_empty(memory):
    """With nothing to decide it says so."""
    person = Person(memory, "")
    assert person.screen.run() == ()
    assert person.shown == ["The inbox is empty."]


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
def test_terminal(opened, tmp_path):
    """`vade review` over a real terminal: a key decides without Enter, and leaving leaves the rest."""
    memory = opened()
    proposed(memory, 3)
    memory.close()
    environment = {
        "PATH": os.environ["PATH"], "TERM": "xterm", "HOME": str(tmp_path), "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "VADEMECUM_CONFIG": str(tmp_path / "none.toml"), "VADEMECUM_HOME": str(tmp_path / "Vault" / "Vademecum"),
        "VADEMECUM_DATA_DIR": str(tmp_path / "data"), "VADEMECUM_CACHE_DIR": str(tmp_path / "cache"),
        "VADEMECUM_EMBEDDER": "none",
    }  # fmt: skip
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, [sys.executable, "-m", "vademecum", "review"], environment)
    shown = _until(terminal, rb"\[1/3\].*why:[^\n]*\n")
    os.write(terminal, b"\x1b[A")
    os.write(terminal, b"a")
    shown += _until(terminal, rb"\[2/3\].*why:[^\n]*\n")
    os.write(terminal, b"q")
    shown += _until(terminal, rb"2 still wait")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(terminal)
    assert b"approve" in shown
    assert len(opened().inbox.proposals()) == 2


def _until(terminal, pattern, limit_s=30.0):
    """What the terminal shows until the pattern is seen."""
    seen, end = b"", time.monotonic() + limit_s
    while not re.search(pattern, seen, re.DOTALL):
        assert time.monotonic() < end, seen
        if select.select([terminal], [], [], 1.0)[0]:
            seen += os.read(terminal, 65536)
    return seen
