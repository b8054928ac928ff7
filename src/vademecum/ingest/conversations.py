"""Conversations that agents send.

They are stored completely, continued while they are active, and captured at once or after the person agrees.
"""

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

#: A conversation with messages within this time continues when the same tool saves again without an id.
LIVES = timedelta(minutes=30)
#: Maximum conversations of a tool that are searched for the active one.
LOOKED_AT = 20


class HandedOver(Struct, frozen=True):
    """Result of saving or changing a conversation.

    Attributes:
        action: "started", "continued", "unchanged" (nothing new), "closed", "confirmed" or "dropped".
        messages: total number of messages.
        added: number of new messages.
        sync: "auto": indexed and mined at once; "pending": waits for the person.
        captured: result of reading the new part, if it was read.
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


class Handling(Struct, frozen=True, kw_only=True):
    """What shall become of a conversation that is handed over.

    Attributes:
        title: "": the first thing said.
        conversation_id: continue this one, however old. Without it, a living document continues the tool's last one of the past
            half hour.
        thread_id: links it to conversations of other tools; a malformed one is ignored.
        create: create a conversation with that id when there is none.
        at_once: read it at once, whatever its tool; for the person's own programs.
        exclude: learn nothing from it, now or later; it is stored all the same.
        about: values that its program wants back, by name.
    """

    title: str = ""
    conversation_id: str = ""
    thread_id: str = ""
    living_document: bool = True
    create: bool = False
    at_once: bool = False
    exclude: bool = False
    about: Mapping[str, str] = {}


#: Nothing of it is given.
AS_USUAL = Handling()


def accept(
    context: Context, interface: str, messages: Sequence[Mapping[str, Any]], handling: Handling = AS_USUAL
) -> HandedOver:
    """Store a conversation, or the new part of a known one.

    Args:
        messages: each with `role` and `content`.

    Raises:
        Refused: memory is switched off.
        NotFound: no conversation has that id.
        InvalidInput: no message has text, or the conversation is closed or belongs to another tool.
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
    known = _known(context, source, handling)
    if known is not None and known.interface != source:
        raise InvalidInput(
            f"Conversation {known.id} belongs to {known.interface}, not to {source}.", "Save it without conversation_id."
        )
    if known is not None and known.closed:
        raise InvalidInput(f"Conversation {known.id} is closed; nothing is added to it.", "Save it without conversation_id.")
    new = _delta(known.messages, all_messages) if known else all_messages
    if known is not None and not new and not handling.about:
        return _handed_over("unchanged", known, 0)
    waits = source not in context.choices.auto_interfaces and not handling.at_once
    conversation = known or context.storage.conversations.start(
        replace(_fresh(context, source, all_messages, handling), pending=waits)
    )
    noted = {name: gone.blank(context.guard.clean(text)) for name, text in handling.about.items()}
    conversation = context.storage.conversations.add(conversation, new, context.clock.now(), noted)
    if handling.exclude:
        context.storage.pauses.exclude(conversation.uri, context.clock.now())
    captured = None if conversation.pending else _captured(context, conversation)
    return _handed_over("continued" if known else "started", conversation, len(new), captured)


def close(context: Context, conversation_id: str) -> HandedOver:
    """Close a conversation: no messages can be added afterwards. Closing twice is no error.

    Raises:
        NotFound: no conversation has that id.
    """
    context.must_be_enabled("nothing was kept")
    conversation = context.storage.conversations.get(conversation_id)
    if not conversation.closed:
        conversation = context.storage.conversations.close(conversation, context.clock.now())
    return _handed_over("closed", conversation, 0)


def confirm(context: Context, conversation_id: str, drop: bool = False) -> HandedOver:
    """Read a pending conversation because the person agreed, or drop it.

    Raises:
        NotFound: no conversation has that id.
        InvalidInput: it is not pending.
    """
    context.must_be_enabled("nothing was kept")
    conversation = context.storage.conversations.get(conversation_id)
    if not conversation.pending:
        raise InvalidInput(f"Conversation {conversation.id} is not pending.", "See what waits: vade conversations --pending")
    if drop:
        context.storage.conversations.drop(conversation)
        return _handed_over("dropped", conversation, 0)
    conversation = context.storage.conversations.confirm(conversation)
    return _handed_over("confirmed", conversation, 0, _captured(context, conversation))


def _known(context: Context, source: str, handling: Handling) -> Conversation | None:
    if handling.conversation_id:
        try:
            return context.storage.conversations.get(handling.conversation_id)
        except NotFound:
            if handling.create:
                return None
            raise
    if not handling.living_document:
        return None
    recent = context.storage.conversations.newest(LOOKED_AT, interface=source)
    now = context.clock.now()
    return next((conversation for conversation in recent if not conversation.closed and now - conversation.used <= LIVES), None)


def _delta(there: Sequence[Message], messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the new messages. If the list begins with the stored messages, or with the last ones of them, these are left out.

    An overlap of one message counts only if it is the only one stored: "Yes." may well be said twice.
    """
    for known in range(min(len(there), len(messages)), 0, -1):
        if (known > 1 or known == len(there)) and tuple(messages[:known]) == tuple(there[-known:]):
            return tuple(messages[known:])
    return tuple(messages)


def _fresh(context: Context, source: str, messages: Sequence[Message], handling: Handling) -> Conversation:
    now = context.clock.now()
    new_id = handling.conversation_id or context.clock.new_id()
    made = f"thread-{now:%Y-%m-%d}-{hashlib.blake2b(new_id.encode(), digest_size=3).hexdigest()}"
    name = context.guard.clean(handling.title).strip() or next(
        (message.text for message in messages if message.role == "user"), messages[0].text
    )
    return Conversation(
        id=new_id,
        interface=source,
        thread=handling.thread_id if THREAD.fullmatch(handling.thread_id) else made,
        title=" ".join(name.split())[:200],
        started=now,
        used=now,
        closed=False,
        pending=False,
        path="",
    )


def _captured(context: Context, conversation: Conversation) -> Captured | None:
    """Read a stored conversation; None while another process reads: the next capture includes it."""
    try:
        report = absorb(context, [conversation.path], wait_s=SHORT_WAIT_S)
    except Locked:
        return None
    return report.sessions[0] if report.sessions else None


def _handed_over(action: Any, conversation: Conversation, added: int, captured: Captured | None = None) -> HandedOver:
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
    """Return conversations that agents sent, newest first, without their messages.

    Args:
        pending: only those that wait for the person.
        interface: only those of this tool.
        by: who asks; excluded conversations are shown only to the person.
    """
    conversations = context.storage.conversations.newest(limit, interface=interface, pending=True if pending else None)
    hidden = () if by.actor == "user" else context.storage.pauses.excluded()
    return tuple(replace(conversation, messages=()) for conversation in conversations if conversation.uri not in hidden)
