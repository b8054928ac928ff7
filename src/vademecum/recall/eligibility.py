"""The rules for what may be returned as an answer. Turns that are no evidence are neither counted by the threshold nor shown.

A turn is no evidence if it is a person's question or order, a handoff, a repetition of the prompt, or a memory that is not valid now.
A superseded memory is replaced by its successor. If nobody asked for the hits, pasted documents are no evidence either, nor is what
an agent said between two of its own steps. The profiles that reproduce published designs have rules of their own.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property

import numpy as np
from msgspec.structs import replace

from vademecum.domain.item import AGENT, PERSON, Item, Passage
from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.query import RECALLED_STATUSES, SHOWN_STATUSES
from vademecum.domain.validity import validity
from vademecum.domain.why_nothing import (
    AGENT_ANNOUNCES,
    AGENT_DID_NOT_KNOW,
    AGENT_WENT_ON,
    ASKS_OR_ORDERS,
    BESIDE_A_QUESTION,
    HANDED_OVER,
    HANDOFF,
    ONLY_FOR_QUESTIONS,
    OTHER_OF_THAT_NAME,
    SAYS_NOTHING,
    SAYS_NOTHING_NEW,
    SUCCESSOR_SHOWN,
    SUPERSEDED,
    SYNC_COPY,
    VALID_ONLY,
)
from vademecum.language.load import languages
from vademecum.language.patterns import speech
from vademecum.language.sentences import is_bulk, sentences
from vademecum.language.text import content_words, is_courtesy, is_unspaced, one_line, tokens
from vademecum.recall.features import Evidence, Floats
from vademecum.recall.names import asks_for_name, full_names, is_of_another, note_copied_by_sync
from vademecum.recall.numbers import (
    BY_MEANING,
    DENIAL_CHARS,
    JUDGED,
    LINE_CHARS,
    LOOSELY_NAMED,
    READ_OF_TURN,
    SAYING_CHARS,
    SAYING_TOKENS,
)
from vademecum.recall.query_parsing import CAPITAL_NOUNS, LINK, SENTENCE
from vademecum.recall.run import Run, Tools
from vademecum.recall.successors import living_ends
from vademecum.recall.window import Mask, Window

#: Links and images, with their labels.
_LINKED = late_pattern(r"!?\[\[[^\]\n]*\]\]|!?\[[^\]\n]*\]\([^)\n]*\)|<?https?://\S+>?|\^[\w-]+\s*$", re.MULTILINE)
#: Encoded data: data URLs, and long runs of letters and digits that form no words. Also fenced queries, in whose place a notes
#: program shows their results.
_CODED = late_pattern(
    r"data:[\w./+-]+;base64,\S*|(?<![\w/.-])(?=[\w+/]*\d)(?=[\w+/]*[A-Z])[\w+/]{40,}={0,2}"
    r"|^[ \t>]*(?P<fence>`{3,}) ?(?:dataview(?:js)?|tasks|query|toc|button|base)\b[^\n]*\n.*?(?:^[ \t>]*(?P=fence)|\Z)",
    re.DOTALL | re.MULTILINE,
)
_HEADING = late_pattern(r"^#{1,6}[ \t].*$", re.MULTILINE)
_CLAUSE = late_pattern(r"[,;:—，；：]\s*")
_MARKS = " \t-*>#•\"'“”(["


#: Speakers whose turns are returned by searches by hand but never unrequested: a reader cannot know who is behind them.
ASIDE = frozenset({"sub-agent", "program", "document"})


class Judge:
    """Decides which turns are no evidence for one query, and why.

    Args:
        now: aware, UTC.
    """

    def __init__(self, tools: Tools, run: Run, now: datetime) -> None:
        self._tools, self._run, self._now = tools, run, now
        self._text = run.query.text
        #: Keys of items that the question asks for by name; they are evidence whatever their words are.
        self.named: frozenset[str] = frozenset()
        self.applies = run.ranker.judges_evidence and run.query.gated and not run.query.everything
        self._dated = run.query.scope.as_of is not None
        self._by_status = run.query.scope.statuses in (RECALLED_STATUSES, SHOWN_STATUSES)

    def left_out(self, evidence: Evidence, items: Mapping[str, Item], scores: Floats, window: Window) -> dict[int, str]:
        """Return row -> reason, for the turns that are no evidence. Words are judged only for the best-ranked turns.

        Args:
            window: the window that the evidence was computed from.
        """
        if not self.applies:
            return {}
        of_item = {key: self.of_item(item) for key, item in items.items()}
        by_key = {row: why for row, (key, _) in enumerate(evidence.turns) if (why := of_item.get(key, ""))}
        named = {row for row, (key, _) in enumerate(evidence.turns) if key in self.named}
        unasked = self._run.query.unasked and not self.asks_asked
        if unasked:
            # of turns of an agent that follow each other, the last reports the findings
            by_agent = np.append(_said_by(AGENT, window), False)
            rows: list[int] = np.flatnonzero(by_agent[window.rows] & by_agent[window.neighbours(1)]).tolist()
            by_key |= dict.fromkeys(set(rows) - named, AGENT_WENT_ON)
        best = [row for row in np.argsort(-scores, kind="stable")[:JUDGED].tolist() if row not in by_key and row not in named]
        read = self._tools.index.passages([evidence.best[row] for row in best])
        for row in best:
            stored, item = read.get(evidence.best[row]), items.get(evidence.turns[row][0])
            if stored is not None and item is not None and (why := self.of_words(item, stored.passage)):
                by_key[row] = why
        if unasked and not self.asks:
            by_key |= dict.fromkeys(self._handed_over(window, best), HANDED_OVER)
        # neighbours of turns that are no evidence are none either, if they share no word with the question themselves
        around = {(key, turn + step) for key, turn in map(evidence.turns.__getitem__, by_key) for step in (-2, -1, 1, 2)}
        meaning = evidence.values["meaning"]
        return by_key | {
            row: BESIDE_A_QUESTION
            for row, turn in enumerate(evidence.turns)
            if turn in around and row not in by_key and not evidence.covered[row] and meaning[row] < BY_MEANING
        }

    def _handed_over(self, window: Window, rows: Sequence[int]) -> list[int]:
        """Return the candidates in which a person pasted a plan, a log or another document."""
        by_person = _said_by(PERSON, window)[window.rows]
        parts = {row: numbers[:READ_OF_TURN] for row in rows if by_person[row] and len(numbers := window.numbers_of(row)) > 1}
        read = self._tools.index.passages([number for numbers in parts.values() for number in numbers])
        texts = {row: [read[number].passage.text for number in numbers if number in read] for row, numbers in parts.items()}
        return [row for row, pieces in texts.items() if is_bulk("\n".join(pieces))]

    def of_item(self, item: Item) -> str:
        """Return why nothing of an item is evidence; "" if something may be."""
        if not self.applies:
            return ""
        if why := self._is_apart(item):
            return why
        if self._dated:
            return ""
        if item.status == "superseded" and self._by_status and not self.asks_before:
            return self._replaced(item)
        holds = validity(item, self._now)
        if not holds or not self._run.query.unasked:
            return ""
        asked = self.asks_past if holds.startswith("until") else self.asks_ahead
        return "" if asked else f"{VALID_ONLY} {holds}"

    def _is_apart(self, item: Item) -> str:
        if item.kind == "handoff" and self._run.query.scope.kinds is None:
            return HANDOFF
        if item.source == "document" and self._stands_beside_its_note(item):
            return SYNC_COPY
        return ""

    def _stands_beside_its_note(self, item: Item) -> bool:
        """Return whether a note is a sync tool's copy, by its name, and the original still exists; else the copy counts as the note."""
        copied = note_copied_by_sync(item.key)
        return bool(copied and self._tools.index.items([copied]))

    def _replaced(self, item: Item) -> str:
        ends = living_ends(self._tools.index, item)
        if not ends:
            return SUPERSEDED if self._run.query.unasked else ""
        without = self._run.query.scope.without | self._run.query.seen
        return SUCCESSOR_SHOWN if all(end.key in without for end in ends) else ""

    def of_words(self, item: Item, passage: Passage) -> str:
        """Return why the text of a passage is no evidence; "" if it is evidence."""
        if self.applies and is_of_another(f"{item.title}\n{passage.text}", self._full_names):
            return OTHER_OF_THAT_NAME
        if not self.applies or item.source not in ("session", "document") or self.asks_asked or item.key in self.named:
            return ""
        if self._run.query.unasked and (passage.speaker in ASIDE or not self._speaks):
            return ONLY_FOR_QUESTIONS
        return "" if item.source == "document" else self._of_turn(passage)

    def _of_turn(self, passage: Passage) -> str:
        if not _words_of(passage.text).strip() or is_courtesy(passage.text):
            return SAYS_NOTHING
        if self._run.query.unasked and content_words(passage.text) <= self._asked_words:
            return SAYS_NOTHING_NEW
        if passage.speaker.lower() in PERSON and not states_something(passage.text):
            return ASKS_OR_ORDERS
        return self._of_agent(passage.text) if passage.speaker.lower() in AGENT else ""

    def is_line_of_agent(self, item: Item, passage: Passage) -> bool:
        """Return whether an agent answered in one line: such a line recurs in each session in which the same is asked."""
        is_short = len(passage.text) <= LINE_CHARS and "\n" not in passage.text.strip()
        return self.applies and item.source == "session" and passage.speaker.lower() in AGENT and is_short

    def _of_agent(self, text: str) -> str:
        if self._run.query.unasked and only_announces(text):
            return AGENT_ANNOUNCES
        return AGENT_DID_NOT_KNOW if len(text) <= DENIAL_CHARS and _sign("unknowing").search(text) else ""

    @cached_property
    def _put(self) -> str:
        """The text addressed to the agent: of a pasted document only a first or last line that asks something."""
        if not is_bulk(self._text):
            return self._text
        lines = [line for line in self._text.splitlines() if line.strip()]
        return next((line for line in (lines[-1], lines[0]) if asks_outright(line)), "")

    @cached_property
    def _asked_words(self) -> frozenset[str]:
        return frozenset(tokens(self._text))

    @cached_property
    def _speaks(self) -> bool:
        """The prompt asks or states something; it is not only an order for the moment."""
        return self.asks or states_something(self._put)

    @cached_property
    def asks(self) -> bool:
        """The prompt asks something; it is not only an order or a statement."""
        return asks_outright(self._put)

    @cached_property
    def _full_names(self) -> tuple[tuple[str, str], ...]:
        return () if self._run.shaped.language in CAPITAL_NOUNS else full_names(self._text)

    @cached_property
    def named_loosely(self) -> Mapping[str, float]:
        """The caller wants items of that name: `loosely` of :func:`vademecum.recall.names.named_items`.

        A search by hand or of an agent chose its words. A prompt did not: one word of a long title is not that title.
        """
        if not self._run.query.unasked:
            return {"memory": LOOSELY_NAMED, "document": 0.0}
        return {"document": LOOSELY_NAMED} if self.asks or asks_for_name(self._put) else {}

    @cached_property
    def asks_before(self) -> bool:
        """The question is about an earlier state, before something replaced it."""
        return _sign("before").search(self._put) is not None

    @cached_property
    def asks_past(self) -> bool:
        """The question is about the past."""
        return self.asks_before or _sign("past").search(self._put) is not None

    @cached_property
    def asks_ahead(self) -> bool:
        """The question is about the future."""
        return _sign("ahead").search(self._put) is not None

    @cached_property
    def asks_asked(self) -> bool:
        """The question is about the person's own earlier requests."""
        return _sign("asked").search(self._put) is not None


