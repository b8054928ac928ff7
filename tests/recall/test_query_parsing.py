"""A prompt is not a query."""

from datetime import UTC, datetime

import pytest

from vademecum.recall.numbers import ASKED_CHARS
from vademecum.recall.query_parsing import shape

NOW = datetime(2026, 6, 17, 15, 0, tzinfo=UTC)


def test_code_is_not_asked():
    """A pasted block of code says little about what is asked."""
    shaped = shape("why does this fail?\n```python\nimport kettle\n```\nthe import", NOW)
    assert "kettle" not in shaped.text
    assert "fail" in shaped.text


@pytest.mark.parametrize(
    ("question", "looked_for"),
    [
        ("see https://example.com/kettle/shop/pull/27, please", "see 27, please"),
        ("https://example.com/kettle/shop/", "shop"),
        ("is https://example.com up?", "is example.com up?"),
        ("read https://example.com/a/notes.md?raw=1#top again", "read notes.md again"),
    ],
)
def test_links_by_their_last_part(question, looked_for):
    """What a link leads to is named by its last part; its host and folders stand in every other link to there too."""
    assert shape(question, NOW).text == looked_for


def test_only_code():
    """A prompt of nothing but code is looked for as it is."""
    assert "kettle" in shape("```\nimport kettle\n```", NOW).text


def test_bulk_is_cut():
    """Of a pasted log only the ends count, where people ask."""
    shaped = shape("what is this? " + "noise " * 5000 + "and why now?", NOW)
    assert len(shaped.text) <= ASKED_CHARS + 1
    assert shaped.text.startswith("what is this?")
    assert shaped.text.endswith("and why now?")


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("what did I do yesterday?", "2026-06-16", "2026-06-17"),
        ("what happened today", "2026-06-17", "2026-06-18"),
        ("what did we fix three days ago", "2026-06-13", "2026-06-16"),
        ("was habe ich gestern gemacht?", "2026-06-16", "2026-06-17"),
        ("was haben wir vor drei Tagen repariert?", "2026-06-13", "2026-06-16"),
        ("¿qué hicimos hace tres días?", "2026-06-13", "2026-06-16"),
        ("qu'est-ce que nous avons fait hier ?", "2026-06-16", "2026-06-17"),
        ("o que fizemos há três dias?", "2026-06-13", "2026-06-16"),
        ("我们昨天做了什么？", "2026-06-16", "2026-06-17"),
    ],
)
def test_periods(question, since, until):
    """A named time becomes a range of dates."""
    period = shape(question, NOW).period
    assert period is not None
    assert (f"{period[0]:%Y-%m-%d}", f"{period[1]:%Y-%m-%d}") == (since, until)


def test_a_time_is_read_in_the_language_of_the_question():
    """A word that names a time in one language and something else in another is read as the question means it."""
    assert shape("wer arbeitet hier an dem Server?", NOW).period is None  # "hier" is French for yesterday, German for here
    assert shape("welcher Schlüssel passt hier?", NOW).period is None


def test_identifiers():
    """Names of code, paths and quoted text are kept as written."""
    shaped = shape('where is parse_note used, in src/vault/note.py? it says "no such column"', NOW)
    assert {"parse_note", "src/vault/note.py", "no such column"} <= set(shaped.phrases)


@pytest.mark.parametrize(
    ("question", "hint"),
    [
        ("what did I say about tea", "person"),
        ("what did you recommend", "agent"),
        ("when did it start", "when"),
    ],
)
def test_hints(question, hint):
    """A question tells who and what it is about."""
    assert getattr(shape(question, NOW), hint)


@pytest.mark.parametrize("text", ["", "?", "\ud800", "   ", "数据库在哪里"])
def test_odd_questions(text):
    """X-49: nothing a person can type makes shaping fail."""
    assert shape(text, NOW).words is not None
