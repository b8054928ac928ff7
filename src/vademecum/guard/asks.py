"""Find tasks for an agent that acts on behalf of the reader, even if they do not address an agent by name.

A note says "Send the report to the office", a page says "E-mail us at ..."; neither is an attack. An attack is revealed by an
imperative whose *object* belongs to the reader ("my account", "for me", "the user's mailbox", "tell me that I should"), or that
collects something and sends it to an outside target. The signs of each sentence are counted, and a sentence with
:data:`HELD_FROM` points or more is a task. Languages are those that define requests (:mod:`vademecum.guard.ask_rules`). This is
meant for texts of agents, tools and pages; people's own notes are full of such sentences.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from vademecum.guard.ask_rules import Tongue, tongues

#: Minimum points of a task for an agent; fitted on sentences of ours and two suites of a public set (docs/security.md).
HELD_FROM = 2.0
#: Maximum characters of a sentence; longer ones are texts, not tasks.
SENTENCE_MAX_CHARS = 700

#: One sentence; full stops in addresses and numbers do not end it.
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|[.!?](?![\s\"'”’)]|$)|\.(?= [a-z]))+[.!?。！？]?")
#: A sentence in a value of a record or after a tag, because pages and mails reach an agent in such wrappings.
_VALUE = re.compile(
    r"(?:[:\[,({] ?[\"'“]|>\s?|<!-- ?)"
    r"((?=[A-Za-zÀ-ÿ])(?:(?![\"']\s?[,}\]):])[^\n<>]){20,700}?(?:[.!?](?=[\s\"'<]|$)|(?=[\"']\s?[,}\])]|<)|$))",
    re.MULTILINE,
)


class Ask(Struct, frozen=True):
    """A sentence that gives an agent a task: its span, and the names of its signs."""

    start: int
    end: int
    signs: tuple[str, ...]


def find_asks(text: str) -> Iterator[Ask]:
    """Yield sentences that give an agent a task; first plain sentences, then those in records, each in order."""
    for start, end in (*_spans(_SENTENCE, text), *_spans(_VALUE, text)):
        sentence = text[start:end]
        if len(sentence) > SENTENCE_MAX_CHARS or sentence.startswith("#"):  # a text, or a heading
            continue
        for tongue in tongues():
            begin, signs = _signs(sentence, tongue)
            if signs:
                yield Ask(start + begin, end, signs)
                break


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    return (match.span(pattern.groups) for match in pattern.finditer(text))


def _signs(sentence: str, tongue: Tongue) -> tuple[int, tuple[str, ...]]:
    """Return (start of the request, names of its signs); no signs when their points are too few.

    Of signs with one name the strongest counts.
    """
    plain = sentence.translate(tongue.plain) if tongue.plain else sentence
    lead = tongue.lead.match(plain)
    begin = lead.end() if lead else 0
    asked = plain[begin:]
    verb = tongue.verb.match(asked)
    if verb is None and tongue.last is not None and sentence[:begin].strip():
        verb = tongue.last.match(asked)
    if verb is None or asked.count(" ") < tongue.least_words - 1 or len(asked) < tongue.least_chars:
        return begin, ()
    if tongue.own_page.match(sentence, begin):
        return begin, ()
    by_key: dict[str, float] = {}
    for sign in tongue.signs:
        if (not sign.verbs or verb.lastgroup in sign.verbs) and sign.regex.search(asked):
            by_key[sign.name] = max(by_key.get(sign.name, sign.points), sign.points)
    return begin, tuple(name for name, points in by_key.items() if points > 0) if sum(by_key.values()) >= HELD_FROM else ()
