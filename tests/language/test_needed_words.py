"""Patterns that are ruled out before they are compiled could not have matched."""

import json

import pytest

from needed_words import needed_words
from vademecum.language import needed_words as module
from vademecum.language.needed_words import FILE, Possible, key_of
from vademecum.language.patterns import patterns

#: Matched by some patterns, in spellings that only `re.IGNORECASE` takes for the same.
STATED = (
    "We decided to use PostgreSQL instead of MySQL.", "Never push to main without running the tests.", "I prefer tabs over spaces.",
    "WE DECİDED TO USE TABS İNSTEAD OF SPACES.", "we decıded to uſe tabs instead of spaces.", "Von jetzt an bitte immer mit Tabs.",
    "Prefiero español para los mensajes.", "记住我喜欢用空格。", "Please remember that the build server is called Orion.",
)  # fmt: skip


def test_file_is_that_of_the_patterns():
    """Written by `make docs`."""
    known = {key_of(row.pattern) for row in patterns() if needed_words(row.pattern)}
    assert set(json.loads(FILE.read_text(encoding="utf-8"))) == known


@pytest.mark.parametrize("text", STATED)
def test_what_matches_is_possible(text):
    matching = [row.name for row in patterns() if row.regex.match(text)]
    possible = [row.name for row in Possible(patterns()).within(text)]
    assert [name for name in possible if name in set(matching)] == matching
    assert len(possible) < len(patterns()) / 4


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(?:use|using) (?:tabs|spaces)", {"tabs", "spaces"}),
        ("(?:please )?never .+ once more", {" once more"}),
        ("(?:please )?never .+", {"never "}),
        (r"(?=we )\w+ \d+", {"we "}),
        (r"(?:tab|\w+)s?", set()),
        ("(?!never).*", set()),
        ("(?:tabs)*", set()),
        ("(?:a long word|word)+", {"word"}),
        (r"colou?r\b", {"colour", "color"}),
    ],
)
def test_words_of_a_pattern(pattern, words):
    assert needed_words(pattern) == words


def test_unknown_pattern_is_never_ruled_out(monkeypatch):
    monkeypatch.setattr(module, "_known", dict)
    assert Possible(patterns()).within("x") == list(patterns())
