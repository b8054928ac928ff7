"""A time later than its file's own counts as that: a clock that was ahead rules nothing (capture-17)."""

import json
import os
from datetime import UTC, datetime, timedelta

from vademecum.domain.query import Scope
from vademecum.ingest.load_session import whole_session

START = datetime(2026, 2, 1, 9, tzinfo=UTC)


def test_a_clock_that_was_ahead(memory, tmp_path):
    """No date of 2031 reaches the index, a memory or what is read again; times before the file's stay."""
    path = tmp_path / "talk" / "a.jsonl"
    path.parent.mkdir()
    said = [
        ("user", "Remember: the crates are counted.", START.replace(year=2031)),
        ("assistant", "Counted.", START - timedelta(hours=1)),
    ]
    path.write_text(
        "".join(json.dumps({"role": role, "text": text, "time": time.isoformat()}) + "\n" for role, text, time in said)
    )
    os.utime(path, (START.timestamp(), START.timestamp()))
    memory.maintenance.capture((str(path.parent),))
    (item,) = memory.context.index.select(Scope(sources=("session",), statuses=None))
    times = [one.passage.time for one in memory.context.index.passages_of(item.key)]
    assert times == [START, START - timedelta(hours=1)] and item.updated == START
    (kept,) = memory.context.index.select(Scope(sources=("memory",), statuses=None))
    assert all("2031" not in file.read_text() for file in (tmp_path / "Vault").rglob("*.md")) and kept
    assert max(turn.time for turn in whole_session(memory.context, item.key)[0].turns) == START
    assert memory.context.state.snapshots.get(item.key).when == START
