"""Frontmatter is edited by spans: one property changes, every other byte stays."""

import string
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vademecum.domain.errors import InvalidInput
from vademecum.vault.frontmatter import read, render, set_properties
from vademecum.vault.yaml_spans import MAX_DEPTH

NASTY_BODIES = (
    "---\n",
    "\n---\nid: 1\n---\n",
    "---\nid: fake\ntitle: look-alike\n---\nbody",
    "## 2024-01-01: heading\n<!-- id: 7 -->\n",
    "```yaml\n---\nid: x\n---\n```\n",
    "a\r\nb\nc\rd",
    "...\n",
    "\ufeffinner",
    "no newline at the end",
    "",
    "\n\n\n",
    "\u2028\u2029\x85",
    "\x00\x07",
)
newlines = st.sampled_from(["\n", "\r\n", "\r"])
pieces = st.one_of(
    st.sampled_from(NASTY_BODIES),
    st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=60),
)
bodies = st.lists(pieces, max_size=4).map("".join)
plain_lines = st.sampled_from(
    [
        "mood: curious # why",
        "# a comment",
        "",
        "quoted: 'it''s'",
        'double: "a: b # c"',
        "text: |\n  one\n\n  --- two\n",
        "folded: >-\n  one\n  two",
        "kept: |+\n  one\n\n",
        "flow: [a, 'b, c', d-e]",
        "block:\n  - one # first\n  # between\n  - 'two'",
        "flush:\n- one\n- two",
        "map: {a: 1, b: [2]}",
        "nested:\n  deep:\n    - 1\n  more: yes",
        "empty:",
        "leading: 01234",
        "norway: no",
        "date: 2024-01-01",
        '"quoted key": 1',
        "schlüssel: wert 😀",
        "multi: first\n  second",
    ]
)
values = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=30),
    st.sampled_from(
        ["yes", "null", "~", "01234", "1e5", "2024-01-01", "a: b", "a #b", "[[Link|x]]", "- x", "'", '"', "x:", "🎉", "="]
    ),
    st.integers(),
    st.booleans(),
    st.lists(st.text(alphabet=string.printable, max_size=12), max_size=4),
)
names = st.sampled_from(
    ["id", "title", "tags", "status", "mood", "block", "flow", "flush", "empty", "multi", "text", "kept", "other key"]
)


@st.composite
def notes(draw):
    """A note with or without frontmatter, with any line ends and any body."""
    body = draw(bodies)
    if not draw(st.booleans()):
        return body
    lines = draw(st.lists(plain_lines, max_size=7, unique_by=lambda line: line.split(":")[0] if ":" in line else object()))
    text = "---\n" + "".join(line + "\n" for line in lines) + "---" + draw(st.sampled_from(["", " "])) + "\n"
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", draw(newlines)) + body


@given(notes())
def test_parts_are_the_note(text):
    """X-03: whatever a note looks like, its parts put together are the note."""
    front = read(text)
    assert front.head + front.yaml + front.tail + front.body == text


@given(notes(), names, values)
@example("---\n---\n", "tags", ["a"])
@example("---\n\ufeffmood: x\ntags: [a]\n---\n", "mood", "y")
@example("---\n\ufeffmood: x\ntags: [a]\n---\n", "tags", ["b"])
@example("---\nfolded: >-\n  one\n  two\nstatus: x\n---\n", "title", "y")
def test_only_one_property(text, name, value):
    """X-03, X-04: setting a property changes that property and nothing else, or is refused."""
    before = read(text)
    try:
        after = read(set_properties(text, {name: value}))
    except InvalidInput:
        assert before.damage or before.flow or _repeated(before, name) or before.yaml.startswith("\ufeff")
        return
    assert after.body == before.body
    assert {key: shape for key, shape in _shapes(after).items() if key != name} == {
        key: shape for key, shape in _shapes(before).items() if key != name
    }
    assert after.texts()[name] == ([str(item) for item in value] if isinstance(value, list) else _text(value))


@given(notes(), names, values)
def test_setting_twice(text, name, value):
    """Asking for what is already so changes no byte."""
    try:
        once = set_properties(text, {name: value})
    except InvalidInput:
        return
    assert set_properties(once, {name: value}) == once


@given(notes(), st.sampled_from(["brand", "new"]), values)
@example("---\n\ufeffmood: x\ntags: [a]\n---\n", "brand", "y")
def test_put_and_remove(text, name, value):
    """A new property that is removed again leaves the note as it was."""
    front = read(text)
    if front.damage or front.flow or not front.tail or front.yaml.startswith("\ufeff"):
        return
    assert set_properties(set_properties(text, {name: value}), {name: None}) == text


def _shapes(front):
    return {entry.name: entry.value.shape() for entry in front.entries}


def _repeated(front, name):
    return sum(entry.name == name for entry in front.entries) > 1


