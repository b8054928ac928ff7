"""What the person marks as private stays with the host: it reaches no file of ours, however it comes in."""

import json
from pathlib import Path

import pytest

from vademecum.domain.guarding import USUAL
from vademecum.domain.query import Query
from vademecum.guard import Guard

GUARD = Guard(USUAL)

MARKED = "<private>We use Oracle for payroll,\nbecause the works council wants it.</private>"
OTHER = "We decided to use Postgres for the orders, because it locks rows."


def bytes_of(folder):
    return b"".join(path.read_bytes() for path in Path(folder).rglob("*") if path.is_file())


@pytest.fixture
def talk(tmp_path):
    path = tmp_path / "talk" / "a.jsonl"
    path.parent.mkdir()

    def written(first):
        said = [first, "Fine.", OTHER, "Yes.", f"And {MARKED} is all.", "Good."]
        lines = [{"speaker": "user" if number % 2 == 0 else "agent", "text": text} for number, text in enumerate(said)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return str(path)

    return written


@pytest.mark.parametrize("first", [MARKED, f"Please look: {MARKED}", "<private>We use Oracle for payroll."])
def test_reaches_no_file(memory, talk, tmp_path, home, first):
    """MV-33: a marked passage is in no index, archive, title, memory or log, and no answer; what stands around it is."""
    memory.maintenance.capture((talk(first),))
    memory.sessions.process_due()
    for folder in (home, tmp_path / "data", tmp_path / "cache"):
        found = bytes_of(folder) if folder.exists() else b""
        assert b"Oracle" not in found
        assert b"works council" not in found
    (line,) = memory.sessions.list()
    assert line.archived
    assert "Oracle" not in line.title
    Path(tmp_path / "talk" / "a.jsonl").unlink()
    kept = memory.sessions.get(line.session)
    assert OTHER in [turn.text for turn in kept.turns]
    assert "Oracle" not in "".join(turn.text for turn in kept.turns)
    assert memory.recall.ask(Query("payroll")).hits == ()
    assert memory.sessions.search("Postgres for the orders").hits


def test_not_in_a_memory(memory, home):
    """Whoever saves a text with a marked passage keeps the rest."""
    saved = memory.notes.save("fact", "Systems", f"Orders are in Postgres. {MARKED}")
    assert saved.memory.body.strip() == "Orders are in Postgres. [REDACTED:private]"
    assert saved.warnings == ("personal data (private) was replaced by a placeholder",)
    assert b"Oracle" not in bytes_of(home)


@pytest.mark.parametrize(
    "text", ["Write `<private>` around what shall not be kept.", "The tag `<private>` hides a passage.", "Private matters."]
)
def test_about_the_mark(text):
    """Who writes about the mark marks nothing."""
    assert GUARD.judge(text, trust="user").text_clean == text
