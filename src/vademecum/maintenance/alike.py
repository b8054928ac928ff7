"""Find near-duplicates: notes with similar vectors and similar words.

The thresholds for vectors are those of obsidian-wiki. Vectors alone cannot distinguish "tabs" from "spaces"
(:mod:`vademecum.reconcile.compare`), so words decide whether a pair is reported, and pairs that differ in a number or a name
are not.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from math import ceil

import numpy as np
from numpy.typing import NDArray

from vademecum.context.context import Context
from vademecum.index.items import plain_text
from vademecum.language.text import fold
from vademecum.maintenance.linked_pages import OF_A_MOMENT, Page
from vademecum.reconcile.compare import compare

#: Cosine from which a pair counts as the same, and from which it should be reviewed.
ERROR, REVIEW = 0.90, 0.80
#: Minimum share of common words (Jaccard) for the same two cases.
ERROR_WORDS, REVIEW_WORDS = 0.80, 0.50
#: Minimum characters of a note to be compared.
LEAST_CHARS = 25
#: Relations between statements that say different things (:mod:`vademecum.reconcile.compare`).
_ANOTHER_THING = ("opposite", "value", "replaces")
#: How many of their rarest words two texts must share to be compared.
RAREST = 3
_WORD = re.compile(r"[^\W_]+")

Floats = NDArray[np.float32]


def alike(context: Context, pages: Sequence[Page]) -> Iterator[tuple[Page, Page, float, float]]:
    """Yield pairs that say nearly the same: (earlier in the list, later, share of common words, cosine)."""
    model = context.models.embedder
    if model is None:
        return
    words = [words_of(page.body) for page in pages]
    pairs = [
        (pages[count], pages[other], share)
        for count, other, share in _sharing(words)
        if _may_be_one(pages, words, count, other)
    ]
    rows = _vectors(context, model.model_id, [page for one, other, _ in pairs for page in (one, other)])
    for page, other, share in pairs:
        cosine = float(rows[page.key] @ rows[other.key])
        if cosine >= REVIEW:
            yield page, other, share, cosine


def is_compared(page: Page) -> bool:
    """Return whether a page is long enough to be compared and states something lasting."""
    memory = page.found.memory if page.found else None
    left_out = memory is not None and (memory.kind in OF_A_MOMENT or memory.status != "active")
    return not left_out and len(page.body.strip()) >= LEAST_CHARS


def _sharing(texts: Sequence[frozenset[str]]) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of texts that share at least REVIEW_WORDS of their words: (earlier index, later index, share).

    Such texts share some of their rarest words (prefix filtering: Chaudhuri, Ganti & Kaushik, ICDE 2006), so only texts that
    share `RAREST` of these are compared.
    """
    frequency = Counter(word for words in texts for word in words)
    holders: dict[str, list[int]] = defaultdict(list)
    needed = [min(RAREST, ceil(REVIEW_WORDS * len(words))) for words in texts]
    for place, words in enumerate(texts):
        rarest = sorted(words, key=lambda word: (frequency[word], word))
        rarest = rarest[: len(words) - ceil(REVIEW_WORDS * len(words)) + needed[place]]
        for other, count in Counter(chain.from_iterable(holders[word] for word in rarest)).items():
            if count >= min(needed[place], needed[other]):
                share = len(words & texts[other]) / len(words | texts[other])
                if share >= REVIEW_WORDS:
                    yield other, place, share
        for word in rarest:
            holders[word].append(place)


def _may_be_one(pages: Sequence[Page], words: Sequence[frozenset[str]], count: int, other: int) -> bool:
    """Return whether nothing in two notes with similar words shows that they are about different things."""
    page, second = pages[count], pages[other]
    return (
        page.properties == second.properties
        and not any(char.isdigit() for word in words[count] ^ words[other] for char in word)
        and _is_named_in(page, words[other], second)
        and _is_named_in(second, words[count], page)
        and compare(page.body, second.body).relation not in _ANOTHER_THING
    )


def _is_named_in(page: Page, others: frozenset[str], other: Page) -> bool:
    """Return whether `other` contains the words of this page's title, apart from a trailing copy number.

    Notes from one template say the same about different things.
    """
    named = _WORD.findall(fold(page.title))
    return {word for word in named if not (word.isdigit() and word == named[-1])} <= others | words_of(other.title)


def words_of(text: str) -> frozenset[str]:
    """Return the normalised words of a text."""
    return frozenset(_WORD.findall(fold(plain_text(text))))


def _vectors(context: Context, model_id: str, pages: Sequence[Page]) -> dict[str, Floats]:
    """Return key -> normalised mean of a page's passage vectors; zeros for a page without vectors."""
    by_key: dict[str, Floats] = {}
    for key in {page.key for page in pages}:
        rows = context.index.vectors(model_id, [passage.number for passage in context.index.passages_of(key)])
        mean = rows.sum(axis=0)
        by_key[key] = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return by_key
