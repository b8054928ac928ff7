"""Conversations of hosts whose transcripts do not say whose they are: found, with their project, and read when a hook calls."""

import json
from pathlib import Path

import apsw
import pytest
from tests.ingest.test_libraries import opencode_database, spoken

from vademecum.adapters.hosts.all_hosts import hosts
from vademecum.adapters.hosts.places import found_places
from vademecum.domain.host import HookEvent
from vademecum.index.items import SESSIONS

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


def test_claude_code_of_2025(reading, person):
    """Versions of 2025 stored conversations below `~/.config`; only they are read there."""
    line = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s1",
        "cwd": "/srv/nets",
        "message": {"role": "user", "content": "Mend it"},
    }
    write(person / ".config/claude/projects/-srv-nets/s1.jsonl", line)
    write(person / ".config/claude/projects/-srv-nets/s1/tool-results/b1.jsonl", {**line, "sessionId": "s2"})
    (captured,) = reading().maintenance.capture().sessions
    assert captured.session == "session://claude-code/s1"


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
    told = {"hookEventName": "Stop", "sessionId": "vs-2", "cwd": str(folder), "transcript_path": str(transcript)}
    memory.sessions.record(hosts()["vscode"].read(told))
    (captured,) = memory.maintenance.capture().sessions
    assert memory.context.index.items([captured.session])[captured.session].project == "boats"


def test_transcript_told_by_hook(opened, tmp_path):
    """A transcript that lies in no usual place is read where the host's hook said that it lies."""
    transcript = write(tmp_path / "elsewhere" / "vs-3.jsonl", *events("vs-3", "Caulk the hull"))
    memory = opened(transcripts=(str(tmp_path / "nothing*"),))
    memory.sessions.record(HookEvent("vscode", "pause", "Stop", "vs-3", "/home/user/boats", transcript=str(transcript)))
    memory.maintenance.capture()
    assert spoken(memory, "session://copilot/vs-3") == ["Caulk the hull"]


def copilot_store(person: Path) -> None:
    base = apsw.Connection(str(person / ".copilot" / "session-store.db"))
    base.execute(
        "CREATE TABLE sessions(id TEXT, cwd TEXT, repository TEXT, branch TEXT, summary TEXT, created_at TEXT, updated_at TEXT);"
        "CREATE TABLE turns(id INTEGER PRIMARY KEY, session_id TEXT, turn_index INTEGER, user_message TEXT, assistant_response TEXT,"
        " timestamp TEXT)"
    )
    for name in ("only-1", "both-1"):
        base.execute("INSERT INTO sessions VALUES(?, '/home/user/boats', 'u/boats', 'main', 'Hulls', '1', '2')", (name,))
        turn = (name, "Caulk the hull", "Caulked.", "2026-11-20T10:00:00Z")
        base.execute("INSERT INTO turns VALUES(NULL, ?, 0, ?, ?, ?)", turn)
    base.close()


def test_copilot_store(reading, person):
    """A conversation that stands only in Copilot's store is read from there; one that has events is read once, from those."""
    write(person / ".copilot/session-state/both-1/events.jsonl", *events("both-1", "Caulk the hull"))
    copilot_store(person)
    memory = reading()
    captured = {one.session: one for one in memory.maintenance.capture().sessions}
    assert {name: one.turns for name, one in captured.items()} == {
        "session://copilot/only-1": {"user": 1, "agent": 1},
        "session://copilot/both-1": {"user": 1},
    }
    assert captured["session://copilot/only-1"].title == "Hulls"
    assert memory.maintenance.capture().unchanged == 2


@pytest.mark.parametrize("first", ["main", "subagent"])
def test_gemini(reading, person, first):
    """A chat of Gemini is of the project that the files around it name, and titled by what was said, also when the chat of a
    sub-agent under the same id is read first."""
    tmp, name = person / ".gemini/tmp/boats", "0f000000-0000-4000-8000-0000000000e2"
    for kind, words in (("main", "Caulk the hull"), ("subagent", "Always answer in bullet points, that is my rule.")):
        head = {"sessionId": name, "projectHash": "x", "kind": kind, "startTime": "2026-11-20T10:00:00Z"}
        time = f"2026-11-20T1{int(kind != first)}:00:00Z"
        said = {"id": f"{kind}-1", "timestamp": time, "type": "user", "content": [{"text": words}]}
        write(tmp / "chats" / f"session-2026-11-20T1{int(kind != first)}-00-0f000000.jsonl", head | {"startTime": time}, said)
    (tmp / ".project_root").write_text("/home/user/boats", encoding="utf-8")
    memory = reading()
    captured = memory.maintenance.capture().sessions
    assert not [saved for one in captured for saved in one.saved]
    item = memory.context.index.items([f"session://gemini/{name}"])[f"session://gemini/{name}"]
    assert (item.project, item.title) == ("boats", "Caulk the hull")


