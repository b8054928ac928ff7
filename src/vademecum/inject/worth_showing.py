"""Decide which hits are worth showing at a prompt, from what the prompt asks, and from the age, speaker and words of each hit.

Most passages that resemble a prompt of work are noise. A question is always answered; a question within a longer prompt, by hits
that are near to it in words or meaning. An order or a statement is answered by hits that share its words
(:mod:`vademecum.inject.touch`). Turns of a work session, in which tools carried out orders, count while they are recent. Orders and
questions of the person in such a session are no evidence, in any wording.

This is about single hits; the verdict on a whole prompt is in `at_prompt.py` (`_why_nothing`).
"""

import re
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import cached_property

from msgspec.structs import replace

from vademecum.domain.item import Item
from vademecum.domain.query import Hit
from vademecum.inject.numbers import (
    ANSWER_MEANING,
    CLEARLY_BEHIND,
    FRESH,
    GOING_ON_WORDS,
    HEAD_CHARS,
    LEAST_TOUCH,
    OLD_TOUCH,
    READ_OF_DELIVERED,
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
from vademecum.recall.query_parsing import SENTENCE

#: Dots used as a full stop in hurried writing.
_DOTS = re.compile(r"\.{2,}|…")
_PARTS = re.compile(r"\n+|(?<=[.!?]) (?=[A-Z`*])")


def worth_showing(
    index: SearchIndex, project: str, prompt: str, hits: Sequence[Hit], now: datetime, delivered: Collection[str]
) -> tuple[Hit, ...]:
    """Return the hits that a prompt needs; a long report of an agent is cut to the part most related to the prompt.

    Args:
        project: slug of the project of the prompt; "" for none. hits: candidates. now: aware, UTC.
        delivered: keys of what the session has already; a note is not needed where a memory among them says as much of what is asked.
    """
    judge = _Judge(index, project, prompt, hits, now)
    opened = [hit for hit in hits if judge.opens(hit)]
    best = max((hit.score for hit in opened), default=0.0)
    return tuple(judge.shortened(hit) for hit in opened if judge.is_near(hit, best) and not judge.is_answered(hit, delivered))


class _Judge:
    """Decides for each hit whether one prompt needs it."""

    def __init__(self, index: SearchIndex, project: str, prompt: str, hits: Sequence[Hit], now: datetime) -> None:
        self._index, self._project, self._prompt, self._now = index, project, prompt, now
        lines = [line for line in prompt.splitlines() if line.strip()]
        # of a pasted document only the first and the last line are addressed to the agent
        put = (prompt,) if not is_bulk(prompt) or not lines else (lines[0], lines[-1])
        self._asks = any(map(asks_outright, put))
        self._looks_up = any(map(begins_with_looking_up, put))
        talk = languages().sign("evidence", "asked")
        self._asks_talk = (self._asks or self._looks_up) and any(talk.search(line) for line in put)
        self._words = words_in(prompt)
        self._language = language_of(prompt)
        talks = {hit.item.key for hit in hits if hit.item.source == "session"}
        self._worked = frozenset(key for key in talks if index.passages_of(f"log://{key.removeprefix('session://')}", 0, 1))

    @cached_property
    def _touching(self) -> PromptWords:
        return prompt_words(self._index, self._project, self._prompt)

    def opens(self, hit: Hit) -> bool:
        """Return whether the prompt needs a hit."""
        if "named" in hit.signals:
            return True
        if hit.item.source == "session":
            return self._opens_turn(hit)
        if self._asks:
            return self._words < SHORT_WORDS or self._answers(hit, LEAST_TOUCH, ANSWER_MEANING) or self._holds_most(hit)
        if self._words < (GOING_ON_WORDS if hit.item.source == "memory" else SHORT_WORDS) and not self._looks_up:
            return False
        return self._touches(hit, LEAST_TOUCH)

    def is_near(self, hit: Hit, best: float) -> bool:
        """Return whether a hit is near enough to the best score; only notes can be too far."""
        return self._stands_alone(hit) or best - hit.score <= CLEARLY_BEHIND

    def is_answered(self, hit: Hit, delivered: Collection[str]) -> bool:
        """Return whether a delivered memory says most of what the prompt asks, and as much of it as this note."""
        if self._stands_alone(hit):
            return False
        items = self._index.items([key for key in delivered if key.startswith("memory://")])
        least = max(SHARE, self._touching.share(self._terms(hit)))
        return any(self._touching.share(self._terms_of(item)) >= least for item in items.values())

    def _stands_alone(self, hit: Hit) -> bool:
        """Return whether a hit is judged without the others and without the session: all but notes that the prompt does not name."""
        return hit.item.source != "document" or "named" in hit.signals or bool(hit.via)

    def shortened(self, hit: Hit) -> Hit:
        """Return the hit; a long report of an agent in a work session is cut to the lines around the part most related to the prompt."""
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
        moment = hit.passage.time or hit.item.updated
        is_fresh = moment is not None and self._now - moment < FRESH
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

    def _terms_of(self, item: Item) -> tuple[Term, ...]:
        texts = (stored.passage.text for stored in self._index.passages_of(item.key, 0, READ_OF_DELIVERED))
        return terms_in(self._index, "\n".join((item.title, *texts)))

    def _touches(self, hit: Hit, least: float) -> bool:
        """Return whether a hit relates to the prompt; in another language it can share no words, so its meaning must be near."""
        terms = self._terms(hit)
        touch = self._touching.touch(terms)
        if touch >= least:
            return self._asks or self._touching.shares_rare(terms)
        foreign = touch == 0 and language_of(hit.passage.text) != self._language
        return foreign and hit.signals.get("meaning", 0.0) >= ANSWER_MEANING

    def _terms(self, hit: Hit) -> tuple[Term, ...]:
        return terms_in(self._index, "\n".join((hit.item.title, *hit.item.aliases, *hit.item.tags, hit.passage.text)))


def only_states(text: str) -> bool:
    """Return whether a person's words are only statements: no sentence asks, orders or wishes anything."""
    request: Callable[[str], object] = languages().sign("evidence", "request").search
    sentences = [part[0].strip() for piece in _DOTS.split(text) for part in SENTENCE.finditer(piece)]
    return all(
        states_something(sentence) and not request(sentence) for sentence in sentences if any(map(str.isalnum, sentence))
    )


def begins_with_looking_up(text: str) -> bool:
    """Return whether a text begins with words that ask for something by name ("explain", "look up", "my notes on")."""
    return languages().sign("questions", "naming").match(text.lstrip()) is not None


def words_in(prompt: str) -> int:
    """Return how many words a prompt has; of a script without spaces, how many it would have."""
    text = prompt[:2_000]
    return len("".join(text.split())) // SIGNS_OF_A_WORD if is_unspaced(text) else len(tokens(text))
