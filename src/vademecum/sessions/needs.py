"""Detect which memories a session needed.

The person repeated such a memory, corrected an agent with it, answered with it, or it was looked up. Memories that were shown
and memories that were withheld on purpose are treated alike; this module does not know which is which.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.benefit import Need
from vademecum.domain.ids import ids_shown, short_id
from vademecum.domain.session import Session, Turn
from vademecum.extract.voice import typed_text, voices
from vademecum.language.load import languages
from vademecum.language.sentences import sentences
from vademecum.language.text import common_words
from vademecum.ports.index import Term
from vademecum.sessions.uses import weight_of

#: A sentence repeats a memory if it contains this share of the memory's word weight, at least this many of its words, and if
#: they make up this share of its own words. Chosen on 106 real sessions, two of which repeated a memory.
SHARE_LEAST, WORDS_LEAST, OWN_LEAST = 0.35, 3, 0.6
#: A turn within this time after a draw is the prompt that triggered it: nobody types so fast.
SAME_PROMPT = timedelta(seconds=3)
#: Characters at the end of an agent's message that are searched for a question.
QUESTION_CHARS = 300

#: Tools and commands by which an agent searches memory.
_LOOKING = re.compile(
    r"(?:recall_memory|search_history|get_context|list_memories|read_memory)\b"
    r"|\bvade (?:agent )?(?:recall|search|list|show|brain|bundle|sessions search)\b"
)
_ASKED = re.compile(r"[?？]")


class _Said(Struct, frozen=True):
    """A sentence of the person, or the result of a memory search.

    Attributes:
        words: term codes of the sentence.
        need: how a memory that the sentence repeats was needed.
        ids: short ids of memories in the search result.
    """

    time: datetime | None
    words: frozenset[int]
    need: Need
    ids: frozenset[str] = frozenset()


def note_needs(context: Context, session: Session) -> None:
    """Record which of the memories drawn for a session it needed."""
    drawn = context.state.lots.drawn(session.uri)
    by_key = needs_of(context, session, drawn) if drawn else {}
    if by_key:
        context.state.lots.need(session.uri, by_key, context.clock.now())


def needs_of(context: Context, session: Session, drawn: Mapping[str, datetime]) -> dict[str, Need]:
    """Return key -> how the memory was first needed after its draw, for the memories that were needed.

    Args:
        drawn: key -> time of the draw. Turns without a time are ignored, because they may be earlier.
    """
    all_sentences = [*_said(context, session.turns), *_looked_up(session.turns)]
    by_key: dict[str, Need] = {}
    for key, at in drawn.items():
        text = "\n".join(stored.passage.text for stored in context.index.passages_of(key))
        terms = context.index.terms(text, common_words(text))
        later = (sentence for sentence in all_sentences if sentence.time is not None and sentence.time > at + SAME_PROMPT)
        first = next((sentence for sentence in later if short_id(key) in sentence.ids or _says(sentence.words, terms)), None)
        if first is not None:
            by_key[key] = first.need
    return by_key


def _says(words: frozenset[int], terms: Sequence[Term]) -> bool:
    met = [term for term in terms if term.code in words]
    if len(met) < WORDS_LEAST or len(met) < OWN_LEAST * len(words):
        return False
    return weight_of(met) >= SHARE_LEAST * weight_of(terms)


def _said(context: Context, turns: Sequence[Turn]) -> Iterator[_Said]:
    """Yield the sentences that the person typed, including answers to an agent's question tool."""
    heard, asked = voices(turns), False
    for turn in turns:
        if turn.role == "agent" and not turn.sidechain:
            asked = _ASKED.search(turn.text[-QUESTION_CHARS:]) is not None
        if turn.ref not in heard or turn.sidechain:
            continue
        for sentence in sentences(typed_text(turn, heard[turn.ref])):
            codes = frozenset(term.code for term in context.index.terms(sentence.text, common_words(sentence.text)))
            yield _Said(
                turn.time, codes, _how(turn.text[sentence.start : sentence.end], asked=asked or turn.speaker == "answer")
            )


def _how(sentence: str, *, asked: bool) -> Need:
    if languages().sign("reports", "correction").search(sentence):
        return "corrected"
    return "asked for" if asked else "said again"


def _looked_up(turns: Sequence[Turn]) -> Iterator[_Said]:
    """Yield the results of memory searches: tool results that follow such a call."""
    looks = False
    for turn in turns:
        if turn.role == "tool" and turn.tools:
            looks = _LOOKING.search(turn.text) is not None
        elif turn.role == "tool" and looks:
            yield _Said(turn.time, frozenset(), "looked up", ids_shown(turn.text.encode("utf-8", "replace")))
