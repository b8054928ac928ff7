"""Match titles of notes with a question: people ask for a note by its name and remember no better words for it."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from vademecum.domain.item import Item
from vademecum.language.text import common_words
from vademecum.ports.index import Term, WordSearch
from vademecum.recall.arms import is_used_as_name
from vademecum.recall.features import Evidence, Floats, inverse_frequency, total
from vademecum.recall.names import Named, exact_parts, full_names, named_by_heading, words_asked_for
from vademecum.recall.numbers import (
    BRIEF_WORDS,
    NAME_WORDS,
    NAMED_BY_IDENTIFIER,
    NAMED_BY_ONE_WORD,
    READ_FOR_NAME,
    TITLES_LOOKED_AT,
)
from vademecum.recall.query_parsing import is_of_calendar
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


def named_by_one_word(
    tools: Tools, run: Run, terms: Sequence[Term], items: Mapping[str, Item], *, asks: bool
) -> frozenset[str]:
    """Return the notes that the question names by one word of their title, such as "Maplevale" for "Maplevale Harbour".

    The title must be a name: a few words, all capitalised. The word must be rare and in the texts be used as a name; in a question
    in lower case, only the first word of a title counts. A longer name of something else ("Maplevale Park") names none.

    Args:
        asks: it is a question or a search by hand; otherwise only a word that is asked for directly ("open Windrose") names a note.
    """
    notes = {key: words for key, item in items.items() if _is_note(item) and (words := _words_of_name(item.title))}
    longer = [{first.lower(), last.lower()} for first, last in full_names(run.query.text)]
    named: set[str] = set()
    asked_for = words_asked_for(run.query.text)
    for term in terms:
        word = term.word.lower()
        if not asks and word not in asked_for:
            continue
        is_capital = word in run.shaped.names
        beside = set[str]().union(*(pair for pair in longer if word in pair))
        held = {key for key, words in notes.items() if word in (words if is_capital else words[:1]) and beside <= set(words)}
        is_rare = 0 < term.passages <= READ_FOR_NAME and 0 < len(held) <= NAMED_BY_ONE_WORD
        if is_rare and not is_of_calendar(word) and is_used_as_name(tools, term, anywhere=not is_capital):
            named |= held
    return frozenset(named)


def named_by_identifier(tools: Tools, run: Run, evidence: Evidence, items: Mapping[str, Item], *, asks: bool) -> frozenset[str]:
    """Return the memories that contain an identifier or a quoted phrase of the question, spelt alike, if few of them do.

    Args:
        asks: it is a question or a search by hand; otherwise only a short prompt names a memory so.
    """
    text = run.query.text
    exact = exact_parts(text) if asks or len(text.split()) < BRIEF_WORDS else ()
    nameable = {key for key, item in items.items() if item.source == "memory" and item.status != "superseded"}
    rows = [row for row, (key, _) in enumerate(evidence.turns) if key in nameable]
    if not exact or not rows:
        return frozenset()
    read = tools.index.passages([evidence.best[row] for row in rows])
    named: set[str] = set()
    for part in exact:
        spelt = re.compile(rf"(?<!\w){re.escape(part)}(?!\w)", re.IGNORECASE)
        held = set[str]()
        for row in rows:
            key, stored = evidence.turns[row][0], read.get(evidence.best[row])
            if spelt.search("\n".join((items[key].title, *items[key].aliases, stored.passage.text if stored else ""))):
                held.add(key)
        named |= held if len(held) <= NAMED_BY_IDENTIFIER else set()
    return frozenset(named)


def _words_of_name(title: str) -> tuple[str, ...]:
    """Return the words of a title that is a name, in lower case; empty for any other title."""
    words = title.split()
    return tuple(map(str.lower, words)) if len(words) <= NAME_WORDS and all(word[:1].isupper() for word in words) else ()


def _is_note(item: Item | None) -> bool:
    return item is not None and item.source == "document"


def named_first(evidence: Evidence, named: Named, scores: Floats) -> Floats:
    """Return a bonus that ranks items whose name is the whole question above all others."""
    rows = np.array([key in named.first for key, _ in evidence.turns], np.bool_)
    return np.where(rows, np.abs(scores).max(initial=0.0) * 2, 0.0).astype(np.float32)
