"""The sample transcripts: their true memories are found, and nothing else."""

from pathlib import Path

import pytest
from tests.adapters.transcripts.transcript_samples import recognise

from vademecum import demo
from vademecum.demo.script import PROJECT, PROMPTS, TODAY
from vademecum.domain.guarding import USUAL
from vademecum.domain.session import Session
from vademecum.extract.mine import mine
from vademecum.guard import Guard
from vademecum.ingest.reader import head, read

TRANSCRIPTS = sorted((Path(demo.__file__).parent / "transcripts").glob("*.jsonl"))

#: file -> (kind, words of the memory, what it replaces), in the order in which they were said.
EXPECTED = {
    "01-start": [
        ("identity", "I'm a self-taught developer", ""),
        ("decision", "one SQLite file per household", ""),
        ("preference", "plain functions with full names", ""),
        ("preference", "a short summary at the end of your answers", ""),
        ("decision", "FastAPI and server-rendered pages", ""),
    ],
    "02-locked": [
        ("fix", "sqlite3.OperationalError: database is locked: The fix was to open every connection in WAL mode", ""),
        ("preference", "write the failing test before you touch the code", ""),
    ],
    "03-deploy": [
        ("decision", "deploy on Fly", ""),
        ("fix", "ModuleNotFoundError: No module named 'larder'", ""),
        ("fact", "My daughter Inês is allergic to hazelnuts", ""),
    ],
    "04-search": [
        ("decision", "the full-text search in SQLite rather than a search server", ""),
        ("preference", "Commit messages should always be in the imperative", ""),
    ],
    "05-import": [
        ("fix", "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xea in position 11: invalid continuation byte", ""),
        ("decision", "keep amounts as text", ""),
        ("lesson", "Copy the household's file before an import", ""),
    ],
    "06-move": [
        ("decision", "moved off Fly to a small VPS, because the machine slept at night", "Fly"),
        ("preference", "no longer want a summary", "a summary at the end of your answers"),
    ],
    "07-buttons": [],
}

#: file -> what the person said, counted by hand.
PROMPTS_IN = {"01-start": 5, "02-locked": 4, "03-deploy": 5, "04-search": 4, "05-import": 6, "06-move": 5, "07-buttons": 5}


def session(path: Path) -> Session:
    transcript = recognise(head(path), str(path))
    assert transcript is not None
    parsed = read(path, transcript).parsed
    assert not parsed.unknown
    assert parsed.broken == 0
    return parsed.session


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_memories(path):
    """X-23: every true memory of the samples is found, and no junk."""
    found = mine(session(path))
    assert [candidate.kind for candidate in found] == [kind for kind, _, _ in EXPECTED[path.stem]]
    for candidate, (_, words, replaces) in zip(found, EXPECTED[path.stem], strict=True):
        assert words in candidate.text
        assert candidate.replaces == replaces
        assert candidate.confidence == ("medium" if candidate.kind == "fix" else "high")
        assert candidate.project == PROJECT
        assert Guard(USUAL).judge(candidate.text, trust="extracted").action == "allow"


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_people(path):
    """The samples carry the traps of real transcripts, and the person is heard exactly."""
    turns = session(path).turns
    assert len([turn for turn in turns if turn.role == "user" and not turn.sidechain]) == PROMPTS_IN[path.stem]
    assert {turn.role for turn in turns} >= {"user", "agent", "tool"}


def test_span():
    """The samples tell of five weeks, in the order of their names, and the demo asks three things."""
    started = [session(path).started for path in TRANSCRIPTS]
    assert started == sorted(started)
    assert (started[-1] - started[0]).days >= 34
    assert started[-1] < TODAY
    assert len(PROMPTS) == 3
