"""Markdown as plain text: what a person reads in a line of a note."""

import pytest

from vademecum.language.readable import readable, readable_line


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("see [[Kettle|the kettle]] and [[Lid]]", "see the kettle and Lid"),
        ("[[Kettle#Descaling]], [[#Parts]], ![[plan.png|200]]", "Kettle, Parts, 200"),
        ("| a | [[Lid\\|the lid]] |", "a, the lid"),
        ("[words](https://example.org/a_(b) \"title\") ![alt](x.png) <https://a.example/x_y>", "words alt https://a.example/x_y"),
        ("**bold**, *slanted*, ***both***, __heavy words__", "bold, slanted, both, heavy words"),
        ("_soft_, ~~gone~~, ==marked==", "soft, gone, marked"),
        ("**Use `tabs`** and **[[Lid|a lid]]**", "Use tabs and a lid"),
        ("# Head ##\n> quoted\n> > twice\n> [!note]- Box", "Head quoted twice Box"),
        ("- one\n* two\n+ [ ] three\n1. four", "- one - two - three 1. four"),
        ("| Port | Use |\n|---|:--:|\n| 80 | web |", "Port, Use 80, web"),
        ("Port | Use\n--- | ---\n80 | web", "Port, Use 80, web"),
        ("seen %%id hash%% once <!-- not shown -->", "seen once"),
        ("A line ^block-1\n---\nanother", "A line another"),
        ("\\*not slanted\\* and 5 \\| 6", "*not slanted* and 5 | 6"),
    ],
)  # fmt: skip
def test_marks_are_left_out(written, read):
    """Links, emphasis, headings, quotations, boxes, tables, comments: only their words are left."""
    assert readable_line(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3 * 4 and a*b", "snake_case_name and __init__.py and _private", "grep foo | sort | uniq", "a == b", "x[[0]", "[[open",
        "- item", "price: 5 $ | 6 $", "**open", "f(*args, **kwargs)", "C:\\folder\\file", "", "日本語の文", "a -- b", "if a || b",
    ],
)  # fmt: skip
def test_plain_text_stays(text):
    """What only looks like Markdown is left as it is."""
    assert readable_line(text) == text


def test_code_is_verbatim():
    """Inside code nothing is taken away but the marks of the code itself."""
    assert readable("`[[a|b]]` and ``x `y` z``\n```py\n**kwargs | [[0]]\n# note\n```\n*end*") == (
        "[[a|b]] and x `y` z\n**kwargs | [[0]]\n# note\nend"
    )


def test_long_text_is_quick():
    """Thousands of open marks take no longer than as many words."""
    assert readable_line("*a _b [[ [c]( " * 20_000).startswith("*a _b")
