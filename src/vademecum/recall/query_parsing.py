"""A prompt is not a query: what of it to look for, and what it tells about the answer.

Words in `data/*/questions.toml` decide which questions ask for a time, a number, the person or the agent; a question in a language
that has none loses these small hints and nothing else.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from functools import cache
from typing import Literal

from msgspec import Struct

from vademecum.language.load import languages
from vademecum.language.sentences import is_bulk
from vademecum.language.text import language_of, says_nothing
from vademecum.recall.numbers import ALIKE, ASKED_CHARS, NAMED_BY, QUESTIONS_MOST, SHORT_WORDS

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_QUOTED = re.compile(r"\"([^\"\n]{3,120})\"|“([^”\n]{3,120})”|`([^`\n]{2,120})`")
_IDENTIFIER = re.compile(r"\b\w+(?:[._/\\:-]\w+)+\b|\b[a-z]+(?:[A-Z]\w*)+\b|\b\w*_\w+\b")
_WORD = re.compile(r"\w+")
_BETWEEN_CLAUSES = re.compile(r"(?<=[.!?;,:])\s+|(?<=[。！？；，])|\n+")
#: A sentence; a mark within a word ("notes.md", "v0.4") does not end it.
SENTENCE = re.compile(r"(?:[^.!?。！？\n]|[.!?]+(?=\w))+[.!?。！？]*")
#: A link: its last part names what it leads to, the others only where that lies.
LINK = re.compile(r"https?://(?:[^\s/?#]+/+)*([^\s/?#]+)/*(?:[?#]\S*)?")
_QUOTES = ' \t*"”'
_BETWEEN_QUESTIONS = re.compile(r"(?<=[?？])\s*")
_STATES_BEFORE = re.compile(r"[.!;]\s|[。！；]|\n")
#: A capitalised word that does not begin a sentence.
_NAME = re.compile(r"(?<=[^\W_] )[A-Z][a-z]{2,}\b|(?<=[,;:] )[A-Z][a-z]{2,}\b")
#: Languages that write every noun with a capital, so that capitals tell no names.
CAPITAL_NOUNS = frozenset({"de"})


#: What of several conversations a question asks for, tried in this order; "": what one turn may answer.
Breadth = Literal["", "sequence", "summary", "listing"]
BREADTHS: tuple[Breadth, ...] = ("sequence", "summary", "listing")
#: Those that ask for a topic or person over time.
TOPICAL = ("sequence", "summary")


class Ago(Struct, frozen=True):
    """A way of naming a time in the past, and how many days a unit of it has, or it lies back."""

    language: str
    pattern: str
    days: int


class Shaped(Struct, frozen=True):
    """A question taken apart.

    Attributes:
        text: what to embed: without code fences, bulk cut; of a question about a topic over time that topic.
        breadth: what of several conversations it asks for.
        subject: what to take words from: the same without instructions on how to answer, and without clauses that are only polite.
        asks: whether it says anything but courtesies ("hello", "continue", "make it shorter").
        language: code of the language it is in.
        names: capitalised words within its sentences, in small letters, without months and days; none in languages that write every
            noun so. Of persons in Chinese the two signs behind the family name.
        words: lower-case words, to recognise the name of a speaker.
        phrases: quoted text and identifiers, as written.
        person, agent: asks about the person who asks, or about what the agent said too.
        when: asks for a time.
        goes_on: says or orders something, rather than only ask: such a prompt goes on with what was talked of lately.
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
    """Return what of a question is turned into a vector: without fenced code if there is anything else, of a link its last part, start
    and end of a long one. Of a short one the words that only say how to answer ("explain", "tell me") would be half of it."""
    text = LINK.sub(r"\1", _FENCE.sub(" ", question)).strip() or question
    if len(text.split()) <= SHORT_WORDS:
        return " ".join(_sign("instruction").sub(" ", text).split()) or text
    return text if len(text) <= ASKED_CHARS else f"{text[: ASKED_CHARS // 2]}\n{text[-ASKED_CHARS // 2 :]}"


