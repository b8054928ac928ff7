"""Verbs for conversations that agents hand over."""

from vademecum.api import Vademecum
from vademecum.domain.conversation import INTERFACES, Conversation
from vademecum.domain.relations import STATED
from vademecum.entrypoints.text import saved_text
from vademecum.entrypoints.verbs.verb import Param, Verb
from vademecum.ingest.conversations import HandedOver, Handling
from vademecum.llm_reading.marked import Marked

_CONVERSATION = Param("conversation_id", "text", "Its id.", place=True, max_chars=80)

_MESSAGE = (
    Param("role", "text", "Who said it.", choices=("user", "assistant", "system", "tool")),
    Param("content", "text", "What was said.", max_chars=100_000),
)

#: Parameters of what an agent found in its own conversation.
FACTS = Param(
    "facts", "objects", "", (), max_items=50,
    fields=(
        Param("text", "text", "One statement, understandable by itself.", max_chars=300),
        Param("quote", "text", "Words it comes from, exactly as said.", max_chars=1000),
        Param("kind", "text", "", "fact", max_chars=40),
        Param("importance", "share", "", 0.5),
        Param("topics", "list", "", (), max_items=3, max_chars=40),
        Param("relation", "text", "", "new", choices=STATED),
        Param("target", "text", "Memory it relates to.", "", max_chars=300),
        Param("rationale", "text", "", "", max_chars=1000),
    ),
)  # fmt: skip


def handed_over_text(result: HandedOver) -> str:
    """Return what happened to a conversation."""
    lines = [f"{result.action}: {result.title}  ({result.interface}, {result.messages} messages, {result.added} new)"]
    lines.append(f"  conversation {result.conversation_id}, {result.thread_id}")
    if result.sync == "pending":
        lines.append(f"  Waiting for your confirmation: vade conversations --confirm {result.conversation_id}")
    if result.captured:
        lines += ["  " + saved_text(saved).replace("\n", "\n  ") for saved in result.captured.saved]
    return "\n".join(lines)


def conversations_text(result: tuple[Conversation, ...]) -> str:
    """Return one line each."""
    lines = [
        f"{conversation.used:%Y-%m-%d %H:%M}  {conversation.interface:<12} {conversation.title}  ({conversation.id}"
        f"{', waiting for your confirmation' if conversation.pending else ''})"
        for conversation in result
    ]
    return "\n".join(lines) or "No conversations were saved."


def marked_text(result: Marked) -> str:
    """Return what was saved of a conversation."""
    lines = [f"{result.captured.title}  ({result.turns} turns)"]
    lines += ["  " + saved_text(saved).replace("\n", "\n  ") for saved in result.captured.saved]
    lines += [f"  rejected: {text} ({why})" for text, why in result.rejected]
    lines += ["  the language model reads it next"] if result.queued else []
    return "\n".join(lines if len(lines) > 1 else [*lines, "  nothing to remember in it"])


VERBS = (
    Verb("save-conversation", "Save a conversation, or the new turns of one that is known.", (
        Param("interface", "text", "The tool it was held in: " + ", ".join(INTERFACES) + ".", place=True, max_chars=40),
        Param("messages", "objects", "The messages, as JSON.", max_items=500, fields=_MESSAGE),
        Param("title", "text", "Its title; empty: the first thing said.", "", max_chars=200),
        Param("conversation_id", "text", "Continue this one, however old.", "", max_chars=80),
        Param("thread_id", "text", "Join it to conversations of other tools.", "", max_chars=80),
        Param("living_document", "flag", "Continue the tool's last one of the past half hour.", True),
        Param("exclude", "flag", "Save it, but learn nothing from it.", False),
    ), Vademecum.conversations.accept, handed_over_text, {"handling": Handling}, writes=True, standing="agent"),
    Verb("save-conversation --close", "Add nothing more to a conversation.", (_CONVERSATION,), Vademecum.conversations.close,
         handed_over_text, writes=True, needs_enabled=False),
    Verb("conversations", "Conversations that agents saved, newest first.", (
        Param("pending", "flag", "Only those waiting for your confirmation.", False),
        Param("interface", "text", "Only of this tool.", ""),
        Param("limit", "number", "Maximum number of conversations.", 50, least=1, most=1000),
    ), Vademecum.conversations.list, conversations_text, signed=True),
    Verb("conversations --confirm", "Confirm a waiting conversation, so that it is read, or discard it.",
         (_CONVERSATION, Param("drop", "flag", "Throw it away instead.", False)), Vademecum.conversations.confirm,
         handed_over_text, writes=True, agents=False, needs_enabled=False),
    Verb("mark", "Propose memories from a conversation now, however short it is.", (
        Param("session", "text", "An id, the start of one, a URI, path or title; empty: the last one.", "", place=True),
        Param("reason", "text", "Why.", "", max_chars=1000),
        Param("since", "number", "Spoken turns to skip.", 0),
        Param("least", "number", "Fewest turns from which anything is proposed.", 0),
        FACTS,
    ), Vademecum.conversations.mark, marked_text, writes=True, standing="agent"),
)  # fmt: skip
