"""Checkpoints of chats: one small file per agent on this device, with the last fifty messages, valid for a week.

They serve programs that hold their conversations in memory, and write them to disk now and then (`<agent>.json`) or pass them
on when they close. Messages internal to a program and its agent are dropped first.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from vademecum.domain.agents import agent_named
from vademecum.domain.errors import InvalidInput, NotFound, Problem, WriteFailed
from vademecum.domain.memory import By, Draft
from vademecum.domain.places import place_named
from vademecum.domain.session import Candidate, Session, Snapshot, Turn
from vademecum.plugin_api.conversations import MESSAGE_CHARS, MESSAGES, mine
from vademecum.plugin_api.memory import Context, forgotten
from vademecum.plugin_api.vault import slugify
from vademecum.plugin_api.writing import Saved, keep, route_all
from vademecum.plugins.checkpoints.values import MESSAGES_KEPT, VALID, Checkpoint, Message, SyncedCheckpoints

#: Number of messages, and maximum characters of each, in a handoff without a summary.
CLOSING_MESSAGES, CLOSING_CHARS = 6, 200
#: Tags of such a handoff, and of memories mined from the chat.
HANDOFF_TAGS = ("auto-handoff", "session-close")
MINED_TAGS = ("auto-extract", "session-close")
#: Larger numbers are milliseconds since 1970, as JavaScript programs write them; as seconds they would lie in the year 5000.
_MILLISECONDS_FROM = 1e11


def checkpoint(
    context: Context, agent: str, messages: Iterable[Message], *, chat: str = "", model: str = "", saved: datetime | None = None
) -> Checkpoint:
    """Save a checkpoint of a chat, replacing the previous one.

    Raises:
        InvalidInput: no agent is named.
        Refused: memory is switched off.
        WriteFailed: the file could not be written.
    """
    if not agent.strip():
        raise InvalidInput("A checkpoint needs the name of its agent.")
    context.must_be_enabled("nothing was kept")
    gone = forgotten(context)
    all_messages = tuple(
        Message(message.role, gone.blank(context.guard.clean(message.text))) for message in _last_words(messages)
    )
    known = recover(context, agent)
    mined = known.mined if known is not None and known.chat == chat else ""
    return write_checkpoint(context, Checkpoint(agent, saved or context.clock.now(), all_messages, chat, model, mined))


def write_checkpoint(context: Context, kept: Checkpoint) -> Checkpoint:
    """Write a checkpoint, replacing the previous one.

    Raises:
        WriteFailed: the file could not be written.
    """
    value: dict[str, Any] = {
        "agentId": kept.agent,
        "savedAt": int(kept.saved.timestamp() * 1000),
        "messages": [{"role": message.role, "text": message.text} for message in kept.messages],
    }
    value |= {name: text for name, text in (("chatId", kept.chat), ("modelId", kept.model), ("mined", kept.mined)) if text}
    _write(_place(context, kept.agent), json.dumps(value, ensure_ascii=False))
    return kept


def checkpoints(context: Context) -> Iterator[Checkpoint]:
    """Yield every readable checkpoint, sorted by agent."""
    for path in sorted(Path(context.storage.checkpoints).glob("*.json")) if context.storage.checkpoints else ():
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            yield _conversation(json.loads(path.read_text(encoding="utf-8")), None)


def recover(context: Context, agent: str) -> Checkpoint | None:
    """Return the checkpoint of an agent's chat; None when there is none, it is older than a week, or it cannot be read."""
    try:
        kept = _conversation(json.loads(_place(context, agent).read_text(encoding="utf-8")), None)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    return kept if context.clock.now() - kept.saved < VALID else None


def recovered(context: Context, agent: str) -> Checkpoint:
    """Return the checkpoint of an agent's chat.

    Raises:
        NotFound: there is none, or it is older than a week.
    """
    kept = recover(context, agent)
    if kept is None:
        raise NotFound(f"No chat of {agent!r} was saved in the last week.", "See older ones with: vade sessions list")
    return kept