def _said_by(names: frozenset[str], window: Window) -> Mask:
    """Return for each turn in sight whether it is in a session and one of these speakers said it."""
    speaker = np.array([name.lower() in names for name in window.around.speakers], np.bool_)
    talks = np.array([key.startswith("session:") for key in window.around.keys], np.bool_)
    return np.asarray(speaker[window.around.speaker[window.start]] & talks[window.item])


def _sign(name: str) -> re.Pattern[str]:
    return languages().sign("evidence", name)


def states_something(text: str) -> bool:
    """Return whether a person's words contain a statement, beside questions, orders for the moment and courtesies."""
    spoken = LINK.sub("", text)
    return len(text) > SAYING_CHARS or any(_states(part[0].strip(_MARKS)) for part in SENTENCE.finditer(spoken))


def says_something(passage: Passage, least: int) -> bool:
    """Return whether a passage of a note has content of its own.

    It has none if it holds only links, images, encoded data, headings and fewer than `least` letters, repeats its heading, is a
    courtesy ("and that's it"), or only asks.
    """
    words = _HEADING.sub(" ", _words_of(passage.text))
    letters = sum(3 if is_unspaced(char) else char.isalnum() for char in words)
    if letters < least or one_line(words).strip("# ") == one_line(passage.heading.rpartition(" / ")[2]):
        return False
    return not is_courtesy(words) and not all(
        part[0].strip().endswith(("?", "？")) for part in SENTENCE.finditer(words) if part[0].strip()
    )


