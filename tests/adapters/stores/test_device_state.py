"""What a device remembers of sessions, over a file and in memory alike."""

from datetime import UTC, datetime

import pytest

from vademecum.adapters.stores import state as state_module
from vademecum.adapters.stores.state import SqliteState
from vademecum.model.session import Snapshot
from vademecum.model.topics import TopicLock

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture(params=["file", "memory"])
def state(request, tmp_path):
    state = SqliteState(tmp_path / "state.db" if request.param == "file" else None)
    yield state
    state.close()


def test_topic_lock(state):
    """VO-18: each session keeps its own topics until they are set anew; an empty lock is none."""
    assert state.topic_lock("s1") is None
    state.set_topic_lock("s1", TopicLock({"garden": 1.0, "tea \ud800": 0.5}, held=True))
    state.set_topic_lock("s2", TopicLock({"house": 1.0}))
    assert state.topic_lock("s1") == TopicLock({"garden": 1.0, "tea ?": 0.5}, held=True)
    state.set_topic_lock("s1", TopicLock())
    assert state.topic_lock("s1") is None
    assert state.topic_lock("s2") == TopicLock({"house": 1.0})


def test_topic_locks_bounded(state, monkeypatch):
    """Sessions that were not heard of for longest are forgotten; one that is set again counts as new."""
    monkeypatch.setattr(state_module, "LOCKS_KEPT", 3)
    for session in ("a", "b", "c", "a", "d", "e"):
        state.set_topic_lock(session, TopicLock({"garden": 1.0}))
    assert [state.topic_lock(session) is not None for session in "abcde"] == [True, False, False, True, True]


def words_of(session, project="shop", **more):
    values = {"when": NOW, "messages": (("t1", "[user]: go \ud800 on"),), "finished": False}
    return Snapshot(session, project, **values | more)


def test_snapshots(state):
    """IN-29: the last words of each session, by project, last set first; set anew they replace what was there."""
    state.set_snapshot(words_of("session://plain/a"))
    state.set_snapshot(words_of("session://plain/b", "other"))
    state.set_snapshot(words_of("session://plain/c"))
    state.set_snapshot(words_of("session://plain/a", finished=True))
    assert [one.session for one in state.snapshots("shop")] == ["session://plain/a", "session://plain/c"]
    assert state.snapshots("") == ()
    kept = state.snapshot("session://plain/a")
    assert (kept.finished, kept.when, kept.messages) == (True, NOW, (("t1", "[user]: go ? on"),))
    assert state.snapshot("session://plain/z") is None


def test_bounded(state, monkeypatch):
    """What is remembered of sessions does not grow without bound."""
    monkeypatch.setattr(state_module, "SNAPSHOTS_KEPT", 3)
    for name in "abcde":
        state.set_snapshot(words_of(name))
    assert [one.session for one in state.snapshots("shop")] == ["e", "d", "c"]


def test_strange_lines(state):
    """What was passed over in a transcript adds up while it grows, and is counted afresh when it is read from its beginning."""
    state.note_strange("/a.jsonl", "codex", {"hologram": 2, "": 1}, anew=True)
    state.note_strange("/a.jsonl", "codex", {"hologram": 1}, anew=False)
    state.note_strange("/b.jsonl", "claude-code", {"hologram": 4, "quark": 0}, anew=True)
    assert state.strange() == {("claude-code", "hologram"): 4, ("codex", ""): 1, ("codex", "hologram"): 3}
    state.note_strange("/a.jsonl", "codex", {}, anew=True)
    state.note_strange("/b.jsonl", "claude-code", {}, anew=False)
    assert state.strange() == {("claude-code", "hologram"): 4}
    assert state.erase(lambda text: "hologram" in text, ()) == 1
    assert state.strange() == {}
