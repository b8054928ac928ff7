"""A time later than its file's own counts as that: a clock that was ahead rules nothing (capture-17)."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest
from tests.ingest.hosts import HOSTS, OpenCode

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


WORK = "Please build the {} and write tests for it."


def held(path, what, begun, *, written, turns=4):
    """Write a conversation of Claude Code about some work, which begins at a time, to a file that was written at another."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for number in range(turns):
        role = "assistant" if number % 2 else "user"
        text = (
            WORK.format(what)
            if number == 0
            else f"The {what} has step {number} done. Not done: step {number + 1} of the {what}."
        )
        content = [{"type": "text", "text": text}] if number % 2 else text
        common = {"type": role, "sessionId": path.stem, "cwd": "/srv/larder", "isSidechain": False, "parentUuid": None}
        time = (begun + timedelta(seconds=number)).isoformat()
        uuid = f"{abs(hash(what)) % 10**8:08d}-0000-4000-8000-{number:012d}"
        lines.append(json.dumps({**common, "uuid": uuid, "timestamp": time, "message": {"role": role, "content": content}}))
    path.write_text("".join(line + "\n" for line in lines))
    os.utime(path, (written.timestamp(), written.timestamp()))


def last(memory):
    """What a briefing says of where the last session stopped."""
    text = memory.recall.briefing(project="larder").text
    assert "2031" not in text
    return next((what for what in ("crate counter", "jar washer", "lid press") if what in text), "")


def processed(memory, clock, folder):
    memory.maintenance.capture((str(folder),))
    clock.advance(timedelta(hours=8))
    memory.sessions.process_due()
    assert all("2031" not in file.read_text() for file in (folder.parent / "Vault").rglob("*.md"))


@pytest.mark.parametrize("file_ahead", [False, True], ids=["old-file", "file-ahead-too"])
@pytest.mark.parametrize("order", ["together", "ahead-first", "ahead-last"])
def test_where_the_last_session_stopped(memory, clock, tmp_path, order, file_ahead):
    """capture-17: a conversation written while a clock stood in 2031 stopped before those captured with it or after it, and behind
    those that were captured before it."""
    folder, now = tmp_path / "talk", clock.now()
    ahead = now.replace(year=2031)
    written = ahead if file_ahead else now

    def write(what):
        if what == "ahead":
            held(folder / "a.jsonl", "crate counter", ahead, written=written)
        else:
            held(folder / "b.jsonl", "jar washer", now - timedelta(hours=3), written=now)

    names = {"together": ["ahead", "true"], "ahead-first": ["ahead", "", "true"], "ahead-last": ["true", "", "ahead"]}[order]
    for name in names:
        if name:
            write(name)
        else:
            processed(memory, clock, folder)
    processed(memory, clock, folder)
    assert last(memory) == ("crate counter" if order == "ahead-last" else "jar washer")
    for item in memory.context.index.select(Scope(sources=("session",), statuses=None)):
        assert item.updated <= clock.now()
        assert all(turn.time <= clock.now() for turn in whole_session(memory.context, item.key)[0].turns)
        assert memory.context.state.snapshots.get(item.key).when <= clock.now()


def test_a_deleted_file_of_a_clock_ahead(memory, clock, tmp_path):
    """What the archive gives back of it has times that can be true as well, whatever else this device forgot."""
    held(tmp_path / "talk" / "a.jsonl", "crate counter", clock.now().replace(year=2031), written=clock.now())
    memory.maintenance.capture((str(tmp_path / "talk"),))
    (tmp_path / "talk" / "a.jsonl").unlink()
    memory.context.state.clocks_ahead.set("session://claude-code/a", None)
    assert all(turn.time <= clock.now() for turn in whole_session(memory.context, "session://claude-code/a")[0].turns)


def test_a_clock_that_was_set_right(memory, clock, tmp_path):
    """A conversation that goes on with true times counts by those again."""
    path = tmp_path / "talk" / "a.jsonl"
    held(path, "crate counter", clock.now().replace(year=2031), written=clock.now())
    held(tmp_path / "talk" / "b.jsonl", "jar washer", clock.now() - timedelta(hours=3), written=clock.now())
    processed(memory, clock, tmp_path / "talk")
    assert last(memory) == "jar washer"
    before = path.read_text()
    held(path, "crate counter of today", clock.now(), written=clock.now())
    path.write_text(before + path.read_text())
    processed(memory, clock, tmp_path / "talk")
    assert last(memory) == "crate counter"


@pytest.mark.parametrize("kind", HOSTS, ids=lambda kind: kind.__name__)
def test_growth_under_a_clock_that_is_ahead(memory, tmp_path, kind):
    """Turns whose times are ahead are known again when their file is written anew: none stands twice, none counts as cut."""
    host = kind(tmp_path / "host")
    turns = [(1, "Sweep the porch."), (2, "The porch is swept."), (3, "Sweep the yard as well."), (4, "Swept the yard.")]
    for written, count in ((10**18, 2), (10**18 + 10**10, 3), (10**18 + 10**11, 4)):
        host.write("s1", [(number, text) for number, text in turns if number <= count])
        os.utime(host.path, ns=(written, written))
        memory.maintenance.capture((str(host.path.parent),))
    uri = f"session://{host.host}/s1"
    assert sorted(turn.text for turn in memory.sessions.get(uri).turns) == sorted(text for _, text in turns)
    assert all(one.cut is None for one in memory.context.storage.archive.of_session(uri))
    host.close()


def test_times_behind_a_database(memory, tmp_path, clock):
    """What stands in a database's journal was written when the journal was, not when the database was."""
    clock.advance(timedelta(days=400))
    host = OpenCode(tmp_path / "host")
    host.write("s1", [(1, "Sweep the porch."), (2, "The porch is swept.")])
    journal = host.path.with_name(f"{host.path.name}-wal")
    if not journal.exists():
        journal.write_bytes(b"")
    os.utime(host.path, ns=(10**18, 10**18))
    memory.maintenance.capture((str(host.path.parent),))
    assert {turn.time.year for turn in memory.sessions.get("session://opencode/s1").turns} == {2026}
    host.close()
