"""When to act on changes: after a little quiet, once more after a longer one, and at intervals whatever was heard."""

from pathlib import Path
from threading import Event

import pytest

from vademecum.adapters import watching
from vademecum.adapters.watching import changes, moments

EVERY = {"debounce_s": 30, "idle_s": 180, "look_every_s": 60}


def acted(heard: dict[int, bool], seconds: int, **times) -> dict[int, str]:
    """Second -> what was to be done then, one tick a second; `heard` tells when something changed."""
    now = -1
    found = {}

    def ticks():
        nonlocal now
        for now in range(seconds):
            yield heard.get(now, False)

    for moment in moments(ticks(), lambda: max(now, 0), **{**EVERY, **times}):
        found[now] = moment
    return found


def test_quiet_before_reading():
    """IN-48: changes that follow each other are one, read when nothing came for 30 seconds."""
    assert acted({10: True, 20: True, 35: True}, 66) == {65: "changed"}


def test_restless():
    """A conversation that never pauses is read all the same."""
    assert acted(dict.fromkeys(range(10, 200), True), 140) == {70: "changed", 131: "changed"}


def test_idle_once():
    """IN-48: 180 seconds of quiet behind a change are idle, once."""
    assert acted({0: True}, 800, look_every_s=1000) == {30: "changed", 180: "idle"}


def test_looks_behind():
    """Where no events are heard, a look at intervals finds what changed."""
    assert acted({}, 190) == {60: "look", 120: "look", 180: "look"}


@pytest.mark.parametrize("native", [True, False])
def test_real_folder(tmp_path: Path, monkeypatch, native):
    """A file that appears is noticed, with native events and without."""
    if native and watching.watchfiles is None:
        pytest.skip("watchfiles is an extra")
    if not native:
        monkeypatch.setattr(watching, "watchfiles", None)
    monkeypatch.setattr(watching, "TICK_S", 0.05)
    passed = iter(range(1_000_000))
    stop = Event()
    heard = changes([tmp_path], stop, lambda: float(next(passed)), debounce_s=2, idle_s=50, look_every_s=20)
    next(heard)
    (tmp_path / "t.jsonl").write_text("{}", encoding="utf-8")
    assert next(heard) in ("changed", "look")
    stop.set()
    assert list(heard) in ([], ["look"], ["changed"], ["idle"])
