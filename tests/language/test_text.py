"""What says nothing about a subject, in the languages that have data."""

import pytest

from vademecum.language.text import is_courtesy


@pytest.mark.parametrize(
    "text",
    [
        "yes", "Thanks, good for today!", "that's all for now, bye", "great job", "Danke, das war's für heute, bis morgen",
        "gracias, eso es todo por hoy", "merci, c'est tout pour aujourd'hui", "obrigado, até amanhã", "谢谢，今天就到这里",
    ],
)  # fmt: skip
def test_courtesies(text):
    """Thanks, yes and good-bye are courtesies, also several of them at once."""
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    [
        "thanks, use port 5433",
        "see you tomorrow at the office",
        "looks good, commit it",
        "is that all for the deploy script?",
        "what is it?",
    ],
)
def test_more_than_a_courtesy(text):
    """Whatever names a thing besides, or asks something, is more than a courtesy."""
    assert not is_courtesy(text)
