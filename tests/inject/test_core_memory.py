"""The curated core: what is told falls as the context window fills, and never exceeds what is allowed."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.item import Item
from vademecum.domain.kinds import CURATED, CURATED_KINDS, KINDS
from vademecum.domain.tokens import estimate_tokens
from vademecum.inject.core_memory import OPEN_THREADS, allowed_tokens, compose_brain
from vademecum.inject.numbers import WHOLE_TOKENS

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def item(key, kind="decision", **fields):
    values = {
        "key": f"memory://{key}", "source": "memory", "space": "personal", "path": f"{key}.md", "title": key, "stat": "",
        "digest": "", "kind": kind, "created": NOW, "updated": NOW,
    }  # fmt: skip
    return Item(**values | fields)


def core(count, words):
    """Items whose texts take about `words` x 1.3 tokens each."""
    items = [item(f"entry{number:04}", CURATED_KINDS[number % len(CURATED_KINDS)]) for number in range(count)]
    return items, {one.key: f"{one.title} says " + "word " * words for one in items}


@pytest.mark.parametrize(
    ("used", "tokens"),
    [(0.0, None), (0.499, None), (0.5, 50_000), (0.749, 50_000), (0.75, 20_000), (0.949, 20_000), (0.95, 5_000), (1.0, 5_000)],
)
def test_allowed(used, tokens):
    """SW-27: no limit below half of the window, then 50,000, 20,000 and 5,000 tokens."""
    assert allowed_tokens(used) == tokens


def test_whole_while_small():
    """SW-27: everything is told up to 30,000 tokens; beyond, the index and what is relevant, without limit while there is room."""
    items, texts = core(40, 300)
    small = compose_brain(items, texts.__getitem__, {}, NOW)
    assert small.tokens < WHOLE_TOKENS
    assert len(small.loaded) == 40 and "### Index" not in small.text
    items, texts = core(120, 300)
    near = {items[7].key: 0.4, items[8].key: 0.9}
    large = compose_brain(items, texts.__getitem__, near, NOW)
    assert large.text.index("entry0008** says") < large.text.index("entry0007** says")
    assert "### Index" in large.text and large.text.count("says") == 2
    assert large.omitted == ()


def test_room_for_what_is_relevant():
    """SW-27: the index of a large memory leaves half of a small budget to what the question needs."""
    items, texts = core(900, 100)
    told = compose_brain(items, texts.__getitem__, {items[800].key: 0.9}, NOW, used=0.96)
    assert "entry0800** says" in told.text
    assert told.omitted


@given(st.integers(0, 300), st.integers(0, 200), st.floats(0, 1), st.booleans(), st.integers(0, 5))
def test_never_over(count, words, used, channel, near):
    """However full the window and large the memory, what is told keeps the budget."""
    items, texts = core(count, words)
    told = compose_brain(items, texts.__getitem__, {one.key: 0.5 for one in items[:near]}, NOW, used=used, channel=channel)
    assert estimate_tokens(told.text) == told.tokens <= max(told.budget_tokens, 0)
    limit = allowed_tokens(used)
    assert limit is None or told.budget_tokens == limit


def test_index_line():
    """SW-28: an entry of the index carries its aliases, kind, age and id."""
    told = compose_brain([item("entry", aliases=("entrance", "door"))], lambda _: "", {}, NOW, channel=True)
    assert "- entry | entrance, door (decision, today, memory://entry)" in told.text


def test_kinds_are_kinds():
    """Every kind of the core is one of the table, in one section only."""
    assert len(set(CURATED_KINDS)) == len(CURATED_KINDS)
    assert set(CURATED_KINDS) <= KINDS.keys()
    assert OPEN_THREADS in CURATED


def test_entries_are_whole():
    """SW-27: an entry is told whole, however long, or not at all."""
    long = "word " * 2000 + "end."
    told = compose_brain([item("entry")], lambda _: long, {}, NOW)
    assert "end." in told.text
