"""The last words of a session that broke off."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.session import Session, Snapshot, Turn
from vademecum.extract.numbers import MESSAGE_CHARS, MESSAGES
from vademecum.extract.recovery import snapshot
from vademecum.inject.numbers import QUIET_FOR, VALID_FOR
from vademecum.inject.recovery import to_recover

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


def session(*turns, start=0, **fields):
    said = tuple(Turn(str(start + number), role, text, tools=tools) for number, (role, text, *tools) in enumerate(turns))
    return Session("plain", "s1", "/t.jsonl", said, **{"ended": NOW - HOUR, "project": "shop"} | fields)


def broke_off(name="s1", ago=HOUR, finished=False):
    return Snapshot(f"session://plain/{name}", "shop", NOW - ago, (("0", "[user]: go on"),), finished)


def test_last_three():
    """IN-29: the last three messages that were spoken, a hundred characters each, cut between words, on one line, by role."""
    kept = snapshot(
        session(("user", "one"), ("agent", "two"), ("tool", "ls"), ("user", "three\n  lines"), ("agent", "word " * 60)),
        None,
        NOW,
    )
    assert [text for _, text in kept.messages] == ["[agent]: two", "[user]: three lines", "[agent]: " + "word " * 18 + "word…"]
    assert (kept.session, kept.project, kept.when) == ("session://plain/s1", "shop", NOW - HOUR)


@pytest.mark.parametrize("speaker", ["program", "document", "injected"])
def test_no_person(speaker):
    """A conversation in which no person speaks is nobody's last session."""
    assert snapshot(session((speaker, "Review this."), ("agent", "Reviewed.")), None, NOW) is None


@pytest.mark.parametrize(
    ("last", "finished"),
    [
        (("agent", "done"), True),
        (("user", "and now?"), False),
        (("tool", "pytest: 3 failed"), False),
        (("agent", "let me look", "Read"), False),
    ],
)
def test_broken_off(last, finished):
    """IN-29: a session that ends with a question, a tool's answer or a call broke off; one that ends with an answer did not."""
    assert snapshot(session(("user", "go"), ("agent", "fine"), last), None, NOW).finished is finished
    assert snapshot(session(("user", "go"), last, ("note", "cost 3")), None, NOW).finished is finished


def test_grows():
    """IN-29: turns that come later push out earlier ones; a reading that is done again tells nothing twice."""
    first = snapshot(session(("user", "one"), ("agent", "two")), None, NOW)
    second = snapshot(session(("agent", "two"), ("user", "three"), ("agent", "four"), start=1), first, NOW)
    assert [text for _, text in second.messages] == ["[agent]: two", "[user]: three", "[agent]: four"]
    assert snapshot(session(("agent", "two"), ("user", "three"), ("agent", "four"), start=1), second, NOW) == second
    assert snapshot(session(), second, NOW).finished is True


def test_not_the_persons():
    """A sub-agent's transcript is nobody's session, and one in which nobody spoke leaves nothing."""
    aside = Session("plain", "s1", "/t", (Turn("0", "user", "task", sidechain=True),))
    assert snapshot(aside, None, NOW) is None
    assert snapshot(session(("note", "started")), None, NOW) is None


def test_when_to_recover():
    """IN-29: the last session only, if it broke off, is quiet, is not a week old, and is not the one that asks."""
    assert to_recover([broke_off()], NOW) == broke_off()
    assert to_recover([], NOW) is None
    assert to_recover([broke_off(finished=True)], NOW) is None
    assert to_recover([broke_off("later", HOUR / 2, finished=True), broke_off()], NOW) is None
    assert to_recover([broke_off(ago=VALID_FOR)], NOW) is not None
    assert to_recover([broke_off(ago=VALID_FOR + timedelta(seconds=1))], NOW) is None
    assert to_recover([broke_off(ago=QUIET_FOR - timedelta(seconds=1))], NOW) is None
    for asking in ("s1", "session://plain/s1"):
        assert to_recover([broke_off(), broke_off("other", HOUR * 2)], NOW, asking) == broke_off("other", HOUR * 2)


@given(st.lists(st.tuples(st.sampled_from(["user", "agent", "tool"]), st.text(min_size=1, max_size=400)), max_size=12))
def test_bounded(turns):
    """Whatever was said, it is three messages of one line each, a hundred characters behind the role."""
    kept = snapshot(session(*turns), None, NOW)
    for _, text in kept.messages if kept else ():
        assert "\n" not in text
        assert len(text.split("]: ", 1)[1]) <= MESSAGE_CHARS
    assert kept is None or 1 <= len(kept.messages) <= MESSAGES
