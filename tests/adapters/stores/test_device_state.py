"""What a device remembers of sessions, over a file and in memory alike."""

from datetime import UTC, datetime, timedelta

import pytest

from vademecum.adapters.stores import device_tables as state_module
from vademecum.adapters.stores.state import SqliteState
from vademecum.domain.session import Snapshot
from vademecum.domain.topics import TopicLock

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture(params=["file", "memory"])
def state(request, tmp_path):
    state = SqliteState(tmp_path / "device.db" if request.param == "file" else None)
    yield state
    state.close()


def test_topic_lock(state):
    """VO-18: each session keeps its own topics until they are set anew; an empty lock is none."""
    assert state.topic_locks.get("s1") is None
    state.topic_locks.set("s1", TopicLock({"garden": 1.0, "tea \ud800": 0.5}, held=True))
    state.topic_locks.set("s2", TopicLock({"house": 1.0}))
    assert state.topic_locks.get("s1") == TopicLock({"garden": 1.0, "tea ?": 0.5}, held=True)
    state.topic_locks.set("s1", TopicLock())
    assert state.topic_locks.get("s1") is None
    assert state.topic_locks.get("s2") == TopicLock({"house": 1.0})


def test_topic_locks_bounded(state, monkeypatch):
    """Sessions that were not heard of for longest are forgotten; one that is set again counts as new."""
    monkeypatch.setattr(state_module, "LOCKS_KEPT", 3)
    for session in ("a", "b", "c", "a", "d", "e"):
        state.topic_locks.set(session, TopicLock({"garden": 1.0}))
    assert [state.topic_locks.get(session) is not None for session in "abcde"] == [True, False, False, True, True]


def words_of(session, project="shop", **more):
    values = {"when": NOW, "messages": (("t1", "[user]: go \ud800 on"),), "finished": False}
    return Snapshot(session, project, **values | more)


def test_snapshots(state):
    """IN-29: the last words of each session, by project, the one heard of last first; set anew they replace what was there."""
    state.snapshots.set(words_of("session://plain/a"))
    state.snapshots.set(words_of("session://plain/b", "other"))
    state.snapshots.set(words_of("session://plain/c", when=NOW - timedelta(hours=1)))
    state.snapshots.set(words_of("session://plain/a", finished=True))
    state.snapshots.set(words_of("session://plain/d", when=NOW - timedelta(hours=2)))
    assert [one.session for one in state.snapshots.of_project("shop")] == [f"session://plain/{name}" for name in "acd"]
    assert list(state.snapshots.of_project("")) == []
    kept = state.snapshots.get("session://plain/a")
    assert (kept.finished, kept.when, kept.messages) == (True, NOW, (("t1", "[user]: go ? on"),))
    assert state.snapshots.get("session://plain/z") is None


def test_bounded(state, monkeypatch):
    """What is remembered of sessions does not grow without bound."""
    monkeypatch.setattr(state_module, "SNAPSHOTS_KEPT", 3)
    for name in "abcde":
        state.snapshots.set(words_of(name))
    assert [one.session for one in state.snapshots.of_project("shop")] == ["e", "d", "c"]


def test_strange_lines(state):
    """What was passed over in a transcript adds up while it grows, and is counted afresh when it is read from its beginning."""
    state.unknown_lines.note("/a.jsonl", "codex", {"hologram": 2, "": 1}, anew=True)
    state.unknown_lines.note("/a.jsonl", "codex", {"hologram": 1}, anew=False)
    state.unknown_lines.note("/b.jsonl", "claude-code", {"hologram": 4, "quark": 0}, anew=True)
    assert state.unknown_lines.counts() == {("claude-code", "hologram"): 4, ("codex", ""): 1, ("codex", "hologram"): 3}
    state.unknown_lines.note("/a.jsonl", "codex", {}, anew=True)
    state.unknown_lines.note("/b.jsonl", "claude-code", {}, anew=False)
    assert state.unknown_lines.counts() == {("claude-code", "hologram"): 4}
    assert state.erase(lambda text: "hologram" in text, ()) == 1
    assert state.unknown_lines.counts() == {}


def test_told_to_whom(state):
    """Which sessions were told something, or one thing, the last first; what a session lost again is not told."""
    for minute, (session, keys) in enumerate([("a", ["one", "two"]), ("b", ["two"]), ("c", ["three"])]):
        state.shown.record(f"session://plain/{session}", keys, NOW + timedelta(minutes=minute))
    state.shown.forget("session://plain/c")
    assert [(one.session[-1], sorted(one.keys)) for one in state.shown.sessions(9)] == [("b", ["two"]), ("a", ["one", "two"])]
    assert [one.session[-1] for one in state.shown.sessions(9, "one")] == ["a"]
    assert [one.session[-1] for one in state.shown.sessions(1, "two")] == ["b"]
    assert state.shown.sessions(1)[0].last == NOW + timedelta(minutes=1)


def test_latest_traces(state):
    """The stories of the last recalls, the last first, and page by page."""
    for name in "ABC":
        state.traces.keep(name, f"story {name}")
    assert state.traces.latest(2) == ("story C", "story B")
    assert state.traces.latest(2, "B") == ("story A",)
    assert state.traces.latest(2, "nobody") == ()