def test_pi_fork(reading, person):
    """A fork of pi begins with its parent's entries: they stand in the parent, once, and confirm nothing."""
    folder = person / ".pi/agent/sessions/--home-user-boats--"
    stem = "2026-11-20T10-00-00-000Z_0f000000-0000-7000-8000-0000000000f2"

    def said(number: int, role: str, words: str) -> dict:
        message = {"role": role, "content": [{"type": "text", "text": words}]}
        return {
            "type": "message",
            "id": f"e{number}",
            "parentId": None,
            "timestamp": f"2026-11-20T10:0{number}:00Z",
            "message": message,
        }

    head = {"type": "session", "version": 3, "id": "p1", "timestamp": "2026-11-20T10:00:00Z", "cwd": "/home/user/boats"}
    talk = [said(1, "user", "Always tar the ropes, that is my rule."), said(2, "assistant", "Tarred.")]
    parent = write(folder / f"{stem}.jsonl", head, *talk)
    fork = {**head, "id": "f1", "parentSession": str(parent)}
    write(folder / stem / "forks/f1.jsonl", fork, *talk, said(3, "user", "And coil them."))
    write(
        folder / stem / "run7/run-0/session.jsonl",
        {**head, "id": "c1"},
        said(4, "user", "Always answer in verse, that is my rule."),
    )
    memory = reading()
    captured = {one.session: one for one in memory.maintenance.capture().sessions}
    assert spoken(memory, "session://pi/p1") == ["Always tar the ropes, that is my rule.", "Tarred."]
    assert spoken(memory, "session://pi/f1") == ["And coil them."]
    assert [saved.action for saved in captured["session://pi/p1"].saved] == ["saved"]
    assert not captured["session://pi/c1"].saved


def claude(session: str, words: str) -> dict:
    message = {"role": "user", "content": words}
    return {"type": "user", "uuid": f"{session}-1", "sessionId": session, "cwd": "/home/user/boats", "message": message}


def test_linked_project_folder(reading, person):
    """A project's folder that is a link is read once, whatever else leads to it; no loop is followed, and nothing below one."""
    projects = person / ".claude/projects"
    write(person / "shared/-home-user-boats/s1.jsonl", claude("s1", "Caulk the hull"))
    write(person / "elsewhere/-home-user-sails/s2.jsonl", claude("s2", "Mend the sail"))
    write(projects / "-home-user-oars/s3.jsonl", claude("s3", "Sand the oars"))
    for name, target in (
        ("-home-user-boats", person / "shared/-home-user-boats"), ("-home-user-boats-again", person / "shared/-home-user-boats"),
        ("-loop", projects), ("-above", person), ("-oars-again", projects / "-home-user-oars"),
    ):  # fmt: skip
        (projects / name).symlink_to(target)
    (projects / "-home-user-oars/deeper").symlink_to(person / "elsewhere/-home-user-sails")
    report = reading().maintenance.capture()
    assert sorted(one.session for one in report.sessions) == ["session://claude-code/s1", "session://claude-code/s3"]
    assert not report.problems


def test_linked_day_folder(reading, person):
    """A folder of a day, month or year of Codex that is a link is followed, once, whatever else leads to it; other links are not."""
    sessions = person / ".codex/sessions"
    for session, folder in (("c1", sessions / "2026/03/01"), ("c2", person / "disk/02"), ("c3", person / "disk/2025/12/31")):
        head = {
            "timestamp": "2026-03-01T09:00:00Z",
            "type": "session_meta",
            "payload": {"id": session, "cwd": "/home/user/boats"},
        }
        said = {"type": "user_message", "message": f"Caulk the hull of {session}"}
        talk = {"timestamp": "2026-03-01T09:00:01Z", "type": "event_msg", "payload": said}
        write(folder / f"rollout-{session}.jsonl", head, talk)
    for name, target in (
        ("2026/03/02", "disk/02"),
        ("2026/03/03", "disk/02"),
        ("2025", "disk/2025"),
        ("2026/03/01/up", ".codex"),
    ):
        (sessions / name).symlink_to(person / target)
    report = reading().maintenance.capture()
    assert sorted(one.session for one in report.sessions) == ["session://codex/c1", "session://codex/c2", "session://codex/c3"]
    assert not report.problems


TALK = (
    ("user", "Caulk the hull of the big boat before the spring tide."), ("assistant", "The hull is caulked, and the seams are dry."),
    ("user", "Then paint it white below the waterline."), ("assistant", "Painted."),
)  # fmt: skip


