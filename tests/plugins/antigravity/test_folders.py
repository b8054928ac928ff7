"""Which folder a conversation of Antigravity belongs to."""

import json

import pytest

from vademecum.domain.session import Cursor
from vademecum.plugins.antigravity.folders import antigravity_folder
from vademecum.plugins.antigravity.transcripts import Antigravity


def put(file, text):
    """Write a file, its folders along; returns it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return file


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


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"projects": 3}', "\x00\xff"])
def test_odd_files(tmp_path, text):
    """Files that are not as expected say nothing, and nothing fails."""
    put(tmp_path / ".gemini/antigravity-cli/cache/last_conversations.json", text)
    assert antigravity_folder(str(tmp_path / ".gemini/antigravity-cli/brain/c-1/x/y.jsonl")) == ""


def test_complete_texts(tmp_path):
    """A text that is cut off in one log is read from the other."""
    logs = tmp_path / ".gemini/antigravity-cli/brain/c-1/.system_generated/logs"
    steps = [
        {"step_index": n, "source": "USER_EXPLICIT", "type": "USER_INPUT", "content": f"Prune tree {n} in winter"}
        for n in range(3)
    ]
    put(logs / "transcript_full.jsonl", "".join(json.dumps(step) + "\n" for step in steps))
    cut = {**steps[1], "content": "Prune tr", "truncated_fields": ["content"]}
    parsed = Antigravity().parse(json.dumps(cut).encode() + b"\n", Cursor(), str(logs / "transcript.jsonl"))
    assert [turn.text for turn in parsed.session.turns] == ["Prune tree 1 in winter"]
