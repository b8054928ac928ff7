"""Which folder a conversation belongs to where its transcript does not say it: read from what the host keeps beside it."""

import json

import pytest

from vademecum.adapters.transcripts.folders import path_of_uri, workspace_folder


def put(file, text):
    """Write a file, its folders along; returns it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return file


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
    assert workspace_folder(str(place / below)) == "/srv/pantry"
    assert workspace_folder(str(tmp_path / "Code/User/globalStorage/emptyWindowChatSessions/1.json")) == ""


def test_workspace_of_several(tmp_path):
    """A workspace file names its folders relative to itself; comments and trailing commas are allowed there."""
    place = tmp_path / "Code/User/workspaceStorage/abc"
    file = put(tmp_path / "kitchen.code-workspace", '{\n // rooms\n "folders": [{"path": "pantry"}, {"path": "cellar"},],\n}')
    put(place / "workspace.json", {"workspace": file.as_uri()})
    assert workspace_folder(str(place / "chatSessions/1.json")) == str(tmp_path / "pantry")


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"projects": 3}', '{"folder": 3}', "\x00\xff"])
def test_odd_files(tmp_path, text):
    """Files that are not as expected say nothing, and nothing fails."""
    put(tmp_path / "workspaceStorage/a/workspace.json", text)
    assert workspace_folder(str(tmp_path / "workspaceStorage/a/chatSessions/1.json")) == ""
