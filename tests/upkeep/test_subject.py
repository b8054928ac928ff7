"""Whether two statements are about one thing, and that a change told in other words replaces what it takes up."""

import pytest

from vademecum.capture.judge import tells_change
from vademecum.upkeep.integrate import CHANGED
from vademecum.upkeep.subject import covered, rarity, shared, words_of


def test_rarity():
    """A name is rarer than a word of everyday; a word that no sentence holds is the rarest."""
    assert rarity("zyxwvut") == rarity("qqqqqq") > rarity("team") > 0


def test_words_of():
    """Words without case and accents; Chinese by every two characters."""
    assert words_of("Die Bücher, die BÜCHER!") == ("die", "bucher")
    assert words_of("用数据库") == ("用数", "数据", "据库")


@pytest.mark.parametrize(
    ("one", "other", "word"),
    [
        ("Our site is built with Hugo.", "I've ditched Hugo, Eleventy does it", "hugo"),
        ("Wir speichern Sicherungen im Keller.", "Die Sicherung liegt beim Nachbarn", "sicherungen"),
        ("消息走 RabbitMQ。", "RabbitMQ 撤了", "rabbitmq"),
    ],
)
def test_shared(one, other, word):
    """What both hold in some form is found, and makes up a part of what the first tells."""
    words = shared(one, other)
    assert word in words
    assert 0 < covered(one, words) <= 1


def test_shared_but_for_another_use():
    """One thing used for two ends is not one matter."""
    assert "redis" in shared("We use Redis for sessions.", "Redis is gone")
    assert "redis" not in shared("We use Redis for sessions.", "No more Redis for the rate limiter")


def test_tells_change():
    """That something changed is told apart from how it stands, in words of no list."""
    assert tells_change("we left the old courier, a bike service does it since May") > CHANGED
    assert tells_change("the courier comes twice a day and rings at the back") < 0.5
