"""The screen flags every text in which the guard finds something, wherever it stands among others."""

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vademecum.domain.guarding import USUAL, Policy
from vademecum.guard import Guard, screen
from vademecum.guard.hidden import strip_hidden
from vademecum.guard.private import find_private
from vademecum.guard.screen import SHORT_CHARS, suspects
from vademecum.guard.secret_rules import KEPT_OUT, SECRET_RULES
from vademecum_bench.made_secrets import SECRETS

GUARD = Guard(USUAL)

KEYWORDS = sorted({keyword for rule in SECRET_RULES for keyword in rule.keywords})
HELD = [text.format(make()) for cases in SECRETS.values() for text, make in cases]
PIECES = st.one_of(
    st.sampled_from(KEYWORDS), st.sampled_from(HELD),
    st.sampled_from([" ", "\n", "=", ": ", '"', "é", "日本", "\u200b", "\u212a", "a1B2" * 9]),
    st.text(max_size=20),
)  # fmt: skip
TEXTS = st.lists(st.lists(PIECES, max_size=6).map("".join), max_size=8)


def flagged_by(short_chars, texts):
    """Flags of a screen that searches each keyword by itself in texts of that length, and all by a table in others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(screen, "SHORT_CHARS", short_chars)
        patch.setattr(screen, "_screen", lambda: screen._Screen(KEPT_OUT))
        return suspects(texts, USUAL)


def finds(text, policy=USUAL):
    return bool(find_private(strip_hidden(text).text, policy))


@pytest.mark.parametrize("place", range(3))
def test_every_shape(place):
    """One text with a secret among others without is flagged, at the beginning, in the middle and at the end."""
    for held in HELD:
        texts = ["the kettle is on", "and so it goes"]
        texts.insert(place, held)
        assert suspects(texts, USUAL)[place], held


def test_letter_that_is_none():
    """Folded, the sign for Kelvin is a k; as it stands it is no letter, and a secret may begin behind it."""
    held = next(text for text in HELD if text.startswith("AGE-SECRET-KEY-1"))
    assert suspects(["\u212a" + held], USUAL) == [finds("\u212a" + held)] == [True]


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
def test_nothing_missed(texts):
    """Whatever the guard finds in a text alone is flagged among others, and cleaning all gives what cleaning each gives."""
    flags = suspects(texts, USUAL)
    assert flags == flagged_by(SHORT_CHARS, texts) == flagged_by(-1, texts)
    assert len(flags) == len(texts)
    assert all(flag for flag, text in zip(flags, texts, strict=True) if finds(text))
    assert GUARD.clean_all(texts) == [GUARD.clean(text) for text in texts]


def test_nothing_missed_in_long_texts():
    """The same in texts of the length of transcripts, with keywords thrown in everywhere."""
    chance = random.Random(7)
    for _ in range(30):
        parts = chance.choices([*KEYWORDS, *HELD, "the", "of a", "ſ", "K", "\n", " = ", ": '", "\u3000", "xyzw" * 8], k=400)
        texts = "".join(parts).split("the")
        flags = suspects(texts, USUAL)
        assert all(flag for flag, text in zip(flags, texts, strict=True) if finds(text))
        assert flags == flagged_by(len("".join(parts)) * 2, texts) == flagged_by(-1, texts)


def test_few_are_flagged():
    """Prose and code without secrets are not looked at twice."""
    texts = ["We moved the tokens of the parser into a list.", "def key(self): return self._key", "pass the salt", ""] * 50
    assert not any(suspects(texts, USUAL))


def test_personal():
    """Personal data count when the person says so."""
    assert not any(suspects(["write to mira@firm.org"], USUAL))
    assert suspects(["nothing", "write to mira@firm.org"], Policy(personal=frozenset({"email"})))[1]


def test_secret_beside_many_records():
    """Of many lines only the one with a secret is written anew; every other byte stays."""
    line = json.dumps({"type": "note", "text": "nothing to see, é"}).encode() + b"\n"
    held = json.dumps({"text": HELD[0]}).encode() + b"\n"
    clean = GUARD.clean_records(line * 40 + held + line * 40)
    assert clean.startswith(line * 40)
    assert clean.endswith(line * 40)
    assert b"REDACTED" in clean[len(line) * 40 : -len(line) * 40]
