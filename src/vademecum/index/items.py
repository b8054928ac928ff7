"""Memory, document or session -> item with passages: what of it is searched, under which heading, and by whom it was said."""

import hashlib
import re

from vademecum.index.chunks import chunk_note, split_text
from vademecum.model.item import Item, Passage
from vademecum.model.memory import Document, Memory
from vademecum.model.session import SPOKEN, Session, Turn

SESSIONS = "sessions"

_MARKUP = re.compile(r"[*_`#>\[\]()!|-]+")
_COMMENT = re.compile(r"%%.*?%%|<!--.*?-->", re.DOTALL)
#: A turn longer than so many pieces is a pasted file: the first pieces tell what it is.
PIECES_OF_A_TURN = 60


def memory_item(memory: Memory, stat: str) -> Item:
    """The item of a memory. Title, tags and topics stand in the heading of every passage, so each knows what it is about."""
    return Item(
        key=memory.uri,
        source="memory",
        space=memory.space,
        path=memory.path,
        title=memory.title,
        stat=stat,
        digest=_digest(memory.etag, memory.space, memory.path),
        kind=memory.kind,
        status=memory.status,
        facet=memory.facet,
        summary=memory.summary,
        tags=memory.tags,
        topics=memory.topics,
        aliases=memory.aliases,
        project=memory.project,
        agent=memory.agent,
        host=memory.source_interface,
        profile=memory.profile,
        visibility=memory.visibility,
        trust=memory.trust,
        confidence=memory.confidence,
        importance=memory.importance,
        confirmations=memory.confirmations,
        always_load=memory.always_load,
        priority=memory.priority,
        pin=memory.pin,
        origin=memory.source,
        created=memory.created,
        updated=memory.updated,
        valid_from=memory.valid_from,
        valid_until=memory.valid_until,
        last_confirmed=memory.last_confirmed,
        edges=memory.edges,
        passages=_note_passages(memory.title, memory.body, (*memory.tags, *memory.topics, *memory.aliases)),
    )


def document_item(document: Document, stat: str) -> Item:
    """The item of a note the person wrote."""
    return Item(
        key=f"document://{document.space}/{document.path}",
        source="document",
        space=document.space,
        path=document.path,
        title=document.title,
        stat=stat,
        digest=_digest(document.etag, document.space, document.path),
        kind="document",
        tags=document.tags,
        aliases=document.aliases,
        created=document.modified,
        updated=document.modified,
        edges=document.edges,
        passages=_note_passages(document.title, _COMMENT.sub(_blank, document.body), (*document.tags, *document.aliases)),
    )


def session_item(session: Session, stat: str) -> Item:
    """The item of a conversation: a passage for each spoken turn, long ones in pieces. What tools answered is not speech."""
    passages: list[Passage] = []
    spoken = [turn for turn in session.turns if turn.role in SPOKEN]
    for number, turn in enumerate(spoken):
        passages += _turn_passages(turn, number)
    return Item(
        key=session.uri,
        source="session",
        space=SESSIONS,
        path=session.path,
        title=session.title or session.id,
        stat=stat,
        digest=_digest(session.uri, stat, str(len(passages))),
        kind="session",
        project=session.project,
        host=session.host,
        trust="user",
        created=session.started,
        updated=session.ended or session.started,
        passages=tuple(passages),
    )


def plain_text(text: str) -> str:
    """What a text says, without markup, case and spacing: equal texts are the same memory."""
    return " ".join(_MARKUP.sub(" ", text).lower().split())


def _blank(comment: re.Match[str]) -> str:
    """Nothing of a comment but its lines, so that what follows stands on the line it stood on."""
    return "\n" * comment[0].count("\n")


def _turn_passages(turn: Turn, number: int) -> list[Passage]:
    speaker = turn.speaker or turn.role
    return [
        Passage(piece, number, speaker=speaker, ref=turn.ref, time=turn.time)
        for piece in split_text(turn.text)[:PIECES_OF_A_TURN]
    ]


def _note_passages(title: str, body: str, words: tuple[str, ...]) -> tuple[Passage, ...]:
    """Passages of a note; one of the title alone when it has no text."""
    about = " ".join(dict.fromkeys((title, *words)))
    chunks = chunk_note(body)
    if not chunks:
        return (Passage(title, 0, heading=" ".join(words), ref="1"),)
    return tuple(
        Passage(chunk.text, number, heading=_heading(about, title, chunk.heading), ref=str(chunk.line))
        for number, chunk in enumerate(chunks)
    )


def _heading(about: str, title: str, heading: str) -> str:
    """Title, tags and the section's path, the title once."""
    rest = heading.removeprefix(title).removeprefix(" / ")
    return f"{about} / {rest}" if rest else about


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
