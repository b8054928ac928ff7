"""What a file beside a session of Kiro tells about it: its folder, its title, and who started it."""

import json

import pytest

from vademecum.domain.session import Cursor
from vademecum.plugins.kiro.transcripts import Kiro

PROMPT = {"version": "v1", "kind": "Prompt", "data": {"message_id": "m1", "content": [{"kind": "text", "data": "Prune"}]}}
LINE = {"id": "k1", "timestamp": "2026-10-01T10:00:01.000Z", "payload": {"type": "user", "content": "Prune"}}
CLI, EDITOR = ("cli/k1.jsonl", PROMPT), ("1a2b/sess_k9/messages.jsonl", LINE)


@pytest.mark.parametrize(
    ("placed", "beside", "about", "speaker", "sidechain"),
    [
        (CLI, "cli/k1.json", {"cwd": "/srv/orchard", "title": "Trees", "session_created_reason": "subagent"}, "user", False),
        (CLI, "cli/k1.json", {"cwd": "/srv/orchard", "title": "Trees", "parent_session_id": "k0"}, "user", True),
        (CLI, "cli/k1.json", {"cwd": "/srv/orchard", "title": "Trees", "session_created_reason": "cron"}, "program", True),
        (EDITOR, "1a2b/sess_k9/session.json", {"workspacePaths": ["/srv/orchard"], "title": "Trees"}, "user", False),
    ],
)
def test_beside(tmp_path, placed, beside, about, speaker, sidechain):
    """Who started a session follows from its parent; the reason is "subagent" for sessions of a person too."""
    path = tmp_path / ".kiro/sessions" / placed[0]
    path.parent.mkdir(parents=True)
    (tmp_path / ".kiro/sessions" / beside).write_text(json.dumps(about))
    session = Kiro().parse(json.dumps(placed[1]).encode() + b"\n", Cursor(), str(path)).session
    assert (session.cwd, session.title) == ("/srv/orchard", "Trees")
    assert [(turn.speaker, turn.sidechain) for turn in session.turns] == [(speaker, sidechain)]
