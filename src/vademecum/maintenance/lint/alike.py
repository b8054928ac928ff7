"""Near-duplicates: notes whose vectors lie close together and whose words do too.

The bounds for vectors are those of obsidian-wiki. Vectors alone cannot tell "tabs" from "spaces" (:mod:`vademecum.reconcile.compare`), so
the words decide whether a pair is told, and no pair is told that differs in a number or a name.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from vademecum.context.context import Context
from vademecum.index.items import plain_text
from vademecum.language.text import fold
from vademecum.maintenance.lint.checks import Finding, Level, finding
from vademecum.maintenance.lint.pages import OF_A_MOMENT, Page
from vademecum.reconcile.compare import compare

#: Cosines from which a pair is wrong, and from which it is to be looked at.
ERROR, REVIEW = 0.90, 0.80
#: Share of the words of both that the two have in common, for the same.
ERROR_WORDS, REVIEW_WORDS = 0.80, 0.50
#: Notes with fewer characters say too little to be compared.
LEAST_CHARS = 25
#: What a statement is to another of which it says something else (:mod:`vademecum.reconcile.compare`).
_ANOTHER_THING = ("opposite", "value", "replaces")
#: Rows that are compared at a time with all that come after them.
_BLOCK = 512
_WORD = re.compile(r"[^\W_]+")

Floats = NDArray[np.float32]


def near_duplicates(context: Context, pages: Sequence[Page]) -> Iterator[Finding]:
    """Yield pairs of memories, and pairs of the person's notes, that say nearly the same; nothing without a model of meaning.

    Disputed memories are told of as such.
    """
    model = context.models.embedder or context.models.quick
    if model is None:
        return
    for memories in (True, False):
        chosen = [page for page in pages if (page.found is not None) == memories and _is_compared(page)]
        chosen, rows = _vectors(context, model.model_id, chosen)
        for one, other, cosine in _close(rows):
            yield from _told(chosen[one], chosen[other], cosine)


def _is_compared(page: Page) -> bool:
    memory = page.found.memory if page.found else None
    left_out = memory is not None and (memory.kind in OF_A_MOMENT or memory.status != "active")
    return not left_out and len(page.body.strip()) >= LEAST_CHARS


def _vectors(context: Context, model_id: str, pages: Sequence[Page]) -> tuple[list[Page], Floats]:
    """Return the pages that the index has vectors of, and the mean of each one's passages as a unit row."""
    numbers = [[passage.number for passage in context.index.passages_of(page.key)] for page in pages]
    held = [(page, own) for page, own in zip(pages, numbers, strict=True) if own]
    rows = context.index.vectors(model_id, [number for _, own in held for number in own])
    starts = np.cumsum([0, *(len(own) for _, own in held)])[:-1]
    means = np.add.reduceat(rows, starts, axis=0) if held else rows
    lengths = np.linalg.norm(means, axis=1)
    there = np.flatnonzero(lengths)
    return [held[at][0] for at in there], means[there] / lengths[there, None]


def _close(rows: Floats) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of rows whose cosine reaches REVIEW: their places, the smaller one first, and the cosine."""
    for first in range(0, len(rows), _BLOCK):
        block = rows[first : first + _BLOCK] @ rows[first:].T
        for one, other in zip(*np.nonzero(block >= REVIEW), strict=True):
            if other > one:
                yield first + int(one), first + int(other), float(block[one, other])


def _told(page: Page, other: Page, cosine: float) -> Iterator[Finding]:
    words, others = _words(page.body), _words(other.body)
    shared = len(words & others) / max(1, len(words | others))
    differs = any(char.isdigit() for word in words ^ others for char in word)
    differs = differs or page.properties != other.properties or compare(page.body, other.body).relation in _ANOTHER_THING
    if shared < REVIEW_WORDS or differs or not _is_named_in(page, others, other) or not _is_named_in(other, words, page):
        return
    level: Level | None = "error" if cosine >= ERROR and shared >= ERROR_WORDS else None
    message = f"It says nearly what {other.title!r} says ({cosine:.2f})."
    yield finding("near-duplicate", page.path, message, page.ref, other=other.path, level=level)


def _is_named_in(page: Page, others: frozenset[str], other: Page) -> bool:
    """Return whether the other one is about what the title of a page names; a number at its end counts copies. Notes of one form say the
    same about different things."""
    named = _WORD.findall(fold(page.title))
    return {word for word in named if not (word.isdigit() and word == named[-1])} <= others | _words(other.title)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(fold(plain_text(text))))
