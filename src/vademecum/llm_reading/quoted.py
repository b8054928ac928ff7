"""Hold what an agent saves against what the person typed: their words behind it are believed only where they stand in a conversation."""

from datetime import timedelta
from itertools import islice
from pathlib import Path

from vademecum.context.context import Context
from vademecum.domain.errors import NotFound
from vademecum.domain.memory import Memory
from vademecum.domain.query import Scope
from vademecum.domain.session import Candidate
from vademecum.extract.llm_extraction import Conversation, candidates_of
from vademecum.extract.material import shown_of
from vademecum.extract.voice import voices
from vademecum.ingest.load_session import long_session
from vademecum.ingest.transcripts import SHORT_WAIT_S, absorb
from vademecum.language.patterns import speech
from vademecum.language.text import common_words

#: An agent saves what was said in a conversation that goes on: one of so many last ones, in which something was said within this time.
LOOKED_AT, SAID_WITHIN = 5, timedelta(hours=24)
UNFOUND = "the quotation is in nothing the person typed lately, or says something else; it counts as the agent's own words"


def person_said(context: Context, kind: str, text: str, quote: str) -> Candidate | None:
    """Return what the person said of it, with conversation and turn, when the quotation is theirs, typed, and tells the text.

    An agent that was talked into it cannot forge that: the words must stand in a transcript that the host wrote. A conversation that an
    agent handed over holds what the agent says was said, and proves nothing.
    """
    absorb(context, (), wait_s=SHORT_WAIT_S)
    since = context.clock.now() - SAID_WITHIN
    scope = Scope(sources=("session",), statuses=None, since=since)
    handed_over = context.storage.conversations.folder
    written = (
        other_item for other_item in context.index.select(scope) if not Path(other_item.path).is_relative_to(handed_over)
    )
    for item in islice(written, LOOKED_AT):
        try:
            session, _ = long_session(context, item.key, item.path)
        except NotFound:
            continue
        conversation = Conversation(session, shown_of(session.turns, voices(session.turns)))
        candidates, _ = candidates_of([{"kind": kind, "text": text, "quote": quote}], conversation, "agent")
        if candidates and (candidates[0].trust, candidates[0].confidence) == ("user", "high"):
            return candidates[0]
    return None


def states_change(context: Context, quote: str, memory: Memory, text: str) -> bool:
    """Return whether words of the person say that a memory gives way to a text.

    They speak of the memory, every word of content that is new in the text is theirs, and both deny or neither does.
    """
    stop = common_words(quote)
    terms, known, new = (
        frozenset(context.index.terms(entry, stop)) for entry in (quote, f"{memory.title} {memory.body}", text)
    )
    denies = speech("denying")
    return bool(terms & known) and new - known <= terms and bool(denies.search(quote)) == bool(denies.search(text))
