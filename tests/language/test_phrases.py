"""Phrases of each language that must be found, and such that must not: `phrases/<language>.toml`, beside the package's own data."""

import tomllib
from pathlib import Path

import pytest

from vademecum.domain.guarding import USUAL
from vademecum.domain.kinds import kind_named
from vademecum.domain.session import Session, Turn
from vademecum.extract.follow_ups import follow_ups
from vademecum.extract.mine import mine
from vademecum.guard import Guard
from vademecum.guard.asks import find_asks
from vademecum.guard.injections import find_injections
from vademecum.language.load import languages
from vademecum.language.patterns import follow_ups as ways_of_wishing
from vademecum.language.patterns import patterns
from vademecum.reconcile.compare import compare

GUARD = Guard(USUAL)
ERROR = "sqlite3.OperationalError: database is locked"
PHRASES = {path.stem: tomllib.loads(path.read_text()) for path in sorted((Path(__file__).parent / "phrases").glob("*.toml"))}
TABLES = [(code, what) for code, tables in PHRASES.items() for what in tables]


def session(role, text):
    turns = (Turn("t0", "tool", ERROR), Turn("t1", role, text))
    return Session("plain", "s1", "/s1.jsonl", turns, project="larder")


def memory(code, text, finds, role="user"):
    """What a person says outright is found by the pattern made for it; what an agent says is never taken for granted."""
    found = mine(session(role, text))
    assert [one.pattern for one in found] == ([f"{code}.{finds}"] if finds else [])
    for one in found:
        assert one.rationale.split(":")[0] == one.pattern
        assert (one.kind, one.source, one.span[1], one.project) == (finds.split(".")[0], "session://plain/s1", "t1", "larder")
        assert role == "user" or one.confidence != "high"


def reply(code, text, finds):
    """What opens the person's reply to a report of the agent says how the work is to be; the same words as a first message do not, nor
    behind a question.
    """
    answered = {
        said: mine(Session("plain", "s1", "/s1.jsonl", (Turn("t0", "agent", said), Turn("t1", "user", text))))
        for said in ("The work is done and the tests pass.", "Which of the two do you want?")
    }
    assert [[one.pattern for one in found] for found in answered.values()] == [[f"{code}.{finds}"] if finds else [], []]
    assert mine(session("user", text)) == ()


def idea(code, text, title):
    """What somebody wants to try one day."""
    assert [one.title for one in follow_ups(session("user", text))] == ([title] if title else [])


def ask(code, text, held):
    """What an agent, a tool or a page asks waits for the person; the same words of the person, and contact lines or chores, do not."""
    assert bool(list(find_asks(text))) == held
    assert GUARD.judge(text, trust="user").action == GUARD.judge(text, trust="extracted").action == "allow"
    if held:
        assert GUARD.judge(text, trust="external").action == GUARD.judge(text, trust="agent").action == "quarantine"


def order(code, text, rule):
    """A text that tries to steer an agent."""
    assert {one.rule for one in find_injections(text)} == ({rule} if rule else set())


def sign(code, sign, text, found):
    """What tells something of a sentence."""
    assert bool(languages().sign(*sign.split("/")).search(text)) == found


def pair(code, old, new, relation):
    """What one statement is to another; "": nothing that can be told."""
    told = compare(old, new).relation
    assert told == relation if relation else told in ("unclear", "other")


@pytest.mark.parametrize(("code", "what"), TABLES)
def test_phrase(code, what):
    """MV-34, X-23, X-37: in each language what must be found is found, and questions, guesses, quotations and chores are not."""
    checks = {"memory": memory, "reply": reply, "idea": idea, "ask": ask, "order": order, "sign": sign, "pair": pair}
    for row in PHRASES[code][what]:
        checks[what](code, **row)


def test_every_pattern():
    """Each pattern is shown to find something, and belongs to a kind of memory."""
    shown = {
        f"{code}.{row['finds']}"
        for code, tables in PHRASES.items()
        for name in ("memory", "reply")
        for row in tables.get(name, ())
        if row["finds"]
    }
    assert {pattern.name for pattern in patterns()} == shown
    for pattern in (*patterns(), *ways_of_wishing()):
        kind_named(pattern.kind)


def test_every_language():
    """Each language of the package has phrases."""
    assert set(PHRASES) == set(languages().codes)
