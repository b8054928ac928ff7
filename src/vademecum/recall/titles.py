"""Match titles of notes with a question: people ask for a note by its name and remember no better words for it."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from vademecum.domain.item import Item
from vademecum.language.text import common_words
from vademecum.ports.index import Term, WordSearch
from vademecum.recall.features import Evidence, Floats, inverse_frequency, total
from vademecum.recall.names import Named, named_by_heading
from vademecum.recall.numbers import TITLES_LOOKED_AT
from vademecum.recall.run import Run, Tools


def with_titles(
    index: WordSearch, evidence: Evidence, items: Mapping[str, Item], terms: Sequence[Term], passages: int
) -> Evidence:
    """Add the feature "title": for passages of a note, how far the question equals its title or an alias, 0..1.

    It is the share of the question's weight in the title, times the share of the title's weight in the question. The weight of a word
    is its idf in the whole index.

    Args:
        passages: number in the index.

    Raises:
        IndexDamaged: the index cannot be used.
    """
    ordered = np.argsort(-total(evidence), kind="stable").tolist()
    keys = dict.fromkeys(evidence.turns[row][0] for row in ordered)
    notes = [key for key in keys if key in items and items[key].source == "document"][:TITLES_LOOKED_AT]
    if not notes or not terms:
        return evidence
    asked = _weights(terms, passages)
    shares = {key: _likest(index, items[key], asked, passages) for key in notes}
    values = np.array([shares.get(key, 0.0) for key, _ in evidence.turns], np.float32)
    return replace(evidence, values={**evidence.values, "title": values})


def _likest(index: WordSearch, note: Item, asked: Mapping[int, float], passages: int) -> float:
    """Return how far the question equals the most similar name of a note."""
    names = (index.terms(name, common_words(name)) for name in (note.title, *note.aliases))
    return max((_alike(_weights(name, passages), asked) for name in names if name), default=0.0)


def _alike(name: Mapping[int, float], asked: Mapping[int, float]) -> float:
    both = sum(weight for code, weight in asked.items() if code in name)
    return both / sum(asked.values()) * both / sum(name.values())


def _weights(terms: Sequence[Term], passages: int) -> dict[int, float]:
    """Return word code -> idf; equal for a word of a title and of a question."""
    held: Floats = np.array([term.passages for term in terms], np.float32)
    return dict(zip([term.code for term in terms], inverse_frequency(held, passages).tolist(), strict=True))


def named_by_section(tools: Tools, run: Run, evidence: Evidence, items: Mapping[str, Item], scores: Floats) -> frozenset[str]:
    """Return the note whose section, and no other one among the best candidates, has the question as its heading."""
    rows = [row for row in np.argsort(-scores, kind="stable").tolist() if _is_note(items.get(evidence.turns[row][0]))]
    read = tools.index.passages([evidence.best[row] for row in rows[:TITLES_LOOKED_AT]])
    headings: dict[str, str] = {}
    for row in rows[:TITLES_LOOKED_AT]:
        stored = read.get(evidence.best[row])
        if stored is not None and " / " in stored.passage.heading:
            headings.setdefault(evidence.turns[row][0], stored.passage.heading.rpartition(" / ")[2])
    return named_by_heading(run.query.text, headings, run.shaped.language, within=not run.query.unasked)


def _is_note(item: Item | None) -> bool:
    return item is not None and item.source == "document"


def named_first(evidence: Evidence, named: Named, scores: Floats) -> Floats:
    """Return a bonus that ranks items whose name is the whole question above all others."""
    rows = np.array([key in named.first for key, _ in evidence.turns], np.bool_)
    return np.where(rows, np.abs(scores).max(initial=0.0) * 2, 0.0).astype(np.float32)
