"""Topics of a memory."""

import pytest

from vademecum.vault.property_checks import checked, topic_slug


@pytest.mark.parametrize(("topic", "slug"), [("  Data Stores ", "data-stores"), ("SQLite", "sqlite"), ("a  b", "a-b")])
def test_topic_slugs(topic, slug):
    """However a topic is typed, it is one topic."""
    assert topic_slug(topic) == slug


def test_topics_once():
    """The same topic twice is kept once."""
    assert checked({"topics": ["Data stores", "data-stores", "tools"]})["topics"] == ["data-stores", "tools"]
