"""How turns are named where their host gives no id."""

import json

from vademecum.adapters.transcripts.codex import Codex
from vademecum.domain.session import Cursor


def line(role, text):
    kind = "input_text" if role == "user" else "output_text"
    said = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
    return (json.dumps({"timestamp": "2026-03-01T10:00:00Z", "type": "response_item", "payload": said}) + "\n").encode()


def test_a_turn_of_codex_is_named_by_its_place():
    """Rollouts only grow, so "@<offset of the record>" names a turn for good, read at once or bit by bit; labels made elsewhere use it."""
    said = [line("user", "Use tabs."), line("assistant", "Fine."), line("user", "Use tabs.")]
    places = [f"@{sum(map(len, said[:number]))}" for number in range(3)]
    whole = Codex().parse(b"".join(said), Cursor(), "/rollout.jsonl")
    assert [turn.ref for turn in whole.session.turns] == places
    first = Codex().parse(said[0], Cursor(), "/rollout.jsonl")
    rest = Codex().parse(b"".join(said[1:]), first.cursor, "/rollout.jsonl")
    assert [turn.ref for part in (first, rest) for turn in part.session.turns] == places
