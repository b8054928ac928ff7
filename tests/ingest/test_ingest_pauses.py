"""What is said while memory is paused is kept by nobody: not mined, not searchable, not archived, not when all is built anew."""

import json
import os
from datetime import datetime, timedelta

import pytest
from msgspec.structs import force_setattr

from vademecum.domain.errors import Refused
from vademecum.domain.host import HookEvent

SAID = "We decided to paint the greenhouse purple, because it is cheap."
BEFORE, AFTER = (
    "We decided to use oak for the door, because it lasts.",
    "We decided to use slate for the roof, because it is grey.",
)


@pytest.fixture
def talk(tmp_path, clock):
    """Goes on with a conversation: `talk(name, text, ...)`, speakers in turns, with times unless told otherwise."""
    folder = tmp_path / "talk"
    folder.mkdir()

    def said(name, *texts, dated=True):
        path = folder / f"{name}.jsonl"
        if not path.exists():
            path.write_text(json.dumps({"type": "session", "id": name}) + "\n")
        first = len(path.read_text().splitlines())
        with path.open("a") as file:
            for number, text in enumerate(texts, first):
                clock.advance(timedelta(seconds=30))
                line = {"id": str(number), "speaker": "user" if number % 2 else "assistant", "text": text}
                file.write(json.dumps(line | ({"time": clock.now().isoformat()} if dated else {})) + "\n")
        os.utime(path, (clock.now().timestamp(),) * 2)
        return path

    return said


@pytest.fixture
def paused(tmp_path, clock):
    """Memory is paused, or taken up again, as the commands do it."""
    mark = tmp_path / "data" / "STOP"

    def pause(memory, on):
        clock.advance(timedelta(minutes=5))
        if on:
            mark.parent.mkdir(exist_ok=True)
            mark.touch()
            memory.context.storage.pauses.begin(clock.now())
        else:
            memory.sessions.resume()
            mark.unlink()
        clock.advance(timedelta(minutes=5))

    return pause


def everything(memory, tmp_path):
    """All that is kept, as one text: every file of ours, the archive given back."""
    kept = [memory.sessions.export(one.session).text for one in memory.sessions.list() if one.archived]
    files = [path for folder in ("data", "Vault") for path in (tmp_path / folder).rglob("*") if path.is_file()]
    return "\n".join([*kept, *(path.read_bytes().decode("utf-8", "replace") for path in files)])


@pytest.mark.parametrize("dated", [True, False])
def test_left_out_for_good(memory, talk, paused, tmp_path, dated):
    """Paused in the midst of a conversation: what was said before and behind is kept, and nothing of it, ever."""
    talk("a", BEFORE, "Noted.", "What is oak?", "A tree.", dated=dated)
    memory.maintenance.capture((str(tmp_path / "talk"),))
    paused(memory, True)
    talk("a", SAID, "Purple, then.", dated=dated)
    with pytest.raises(Refused, match="switched off"):
        memory.maintenance.capture((str(tmp_path / "talk"),))
    force_setattr(memory.context.choices, "transcripts", (str(tmp_path / "talk"),))
    paused(memory, False)
    talk("a", AFTER, "Slate it is.", dated=dated)
    memory.maintenance.capture()
    for _ in range(2):
        assert [hit.passage.text for hit in memory.sessions.search("decided", limit=9).hits if hit.exact] == [AFTER, BEFORE]
        assert memory.sessions.search("greenhouse purple").hits == ()
        assert {item.title for item in memory.notes.list()} == {text.removesuffix(".") for text in (BEFORE, AFTER)}
        assert SAID not in memory.sessions.export("a").text and AFTER in memory.sessions.export("a").text
        memory.maintenance.rebuild()
        memory.maintenance.capture()
    assert "purple" not in everything(memory, tmp_path)
    assert memory.conversations.coverage() == (1, ())


def test_whole_conversation(memory, talk, paused, tmp_path, clock):
    """One that was held in a pause leaves no trace, not even its title; when it goes on, that part alone is kept."""
    force_setattr(memory.context.choices, "transcripts", (str(tmp_path / "talk"),))
    paused(memory, True)
    path = talk("a", SAID, "Purple, then.", "Yes.", "Good.")
    paused(memory, False)
    report = memory.maintenance.capture()
    assert (report.sessions, memory.sessions.list(), memory.conversations.coverage()) == ((), (), (1, ()))
    assert memory.maintenance.capture().problems == ()
    talk("a", AFTER, "Slate it is.", "Thanks.", "Welcome.")
    memory.maintenance.capture()
    (line,) = memory.sessions.list()
    assert (line.title, line.turns, line.path) == ("a", 4, str(path))
    assert "purple" not in everything(memory, tmp_path).casefold()
    assert memory.sessions.process_due().problems == ()


