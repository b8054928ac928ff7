"""Conversations that agents hand over: saved whole, continued while they live, captured at once or when the person agrees."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.tombstones import forgotten
from vademecum.domain.conversation import Conversation, Message, interface_named
from vademecum.domain.errors import InvalidInput, Locked, NotFound
from vademecum.domain.memory import BY_PERSON, By
from vademecum.domain.session import THREAD
from vademecum.ingest.growth import Captured
from vademecum.ingest.transcripts import SHORT_WAIT_S, absorb

#: A conversation that was added to within this time goes on when the same tool saves again without naming an id.
LIVES = timedelta(minutes=30)
#: Conversations of a tool that are looked at for the one that lives.
LOOKED_AT = 20


class HandedOver(Struct, frozen=True):
    """What became of a conversation that was handed over.

    Attributes:
        action: "started", "continued", "unchanged" (all of it was known), "closed", "confirmed" or "dropped".
        messages: how many it has now. added: how many of them are new.
        sync: "auto": searchable and mined at once; "pending": it waits for the person.
        captured: what was proposed from the new part, when it was read.
    """

    action: Literal["started", "continued", "unchanged", "closed", "confirmed", "dropped"]
    conversation_id: str
    thread_id: str
    interface: str
    title: str
    messages: int
    added: int
    sync: Literal["auto", "pending"]
    captured: Captured | None = None


def accept(
    context: Context,
    interface: str,
    messages: Sequence[Mapping[str, Any]],
    *,
    title: str = "",
    conversation_id: str = "",
    thread_id: str = "",
    living_document: bool = True,
    create: bool = False,
    at_once: bool = False,
    exclude: bool = False,
    about: Mapping[str, str] | None = None,
) -> HandedOver:
    """Keep a conversation, or what is new in one that is known.

    Args:
        messages: each with `role` and `content`.
        conversation_id: continue this one, however old. Without it, a living document continues the tool's last one of the
            past half hour.
        thread_id: join it to conversations of other tools; a malformed one is ignored.
        create: make one of that id when there is none.
        at_once: read it at once, whatever its tool; for the person's own programs.
        exclude: learn nothing from it, now or later; it is kept all the same.
        about: what its program wants back, by name.

    Raises:
        Refused: memory is switched off. NotFound: no conversation of that id. InvalidInput: nothing was said, or it belongs to
            another tool.
    """
    context.must_be_enabled("nothing was kept")
    source = interface_named(interface)
    gone = forgotten(context)
    all_messages = tuple(
        Message(message["role"], gone.blank(context.guard.clean(message["content"])))
        for message in messages
        if message["content"].strip()
    )
    if not all_messages:
        raise InvalidInput("There is nothing to save: no message has a text.")
    known = _known(context, source, conversation_id, living_document, create)
    if known is not None and known.interface != source:
        raise InvalidInput(
            f"Conversation {known.id} belongs to {known.interface}, not to {source}.", "Save it without conversation_id."
        )
    if known is not None and known.closed:
        raise InvalidInput(f"Conversation {known.id} is closed; nothing is added to it.", "Save it without conversation_id.")
    new = _delta(known.messages, all_messages) if known else all_messages
    if known is not None and not new and not about:
        return _told("unchanged", known, 0)
    waits = source not in context.choices.auto_interfaces and not at_once
    conversation = known or context.storage.conversations.start(
        replace(_fresh(context, source, all_messages, title, conversation_id, thread_id), pending=waits)
    )
    noted = {name: gone.blank(context.guard.clean(text)) for name, text in (about or {}).items()}
    conversation = context.storage.conversations.add(conversation, new, context.clock.now(), noted)
    if exclude:
        context.storage.pauses.exclude(conversation.uri, context.clock.now())
    captured = None if conversation.pending else _captured(context, conversation)
    return _told("continued" if known else "started", conversation, len(new), captured)


def close(context: Context, conversation_id: str) -> HandedOver:
    """End a conversation: nothing is added any more. Closing twice is no error.

    Raises:
        NotFound: no conversation of that id.
    """
    context.must_be_enabled("nothing was kept")
    conversation = context.storage.conversations.get(conversation_id)
    if not conversation.closed:
        conversation = context.storage.conversations.close(conversation, context.clock.now())
    return _told("closed", conversation, 0)


def confirm(context: Context, conversation_id: str, drop: bool = False) -> HandedOver:
    """Carry out the person's word on a pending conversation: read it, or drop it.

    Raises:
        NotFound: no conversation of that id. InvalidInput: it is not pending.
    """
    context.must_be_enabled("nothing was kept")
    conversation = context.storage.conversations.get(conversation_id)
    if not conversation.pending:
        raise InvalidInput(f"Conversation {conversation.id} is not pending.", "See what waits: vade conversations --pending")
    if drop:
        context.storage.conversations.drop(conversation)
        return _told("dropped", conversation, 0)
    conversation = context.storage.conversations.confirm(conversation)
    return _told("confirmed", conversation, 0, _captured(context, conversation))


def _known(context: Context, source: str, conversation_id: str, living: bool, create: bool) -> Conversation | None:
    if conversation_id:
        try:
            return context.storage.conversations.get(conversation_id)
        except NotFound:
            if create:
                return None
            raise
    if not living:
        return None
    recent = context.storage.conversations.newest(LOOKED_AT, interface=source)
    now = context.clock.now()
    return next((conversation for conversation in recent if not conversation.closed and now - conversation.used <= LIVES), None)


def _delta(there: Sequence[Message], messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the new messages: those behind what stands there when the whole conversation, or a window on it, came again; else all.

    Two messages at least must agree for a window. One may well be said twice: "Yes."
    """
    for known in range(min(len(there), len(messages)), 0, -1):
        if (known > 1 or known == len(there)) and tuple(messages[:known]) == tuple(there[-known:]):
            return tuple(messages[known:])
    return tuple(messages)


