"""How notes are cut into passages."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.index.chunks import PASSAGE_MAX_CHARS, chunk_note, split_text


def told(note):
    return [(chunk.heading, chunk.line, chunk.text) for chunk in chunk_note(note)]


def test_empty():
    """A note without text has no passages."""
    assert chunk_note("") == chunk_note("  \n\n\t\n") == []


def test_preamble():
    """X-26: text before the first heading is kept, under no heading."""
    assert told("before\n\n# Title\n\nafter") == [("", 1, "before"), ("Title", 5, "after")]


def test_heading_paths():
    """A passage knows the headings above it, SW-11, and the line it begins on."""
    note = "# Setup\nall\n## Linux\nuse apt\n### Old\ngone\n## Mac\nuse brew\n# End\nbye"
    assert told(note) == [
        ("Setup", 2, "all"),
        ("Setup / Linux", 4, "use apt"),
        ("Setup / Linux / Old", 6, "gone"),
        ("Setup / Mac", 8, "use brew"),
        ("End", 10, "bye"),
    ]


def test_underlined_headings():
    """A line of "=" or "-" below a single line makes it a heading; below a list, a quote, a table, a paragraph or nothing it does not."""
    note = "Dues\n====\nquarterly\n\nPilots\n---\nfree\n# End\nbye"
    assert told(note) == [("Dues", 3, "quarterly"), ("Dues / Pilots", 7, "free"), ("End", 9, "bye")]
    for plain in (
        "- item\n---\nx",
        "> quote\n---\nx",
        "a | b\n--|--\nx",
        "two\nlines\n---\nx",
        "above\n\n---\n\nx",
        "```\na\n===\n```",
    ):
        assert {heading for heading, _, _ in told(plain)} == {""}


def test_bare_headings():
    """A heading with nothing below it can still be found; one that leads to a deeper heading is found with that."""
    assert told("# One\n# Two\n## Three\n# Four\n\n") == [("One", 1, "One"), ("Two / Three", 3, "Three"), ("Four", 4, "Four")]


def test_short_paragraphs():
    """Short paragraphs of one section are one passage (SW-11)."""
    note = "# List\n\n" + "\n\n".join(f"- item {n}" for n in range(10))
    assert len(chunk_note(note)) == 1


def test_code_stays_whole():
    """Blank lines and hash signs in a code block do not cut it."""
    note = "# Run\n\n```sh\n# not a heading\n\nmake\n```\n\n~~~\n```\n# nor this\n~~~\n"
    ((heading, line, text),) = told(note)
    assert (heading, line) == ("Run", 3)
    assert "# not a heading\n\nmake" in text and "# nor this" in text


def test_open_fence():
    """A code block that is never closed ends with the note, and nothing is lost."""
    assert told("# A\n```\ncode\n\n# more") == [("A", 2, "```\ncode\n\n# more")]


def test_windows_lines():
    """Notes with Windows line ends are cut like others."""
    assert told("# A\r\n\r\none\r\ntwo\r\n") == told("# A\n\none\ntwo\n") == [("A", 3, "one\ntwo")]


def test_strange_breaks():
    """Only line ends count as lines; a form feed or a Unicode separator does not shift the numbers."""
    assert told("one\x0ctwo\u2028three\n\n# H\n\nlast")[-1] == ("H", 5, "last")


def test_long_paragraph():
    """A long paragraph is cut at sentences, and each piece knows its line."""
    note = "# T\n" + "\n".join(f"Sentence number {n} says little." for n in range(200))
    chunks = chunk_note(note)
    assert all(len(chunk.text) <= PASSAGE_MAX_CHARS for chunk in chunks)
    lines = note.split("\n")
    assert all(lines[chunk.line - 1] == chunk.text.split("\n")[0] for chunk in chunks)
    assert "\n".join(chunk.text for chunk in chunks) == note.removeprefix("# T\n")


@pytest.mark.parametrize("line", ["kettle " * 1_500_000, "x" * 10_000_000, "句子。" * 3_000_000])
def test_ten_megabytes(line):
    """A single line of ten megabytes is cut in one pass, and nothing of it is lost."""
    start = time.process_time()
    pieces = split_text(line)
    assert time.process_time() - start < 5
    assert sum(len(piece.replace(" ", "")) for piece in pieces) == len(line.replace(" ", ""))
    assert max(map(len, pieces)) <= PASSAGE_MAX_CHARS


@given(st.text(alphabet="ab \n#`~-.。\r>", max_size=400))
def test_nothing_lost(note):
    """Whatever a note looks like, every word of it is in a passage or in a heading."""
    chunks = chunk_note(note)
    kept = "".join(chunk.text + chunk.heading for chunk in chunks)
    assert set("".join(kept.split())) >= set("ab") & set(note)
    assert all(chunk.text.strip() and chunk.line >= 1 for chunk in chunks)


@given(st.text(max_size=300), st.integers(5, 50))
def test_split_keeps_all(text, most):
    """Cutting loses nothing but space, and no piece is too long."""
    pieces = split_text(text, most)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < len(piece) <= most for piece in pieces)