def test_one_conversation(memory, talk, tmp_path, clock):
    """Of a conversation that is paused alone nothing more is read, noted or told; the others go on."""
    force_setattr(memory.context.choices, "transcripts", (str(tmp_path / "talk"),))
    talk("a", BEFORE, "Noted.", "What is oak?", "A tree.")
    memory.maintenance.capture()
    clock.advance(timedelta(minutes=1))
    uri = memory.sessions.pause("a")
    assert uri == "session://plain/a"
    assert any(uri in sentence for sentence in memory.maintenance.status().degraded)
    talk("a", SAID, "Purple, then.")
    talk("b", AFTER, "Slate it is.", "Thanks.", "Welcome.")
    memory.maintenance.capture()
    event = HookEvent("plain", "prompt", "", "a", "", prompt="oak door")
    assert memory.recall.deliver(event).verdict == "paused"
    assert memory.sessions.record(event) is None
    clock.advance(timedelta(minutes=1))
    assert memory.sessions.resume("a") is not None
    assert memory.sessions.resume("a") is None
    clock.advance(timedelta(minutes=1))
    talk("a", "The oak is here.", "Good.")
    memory.maintenance.capture()
    texts = {turn.text for turn in memory.sessions.get("a").turns}
    assert {BEFORE, "The oak is here."} <= texts and not {SAID, "Purple, then."} & texts
    assert memory.sessions.search("greenhouse").hits == ()
    assert memory.sessions.search("slate for the roof").hits
    assert "purple" not in everything(memory, tmp_path)
    assert memory.sessions.record(event) is not None
    assert not any("paused" in sentence for sentence in memory.maintenance.status().degraded)


def test_stop_file_by_hand(memory, talk, home, tmp_path, clock):
    """A STOP file that a person made counts from its own time, and its end from when memory next looks (MV-43)."""
    force_setattr(memory.context.choices, "transcripts", (str(tmp_path / "talk"),))
    talk("a", BEFORE, "Noted.", "What is oak?", "A tree.")
    memory.maintenance.capture()
    clock.advance(timedelta(minutes=1))
    (home / "STOP").touch()
    os.utime(home / "STOP", (clock.now().timestamp(),) * 2)
    talk("a", SAID, "Purple, then.")
    with pytest.raises(Refused):
        memory.maintenance.capture()
    clock.advance(timedelta(minutes=1))
    (home / "STOP").unlink()
    memory.maintenance.capture()
    clock.advance(timedelta(minutes=1))
    talk("a", AFTER, "Slate it is.")
    memory.maintenance.capture()
    assert memory.sessions.search("greenhouse").hits == ()
    assert memory.sessions.search("slate for the roof").hits
    assert "purple" not in everything(memory, tmp_path)


def test_cannot_be_divided(memory, paused, tmp_path, clock):
    """A transcript that is one document is read without what was said in a pause, and not archived; that is said."""
    folder = tmp_path / "talk"
    folder.mkdir()
    force_setattr(memory.context.choices, "transcripts", (str(folder),))
    path = folder / "session-2026-03-02.json"
    messages = []

    def say(*texts):
        for text in texts:
            clock.advance(timedelta(seconds=30))
            kind = "gemini" if len(messages) % 2 else "user"
            messages.append({"id": str(len(messages)), "timestamp": clock.now().isoformat(), "type": kind, "content": text})
        head = {
            "sessionId": "g",
            "projectHash": "x",
            "startTime": messages[0]["timestamp"],
            "lastUpdated": messages[-1]["timestamp"],
        }
        path.write_text(json.dumps({**head, "messages": messages}, indent=1))
        os.utime(path, (clock.now().timestamp(),) * 2)

    say(BEFORE, "Noted.", "What is oak?", "A tree.")
    paused(memory, True)
    say(SAID, "Purple, then.")
    paused(memory, False)
    say(AFTER, "Slate it is.")
    problems = memory.maintenance.capture().problems
    assert [problem.path for problem in problems] == [str(path)] and "paused" in problems[0].message
    assert memory.sessions.search("greenhouse").hits == ()
    assert memory.sessions.search("slate for the roof").hits
    assert "purple" not in everything(memory, tmp_path)


SHORT = "Purple, then."


