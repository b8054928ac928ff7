"""Edits of other programs' JSON: what is not ours keeps every byte."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.adapters.hosts import json_spans
from vademecum.domain.errors import InvalidInput

OURS = {"command": "x // no comment", "args": ["-m", "}{"]}

_KEY = st.sampled_from(["hooks", "mcpServers", "a", "Ä", "a//b", 'quo"te', ""])
_LEAF = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.sampled_from(["", "text", "/* no */", "// no", "]}", "\\", "ü"])
)
_VALUE = st.recursive(
    _LEAF, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEY, inner, max_size=3)), max_leaves=8
)
_DOCUMENT = st.dictionaries(_KEY, _VALUE, max_size=4)


@st.composite
def nasty(draw):
    """A JSON object as somebody's editor might have left it: comments, odd spaces, trailing commas, any newline."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    comments = draw(st.booleans())

    def gap():
        kinds = ["", "", " ", "  ", newline, newline + "\t", newline + "    "]
        if comments:
            kinds += ['/* a, "b": {} */', f"// c, }} {newline}", f" // {newline}  ", f"/**/{newline}", "/* // */"]
        return draw(st.sampled_from(kinds))

    def write(value):
        if isinstance(value, dict):
            parts = [f"{gap()}{json.dumps(key)}{gap()}:{gap()}{write(inner)}{gap()}" for key, inner in value.items()]
            return "{" + ",".join(parts) + (draw(st.sampled_from(["", "," + gap()])) if parts else gap()) + "}"
        if isinstance(value, list):
            parts = [f"{gap()}{write(inner)}{gap()}" for inner in value]
            return "[" + ",".join(parts) + (draw(st.sampled_from(["", "," + gap()])) if parts else gap()) + "]"
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    document = draw(_DOCUMENT)
    style = draw(st.sampled_from(["nasty", "indented", "tabs", "compact"]))
    if style == "nasty":
        text = draw(st.sampled_from(["", "\ufeff"])) + gap() + write(document) + gap()
    elif style == "compact":
        text = json.dumps(document, separators=(",", ":"))
    else:
        text = json.dumps(document, indent={"indented": 4, "tabs": "\t"}[style], ensure_ascii=False).replace("\n", newline)
    return text + draw(st.sampled_from(["", newline])), document


def tokens(text):
    """What a text is made of, apart from blanks: strings, comments, words, marks."""
    return re.findall(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/|[^\s"{}\[\],:/]+|[{}\[\],:]', text.lstrip("\ufeff"), re.DOTALL)


def is_within(inner, outer):
    """Whether all of `inner` stands in `outer`, in its order."""
    rest = iter(outer)
    return all(token in rest for token in inner)


@given(nasty())
def test_reading(made):
    """A text means what was written, whatever stands around it."""
    text, document = made
    assert json_spans.parse(text).value == document


@given(nasty(), st.sampled_from([("ours",), ("hooks", "ours"), ("mcpServers", "a", "ours")]))
def test_put_adds_only(made, path):
    """A new member changes what it names and nothing else; comments and all other tokens stay in their order."""
    text, document = made
    holder = document
    for key in path[:-1]:
        if key in holder and not isinstance(holder[key], dict):
            with pytest.raises(InvalidInput):
                json_spans.put(text, path, OURS)
            return
        holder = holder.setdefault(key, {})
    holder["ours"] = OURS
    after = json_spans.put(text, path, OURS)
    assert json_spans.parse(after).value == document
    assert is_within(tokens(text), tokens(after))
    assert json_spans.put(after, path, OURS) == after
    if "\n" not in text.strip("\n\r"):
        return
    assert not re.search(r"(?<!\r)\n", after) or not text.count("\r\n") or re.search(r"(?<!\r)\n", text)  # newline style stays


@given(nasty())
def test_take_returns(made):
    """Putting and taking back leaves the meaning and every token; in a file that lists members on lines, every byte."""
    text, document = made
    document.pop("ours", None)
    after = json_spans.take(json_spans.put(text, ("ours",), OURS), ("ours",))
    assert json_spans.parse(after).value == document
    assert is_within([token for token in tokens(text) if token != ","], tokens(after))
    laid_out = text.strip() == json.dumps(document, indent=4, ensure_ascii=False)
    if laid_out and document:
        assert after == text


@given(nasty(), st.integers(0, 3))
def test_list_entries(made, count):
    """Entries are added at the end of a list and taken out by place; the others stay."""
    text, document = made
    document.pop("list", None)
    text = json_spans.put(json_spans.take(text, ("list",)), ("list",), [{"theirs": n} for n in range(count)])
    for _ in range(2):
        text = json_spans.append(text, ("list",), OURS)
    assert json_spans.entries(text, ("list",)) == [*({"theirs": n} for n in range(count)), OURS, OURS]
    text = json_spans.take_entries(text, ("list",), [count, count + 1])
    assert json_spans.parse(text).value == document | {"list": [{"theirs": n} for n in range(count)]}


@given(nasty())
def test_take_any_member(made):
    """Whichever member goes, the rest means what it meant and no comment is lost or swallows what follows."""
    text, document = made
    for key in document:
        after = json_spans.take(text, (key,))
        assert json_spans.parse(after).value == {name: value for name, value in document.items() if name != key}


@pytest.mark.parametrize(("before", "after"), [
    ("{}", '{\n  "a": 1\n}'),
    ('{"b":2}', '{"b":2,"a":1}'),
    ('{"b": 2}', '{"b": 2, "a": 1}'),
    ('{\n\t"b": 2\n}\n', '{\n\t"b": 2,\n\t"a": 1\n}\n'),
    ('{\r\n    "b": 2 // why\r\n}', '{\r\n    "b": 2, // why\r\n    "a": 1\r\n}'),
    ('{\n  "b": 2, // why\n}', '{\n  "b": 2, // why\n  "a": 1,\n}'),
    ("{\n  // nothing yet\n}", '{\n  // nothing yet\n  "a": 1\n}'),
])  # fmt: skip
def test_style(before, after):
    """A member is written the way the others are, and is taken back the same way."""
    assert json_spans.put(before, ("a",), 1) == after
    assert json_spans.take(after, ("a",)) == before


def test_replaced_in_place():
    """A value that changes keeps its place, its key and the comment behind it."""
    text = '{\n  "a": {"old": 1}, // mine\n  "b": 2\n}'
    assert json_spans.put(text, ("a",), [3]) == '{\n  "a": [3], // mine\n  "b": 2\n}'


@pytest.mark.parametrize(("text", "where"), [
    ('{"a": 1,, "b": 2}', "line 1, column 9"),
    ('{"a": 1\n "b": 2}', "line 2, column 2"),
    ('{"a": }', "line 1, column 7"),
    ("{'a': 1}", "line 1, column 2"),
    ('{"a": 1} x', "line 1, column 10"),
    ('{"a": "', "line 1, column 7"),
    ('{"a": 01}', "line 1, column 7"),
    ('{"a": 1', "the end"),
    ("", "the end"),
    ('{"a": /* never closed }', "line 1, column 7"),
    ("[" * 200, "deeper"),
])  # fmt: skip
def test_broken_refused(text, where):
    """A text that no host could read is refused, and the place is named."""
    with pytest.raises(InvalidInput, match=where):
        json_spans.put(text, ("a",), 1)
