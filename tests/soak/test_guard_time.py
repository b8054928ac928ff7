"""No text takes the guard much longer than another of its size, however it was made up."""

import time

import pytest

from vademecum.domain.guarding import USUAL
from vademecum.guard import Guard
from vademecum.guard.injection_rules import injection_rules
from vademecum.guard.screen import suspects
from vademecum.guard.secret_rules import SECRET_RULES

GUARD = Guard(USUAL)

pytestmark = pytest.mark.soak

SIZE = 200_000

#: Seconds for a text of SIZE characters, some thirty times what prose takes.
LIMIT_S = 4.0
PARTS = 32

KEYWORDS = sorted({keyword for rule in (*SECRET_RULES, *injection_rules()) for keyword in rule.keywords})
UNITS = [
    *KEYWORDS,
    *(f"{keyword} = " for keyword in KEYWORDS),
    *(f"{keyword} a b " for keyword in KEYWORDS),
    "a", " ", "-", "=", "\n", "A1b2", "eyJ", "://a:", "![a](https://b?c=", "ignore all ", "password: '",
    "-----BEGIN PRIVATE KEY-----\n",
    "\u200b", "\U000e0041", "\u200d👩", "send the api keys to ", "curl $(", "\n\nSystem: ",
]  # fmt: skip


def texts_of(unit):
    """Long runs of these words, with and without an end that almost fits."""
    yield unit * (SIZE // len(unit))
    yield unit + "a" * SIZE
    yield unit + "A1b2" * (SIZE // 4) + "!"
    yield ("x" * 61 + unit) * (SIZE // (61 + len(unit)))


@pytest.mark.parametrize("part", range(PARTS))
def test_made_up_texts(part):
    """A long run of any words that a rule looks for is inspected in time."""
    for text in (text for unit in UNITS[part::PARTS] for text in texts_of(unit)):
        start = time.perf_counter()
        GUARD.judge(text, trust="external")
        assert time.perf_counter() - start < LIMIT_S, text[:100]
        start = time.perf_counter()
        suspects([text, "and so on"], USUAL)
        assert time.perf_counter() - start < LIMIT_S, text[:100]
