"""Tasks for somebody who acts on behalf of the reader: not told to an agent by name, but only an agent could be meant.

A note says "Send the report to the office" and a page "E-mail us at ..."; neither is an attempt. What gives one away is an imperative whose
*object* is the reader's own: "my account", "for me", "the user's mailbox", "tell me that I should"; or one that gathers something and hands
it to a target outside. So evidence is counted over one sentence, and a sentence is held against its author from :data:`HELD_FROM` on.
In the languages that say how somebody asks in them (:mod:`vademecum.guard.ask_rules`). Meant for texts of agents, tools and pages;
people's own notes are full of such sentences.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from vademecum.guard.ask_rules import Tongue, tongues

#: Points from which a sentence counts as a task for an agent; found on sentences of ours and two suites of a public set (docs/security.md).
HELD_FROM = 2.0
#: A longer sentence is no task but a text.
SENTENCE_MAX_CHARS = 700

#: One sentence; the full stops of addresses and numbers do not end it.
_SENTENCE = re.compile(r"(?:[^.!?。！？\n]|[.!?](?![\s\"'”’)]|$)|\.(?= [a-z]))+[.!?。！？]?")
#: One in a value of a record, or behind a tag: a page and a mail reach an agent in such wrappings.
_VALUE = re.compile(
    r"(?:[:\[,({] ?[\"'“]|>\s?|<!-- ?)"
    r"((?=[A-Za-zÀ-ÿ])(?:(?![\"']\s?[,}\]):])[^\n<>]){20,700}?(?:[.!?](?=[\s\"'<]|$)|(?=[\"']\s?[,}\])]|<)|$))",
    re.MULTILINE,
)


class Ask(Struct, frozen=True):
    """A sentence that gives an agent a task: its place, and the names of what speaks for it."""

    start: int
    end: int
    signs: tuple[str, ...]


def find_asks(text: str) -> Iterator[Ask]:
    """Yield sentences that give an agent a task, in order of place."""
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
    """Return (where what is asked begins, what speaks for a task); nothing when that is too little. Of one name the strongest counts."""
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
        if (not sign.verbs or verb.lastgroup in sign.verbs) and sign.pattern.search(asked):
            by_key[sign.name] = max(by_key.get(sign.name, sign.points), sign.points)
    return begin, tuple(name for name, points in by_key.items() if points > 0) if sum(by_key.values()) >= HELD_FROM else ()
