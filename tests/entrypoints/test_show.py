"""What a person is shown."""

from vademecum.entrypoints.text import SNIPPET_CHARS, snippet

TEXT = "It began in spring. " * 20 + "Then the kettle was descaled with vinegar and everybody was glad. " + "It went on. " * 30


def test_snippet_at_word():
    """A snippet shows the place where the question's word stands, not the beginning of a long text."""
    shown = snippet(TEXT, "when was the kettle descaled?")
    assert shown.startswith("... ")
    assert "descaled" in shown
    assert len(shown) <= SNIPPET_CHARS + 8


def test_snippet_without_word():
    """Where no word of the question stands, the text's beginning is shown; a short text is shown whole."""
    assert snippet(TEXT, "bicycle").startswith("It began in spring.")
    assert snippet("Short.", "bicycle") == "Short."


def test_snippet_between_words():
    """No word is cut."""
    words = set(TEXT.split())
    assert set(snippet(TEXT, "kettle").split()) - {"..."} <= words
