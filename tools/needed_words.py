"""Which words a match of a pattern for statements must contain, for `src/vademecum/language/data/needed_words.json`.

Python's own parser of regular expressions takes them apart. It is no public module, so the package only reads the result.
"""

import json
import re._constants as kinds
import re._parser as parser
from collections.abc import Iterable, Sequence
from typing import Any

from vademecum.language.needed_words import FILE, key_of
from vademecum.language.patterns import patterns

Texts = frozenset[str]
#: Largest set of texts that is put together from parts, and of alternatives.
_MANY, _MANY_WAYS = 24, 400
_EMPTY: Texts = frozenset({""})


def needed_words(pattern: str) -> Texts:
    """Return texts in lower case of which each match of the pattern contains at least one; none if they are not known."""
    return _best(_of_sequence(parser.parse(pattern))) or frozenset()


def page() -> str:
    """Return the content of the file: a line for each pattern."""
    rows = {key_of(row.pattern): sorted(needed_words(row.pattern)) for row in patterns()}
    lines = (f'"{key}": {json.dumps(words, ensure_ascii=False)}' for key, words in sorted(rows.items()) if words)
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write() -> None:
    FILE.write_text(page(), encoding="utf-8")


def _of_sequence(elements: Iterable[tuple[Any, Any]]) -> tuple[Texts | None, Texts | None]:
    """Return (all texts that it matches, if they are few; texts of which each match contains one)."""
    run, whole, found = _EMPTY, True, []
    for kind, value in elements:
        texts, words = _of_element(kind, value)
        found.append(words)
        joined = frozenset(before + text for before in run for text in texts) if texts is not None else None
        if joined is not None and len(joined) <= _MANY:
            run = joined
            continue
        found += [run, texts]
        run, whole = texts if texts is not None and len(texts) <= _MANY else _EMPTY, False
    return (run if whole else None), _best((*found, run))


def _of_element(kind: Any, value: Any) -> tuple[Texts | None, Texts | None]:
    """Return the same for one element of a parsed pattern."""
    texts, words = None, None
    if kind is kinds.LITERAL:
        texts = frozenset({chr(value).lower()})
    elif kind in (kinds.AT, kinds.ASSERT_NOT):
        texts = _EMPTY
    elif kind is kinds.ASSERT:
        direction, sequence = value
        texts, words = _EMPTY, _best(_of_sequence(sequence)) if direction > 0 else None
    elif kind is kinds.IN and all(of is kinds.LITERAL for of, _ in value):
        texts = frozenset(chr(code).lower() for _, code in value)
    elif kind is kinds.SUBPATTERN:
        texts, words = _of_sequence(value[-1])
    elif kind is kinds.BRANCH:
        texts, words = _of_ways([_of_sequence(way) for way in value[1]])
    elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
        least, most, sequence = value
        once, some = _of_sequence(sequence)
        texts = (once if least else once | _EMPTY) if most == 1 and once is not None else None
        words = _best((once, some)) if least else None
    return texts, words


def _of_ways(ways: Sequence[tuple[Texts | None, Texts | None]]) -> tuple[Texts | None, Texts | None]:
    """Return the same for alternatives."""
    texts = [texts for texts, _ in ways if texts is not None]
    words = [best for best in map(_best, ways) if best]
    of_all = frozenset[str]().union(*texts)
    return (
        of_all if len(texts) == len(ways) and len(of_all) <= _MANY_WAYS else None,
        frozenset[str]().union(*words) if len(words) == len(ways) else None,
    )


def _best(found: Iterable[Texts | None]) -> Texts | None:
    """Return the set that rules out most texts: long words, and few; None if there is none."""
    useful = [words for words in found if words and all(len(word) > word.isascii() for word in words)]
    best = max(useful, key=lambda words: (min(3, *map(len, words)), -len(words), sorted(words)), default=None)
    return best and frozenset(word for word in best if not any(other in word for other in best if other != word))
