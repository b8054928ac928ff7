"""What a command printed is read as it was printed, however the version of Codex wrote it down."""

import json

import pytest

from vademecum.adapters.transcripts.codex import Codex
from vademecum.domain.session import Cursor

PRINTED = 'FAILED tests/test_kettle.py::test_boils\n{"output": "no"}'


@pytest.mark.parametrize(
    "output",
    [PRINTED, json.dumps({"output": PRINTED, "metadata": {"exit_code": 1, "duration_seconds": 0.2}}), {"content": PRINTED}],
)
def test_outputs(output):
    """Plain text, text within JSON within the text, and an object."""
    call = {"type": "function_call_output", "call_id": "c1", "output": output}
    lines = [
        {"type": "session_meta", "payload": {"id": "s1", "cwd": "/home/user"}},
        {"timestamp": "2026-03-01T09:00:00Z", "type": "response_item", "payload": call},
    ]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    turns = Codex().parse(data, Cursor(), "/s1.jsonl").session.turns
    assert [turn.text for turn in turns if turn.role == "tool"] == [PRINTED]


@pytest.mark.parametrize("output", ['{"output": 3}', '{"output": "torn', '{"output":[]}'])
def test_what_only_looks_so(output):
    """Text that begins alike and is something else stays as it is."""
    call = {"timestamp": "2026-03-01T09:00:00Z", "type": "response_item",
            "payload": {"type": "function_call_output", "call_id": "c1", "output": output}}  # fmt: skip
    turns = Codex().parse(json.dumps(call).encode() + b"\n", Cursor(), "/s1.jsonl").session.turns
    assert [turn.text for turn in turns] == [output]