def _words_of(text: str) -> str:
    """Return a text without its links, images and encoded data."""
    return _LINKED.sub(" ", _CODED.sub(" ", text))


def only_announces(text: str) -> bool:
    """Return whether an agent only says what it will do next."""
    all_sentences = sentences(text)
    return bool(all_sentences) and all(
        languages().sign("reports", "passing").match(sentence.said) for sentence in all_sentences
    )


def _states(sentence: str) -> bool:
    if not sentence or is_courtesy(sentence):
        return False
    if speech("lasting").search(sentence) or _sign("given").search(sentence):
        return True
    if _asks(sentence):
        return False
    if not sentence.endswith(("?", "？")):
        return True
    # "I have moved to Bonn, can you find me a doctor?" states something before it asks
    before = _CLAUSE.split(sentence)[:-1]
    return any(len(tokens(clause)) >= SAYING_TOKENS and not _asks(clause.strip(_MARKS)) for clause in before)


def _asks(words: str) -> bool:
    return any(_sign(name).search(words) for name in ("question", "order"))


def asks_outright(text: str) -> bool:
    """Return whether a prompt asks something, also in the form of an order; an order in the form of a question does not count."""
    sentences = [part[0].strip(_MARKS) for part in SENTENCE.finditer(text[-SAYING_CHARS:])]
    asked = [sentence for sentence in sentences if sentence.endswith(("?", "？")) or _sign("question").search(sentence)]
    return any(not _sign("order").search(entry) for entry in asked) or any(map(_sign("tell_me").search, sentences))


def without_rows(evidence: Evidence, gone: Sequence[int]) -> tuple[Evidence, np.ndarray]:
    """Return the evidence without these rows, and the indices of the remaining rows."""
    kept = np.ones(len(evidence.turns), np.bool_)
    kept[list(gone)] = False
    rows = np.flatnonzero(kept)
    numbers = rows.tolist()
    return (
        replace(
            evidence,
            turns=tuple(evidence.turns[row] for row in numbers),
            best=tuple(evidence.best[row] for row in numbers),
            values={name: values[rows] for name, values in evidence.values.items()},
            compared=evidence.compared[rows],
            deviations=evidence.deviations[rows],
            pool=evidence.pool[rows],
            whole=evidence.whole[rows],
            covered=evidence.covered[rows],
        ),
        rows,
    )
