"""Parse a prompt into a query: what to search for, and hints about the answer.

The words in `data/*/questions.toml` decide which questions ask for a time, a number, the person or the agent. A language without
such words only loses these small hints.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from functools import cache
from typing import Literal

from msgspec import Struct

from vademecum.domain.late_pattern import late_pattern
from vademecum.language.load import languages
from vademecum.language.sentences import is_bulk
from vademecum.language.text import language_of, says_nothing
from vademecum.recall.numbers import ALIKE, ASKED_CHARS, NAMED_BY, QUESTIONS_MOST, SHORT_WORDS

_FENCE = late_pattern(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED = late_pattern(r"\"([^\"\n]{3,120})\"|“([^”\n]{3,120})”|`([^`\n]{2,120})`")
_IDENTIFIER = late_pattern(r"\b\w+(?:[._/\\:-]\w+)+\b|\b[a-z]+(?:[A-Z]\w*)+\b|\b\w*_\w+\b")
_WORD = late_pattern(r"\w+")
_BETWEEN_CLAUSES = late_pattern(r"(?<=[.!?;,:])\s+|(?<=[。！？；，])|\n+")
#: A sentence; punctuation within a word ("notes.md", "v0.4") does not end it.
SENTENCE = late_pattern(r"(?:[^.!?。！？\n]|[.!?]+(?=\w))+[.!?。！？]*")
#: A link: its last part names the target, the others only its location.
LINK = late_pattern(r"https?://(?:[^\s/?#]+/+)*([^\s/?#]+)/*(?:[?#]\S*)?")
_QUOTES = ' \t*"”'
_BETWEEN_QUESTIONS = late_pattern(r"(?<=[?？])\s*")
_STATES_BEFORE = late_pattern(r"[.!;]\s|[。！；]|\n")
#: A capitalised word that does not begin a sentence.
_NAME = late_pattern(r"(?<=[^\W_] )[A-Z][a-z]{2,}\b|(?<=[,;:] )[A-Z][a-z]{2,}\b")
#: Languages that capitalise every noun, so that capitals do not indicate names.
CAPITAL_NOUNS = frozenset({"de"})


#: Questions that need several sessions, checked in this order; "": one turn can answer.
Breadth = Literal["", "sequence", "summary", "listing"]
BREADTHS: tuple[Breadth, ...] = ("sequence", "summary", "listing")
#: Those about a topic or person over time.
TOPICAL = ("sequence", "summary")


class Ago(Struct, frozen=True):
    """A pattern for a time in the past. `days`: the length of its unit, or its distance from today."""

    language: str
    pattern: str
    days: int


class Shaped(Struct, frozen=True):
    """A parsed question.

    Attributes:
        text: text to embed: without code fences, long text cut; for a question about a topic over time, that topic.
        breadth: what it needs from several sessions.
        subject: text to take search words from: `text` without instructions on how to answer and without courtesies.
        asks: it says more than courtesies ("hello", "continue", "make it shorter").
        language: language code.
        names: capitalised words within its sentences, in lower case, without months and days; empty in languages that capitalise every
            noun. For persons in Chinese, the two characters after the family name.
        words: lower-case words, to recognise the name of a speaker.
        phrases: quoted text and identifiers, as written.
        person, agent: it asks about the person who asks, or about what the agent said.
        when: it asks for a time.
        goes_on: it states or orders something, so it probably continues recent work.
        period: (since, until) that the question names, aware, UTC, or None.
    """

    text: str
    breadth: Breadth
    subject: str
    asks: bool
    language: str
    names: frozenset[str]
    words: frozenset[str]
    phrases: tuple[str, ...]
    person: bool
    agent: bool
    when: bool
    goes_on: bool
    period: tuple[datetime, datetime] | None


def spoken(question: str) -> str:
    """Return the text of a question to embed.

    Fenced code is dropped if there is anything else; of a link only the last part remains; a long text is cut to its start and end. A
    short question loses its words about how to answer ("explain", "tell me"), which would be half of it.
    """
    text = LINK.sub(r"\1", _FENCE.sub(" ", question)).strip() or question
    if len(text.split()) <= SHORT_WORDS:
        return " ".join(_sign("instruction").sub(" ", text).split()) or text
    return text if len(text) <= ASKED_CHARS else f"{text[: ASKED_CHARS // 2]}\n{text[-ASKED_CHARS // 2 :]}"


def asked_text(question: str) -> str:
    """Return the text of a question to embed; for a question about a topic over time, the topic."""
    text = spoken(question)
    return _topic(text) if _breadth(text) in TOPICAL else text


def _breadth(text: str) -> Breadth:
    """Return what a question needs from several sessions; "" for a pasted document."""
    if is_bulk(text):
        return ""
    return next((kind for kind in BREADTHS if languages().sign("evidence", kind).search(text)), "")


def _topic(text: str) -> str:
    """Return a question without its framing words: "the order in which I brought up ... in our conversations"."""
    return " ".join(languages().sign("evidence", "frame").sub(" ", text).split()) or text


def shape(question: str, now: datetime) -> Shaped:
    """Parse a question. Never fails: a question that is only code is searched for as it is."""
    text = spoken(question)
    breadth = _breadth(text)
    topic = _topic(text) if breadth in TOPICAL else text
    quoted = tuple(next(part for part in match.groups() if part) for match in _QUOTED.finditer(text))
    named = tuple(match.group() for match in _IDENTIFIER.finditer(text))
    language = language_of(text)
    without_orders = _sign("instruction").sub(" ", topic).strip() or topic
    clauses = _with_content(without_orders, language)
    row = () if language in CAPITAL_NOUNS else _NAME.findall(text)
    persons = (match[0][-NAMED_BY:] for match in _sign("named_person").finditer(text))
    return Shaped(
        text=topic,
        breadth=breadth,
        subject=" ".join(clauses) or without_orders,
        asks=bool(clauses) or not _sign("courtesy").search(text),
        language=language,
        names=frozenset([*(name.lower() for name in row if not is_of_calendar(name)), *persons]),
        words=frozenset(_WORD.findall(text.lower())),
        phrases=tuple(dict.fromkeys(quoted + named))[:8],
        person=bool(_sign("person").search(text)),
        agent=bool(_sign("agent").search(topic if breadth == "sequence" else text)),
        when=bool(_sign("when").search(text)),
        goes_on=breadth not in TOPICAL and _says_more_than_questions(text, language),
        period=_period(text, language, now),
    )


def is_of_calendar(word: str) -> bool:
    """Return whether a word is a month or a day of the week, possibly abbreviated."""
    return _sign("calendar").fullmatch(word) is not None


def is_spelt_alike(one: str, other: str) -> bool:
    """Return whether two lower-case names may be spellings of one name."""
    return one == other or SequenceMatcher(None, one, other).ratio() >= ALIKE


def _with_content(text: str, language: str) -> list[str]:
    """Return the clauses with content, without courtesies and stop words."""
    return [clause for clause in _BETWEEN_CLAUSES.split(text) if not says_nothing(clause, language)]


def questions_in(text: str) -> tuple[str, ...]:
    """Return the single questions of a prompt that consists only of several questions; else an empty tuple.

    A statement beside questions may be context for all of them, so such a prompt is not split.
    """
    result = [part.strip() for part in _BETWEEN_QUESTIONS.split(text.strip()) if part.strip()]
    language = language_of(text)
    alone = all(part[-1] in "?？" and not _STATES_BEFORE.search(part) and _with_content(part, language) for part in result)
    return tuple(result) if alone and 1 < len(result) <= QUESTIONS_MOST else ()


def _says_more_than_questions(text: str, language: str) -> bool:
    sentences = (part.strip(_QUOTES) for part in SENTENCE.findall(text))
    return any(not sentence.endswith(("?", "？")) and _with_content(sentence, language) for sentence in sentences)


def _sign(name: str) -> re.Pattern[str]:
    return languages().sign("questions", name)


@cache
def _agos(language: str) -> tuple[tuple[str, int, re.Pattern[str]], ...]:
    """Return (name of the table, days, pattern) for each way in which a language names a time in the past."""
    return tuple(
        (table, row.days, re.compile(row.pattern, re.IGNORECASE))
        for table in ("ago", "back", "last")
        for row in languages().rows("questions", table, Ago)
        if row.language == language
    )


@cache
def _numbers(language: str) -> Mapping[str, int]:
    return languages().tables("questions", "numbers").get(language, {})


def _period(text: str, language: str, now: datetime) -> tuple[datetime, datetime] | None:
    """Return the period in the past that the question names first."""
    pairs = [(match.start(), table, days, match) for table, days, ago in _agos(language) if (match := ago.search(text))]
    if not pairs:
        return None
    _, table, days, match = min(pairs, key=lambda row: row[0])
    today = datetime(now.year, now.month, now.day, tzinfo=UTC)
    if table == "back":
        start = today - timedelta(days=days)
        return start, start + timedelta(days=1)
    if table == "last":
        return today - timedelta(days=2 * days), now
    days *= _numbers(language).get(match["count"].lower()) or int(match["count"])
    slack = timedelta(days=max(1, days // 4))
    moment = today - timedelta(days=days)
    return moment - slack, moment + slack + timedelta(days=1)
