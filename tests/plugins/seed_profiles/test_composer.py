"""What each memory weighs when nothing is searched."""

from datetime import UTC, datetime, timedelta

import pytest

from vademecum.domain.feed import Use
from vademecum.domain.item import Item
from vademecum.domain.topics import TopicLock
from vademecum.plugins.seed_profiles.composer import weigh

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
GARDEN = TopicLock({"garden": 1.0})


def score(lock=None, use=None, **fields):
    values = {
        "key": "memory://a", "source": "memory", "space": "personal", "path": "a.md", "title": "a", "stat": "", "digest": "",
        "kind": "decision", "importance": 0.5, "created": NOW,
    }  # fmt: skip
    return sum(weigh(Item(**values | fields), use, lock, NOW).values())


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        (0.5, {}),
        (0.5 + 0.20, {"lock": GARDEN, "topics": ("Garden",)}),
        (0.5 + 0.10, {"lock": TopicLock({"garden": 0.5}), "topics": ("garden",)}),
        (0.5 + 0.10, {"kind": "identity"}),
        (0.5 * 0.3, {"valid_until": NOW - timedelta(days=1)}),
        ((0.5 + 0.20) * 0.3, {"lock": GARDEN, "topics": ("garden",), "status": "superseded"}),
    ],
)
def test_score(expected, given):
    """VO-21: importance, +.20 on topic (by how surely), +.10 identity, and .3 of it all when it no longer holds."""
    assert score(**given) == pytest.approx(expected)


def test_lately_used():
    """VO-21: +.10 when used within seven days, beside what use does to importance itself; this rule never fired there."""
    lately, before = (
        Use(used=1, last_used=NOW - timedelta(days=7)),
        Use(used=1, last_used=NOW - timedelta(days=7, seconds=1)),
    )
    assert weigh_of(lately)["lately used"] == 0.10
    assert "lately used" not in weigh_of(before)


def weigh_of(use):
    item = Item("memory://a", "memory", "personal", "a.md", "a", "", "", "decision", created=NOW)
    return weigh(item, use, None, NOW)


def test_old_event():
    """VO-21: -.10 for an event that happened more than thirty days ago; this rule never fired there."""
    item = Item(
        "memory://a", "memory", "personal", "a.md", "a", "", "", "event", created=NOW, valid_from=NOW - timedelta(days=31)
    )
    assert weigh(item, None, None, NOW)["old event"] == -0.10
    fresh = Item(
        "memory://a", "memory", "personal", "a.md", "a", "", "", "event", created=NOW, valid_from=NOW - timedelta(days=30)
    )
    assert "old event" not in weigh(fresh, None, None, NOW)
