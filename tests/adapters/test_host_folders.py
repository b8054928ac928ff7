"""Which folder a conversation belongs to where its transcript does not say it: read from what the host keeps beside it."""

import hashlib
import json

import pytest

from vademecum.adapters.host_folders import (
    antigravity_folder,
    cursor_folder,
    gemini_folder,
    path_of_uri,
    workspace_folder,
)
from vademecum.adapters.transcripts.cursor import Cursor
from vademecum.adapters.transcripts.gemini import Gemini
from vademecum.domain.session import Cursor as Place


def put(file, text):
    """Write a file, its folders along; returns it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return file


def digest(path):
    return hashlib.sha256(path.encode()).hexdigest()


def test_gemini_note_in_the_folder(tmp_path):
    """The chat's own folder names the project's path, also when that is gone from this disk."""
    chat = put(tmp_path / ".gemini/tmp/pantry/chats/session-1.jsonl", "")
    put(tmp_path / ".gemini/tmp/pantry/.project_root", "/srv/kitchen/pantry\n")
    assert gemini_folder(str(chat), "") == gemini_folder(str(chat), digest("/srv/kitchen/pantry")) == "/srv/kitchen/pantry"


def test_gemini_by_name(tmp_path):
    """Without that note the list of projects tells it: by the folder's name, or by the hash that is the folder's name in old versions."""
    home = tmp_path / ".gemini"
    put(home / "projects.json", {"projects": {"/srv/pantry": "pantry", "/srv/cellar": "cellar"}})
    assert gemini_folder(str(home / "tmp/cellar/chats/session-1.json"), "") == "/srv/cellar"
    assert gemini_folder(str(home / "tmp" / digest("/srv/pantry") / "chats/session-1.json"), "") == "/srv/pantry"
    assert gemini_folder(str(home / "tmp/other/chats/session-1.json"), digest("/srv/pantry")) == "/srv/pantry"
    assert gemini_folder(str(home / "tmp/other/chats/session-1.json"), "") == ""


def test_gemini_hash_decides(tmp_path):
    """A chat whose header names another folder than the note beside it belongs to the one in its header."""
    home = tmp_path / ".gemini"
    put(home / "tmp/pantry/.project_root", "/srv/pantry")
    put(home / "history/cellar/.project_root", "/srv/cellar")
    chat = home / "tmp/pantry/chats/session-1.json"
    assert gemini_folder(str(chat), digest("/srv/cellar")) == "/srv/cellar"
    assert gemini_folder(str(chat), digest("/srv/unknown")) == "/srv/pantry"


@pytest.mark.parametrize(("uri", "path"), [
    ("file:///srv/my%20pantry", "/srv/my pantry"), ("file:///c%3A/Users/ana/pantry", "c:\\Users\\ana\\pantry"),
    ("vscode-remote://wsl%2Bubuntu/home/ana/pantry", "/home/ana/pantry"), ("/srv/pantry", "/srv/pantry"),
    ("file://share/kitchen/pantry", "\\\\share\\kitchen\\pantry"), ("untitled:1", ""), ("https://example.org/x", ""), ("", ""),
])  # fmt: skip
def test_uris(uri, path):
    """Folders are written as URIs: of this system, of Windows, of a share, of a machine that is worked on from here."""
    assert path_of_uri(uri) == path


@pytest.mark.parametrize("below", ["chatSessions/1.json", "GitHub.copilot-chat/transcripts/1.jsonl", "state.vscdb/1"])
def test_editor_workspace(tmp_path, below):
    """VS Code and its kin name the folder in workspace.json, however deep the conversation lies."""
    place = tmp_path / "Code/User/workspaceStorage/abc"
    put(place / "workspace.json", {"folder": "file:///srv/pantry"})
    assert workspace_folder(str(place / below)) == cursor_folder(str(place / below)) == "/srv/pantry"
    assert workspace_folder(str(tmp_path / "Code/User/globalStorage/emptyWindowChatSessions/1.json")) == ""


def test_workspace_of_several(tmp_path):
    """A workspace file names its folders relative to itself; comments and trailing commas are allowed there."""
    place = tmp_path / "Code/User/workspaceStorage/abc"
    file = put(tmp_path / "kitchen.code-workspace", '{\n // rooms\n "folders": [{"path": "pantry"}, {"path": "cellar"},],\n}')
    put(place / "workspace.json", {"workspace": file.as_uri()})
    assert workspace_folder(str(place / "chatSessions/1.json")) == str(tmp_path / "pantry")


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


@pytest.mark.parametrize(("file", "text"), [
    ("cache/last_conversations.json", {"/srv/pantry": "c-1", "/srv/cellar": "c-2"}),
    ("cache/last_conversations.json", {"c-1": {"workspace": "/srv/pantry"}, "c-2": {"workspace": "/srv/cellar"}}),
    ("history.jsonl", '{"conversationId":"c-2","workspace":"/srv/cellar"}\n{"conversationId":"c-1","workspace":"/srv/pantry"}\n'),
])  # fmt: skip
def test_antigravity(tmp_path, file, text):
    """Antigravity's transcripts name no folder; what its command line keeps beside them does."""
    home = tmp_path / ".gemini/antigravity-cli"
    put(home / file, text)
    assert antigravity_folder(str(home / "brain/c-1/.system_generated/logs/transcript.jsonl")) == "/srv/pantry"
    assert antigravity_folder(str(home / "brain/c-9/.system_generated/logs/transcript.jsonl")) == ""


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"projects": 3}', '{"folder": 3}', "\x00\xff"])
def test_odd_files(tmp_path, text):
    """Files that are not as expected say nothing, and nothing fails."""
    for file in (".gemini/projects.json", ".gemini/tmp/a/.project_root2", "workspaceStorage/a/workspace.json",
                 ".cursor/projects/a/.workspace-trusted", ".gemini/antigravity-cli/cache/last_conversations.json"):  # fmt: skip
        put(tmp_path / file, text)
    assert gemini_folder(str(tmp_path / ".gemini/tmp/a/chats/1.json"), "") == ""
    assert workspace_folder(str(tmp_path / "workspaceStorage/a/chatSessions/1.json")) == ""
    assert cursor_folder(str(tmp_path / ".cursor/projects/a-b-c-d/agent-transcripts/1.jsonl")) == ""
    assert antigravity_folder(str(tmp_path / ".gemini/antigravity-cli/brain/c-1/x/y.jsonl")) == ""


