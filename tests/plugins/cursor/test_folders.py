"""Which folder a conversation of Cursor belongs to."""

import hashlib
import json

import pytest

from vademecum.domain.session import Cursor as Place
from vademecum.plugins.cursor.folders import cursor_folder
from vademecum.plugins.cursor.transcripts import Cursor


def put(file, text):
    """Write a file, its folders along; returns it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return file


def test_cursor_agent(tmp_path):
    """Cursor notes the folder beside its agents' transcripts; a name with hyphens is not guessed when that says it."""
    place = tmp_path / ".cursor/projects/srv-my-pantry"
    put(place / ".workspace-trusted", {"trustedAt": "2026-01-01", "workspacePath": "/srv/my-pantry"})
    assert cursor_folder(str(place / "agent-transcripts/1/1.jsonl")) == "/srv/my-pantry"
    chat = tmp_path / ".cursor/chats" / hashlib.md5(b"/srv/my-pantry", usedforsecurity=False).hexdigest() / "1/store.db"
    assert cursor_folder(str(chat)) == "/srv/my-pantry"
    assert cursor_folder(str(tmp_path / ".cursor/projects/no-such-folder-here/agent-transcripts/1.jsonl")) == ""


def test_cursor_by_editor(tmp_path):
    """A folder that is gone from disk is known by what the editor was opened in."""
    put(tmp_path / ".config/Cursor/User/workspaceStorage/abc/workspace.json", {"folder": "file:///gone/my.pantry"})
    assert cursor_folder(str(tmp_path / ".cursor/projects/gone-my-pantry/agent-transcripts/1.jsonl")) == "/gone/my.pantry"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"projects": 3}', "\x00\xff"])
def test_odd_files(tmp_path, text):
    """Files that are not as expected say nothing, and nothing fails."""
    put(tmp_path / ".cursor/projects/a/.workspace-trusted", text)
    assert cursor_folder(str(tmp_path / ".cursor/projects/a-b-c-d/agent-transcripts/1.jsonl")) == ""


def test_chat_knows_its_folder(tmp_path):
    """Every turn of a conversation knows its folder when it is read."""
    place = tmp_path / ".cursor/projects/srv-my-pantry"
    put(place / ".workspace-trusted", {"workspacePath": "/srv/my-pantry"})
    file = put(
        place / "agent-transcripts/1/1.jsonl",
        '{"role":"user","message":{"content":[{"type":"text","text":"<user_query>Shelve the tins.</user_query>"}]}}\n',
    )
    session = Cursor().parse(file.read_bytes(), Place(), str(file)).session
    folder = "/srv/my-pantry"
    assert (session.cwd, {turn.cwd for turn in session.turns}, session.folders) == (folder, {folder}, ((folder, 1),))
