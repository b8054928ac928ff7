"""Passages that contain a text literally: FTS5 finds those with all of its words, then their texts are compared.

The word index stores no positions (they would double its size), so the texts themselves are read, the latest first, until
enough matches are found. FTS5 uses rare words to skip quickly through the lists of common ones.
"""

from collections.abc import Iterator

import apsw
import numpy as np

from vademecum.adapters.stores.sqlite.follow import Numbers
from vademecum.adapters.stores.sqlite.opened import Opened
from vademecum.adapters.stores.sqlite.vectors import Floats
from vademecum.domain.query import Scope
from vademecum.language.text import one_line

#: Most passages whose texts are read, and how many at a time. Without a limit, a text of only common words would take too long.
LOOKED_AT = 20_000
BATCH = 500
#: Number of the text's longest words in the FTS5 query: they are the rarer ones, and long lists of common words cost most time.
LONGEST_WORDS = 4
#: If no passage contains the complete words of a text with more words than this, its first and last word may be partial.
WHOLE_WORDS = 2


def quoted(opened: Opened, text: str, scope: Scope, limit: int) -> tuple[Numbers, Floats]:
    """Return (passage numbers, zeros), the largest number first."""
    wanted = one_line(text)
    words = list(opened.analyser.asked(text, frozenset()).values())
    result: list[int] = []
    for asked in (words, words[1:-1] if len(words) > WHOLE_WORDS else []):
        if wanted and asked and not result:
            result = _found(opened, asked, wanted, scope, limit)
    numbers = np.array(result, np.int64)
    return numbers, np.zeros(len(numbers), np.float32)


def _found(opened: Opened, words: list[str], wanted: str, scope: Scope, limit: int) -> list[int]:
    """Return numbers of at most `limit` passages that contain all the words and the text."""
    result: list[int] = []
    for batch in _holding(opened, words):
        if len(result) >= limit:
            break
        inside = batch[opened.masks.passages(opened.db, scope, batch)]
        result += _with_text(opened, inside, wanted)
    return result[: max(limit, 0)]


def _holding(opened: Opened, words: list[str]) -> Iterator[Numbers]:
    """Yield numbers of the passages that contain the longest words, in batches, the largest first."""
    longest = sorted(words, key=len, reverse=True)[:LONGEST_WORDS]
    question = " AND ".join('"' + word.replace('"', '""') + '"' for word in longest)
    rows = opened.db.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?", (question, LOOKED_AT))
    batch: list[int] = []
    for (number,) in rows:
        batch.append(number)
        if len(batch) == BATCH:
            yield np.array(batch, np.int64)
            batch = []
    if batch:
        yield np.array(batch, np.int64)


def _with_text(opened: Opened, numbers: Numbers, wanted: str) -> list[int]:
    """Return those of the passages whose text contains `wanted`, in the given order."""
    if not len(numbers):
        return []
    places = opened.columns.place[numbers]
    texts = dict(opened.db.execute("SELECT number, text FROM texts WHERE place IN carray(?)", (apsw.carray(places),)))
    return [number for number in numbers.tolist() if wanted in one_line(texts.get(number, ""))]
