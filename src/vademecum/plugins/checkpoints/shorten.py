"""Shorten long chats in checkpoints without losing their content (IN-33).

The older part is mined and summarised in a handoff; the recent part stays. Only checkpoints are shortened, which are copies on
this device that expire in a week. Other conversations are mined as they grow and stay complete.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from vademecum.domain.errors import Refused
from vademecum.domain.memory import By, Draft
from vademecum.domain.session import Candidate
from vademecum.plugin_api.conversations import handoffs_of, mine, stand_alone
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import DAY, Did, Job
from vademecum.plugin_api.vault import slugify
from vademecum.plugin_api.writing import line_of, route_all
from vademecum.plugins.checkpoints.checkpoints import (
    chat_of,
    checkpoints,
    drop_expired,
    of_agent,
    short,
    slug_of,
    write_checkpoint,
)
from vademecum.plugins.checkpoints.values import Checkpoint, Message

#: Maximum messages of a checkpoint; the last ones are stored.
MESSAGES_LEFT = 20
#: Maximum candidates per kind from one shortening, and maximum characters of each.
CAP, ENTRY_MAX_CHARS = 10, 300
#: Messages of the agent in the handoff of the removed part.
HANDED_OVER = 3
HANDOFF_TAGS, MINED_TAGS = ("compacted", "auto-handoff"), ("compacted", "auto-extract")
#: Id of a chat that has none, so that its handoffs replace each other.
UNNAMED = "open"
BY_TRIMMING = By("extraction", "compact")


def trim(context: Context) -> int:
    """Shorten every chat that is too long; return their number. Unreadable checkpoints are skipped."""
    count = 0
    for kept in checkpoints(context):
        if len(kept.messages) > MESSAGES_LEFT:
            _trim(context, kept)
            count += 1
    return count


def _trim(context: Context, kept: Checkpoint) -> None:
    """Mine the removed part if it is new, write its handoff, and only then delete it."""
    gone = kept.messages[:-MESSAGES_LEFT]
    new = _behind(gone, kept.mined)
    if new:
        chat = chat_of(context, replace(kept, chat=kept.chat or UNNAMED), new)
        route_all(context, of_agent(_chosen(mine(chat)), kept), chat.host, MINED_TAGS)
        _hand_over(context, kept, new, chat.uri)
    write_checkpoint(context, replace(kept, messages=kept.messages[-MESSAGES_LEFT:], mined=_mark(gone[-1])))


def _behind(messages: Sequence[Message], mark: str) -> Sequence[Message]:
    """Return the messages after the one with that mark; all of them when none has it."""
    last = next((number for number in reversed(range(len(messages))) if _mark(messages[number]) == mark), -1)
    return messages[last + 1 :]


def _mark(message: Message) -> str:
    """Return a hash of a message, which does not contain its words."""
    content = f"{message.role}\n{message.text}".encode("utf-8", "replace")
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _chosen(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    counts: Counter[str] = Counter()
    for candidate in candidates:
        if len(candidate.text) <= ENTRY_MAX_CHARS and counts[candidate.kind] < CAP:
            counts[candidate.kind] += 1
            yield candidate


def _hand_over(context: Context, kept: Checkpoint, gone: Sequence[Message], chat: str) -> None:
    """Write a handoff of the removed part, which replaces the previous one."""
    messages = [message for message in gone if message.role != "user"][-HANDED_OVER:]
    if not messages:
        return
    body = "".join(f"- {line_of(context, short(message.text), BY_TRIMMING)}\n" for message in messages)
    draft = Draft(
        "handoff",
        f"{kept.agent}: the earlier part of a long chat",
        body,
        tags=HANDOFF_TAGS,
        properties={"agent": slug_of(kept), "source": chat, "trust": "extracted", "valid_from": kept.saved},
    )
    try:
        stand_alone(context, draft, slugify(draft.title), handoffs_of(context, chat), by=BY_TRIMMING)
    except Refused:  # the chat was forgotten
        return


def tidy_chats(context: Context) -> Mapping[str, int]:
    """Delete expired checkpoints and shorten long ones; return the number of each."""
    return {"checkpoints": drop_expired(context), "trimmed": trim(context)}


def _chats(context: Context, _seconds: float | None) -> Did:
    done = tidy_chats(context)
    return (f"expired: {done['checkpoints']}; shortened: {done['trimmed']}" if any(done.values()) else ""), ()


JOBS = (Job("chats", "Deletes expired checkpoints of chats; reads and shortens long ones.", _chats, DAY, alone=True),)
