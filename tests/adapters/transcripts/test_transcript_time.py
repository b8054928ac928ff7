"""No message takes long to read, however it was made up: a pattern that goes over a text again and again is found here."""

import time

import pytest
from tests.adapters.transcripts.transcript_samples import said_once

from vademecum.adapters.transcripts import formats
from vademecum.domain.session import Cursor

pytestmark = pytest.mark.soak

UNITS = [
    "<a>", "<a b", "<system-reminder>", "<user_query>", "</user_query>", "<think>", "<tool-use ", "_**User**_\n\n", "<cwd>",
    "<environment_context>", "\n## My request for Codex:\n", "# In app browser:", "[Tool call] ", "\nuser:\n", "<hook_context>",
    "*** Update File: ", " ", "\n---\n", "\n", "{", '"', "\\", "한",
]  # fmt: skip
LIMIT_S = 3.0


@pytest.mark.parametrize("transcript", formats(), ids=lambda one: type(one).__name__)
def test_made_up_messages(transcript):
    """A message of 2 MB of anything a host writes is read in time, in every format."""
    for unit in UNITS:
        data = said_once(type(transcript).__name__, f"start {unit * (2_000_000 // len(unit))} end")
        start = time.perf_counter()
        transcript.parse(data[: transcript.complete(data)], Cursor(), "/t.jsonl")
        assert time.perf_counter() - start < LIMIT_S, unit
