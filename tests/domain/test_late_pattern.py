"""Patterns that are compiled with their first use."""

import re

import pytest

from vademecum.domain import late_pattern as module
from vademecum.domain.late_pattern import compile_late_patterns, late_pattern


def test_is_the_compiled_pattern():
    word, raw = late_pattern(r"K(\w)TTLE", re.IGNORECASE), late_pattern(rb"\d+")
    assert [word.sub(r"<\1>", "a kettle") for _ in range(2)] == ["a <e>", "a <e>"]
    assert (word.pattern, word.flags & re.IGNORECASE, word.groups) == (r"K(\w)TTLE", re.IGNORECASE, 1)
    assert raw.findall(b"4 and 17") == [b"4", b"17"]
    with pytest.raises(AttributeError):
        _ = word.unknown


def test_compiled_with_first_use(monkeypatch):
    compiled = []
    compile_one = re.compile
    monkeypatch.setattr(module, "_made", [])
    monkeypatch.setattr(re, "compile", lambda *given: compiled.append(given) or compile_one(*given))
    first, second = late_pattern("a"), late_pattern("b")
    assert compiled == []
    assert first.search("a")
    assert first.match("a")
    assert compiled == [("a", 0)]
    compile_late_patterns()
    assert second.search("b")
    assert compiled == [("a", 0), ("b", 0)]
