"""The acceptance walk of MemoryVault, through the command line and without any model (MV-01 to MV-55, the road of a week)."""

import json
import os
import shutil
import time

import pytest

TURNS = (
    "Please look at the sluice gate, its rope is worn.",
    "The rope is worn at both ends.",
    "Maybe we should use chain there one day.",
    "That would hold longer.",
    "We decided to oil the hinges every spring.",
    "Noted.",
    "From now on always answer in British English.",
    "I will.",
)


@pytest.fixture
def person(vade, tmp_path):
    """Somebody with a memory in `notes` and one preference that every session is told."""
    vade("init", str(tmp_path / "notes"))
    vade("save", "preference", "Plain words", "--body", "Answers are plain and short.", "--always-load")
    vade("save", "preference", "Tabs", "--body", "Indent with tabs, never with spaces.")
    return lambda *words: vade(*words)[1]


def told(person, prompt, session="session://claude-code/one"):
    return json.loads(person("bundle", prompt, "--session", session, "--json"))["text"]


def crashed(tmp_path):
    """A transcript of Claude Code's whose session said nothing for two hours and never ended."""
    path = tmp_path / "talks" / "0a5f63de-0c1d-4c8e-9b0a-6f2f7d9d6a11.jsonl"
    path.parent.mkdir()
    with path.open("w") as file:
        for number, text in enumerate(TURNS):
            role = ("user", "assistant")[number % 2]
            line = {
                "type": role,
                "sessionId": path.stem,
                "cwd": str(tmp_path / "barn"),
                "uuid": f"{number:08d}-0000-4000-8000-000000000000",
            }
            line |= {"timestamp": f"2026-03-01T10:{number:02d}:00Z", "message": {"role": role, "content": text}}
            file.write(json.dumps(line) + "\n")
    before = time.time() - 7200
    os.utime(path, (before, before))
    return path


def test_started_and_asked(person):
    """A session starts with what is always loaded; an unrelated prompt adds nothing, one that has to do with something adds that."""
    assert "Answers are plain and short." in person("briefing")
    assert told(person, "who won the football match in Lisbon") == ""
    assert "Indent with tabs" in told(person, "should I indent with tabs or spaces?")
    assert "Indent with tabs" not in told(person, "should I indent with tabs or spaces?"), "this session was told already"


def test_evolved(person, tmp_path):
    """What replaced a text is told in its place; the old file is whole in the archive, with the reason, and one undo takes it back."""
    old = (tmp_path / "notes/personal/preference/tabs.md").read_text()
    person("evolve", "Tabs", "the team agreed", "--body", "Indent with four spaces, never with tabs.")
    text = told(person, "should I indent with tabs or spaces?", "session://claude-code/three")
    assert "four spaces" in text
    assert "with tabs, never with spaces" not in text
    (kept,) = (tmp_path / "notes/_archive").rglob("tabs.md.*")
    assert "Indent with tabs, never with spaces." in kept.read_text()
    assert "the team agreed" in kept.read_text()
    person("undo", "Tabs")
    assert (tmp_path / "notes/personal/preference/tabs.md").read_text() == old


def test_a_crashed_session(person, tmp_path):
    """A session that fell silent is reflected at the next round: what was said outright is kept, what only suggests waits or is told
    to nobody, and the next session is told where it stopped."""
    path = crashed(tmp_path)
    person("process", str(path.parent))
    listed = json.loads(person("list", "--status", "active,inbox", "--limit", "50", "--json"))["results"]
    sure = {one["title"] for one in listed if one["status"] == "active"}
    assert any("British English" in title for title in sure)
    assert not any("chain" in title for title in sure)
    assert any("chain" in one["title"] for one in listed if one["status"] == "inbox")
    assert "sluice gate" in person("sessions", "list")
    assert json.loads(person("list", "--kind", "handoff", "--json"))["results"]
    again = person("process", str(path.parent))
    assert "0 sessions with something new" in again


def test_index_gone(person, tmp_path):
    """The index is deleted: the same questions have the same answers."""
    questions = ("tabs or spaces", "plain answers", "who won the football match in Lisbon")

    def answers():
        found = [json.loads(person("recall", question, "--json")) for question in questions]
        return [[(hit["title"], round(hit["score"], 4)) for hit in one["hits"]] for one in found]

    before = answers()
    assert [len(one) > 0 for one in before] == [True, True, False]
    shutil.rmtree(tmp_path / "data")
    person("rebuild")
    assert answers() == before


def test_stopped(person, tmp_path, monkeypatch):
    """A STOP file in a project: what is said there is not captured while it stands."""
    barn = tmp_path / "barn"
    barn.mkdir()
    monkeypatch.chdir(barn)
    (barn / ".harness").mkdir()
    (barn / ".harness" / "STOP").touch()
    path = crashed(tmp_path)
    person("capture", str(path.parent))
    assert "British English" not in person("list", "--status", "active,inbox")