def copied(tmp_path, name, shift_s):
    """Return a copy of the conversation "a" under its own id or another, with its times, or with new ones of a copy written at once."""
    lines = [json.loads(line) for line in (tmp_path / "talk" / "a.jsonl").read_text().splitlines()]
    first = datetime.fromisoformat(lines[1]["time"])
    for number, line in enumerate(lines[1:]):
        time = first + timedelta(seconds=shift_s, milliseconds=number) if shift_s else datetime.fromisoformat(line["time"])
        line.update(id=f"{name}{line['id']}" if name != "a" else line["id"], time=time.isoformat())
    lines[0]["id"] = name
    path = tmp_path / "other" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize(
    ("name", "shift_s"), [("a", 0), ("b", 0), ("b", 86_400)], ids=["itself", "fork", "fork with new times"]
)
def test_copy_on_another_device(opened, talk, paused, tmp_path, clock, name, shift_s):
    """What was said in a pause stays out on another device that has the vault and reads the conversation, or a copy of it. The vault
    holds no word of it."""
    memory = opened()
    talk("a", BEFORE, "Noted, oak it is for the door, and it will last.")
    paused(memory, True)
    talk(
        "a",
        SAID,
        "A purple greenhouse is cheap indeed, so I wrote it down.",
        "And the shed shall be purple too, as it stands beside it.",
    )
    if not shift_s:
        talk("a", SHORT)
    force_setattr(memory.context.choices, "transcripts", (str(tmp_path / "talk"),))
    paused(memory, False)
    talk("a", AFTER, "Slate it is.")
    memory.maintenance.capture()
    path = copied(tmp_path, name, shift_s)
    clock.advance(timedelta(days=2))
    other = opened(data_dir=str(tmp_path / "phone"), cache_dir=str(tmp_path / "phone"), device="phone")
    for _ in range(2):
        other.maintenance.capture((str(path),))
        said = [one.passage.text for one in other.context.index.passages_of(f"session://plain/{name}")]
        assert BEFORE in said and AFTER in said
        assert not [text for text in said if "urple" in text]
        other.maintenance.rebuild()
    assert "urple" not in other.sessions.export(name).text
    vault = [file for file in (tmp_path / "Vault").rglob("*") if file.is_file()]
    assert [file for file in vault if file.parent.name == "_left_out"]
    assert not [file for file in vault if "urple" in file.read_text(errors="replace")]


def test_said_again_on_another_device(opened, talk, paused, tmp_path, clock):
    """What was said in a pause and again behind it, or by chance in another conversation, is kept there."""
    memory = opened()
    talk("a", BEFORE, "Noted.")
    paused(memory, True)
    talk("a", SAID, SHORT)
    force_setattr(memory.context.choices, "transcripts", (str(tmp_path / "talk"),))
    paused(memory, False)
    talk("a", SAID, SHORT)
    talk("c", "Hello.", SHORT)
    memory.maintenance.capture()
    other = opened(data_dir=str(tmp_path / "phone"), cache_dir=str(tmp_path / "phone"), device="phone")
    other.maintenance.capture((str(tmp_path / "talk"),))
    for one in (memory, other):
        said = {name: [it.passage.text for it in one.context.index.passages_of(f"session://plain/{name}")] for name in "ac"}
        assert said == {"a": [BEFORE, "Noted.", SAID, SHORT], "c": ["Hello.", SHORT]}


@pytest.mark.parametrize("is_alone", [True, False])
def test_clock_set_back_in_a_pause(memory, talk, paused, tmp_path, clock, is_alone):
    """A clock that was a day ahead when the pause began, and is put right in it, brings nothing to light; what comes after is kept."""
    force_setattr(memory.context.choices, "transcripts", (str(tmp_path / "talk"),))
    talk("a", BEFORE, "Noted.", "What is oak?", "A tree.")
    memory.maintenance.capture()
    if is_alone:
        memory.sessions.pause("a")
    else:
        paused(memory, True)
        talk("b", SAID, "Purple, then.", "Yes.", "Good.")
    talk("a", "We decided to paint the shed purple, because it is old.", "Purple, now.")
    clock.advance(timedelta(days=-1))
    talk("a", SAID, "Purple, then.")
    if is_alone:
        memory.maintenance.capture()
    talk("a", "We decided to paint the fence purple, because it is new.", "Purple, again.")
    if is_alone:
        clock.advance(timedelta(minutes=1))
        memory.sessions.resume("a")
        clock.advance(timedelta(minutes=1))
    else:
        paused(memory, False)
    talk("a", AFTER, "Slate it is.")
    for _ in range(2):
        memory.maintenance.capture()
        assert "purple" not in everything(memory, tmp_path).casefold()
        assert {BEFORE, AFTER} <= {turn.text for turn in memory.sessions.get("a").turns}
        memory.maintenance.rebuild()
