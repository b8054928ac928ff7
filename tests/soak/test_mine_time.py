"""No turn takes the miner or the reader much longer than another of its size, however it was made up."""

import time

import pytest

from vademecum.adapters.transcripts.claude_code import ClaudeCode
from vademecum.domain.session import Cursor, Session, Turn
from vademecum.extract.mine import mine

pytestmark = pytest.mark.soak

UNITS = [
    "we decided to use ", "<a>", "<system-reminder>", "```\n", "I prefer ", "\"", "> ", "the problem was ", "fixed ", "- ",
    ". ", "1. ",
    "Error: ", "a.b.c:1:", "when x, always ", "\n", "(", "**a** ", "ok, ", "no longer ", "\ud55c", "\u3002", "because ",
]  # fmt: skip
LIMIT_S = 3.0


@pytest.mark.parametrize("size", [2_000, 19_000, 1_000_000])
@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_made_up_turns(unit, size):
    """A long run of any words that the miner looks for is mined in time."""
    for text in (unit * (size // len(unit)), f"We decided to {unit}" + "a " * (size // 2), "a" * size + unit):
        for role in ("user", "agent"):
            start = time.perf_counter()
            mine(Session("plain", "s", "/s", (Turn("1", role, text),)))
            assert time.perf_counter() - start < LIMIT_S


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_made_up_lines(unit):
    """A line of 5 MB of any tags is read in time."""
    text = (unit * (5_000_000 // len(unit))).replace("\\", "").replace('"', "'").replace("\n", " ")
    line = '{"type":"user","uuid":"u","sessionId":"s","message":{"content":"' + text + '"}}\n'
    start = time.perf_counter()
    ClaudeCode().parse(line.encode(), Cursor(), "/t.jsonl")
    assert time.perf_counter() - start < LIMIT_S