def asked_text(question: str) -> str:
    """Return what of a question is turned into a vector: of one that asks for more than a turn, its topic."""
    text = spoken(question)
    return _topic(text) if _breadth(text) in TOPICAL else text


def _breadth(text: str) -> Breadth:
    """Return what of several conversations is asked for; a document that is handed over asks for nothing of the kind."""
    if is_bulk(text):
        return ""
    return next((kind for kind in BREADTHS if languages().sign("evidence", kind).search(text)), "")


def _topic(text: str) -> str:
    """Return a question without the words that only frame it: "the order in which I brought up ... in our conversations"."""
    return " ".join(languages().sign("evidence", "frame").sub(" ", text).split()) or text


def shape(question: str, now: datetime) -> Shaped:
    """Take a question apart. Never fails: a question of nothing but code is looked for as it is."""
    text = spoken(question)
    breadth = _breadth(text)
    topic = _topic(text) if breadth in TOPICAL else text
    quoted = tuple(next(part for part in match.groups() if part) for match in _QUOTED.finditer(text))
    named = tuple(match.group() for match in _IDENTIFIER.finditer(text))
    language = language_of(text)
    without_orders = _sign("instruction").sub(" ", topic).strip() or topic
    telling = _telling(without_orders, language)
    return Shaped(
        text=topic,
        breadth=breadth,
        subject=" ".join(telling) or without_orders,
        asks=bool(telling) or not _sign("courtesy").search(text),
        language=language,
        names=_names(text, language),
        words=frozenset(_WORD.findall(text.lower())),
        phrases=tuple(dict.fromkeys(quoted + named))[:8],
        person=bool(_sign("person").search(text)),
        agent=bool(_sign("agent").search(topic if breadth == "sequence" else text)),
        when=bool(_sign("when").search(text)),
        goes_on=breadth not in TOPICAL and _says_more_than_questions(text, language),
        period=_period(text, language, now),
    )


def _names(text: str, language: str) -> frozenset[str]:
    row = () if language in CAPITAL_NOUNS else _NAME.findall(text)
    persons = (match[0][-NAMED_BY:] for match in _sign("named_person").finditer(text))
    return frozenset([*(name.lower() for name in row if not is_of_calendar(name)), *persons])


def is_of_calendar(word: str) -> bool:
    """Return whether a word is a month or a day of the week, perhaps cut short."""
    return _sign("calendar").fullmatch(word) is not None


def is_spelt_alike(one: str, other: str) -> bool:
    """Return whether two names in small letters may be one, spelt otherwise."""
    return one == other or SequenceMatcher(None, one, other).ratio() >= ALIKE


def _telling(text: str, language: str) -> list[str]:
    """Return the clauses that say more than courtesies and words that say nothing about a subject."""
    return [clause for clause in _BETWEEN_CLAUSES.split(text) if not says_nothing(clause, language)]


def questions_in(text: str) -> tuple[str, ...]:
    """Return what is asked, one by one, by a prompt of several questions and nothing else; else nothing: what is stated beside them
    belongs to all."""
    result = [part.strip() for part in _BETWEEN_QUESTIONS.split(text.strip()) if part.strip()]
    language = language_of(text)
    alone = all(part[-1] in "?？" and not _STATES_BEFORE.search(part) and _telling(part, language) for part in result)
    return tuple(result) if alone and 1 < len(result) <= QUESTIONS_MOST else ()


def _says_more_than_questions(text: str, language: str) -> bool:
    sentences = (part.strip(_QUOTES) for part in SENTENCE.findall(text))
    return any(not sentence.endswith(("?", "？")) and _telling(sentence, language) for sentence in sentences)


def _sign(name: str) -> re.Pattern[str]:
    return languages().sign("questions", name)


@cache
def _agos(language: str) -> tuple[tuple[str, int, re.Pattern[str]], ...]:
    """Return (which table it stands in, days, how it is said) of every way in which a language names a time in the past."""
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
    """Return the time in the past that is named first, in the language of the question."""
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
