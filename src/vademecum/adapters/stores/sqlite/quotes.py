"""Passages that hold a text word for word: FTS5 says which hold all of its words, their texts say which hold it as it stands.

The word index keeps no positions (they would double it), so the texts themselves are looked at, the last written first, until
enough are found. FTS5 leaps through the lists of common words from one passage with a rare one to the next.
"""

from collections.abc import Iterator

import apsw
import numpy as np

from vademecum.adapters.stores.sqlite.follow import Numbers
from vademecum.adapters.stores.sqlite.opened import Opened
from vademecum.adapters.stores.sqlite.vectors import Floats
from vademecum.domain.query import Scope
from vademecum.language.text import one_line

#: Passages whose texts are looked at, a batch at a time. Beyond, a text of nothing but common words would be looked for for ever.
LOOKED_AT = 20_000
BATCH = 500
#: Words of the text that FTS5 is asked for, the longest: they are the rarer ones, and a list of a million costs most of the time.
TELLING_WORDS = 4
#: A text of more words than this may begin and end within a word, when nothing holds its words whole.
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
    """Return numbers of at most `limit` passages that hold all the words and the text."""
    result: list[int] = []
    for batch in _holding(opened, words):
        if len(result) >= limit:
            break
        inside = batch[opened.masks.passages(opened.db, scope, batch)]
        result += _with_text(opened, inside, wanted)
    return result[: max(limit, 0)]


def _holding(opened: Opened, words: list[str]) -> Iterator[Numbers]:
    """Yield numbers of the passages that hold all the words, in batches, the largest first."""
    telling = sorted(words, key=len, reverse=True)[:TELLING_WORDS]
    question = " AND ".join('"' + word.replace('"', '""') + '"' for word in telling)
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
    """Return those of the passages whose text holds `wanted`, in the order given."""
    if not len(numbers):
        return []
    places = opened.columns.place[numbers]
    texts = dict(opened.db.execute("SELECT number, text FROM texts WHERE place IN carray(?)", (apsw.carray(places),)))
    return [number for number in numbers.tolist() if wanted in one_line(texts.get(number, ""))]