def _text(value):
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ("status: active # mine\nmood: x\n", {"status": "resolved"}, "status: resolved # mine\nmood: x\n"),
        (
            "tags: # mine\n  - a # why\n  # between\n  - 'b'\n",
            {"tags": ["b", "c"]},
            "tags: # mine\n  # between\n  - 'b'\n  - c\n",
        ),
        ("tags: [a, 'b']\n", {"tags": ["a", "b", "c-d"]}, "tags: [a, 'b', c-d]\n"),
        ('tags: [ "a" , b ]\n', {"tags": ["a", "b", "c"]}, 'tags: [ "a" , b , c ]\n'),
        ("tags: [a,\n  b, # why\n  c,\n]\n", {"tags": ["a", "c", "d"]}, "tags: [a, # why\n  c, d,\n]\n"),
        ("tags: [a, # why\n  b]\n", {"tags": ["a", "b", "c"]}, "tags: [a, # why\n  b, c]\n"),
        ("tags: [a, 'b', c]\n", {"tags": ["c", "b"]}, "tags: [c, 'b']\n"),
        ("tags: [a]\n", {"tags": ["a", "b"]}, "tags: [a, b]\n"),
        ("tags: [a, 'b', c]\n", {"tags": ["b", "d"]}, "tags: ['b', d]\n"),
        ("tags: []\n", {"tags": ["a"]}, "tags:\n  - a\n"),
        ("tags:\n", {"tags": ["a"]}, "tags:\n  - a\n"),
        ("tags: one # c\n", {"tags": ["one", "two"]}, "tags: # c\n  - one\n  - two\n"),
        ("tags:\n- a\n- b\nx: 1\n", {"tags": ["a", "c"]}, "tags:\n- a\n- c\nx: 1\n"),
        ("mood: x\n", {"id": "7A"}, "mood: x\nid: 7A\n"),
        ("title: x\nmood: y\n", {"id": "A7"}, "id: A7\ntitle: x\nmood: y\n"),
        ("title: x\nmood: y\n", {"status": "active"}, "title: x\nstatus: active\nmood: y\n"),
        ("note: |\n  a\n\n  b\nz: 1\n", {"note": "short"}, "note: short\nz: 1\n"),
        ("z: 1\n", {"related": ["[[A b]]"]}, 'z: 1\nrelated:\n  - "[[A b]]"\n'),
        ("a: 1\nb: 2\nc: 3\n", {"b": None}, "a: 1\nc: 3\n"),
        ("a: 1\ntags:\n  - x\n  - y\nc: 3\n", {"tags": None}, "a: 1\nc: 3\n"),
        ("x: 1\n", {"when": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)}, "x: 1\nwhen: 2026-01-02T03:04:05Z\n"),
    ],
)
def test_spans(before, changes, after):
    """Comments, quotes, order and the style of a list stay when a property changes."""
    assert set_properties(f"---\n{before}---\nbody", changes) == f"---\n{after}---\nbody"


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: a: b\n---\n",
        "---\n{title: a, b: c}\n---\n",
        "---\ntags: [a\n---\n",
        "---\ntitle: a\ntitle: b\n---\n",
        "---\n- a\n- b\n---\n",
        "---\n\ttitle: a\n---\n",
        "---\n? title\n: a\n---\n",
        "---\ntitle: &x a\nother: *x\n---\n",
    ],
)
def test_refusals(text):
    """A frontmatter that cannot be edited safely is refused, never rewritten."""
    with pytest.raises(InvalidInput) as refusal:
        set_properties(text, {"title": "new"})
    assert refusal.value.hint


def test_old_yaml_words():
    """What looks like text to a person stays text: no Norway, no octal, no dates."""
    front = read("---\na: yes\nb: 01234\nc: 2024-01-01\nd: 1.10\ne: no\nf: 3\ng: true\nh: 1.5\ni: '7'\nj:\n---\n")
    assert front.values() == {
        "a": "yes", "b": "01234", "c": "2024-01-01", "d": "1.10", "e": "no", "f": 3, "g": True, "h": 1.5, "i": "7", "j": None,
    }  # fmt: skip


def test_prose_is_no_frontmatter():
    """X-03: a note that starts with a rule has no frontmatter, and gets one above its text."""
    text = "---\nJust prose between rules.\n---\nmore\n"
    assert read(text).body == text
    assert set_properties(text, {"id": "A"}) == "---\nid: A\n---\n" + text


def test_broken_frontmatter_is_salvaged():
    """A colon too many costs that one property its type, not the note its identity."""
    front = read("---\nid: 01A\ntitle: Use: less\ntags: [a, b]\n---\nbody")
    assert front.damage
    assert front.texts() == {"id": "01A", "title": "Use: less", "tags": ["a", "b"]}


def test_deep_nesting_is_harmless():
    """A hundred thousand brackets are a bad note, not the end of the process; what is merely too deep is told as that."""
    assert read("---\na: " + "[" * 100_000 + "\n---\n").damage
    deep = MAX_DEPTH + 1
    assert f"deeper than {MAX_DEPTH} levels" in read("---\na: " + "[" * deep + "]" * deep + "\n---\n").damage


def test_many_aliases_are_harmless():
    """Aliases that multiply are a bad note, not an eaten memory."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "values" in read("---\n" + "\n".join(lines) + "\n---\n").damage


def test_half_a_character_is_refused():
    """X-49: a lone surrogate is refused before anything is written, and the next write works."""
    with pytest.raises(InvalidInput):
        set_properties("---\n---\n", {"title": "x\ud800"})
    assert set_properties("---\n---\n", {"title": "x"}) == "---\ntitle: x\n---\n"


def test_new_frontmatter_is_flat():
    """A new note's properties stand in the documented order, lists one item a line."""
    assert render({"mood": "x", "tags": ["a"], "id": "A", "source": None}) == "---\nid: A\ntags:\n  - a\nmood: x\n---\n"