def recoverable(context: Context) -> tuple[Checkpoint, ...]:
    """Return all valid checkpoints, sorted by agent. Each contains the id by which its host resumes the chat."""
    now = context.clock.now()
    return tuple(kept for kept in checkpoints(context) if now - kept.saved < VALID)


def last_words(context: Context, agent: str) -> Snapshot | None:
    """Return the last messages of an agent's chat for its next session; None when :func:`recover` returns None (IN-26)."""
    kept = recover(context, agent)
    if kept is None or not kept.messages:
        return None
    pairs = tuple(
        ("", f"[{message.role}]: {' '.join(message.text.split())[:MESSAGE_CHARS]}") for message in kept.messages[-MESSAGES:]
    )
    return Snapshot(f"chat {kept.chat or agent}", "", kept.saved, pairs, finished=False)


def drop_expired(context: Context) -> int:
    """Delete the checkpoints that are too old or unreadable; return their number."""
    dropped = 0
    for path in sorted(Path(context.storage.checkpoints).glob("*.json")) if context.storage.checkpoints else ():
        try:
            kept = _conversation(json.loads(path.read_text(encoding="utf-8")), None)
            expired = context.clock.now() - kept.saved >= VALID
        except OSError:  # possibly a temporary failure
            continue
        except (ValueError, TypeError, KeyError, AttributeError):
            expired = True
        if expired:
            path.unlink(missing_ok=True)
            dropped += 1
    return dropped


def sync_checkpoints(context: Context, folder: str, force: bool = False) -> SyncedCheckpoints:
    """Create checkpoints from a folder of conversations, one `<agent>.json` each, where they are newer than the existing ones.

    Args:
        force: also replace checkpoints that are not older.

    Raises:
        InvalidInput: the folder does not exist, or the path is invalid.
    """
    place = place_named(folder)
    if not place.is_dir():
        raise InvalidInput(f"There is no folder {place}.", "Name the one that the program writes its conversations to.")
    written: list[str] = []
    problems: list[Problem] = []
    unchanged = 0
    for path in sorted(place.glob("*.json")):
        try:
            changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            conversation = _conversation(json.loads(path.read_text(encoding="utf-8")), changed, name=path.stem)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            problems.append(Problem(str(path), f"This conversation cannot be read: {error}."))
            continue
        known = recover(context, conversation.agent)
        if known is not None and known.saved >= _to_milliseconds(conversation.saved) and not force:
            unchanged += 1
            continue
        checkpoint(
            context,
            conversation.agent,
            conversation.messages,
            chat=conversation.chat,
            model=conversation.model,
            saved=conversation.saved,
        )
        written.append(conversation.agent)
    return SyncedCheckpoints(tuple(written), unchanged, tuple(problems))


def sleep(
    context: Context, agent: str, messages: Sequence[Message], summary: str = "", *, chat: str = "", model: str = ""
) -> Saved:
    """Close a chat: save its checkpoint, write a handoff, and mine all of its messages.

    Raises:
        InvalidInput: there is neither a summary nor a message for the handoff.
        Refused: memory is off, or the guard refuses the text.
    """
    known = recover(context, agent)
    all_messages = messages or (known.messages if known else ())
    kept = checkpoint(
        context, agent, all_messages, chat=chat or (known.chat if known else ""), model=model or (known.model if known else "")
    )
    lines = [f"- {message.role}: {short(message.text)}" for message in kept.messages[-CLOSING_MESSAGES:]]
    body = summary.strip() or "\n".join(lines)
    if not body:
        raise InvalidInput("There is nothing to write a handoff from.", "Give a summary, or messages that are not internal.")
    title = f"{agent}: {_title(summary or next((m.text for m in reversed(kept.messages) if m.role == 'user'), 'chat closed'))}"
    draft = Draft("handoff", title, body + "\n", tags=HANDOFF_TAGS, properties={"agent": slugify(agent)})
    saved = keep(context, draft, by=By("agent", "sleep"), unique=True)
    chat_said = chat_of(context, kept, all_messages)
    routed = route_all(context, of_agent(mine(chat_said), kept), chat_said.host, MINED_TAGS)
    gained = sum(outcome.action in ("saved", "superseded", "inbox") for outcome in routed)
    return replace(saved, note=f"Memories proposed from what was said: {gained}") if gained else saved


