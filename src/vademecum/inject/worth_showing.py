"""Which hits are worth showing at a prompt. Most of what resembles a prompt of work is noise; what counts is what the prompt asks, when
something was said and by whom, and whether the prompt touches it.

A question is answered whenever it is asked; one within a longer prompt by what has to do with it in words or meaning. An order or a
statement opens what its words touch (:mod:`vademecum.inject.touch`). What was said in a session of work, where tools did what was
ordered, counts while it is fresh; what the person ordered and asked there is no evidence, in any wording.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property

from msgspec.structs import replace

from vademecum.domain.query import Hit
from vademecum.inject.numbers import (
    ANSWER_MEANING,
    FRESH,
    GOING_ON_WORDS,
    HEAD_CHARS,
    LEAST_TOUCH,
    OLD_TOUCH,
    REPORT_CHARS,
    SHARE,
    SHORT_WORDS,
    SIGNS_OF_A_WORD,
    WORK_MEANING,
    WORK_TOUCH,
)
from vademecum.inject.touch import PromptWords, prompt_words, terms_in
from vademecum.language.load import languages
from vademecum.language.sentences import is_bulk
from vademecum.language.text import is_unspaced, language_of, tokens
from vademecum.ports.index import SearchIndex, Term
from vademecum.recall.eligibility import asks_outright, states_something
from vademecum.recall.names import named_items
from vademecum.recall.query_parsing import SENTENCE

#: Dots that stand for a full stop in hurried words.
_DOTS = re.compile(r"\.{2,}|…")
_PARTS = re.compile(r"\n+|(?<=[.!?]) (?=[A-Z`*])")


def worth_showing(index: SearchIndex, project: str, prompt: str, hits: Sequence[Hit], now: datetime) -> tuple[Hit, ...]:
    """Return those hits that a prompt needs, of a long report of an agent the part that touches the prompt most.

    Args:
        project: slug of the project that the prompt was typed in; "" for none. hits: what would be shown. now: aware, UTC.
    """
    judge = _Judge(index, project, prompt, hits, now)
    return tuple(judge.shortened(hit) for hit in hits if judge.opens(hit))


class _Judge:
    """Says for each hit whether one prompt opens it."""

    def __init__(self, index: SearchIndex, project: str, prompt: str, hits: Sequence[Hit], now: datetime) -> None:
        self._index, self._project, self._prompt, self._now = index, project, prompt, now
        put = _put(prompt)
        self._asks = any(map(asks_outright, put))
        self._looks_up = any(map(begins_with_looking_up, put))
        talk = languages().sign("evidence", "asked")
        self._asks_talk = (self._asks or self._looks_up) and any(talk.search(line) for line in put)
        self._words = _words(prompt)
        self._language = language_of(prompt)
        items = {hit.item.key: hit.item for hit in hits}
        self._named = named_items(prompt, items, self._language, loosely=False).shown if items else frozenset()
        talks = [key for key in items if key.startswith("session://")]
        self._worked = frozenset(key for key in talks if index.passages_of(f"log://{key.removeprefix('session://')}", 0, 1))

    @cached_property
    def _touching(self) -> PromptWords:
        return prompt_words(self._index, self._project, self._prompt)

    def opens(self, hit: Hit) -> bool:
        """Return whether the prompt opens a hit."""
        if hit.item.key in self._named:
            return True
        if hit.item.source == "session":
            return self._opens_turn(hit)
        if self._asks:
            return self._words < SHORT_WORDS or self._answers(hit, LEAST_TOUCH, ANSWER_MEANING) or self._holds_most(hit)
        if self._words < (GOING_ON_WORDS if hit.item.source == "memory" else SHORT_WORDS) and not self._looks_up:
            return False
        return self._touches(hit, LEAST_TOUCH)

    def shortened(self, hit: Hit) -> Hit:
        """Return a hit; of what an agent reported at length in a session of work only the lines around what touches the prompt most."""
        text = hit.passage.text
        if hit.item.key not in self._worked or hit.passage.role != "agent" or len(text) <= REPORT_CHARS + HEAD_CHARS:
            return hit
        return replace(hit, passage=replace(hit.passage, text=self._excerpt(text)))

    def _excerpt(self, text: str) -> str:
        lines = [part for part in _PARTS.split(text) if part.strip()]
        worth = [self._touching.share(terms_in(self._index, line)) for line in lines]
        first = last = max(range(len(lines)), key=worth.__getitem__)
        while True:
            grown = [(first - 1, last), (first, last + 1)]
            fitting = [
                (sum(worth[count : end + 1]), count, end)
                for count, end in grown
                if count >= 0 and end < len(lines) and len("\n".join(lines[count : end + 1])) <= REPORT_CHARS
            ]
            if not fitting:
                break
            _, first, last = max(fitting)
        shown = "\n".join(lines[first : last + 1])
        head = f"{text[:HEAD_CHARS].rpartition(' ')[0]} ...\n" if first else ""
        return f"{head}{shown}{' ...' if last + 1 < len(lines) else ''}"

    def _opens_turn(self, hit: Hit) -> bool:
        works = hit.item.key in self._worked
        if self._asks_talk:
            return True
        if works and hit.passage.role == "user":
            return self._asks and only_states(hit.passage.text) and self._holds_most(hit)
        is_fresh = self._is_fresh(hit)
        if self._asks:
            fits = not works or self._answers(hit, WORK_TOUCH, WORK_MEANING)
            return fits or (is_fresh and self._holds_most(hit))
        if self._words < (GOING_ON_WORDS if is_fresh else SHORT_WORDS):
            return self._looks_up and self._touches(hit, LEAST_TOUCH)
        return not works or self._touches(hit, LEAST_TOUCH if is_fresh else OLD_TOUCH)

    def _answers(self, hit: Hit, touch: float, meaning: float) -> bool:
        return hit.signals.get("meaning", 0.0) >= meaning or self._touches(hit, touch)

    def _holds_most(self, hit: Hit) -> bool:
        return self._touching.share(self._terms(hit)) >= SHARE

    def _touches(self, hit: Hit, least: float) -> bool:
        """Return whether a hit touches the prompt; one in another language can share no words, so its meaning must be near."""
        terms = self._terms(hit)
        touch = self._touching.touch(terms)
        if touch >= least:
            return self._asks or self._touching.shares_rare(terms)
        foreign = touch == 0 and language_of(hit.passage.text) != self._language
        return foreign and hit.signals.get("meaning", 0.0) >= ANSWER_MEANING

    def _terms(self, hit: Hit) -> tuple[Term, ...]:
        return terms_in(self._index, "\n".join((hit.item.title, *hit.item.aliases, *hit.item.tags, hit.passage.text)))

    def _is_fresh(self, hit: Hit) -> bool:
        moment = hit.passage.time or hit.item.updated
        return moment is not None and self._now - moment < FRESH


def only_states(text: str) -> bool:
    """Return whether a person's words are statements and nothing else: no sentence asks, orders or wishes anything."""
    request: Callable[[str], object] = languages().sign("evidence", "request").search
    sentences = [part[0].strip() for piece in _DOTS.split(text) for part in SENTENCE.finditer(piece)]
    return all(
        states_something(sentence) and not request(sentence) for sentence in sentences if any(map(str.isalnum, sentence))
    )


def begins_with_looking_up(text: str) -> bool:
    """Return whether a text begins with words that ask for something by its name ("explain", "look up", "my notes on")."""
    return languages().sign("questions", "naming").match(text.lstrip()) is not None


def _put(prompt: str) -> tuple[str, ...]:
    """Return what is put to the agent: of a document that is handed over its first and last line."""
    lines = [line for line in prompt.splitlines() if line.strip()]
    return (prompt,) if not is_bulk(prompt) or not lines else (lines[0], lines[-1])


def _words(prompt: str) -> int:
    text = prompt[:2_000]
    return len("".join(text.split())) // SIGNS_OF_A_WORD if is_unspaced(text) else len(tokens(text))
