"""Find memories that say the same as another one, among any number of memories.

Candidates are found by shared words in the index, held as numbers; then only the files of the candidates are compared.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from math import ceil

import numpy as np

from vademecum.domain.errors import NotFound
from vademecum.domain.item import Item
from vademecum.domain.query import Scope
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import ERROR, ERROR_WORDS, RAREST, Page, alike, is_compared, page_of, words_of

#: Minimum share of common words before files are read. It is a little below the final threshold, because the index normalises
#: texts.
SHARED = ERROR_WORDS - 0.1
#: Memories read at a time. Most memories stored for one word; more frequent words are not distinctive. Most files read.
AT_A_TIME, HELD_MOST, READ_MOST = 1_000, 1_000, 2_000


def active(context: Context) -> Iterator[Sequence[Item]]:
    """Yield the active memories in batches."""
    scope, after = Scope(sources=("memory",), statuses=("active",)), None
    while items := context.index.select(scope, limit=AT_A_TIME, after=after):
        yield items
        if len(items) < AT_A_TIME or items[-1].updated is None:
            return
        after = (items[-1].updated, items[-1].key)


def copies(context: Context) -> Iterator[tuple[Page, Page, float]]:
    """Yield pairs of active memories that say the same, the later one first, with their cosine; nothing without an embedder."""
    if context.models.embedder is None:
        return
    pages = [page for key in _shared(context)[:READ_MOST] if (page := _page(context, key)) is not None]
    pages.sort(key=lambda page: page.ref, reverse=True)
    for page, other, share, cosine in alike(context, pages):
        if cosine >= ERROR and share >= ERROR_WORDS:
            yield page, other, cosine


def _page(context: Context, key: str) -> Page | None:
    try:
        page = page_of(context.vault.get(key.removeprefix("memory://")))
    except NotFound:
        return None
    return page if is_compared(page) else None


def _shared(context: Context) -> list[str]:
    """Return the keys of memories that share most of their words with another one."""
    keys, words, ends, numbers = list[str](), array("i"), array("q", [0]), dict[str, int]()
    for items in active(context):
        for item in items:
            text = "\n".join(stored.passage.text for stored in context.index.passages_of(item.key))
            words.extend({numbers.setdefault(word, len(numbers)) for word in words_of(text)})
            keys.append(item.key)
            ends.append(len(words))
    result, looked = set[int](), _Sharing(np.frombuffer(words, np.int32), len(numbers))
    for first in range(0, len(keys), AT_A_TIME):
        for place in range(first, min(first + AT_A_TIME, len(keys))):
            result.update(looked.sharing(place, ends[place], ends[place + 1]))
    return [keys[place] for place in sorted(result)]


class _Sharing:
    """Finds earlier texts that share words with a text, like :func:`vademecum.maintenance.alike.alike`, on word numbers.

    Args:
        words: word numbers of all texts, concatenated.
        count: number of different words.
    """

    def __init__(self, words: "np.ndarray[tuple[int], np.dtype[np.int32]]", count: int) -> None:
        order = np.argsort(np.bincount(words, minlength=count), kind="stable")
        rank = np.empty(count, np.int32)
        rank[order] = np.arange(count, dtype=np.int32)
        self._words = rank[words]  # smaller number = rarer word
        self._ends: dict[int, tuple[int, int]] = {}
        self._holders: dict[int, array[int]] = {}

    def sharing(self, place: int, start: int, end: int) -> list[int]:
        """Return the places of a text and of earlier texts with a share of common words of at least SHARED; empty if none."""
        own = np.sort(self._words[start:end])
        self._ends[place] = (start, end)
        needed = min(RAREST, ceil(SHARED * len(own)))
        rarest = own[: len(own) - ceil(SHARED * len(own)) + needed].tolist()
        met = Counter(chain.from_iterable(self._holders.get(word, ()) for word in rarest))
        result = [other for other, count in met.items() if count >= needed and self._share(own, other) >= SHARED]
        for word in rarest:
            held = self._holders.setdefault(word, array("i"))
            if len(held) < HELD_MOST:
                held.append(place)
        return [place, *result] if result else []

    def _share(self, own: "np.ndarray[tuple[int], np.dtype[np.int32]]", other: int) -> float:
        start, end = self._ends[other]
        both = len(np.intersect1d(own, self._words[start:end], assume_unique=True))
        return both / (len(own) + end - start - both)
