"""Check an agent's quotation of the person: it counts as the person's words only if it occurs in a transcript."""

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

#: How many recent conversations are searched for the quotation, and within which time they must have had a turn.
LOOKED_AT, SAID_WITHIN = 5, timedelta(hours=24)
UNFOUND = "the quotation is in nothing the person typed lately, or says something else; it counts as the agent's own words"


def person_said(context: Context, kind: str, text: str, quote: str) -> Candidate | None:
    """Return the candidate for a quotation that the person typed and that supports the text; else None.

    It names the conversation and the turn. An agent cannot forge it: the words must occur in a transcript that the host wrote.
    Conversations that an agent sent prove nothing.
    """
    absorb(context, (), wait_s=SHORT_WAIT_S)
    since = context.clock.now() - SAID_WITHIN
    scope = Scope(sources=("session",), statuses=None, since=since)
    handed_over = context.storage.conversations.folder
    written = (talk for talk in context.index.select(scope) if not Path(talk.path).is_relative_to(handed_over))
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
    """Return whether the person's words say that `text` replaces a memory.

    They share a word with the memory, they contain every content word that is new in the text, and both or neither contain a
    negation.
    """
    stop = common_words(quote)
    terms, known, new = (
        frozenset(context.index.terms(entry, stop)) for entry in (quote, f"{memory.title} {memory.body}", text)
    )
    denies = speech("denying")
    return bool(terms & known) and new - known <= terms and bool(denies.search(quote)) == bool(denies.search(text))