def copilot_events(session: str, ids: str) -> tuple[dict, ...]:
    head = {"type": "session.start", "data": {"sessionId": session, "producer": "copilot-agent"}, "id": f"{ids}0"}
    return head, *(
        {
            "type": f"{role}.message",
            "data": {"content": words},
            "id": f"{ids}{number}",
            "timestamp": f"2026-03-01T09:00:0{number}Z",
        }
        for number, (role, words) in enumerate(TALK, 1)
    )


def copilot_and_vscode(person: Path, ids: tuple[str, str], sessions: tuple[str, str]) -> None:
    write(person / f".copilot/session-state/{sessions[0]}/events.jsonl", *copilot_events(sessions[0], ids[0]))
    workspace = person / ".config/Code/User/workspaceStorage/ab12"
    write(workspace / f"GitHub.copilot-chat/transcripts/{sessions[1]}.jsonl", *copilot_events(sessions[1], ids[1]))


def opencode_stores(person: Path, files: tuple[str, str]) -> None:
    """Put a conversation into a database of version 1 and, with the messages of version 2, into another one or the same."""
    folder = person / ".local/share/opencode"
    folder.mkdir(parents=True)
    base = opencode_database(folder / files[0], *(words for _, words in TALK))
    base.close()
    base = apsw.Connection(str(folder / files[1]))
    base.execute(
        "CREATE TABLE session_v2(id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INT, time_updated INT);"
        "CREATE TABLE session_message(id TEXT, session_id TEXT, type TEXT, seq INT, time_created INT, time_updated INT, data TEXT);"
        "INSERT INTO session_v2 VALUES('ses_1', NULL, '/home/user/larder', 'Larder', 1790000000000, 1790000000000)"
    )
    for number, (role, words) in enumerate(TALK):
        time = 1790000000000 + number
        data = {"text": words} if role == "user" else {"content": [{"type": "text", "text": words}]}
        row = (f"msg_{number}", "ses_1", role, number, time, time, json.dumps({**data, "time": {"created": time}}))
        base.execute("INSERT INTO session_message VALUES(?, ?, ?, ?, ?, ?, ?)", row)
    base.close()


PAIRS = {
    "one id": lambda person: copilot_and_vscode(person, ("a", "a"), ("both", "both")),
    "one id, other ids of events": lambda person: copilot_and_vscode(person, ("a", "b"), ("both", "both")),
    "two ids": lambda person: copilot_and_vscode(person, ("a", "b"), ("first", "second")),
    "OpenCode, one database": lambda person: opencode_stores(person, ("opencode.db", "opencode.db")),
    "OpenCode, two databases": lambda person: opencode_stores(person, ("opencode.db", "opencode-next.db")),
    "OpenCode, two databases, the newer first": lambda person: opencode_stores(person, ("opencode-old.db", "opencode-next.db")),
}


@pytest.mark.parametrize("put", PAIRS.values(), ids=PAIRS)
def test_two_stores_of_one_conversation(reading, person, put):
    """A conversation that two stores of a host hold stands once, after a rebuild as well, and nothing is learnt twice."""
    put(person)
    memory = reading()
    for _ in range(2):
        memory.maintenance.capture()
        uris = list(memory.context.index.fingerprints(SESSIONS))
        said = [text for uri in uris for text in spoken(memory, uri)]
        assert sorted(said) == sorted(words for _, words in TALK)
        memory.maintenance.rebuild()


def test_handoff_of_a_fork(reading, person):
    """The handoff of a conversation that goes on from a copy of another tells what came behind the copy, and the goal of both."""
    projects = person / ".claude/projects/-home-user-boats"
    asked = [
        "Please caulk the hull of the big boat before the tide.",
        "Please sand the oars and lay them in the shade.",
        "Please coil the ropes.",
    ]

    def talk(session, number, words):
        role = "assistant" if number % 2 else "user"
        content = [{"type": "text", "text": words}] if number % 2 else words
        return {
            "type": role, "uuid": f"{session}-{number}", "sessionId": session, "cwd": "/home/user/boats",
            "timestamp": f"2026-03-01T09:00:{number:02}Z", "message": {"role": role, "content": content},
        }  # fmt: skip

    said = [words for one in asked for words in (one, f"I have done this now: {one.lower()}")]
    fresh = ["Please mend the torn sail of the dinghy.", "The sail is mended.", "Please oil the winch.", "The winch is oiled."]
    write(projects / "s1.jsonl", *(talk("s1", number, words) for number, words in enumerate(said)))
    memory = reading()
    memory.maintenance.capture()
    write(projects / "s2.jsonl", *(talk("s2", number, words) for number, words in enumerate([*said, *fresh])))
    memory.maintenance.capture()
    saved = memory.sessions.handoff("s2").memory
    assert "torn sail" in saved.body and "winch" in saved.body and "caulk the hull" in saved.body
    assert "ropes" not in saved.body and "sand the oars" not in saved.body
    assert "ropes" in memory.sessions.handoff("s1").memory.body
