"""Chats of Cursor's command line, each in a database of its own."""

import hashlib
import json
import sqlite3
from pathlib import Path

import pytest

from vademecum.adapters.hosts.places import found_places

ID = "0f000000-0000-4000-8000-0000000000d9"
FOLDER = "/srv/nets"
SAID_MS = 1770000000000
WORDS = {
    "role": "user",
    "content": [{"type": "text", "text": "<user_query>\nMend the net\n</user_query>"}],
    "createdAt": SAID_MS,
}
ANSWER = {
    "role": "assistant",
    "content": [
        {"type": "reasoning", "text": "Think."},
        {"type": "text", "text": "Mended."},
        {"type": "tool-call", "toolCallId": "c1", "toolName": "Shell", "args": {"command": "ls"}},
    ],
}
RESULT = {
    "role": "tool",
    "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "Shell", "result": "net", "isError": True}],
}


def store(person: Path, *messages: dict, root: bytes | None = None, name: str = ID) -> Path:
    """Write a chat with these messages; `root` replaces the list of their hashes."""
    path = person / ".cursor/chats" / hashlib.md5(FOLDER.encode()).hexdigest() / name / "store.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    texts = [json.dumps(message).encode() for message in messages]
    hashes = [hashlib.sha256(text).digest() for text in texts]
    listed = b"".join(b"\x0a\x20" + digest for digest in hashes) + b"\x4a\x02ab" if root is None else root
    about = {
        "agentId": name,
        "latestRootBlobId": hashlib.sha256(listed).hexdigest(),
        "name": "Nets",
        "createdAt": 1795600000000,
    }
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE blobs(id TEXT PRIMARY KEY, data BLOB)")
        base.execute("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT)")
        rows = [*zip((digest.hex() for digest in hashes), texts, strict=True), (about["latestRootBlobId"], listed)]
        base.executemany("INSERT INTO blobs VALUES (?, ?)", rows)
        base.execute("INSERT INTO meta VALUES ('0', ?)", (json.dumps(about).encode().hex(),))
    base.close()
    return path


@pytest.fixture
def person(tmp_path) -> Path:
    """The person's home folder, in which Cursor was used in one folder."""
    trusted = tmp_path / "person" / ".cursor/projects/srv-nets/.workspace-trusted"
    trusted.parent.mkdir(parents=True)
    (tmp_path / "person" / ".cursor/chats").mkdir()
    trusted.write_text(json.dumps({"workspacePath": FOLDER}), encoding="utf-8")
    return tmp_path / "person"


@pytest.fixture
def reading(opened, person):
    """A memory that looks where hosts keep conversations of that person."""
    return opened(transcripts=found_places({"HOME": str(person)}))


def test_chat(reading, person):
    """A chat is read with its title, project and tools, and read on when it grows."""
    store(person, WORDS, ANSWER, RESULT)
    reading.maintenance.capture()
    session = reading.sessions.get(f"session://cursor/{ID}")
    assert (session.title, session.project) == ("Nets", "nets")
    assert [(turn.speaker, turn.text) for turn in session.turns] == [
        ("user", "Mend the net"), ("agent", "Mended."), ("tool", "Shell: ls"), ("tool", "net"),
    ]  # fmt: skip
    assert (session.turns[0].time.timestamp() * 1000, session.turns[3].outcome) == (SAID_MS, "failed")
    store(person, WORDS, ANSWER, RESULT, {"role": "user", "content": "<user_query>Dry it</user_query>"})
    reading.maintenance.capture()
    assert [turn.text for turn in reading.sessions.get(f"session://cursor/{ID}").turns][-1] == "Dry it"
    assert not reading.maintenance.capture().sessions


def test_chat_with_a_transcript(reading, person):
    """The agent transcript of the same conversation adds nothing."""
    store(person, WORDS, ANSWER)
    reading.maintenance.capture()
    lines = [{"role": one["role"], "message": {"content": one["content"][:1]}} for one in (WORDS,)]
    path = person / ".cursor/projects/srv-nets/agent-transcripts" / ID / f"{ID}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert not reading.maintenance.capture().sessions
    assert len(reading.sessions.list()) == 1


def test_unknown_layout(reading, person):
    """A chat whose messages are not found is named; an empty one is not."""
    path = store(person, WORDS, root=b"\xff" * 50)
    store(person, root=b"\x4a\x02ab", name="empty")
    (problem,) = reading.maintenance.capture().problems
    assert problem.path == str(path)
    assert "known layout" in problem.message