def test_formats_ask(tmp_path):
    """The chats of Gemini CLI and of Cursor's agents know their folder, every turn of them, when they are read."""
    put(tmp_path / ".gemini/tmp/pantry/.project_root", "/srv/kitchen/pantry")
    chat = put(
        tmp_path / ".gemini/tmp/pantry/chats/session-1.jsonl",
        f'{{"sessionId": "s-1", "projectHash": "{digest("/srv/kitchen/pantry")}", "startTime": "2026-11-20T10:00:00.000Z"}}\n'
        '{"id": "m1", "timestamp": "2026-11-20T10:01:00.000Z", "type": "user", "content": [{"text": "Shelve the tins by size."}]}\n',
    )
    place = tmp_path / ".cursor/projects/srv-my-pantry"
    put(place / ".workspace-trusted", {"workspacePath": "/srv/my-pantry"})
    agent = put(
        place / "agent-transcripts/1/1.jsonl",
        '{"role":"user","message":{"content":[{"type":"text","text":"<user_query>Shelve the tins.</user_query>"}]}}\n',
    )
    for form, file, folder in ((Gemini(), chat, "/srv/kitchen/pantry"), (Cursor(), agent, "/srv/my-pantry")):
        session = form.parse(file.read_bytes(), Place(), str(file)).session
        assert (session.cwd, {turn.cwd for turn in session.turns}, session.folders) == (folder, {folder}, ((folder, 1),))
