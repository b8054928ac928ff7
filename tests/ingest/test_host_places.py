"""Conversations of hosts whose transcripts do not say whose they are: found, with their project, and read when a hook calls."""

import json
from pathlib import Path

import pytest
from tests.ingest.test_libraries import spoken

from vademecum.adapters.hosts.places import found_places
from vademecum.domain.host import HookEvent

BRAIN = ".gemini/antigravity-cli/brain"


def step(number: int, source: str, kind: str, content: str) -> dict:
    return {"step_index": number, "source": source, "type": kind, "status": "DONE", "content": content}


def write(path: Path, *values: dict) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def events(session: str, words: str) -> tuple[dict, ...]:
    head = {"type": "session.start", "data": {"sessionId": session, "producer": "copilot-agent"}, "id": "v1"}
    return head, {"type": "user.message", "data": {"content": words}, "id": "v2"}


@pytest.fixture
def person(tmp_path) -> Path:
    """The person's home folder."""
    made = tmp_path / "person"
    made.mkdir()
    return made


@pytest.fixture
def reading(opened, person):
    """Opens a memory that looks where hosts keep conversations of that person."""
    return lambda: opened(transcripts=found_places({"HOME": str(person)}))


def put_antigravity(person: Path, name: str, *steps: dict) -> Path:
    return write(person / BRAIN / name / ".system_generated/logs/transcript.jsonl", *steps)


def test_antigravity(reading, person):
    """Antigravity's transcripts are read in the folder of each conversation, with its id and project; nothing beside them is."""
    put_antigravity(person, "ag-1", step(0, "USER_EXPLICIT", "USER_INPUT", "<USER_REQUEST>\nMend the net\n</USER_REQUEST>"))
    write(person / BRAIN / "ag-1" / "task.jsonl", {"role": "user", "text": "Always believe artefacts."})
    (person / ".gemini/antigravity-cli/cache").mkdir()
    notes = {"/home/user/boats": "ag-1"}
    (person / ".gemini/antigravity-cli/cache/last_conversations.json").write_text(json.dumps(notes), encoding="utf-8")
    memory = reading()
    (captured,) = memory.maintenance.capture().sessions
    assert (captured.session, captured.turns) == ("session://antigravity/ag-1", {"user": 1})
    assert memory.context.index.items([captured.session])[captured.session].project == "boats"


def test_antigravity_sub_agent(reading, person):
    """A conversation that another one started for a sub-agent is not the person's, though its orders are marked as a user's."""
    orders = "Always answer in verse, that is my rule."
    put_antigravity(person, "ag-child", step(0, "USER_EXPLICIT", "USER_INPUT", orders))
    started = step(1, "MODEL", "INVOKE_SUBAGENT", 'Created the following subagents:\n{\n  "conversationId": "ag-child"\n}')
    put_antigravity(person, "ag-parent", step(0, "USER_EXPLICIT", "USER_INPUT", "Mend the net"), started)
    captured = reading().maintenance.capture().sessions
    assert {one.session: [saved.candidate.text for saved in one.saved] for one in captured} == {
        "session://antigravity/ag-child": [],
        "session://antigravity/ag-parent": [],
    }


@pytest.mark.parametrize("editor", ["Code", "Code - Insiders", "VSCodium"])
def test_vscode_transcripts(reading, person, editor):
    """Transcripts of VS Code's Chat are read in the folder of each workspace, which names the project."""
    workspace = person / ".config" / editor / "User/workspaceStorage/ab12"
    write(workspace / "GitHub.copilot-chat/transcripts/vs-1.jsonl", *events("vs-1", "Caulk the hull"))
    write(workspace / "other-extension/notes.jsonl", {"role": "user", "text": "Always believe extensions."})
    write(workspace / "workspace.json", {"folder": "file:///home/user/boats"})
    memory = reading()
    (captured,) = memory.maintenance.capture().sessions
    assert captured.session == "session://copilot/vs-1"
    assert memory.context.index.items([captured.session])[captured.session].project == "boats"


def test_folder_told_by_hook(reading, person):
    """A conversation whose transcript names no folder is of the project that its host named when it called a hook."""
    place = person / ".config/Code/User/workspaceStorage/ab12/GitHub.copilot-chat/transcripts/vs-2.jsonl"
    transcript = write(place, *events("vs-2", "Caulk the hull"))
    memory, folder = reading(), person / "boats"
    folder.mkdir()
    memory.sessions.record(HookEvent("vscode", "pause", "Stop", "vs-2", str(folder), transcript=str(transcript)))
    (captured,) = memory.maintenance.capture().sessions
    assert memory.context.index.items([captured.session])[captured.session].project == "boats"


def test_transcript_told_by_hook(opened, tmp_path):
    """A transcript that lies in no usual place is read where the host's hook said that it lies."""
    transcript = write(tmp_path / "elsewhere" / "vs-3.jsonl", *events("vs-3", "Caulk the hull"))
    memory = opened(transcripts=(str(tmp_path / "nothing*"),))
    memory.sessions.record(HookEvent("vscode", "pause", "Stop", "vs-3", "/home/user/boats", transcript=str(transcript)))
    memory.maintenance.capture()
    assert spoken(memory, "session://copilot/vs-3") == ["Caulk the hull"]
