"""Which folder a chat of Gemini CLI belongs to."""

import hashlib
import json

import pytest

from vademecum.domain.session import Cursor as Place
from vademecum.plugins.gemini.folders import gemini_folder
from vademecum.plugins.gemini.transcripts import Gemini


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


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"projects": 3}', "\x00\xff"])
def test_odd_files(tmp_path, text):
    """Files that are not as expected say nothing, and nothing fails."""
    put(tmp_path / ".gemini/projects.json", text)
    assert gemini_folder(str(tmp_path / ".gemini/tmp/a/chats/1.json"), "") == ""


def test_chat_knows_its_folder(tmp_path):
    """Every turn of a conversation knows its folder when it is read."""
    put(tmp_path / ".gemini/tmp/pantry/.project_root", "/srv/kitchen/pantry")
    file = put(
        tmp_path / ".gemini/tmp/pantry/chats/session-1.jsonl",
        f'{{"sessionId": "s-1", "projectHash": "{digest("/srv/kitchen/pantry")}", "startTime": "2026-11-20T10:00:00.000Z"}}\n'
        '{"id": "m1", "timestamp": "2026-11-20T10:01:00.000Z", "type": "user", "content": [{"text": "Shelve the tins by size."}]}\n',
    )
    session = Gemini().parse(file.read_bytes(), Place(), str(file)).session
    folder = "/srv/kitchen/pantry"
    assert (session.cwd, {turn.cwd for turn in session.turns}, session.folders) == (folder, {folder}, ((folder, 1),))