def _fresh(context: Context, source: str, messages: Sequence[Message], title: str, identity: str, thread: str) -> Conversation:
    now = context.clock.now()
    new_id = identity or context.clock.new_id()
    made = f"thread-{now:%Y-%m-%d}-{hashlib.blake2b(new_id.encode(), digest_size=3).hexdigest()}"
    name = context.guard.clean(title).strip() or next(
        (message.text for message in messages if message.role == "user"), messages[0].text
    )
    return Conversation(
        id=new_id,
        interface=source,
        thread=thread if THREAD.fullmatch(thread) else made,
        title=" ".join(name.split())[:200],
        started=now,
        used=now,
        closed=False,
        pending=False,
        path="",
    )


def _captured(context: Context, conversation: Conversation) -> Captured | None:
    """Read a conversation that was kept. While another process reads, it waits for the next capture."""
    try:
        report = absorb(context, [conversation.path], wait_s=SHORT_WAIT_S)
    except Locked:
        return None
    return report.sessions[0] if report.sessions else None


def _told(action: Any, conversation: Conversation, added: int, captured: Captured | None = None) -> HandedOver:
    return HandedOver(
        action=action,
        conversation_id=conversation.id,
        thread_id=conversation.thread,
        interface=conversation.interface,
        title=conversation.title,
        messages=len(conversation.messages),
        added=added,
        sync="pending" if conversation.pending else "auto",
        captured=captured,
    )


def newest(
    context: Context, pending: bool = False, interface: str = "", limit: int = 50, *, by: By = BY_PERSON
) -> tuple[Conversation, ...]:
    """Return conversations that agents handed over, newest first, without what was said.

    Args:
        pending: only those that wait for the person's word. interface: only those of this tool.
        by: who asks; only the person is told of those that were excluded.
    """
    conversations = context.storage.conversations.newest(limit, interface=interface, pending=True if pending else None)
    hidden = () if by.actor == "user" else context.storage.pauses.excluded()
    return tuple(replace(conversation, messages=()) for conversation in conversations if conversation.uri not in hidden)