def chat_of(context: Context, kept: Checkpoint, said: Iterable[Message]) -> Session:
    """Return messages of a chat as a session; there may be more of them than in its checkpoint."""
    gone = forgotten(context)
    texts = [(message.role, gone.blank(context.guard.clean(message.text))) for message in said if not message.internal]
    turns = tuple(
        Turn(f"m{number}", "user" if role == "user" else "agent", text, time=kept.saved)
        for number, (role, text) in enumerate(texts, 1)
        if text.strip()
    )
    name = slugify(kept.chat) if kept.chat else f"{kept.saved:%Y%m%dT%H%M%S}"
    return Session(slug_of(kept), name, "", turns)


def of_agent(candidates: Iterable[Candidate], kept: Checkpoint) -> tuple[Candidate, ...]:
    """Return the candidates from an agent's chat, attributed to that agent (IN-43)."""
    return tuple(replace(candidate, agent=slug_of(kept)) for candidate in candidates)


def slug_of(kept: Checkpoint) -> str:
    """Return the agent's name in the form used in memories."""
    return slugify(kept.agent)


def messages_of(text: str) -> tuple[Message, ...]:
    """Parse messages: a JSON list, or an object with the list under "messages".

    Raises:
        InvalidInput: the text is neither.
    """
    try:
        value = json.loads(text) if text.strip() else []
        return tuple(map(_message, value["messages"] if isinstance(value, dict) else value))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InvalidInput(
            "This is not a list of messages.", 'Give JSON: [{"role": "user", "text": "..."}, {"role": "agent", "text": "..."}]'
        ) from None


def _conversation(value: Mapping[str, Any], changed: datetime | None, *, name: str = "") -> Checkpoint:
    """Parse a conversation or a checkpoint, without internal messages.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: the value has another form.
    """
    saved = _moment(value.get("savedAt")) or changed
    if saved is None:
        raise ValueError("it does not tell when it was saved")
    messages = tuple(message for message in map(_message, value["messages"]) if not message.internal)
    agent = value.get("agentId") or name
    return Checkpoint(
        str(agent),
        saved,
        messages,
        str(value.get("chatId") or ""),
        str(value.get("modelId") or ""),
        str(value.get("mined") or ""),
    )


def _message(value: Mapping[str, Any]) -> Message:
    role = "user" if value.get("role") in ("user", "human") else "agent"
    text = value.get("text", value.get("content"))
    if not isinstance(text, str):
        raise TypeError("a message has no text")
    return Message(role, text, value.get("internal") is True)


def _moment(value: object) -> datetime | None:
    """Parse ISO 8601, or milliseconds or seconds since 1970; None for a missing value. Raises ValueError for other text."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS_FROM else value, UTC)
    moment = datetime.fromisoformat(str(value))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _to_milliseconds(moment: datetime) -> datetime:
    """Truncate a moment to milliseconds, the precision of checkpoints."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _last_words(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Return the last messages that are not empty or internal."""
    return tuple([message for message in messages if not message.internal and message.text.strip()][-MESSAGES_KEPT:])


def _place(context: Context, agent: str) -> Path:
    return Path(context.storage.checkpoints) / f"{slugify(agent_named(agent))}.json"


def _write(path: Path, text: str) -> None:
    part = path.with_suffix(".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8", errors="replace") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise WriteFailed(
            f"The checkpoint could not be written: {error.strerror or error}.", f"Look at {path.parent}."
        ) from error


def short(text: str) -> str:
    """Return a message on one line, cut to the maximum length for a handoff."""
    flat = " ".join(text.split())
    return flat if len(flat) <= CLOSING_CHARS else flat[: CLOSING_CHARS - 1].rpartition(" ")[0] + "…"


def _title(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else flat[:59].rpartition(" ")[0] + "…"
