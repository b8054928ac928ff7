"""Transcripts of Claude Code: who said what, told apart from what the host, its tools and we ourselves put there.

Of the lines of type "user" about one in twelve is a person's; the others are tool results, output of commands, summaries
and reminders. Decisions:

* Every line is read by itself, so that a growing file gives the same turns however it is cut. A message that spreads over
  several lines gives a turn for each text in it. Thinking is nobody's speech.
* A tool call and a tool result are turns of role "tool": the command or the path, and both ends of the output.
* What a person types while the agent works never becomes a "user" line. It stands in a `queued_command` attachment, and
  before 2.1.50 or so only in the queue: enqueued, then "remove"d. Both are read, once.
* A person's words also stand in a refused tool call ("the user said:") and behind a slash command.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from vademecum.adapters.transcripts.carry import Carry, Seen, parse_time
from vademecum.adapters.transcripts.jsonl import Record, clean, complete, records
from vademecum.model.ports import Parsed
from vademecum.model.session import Cursor, Role, Turn

#: Longest text kept of a tool's output or of injected text, in characters: the first part and the last.
SHORT_HEAD_CHARS, SHORT_TAIL_CHARS = 1200, 800

#: Lines that are part of the conversation.
SPEECH_LINES = ("user", "assistant", "attachment", "system", "progress")

#: Lines that hold nothing anybody said.
BOOKKEEPING_LINES = frozenset({
    "file-history-snapshot", "file-history-delta", "last-prompt", "mode", "permission-mode", "atis-latch", "api-request-shape",
    "api-request-blob", "api-request", "tools-used", "cost-state", "agent-name", "agent-color", "agent-setting", "pr-link",
    "content-replacement", "context-collapse-commit", "context-collapse-snapshot", "marble-origami-commit", "started",
    "worktree-state", "attribution-snapshot", "speculation-accept", "task-summary", "tag", "result", "bridge-session",
    "relocated", "session-state", "fork-context-ref", "queue-operation", "summary", "ai-title", "custom-title",
})  # fmt: skip

#: Attachments that a hook (ours among them) put into the conversation.
HOOK_ATTACHMENTS = frozenset({
    "hook_additional_context", "hook_success", "hook_system_message", "hook_blocking_error", "hook_non_blocking_error",
    "hook_stopped_continuation", "hook_error_during_execution", "hook_cancelled", "async_hook_response",
})  # fmt: skip

#: How user lines begin that no person typed.
HOST_PREFIXES = (
    "<local-command-", "<bash-stdout>", "<bash-stderr>", "<bash-input>", "<system-reminder>", "<task-notification>",
    "<teammate-message", "<agent-message", "<cross-session-message", "<channel", "<tick>", "<user-prompt-submit-hook>",
    "<session_context>", "<environment_context>", "<scheduled-task", "<persisted-output>", "<vademecum",
    "Caveat: The messages below were generated", "[SYSTEM NOTIFICATION", "[Image: source:", "[Image: original ",
    "Another Claude session sent a message:", "Stop hook feedback:", "PreToolUse:", "PostToolUse:",
    "UserPromptSubmit hook ", "SessionStart hook ", "SessionStart:", "Base directory for this skill:", "Unknown slash command:",
    "Unknown skill:", "This session is being continued from a previous conversation",
)  # fmt: skip

_INTERRUPTION = "[Request interrupted by user"

#: Blocks that the host puts into a person's message.
_EMBEDDED = re.compile(
    r"<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics|new-diagnostics|task-notification|local-command-caveat"
    r"|local-command-stdout|local-command-stderr|bash-stdout|bash-stderr|user-prompt-submit-hook|vademecum)\b[^<>]{0,200}>"
)
_COMMAND = re.compile(r"<command-(name|message|args|contents)>(.*?)</command-\1>", re.DOTALL)
_REMEMBER = re.compile(r"<user-memory-input>(.*?)</user-memory-input>", re.DOTALL)

#: Slash commands of the host whose arguments are options, not words.
HOST_COMMANDS = frozenset({
    "add-dir", "agents", "allowed-tools", "branch", "clear", "color", "config", "context", "copy", "cost", "cd", "doctor",
    "effort", "exit", "export", "fast", "files", "fork", "help", "hooks", "ide", "install", "install-github-app", "keybindings",
    "login", "logout", "mcp", "memory", "mobile", "model", "output-style", "permissions", "plugin", "plugins",
    "privacy-settings", "quit", "release-notes", "reload-plugins", "remote-control", "rename", "resume", "rewind", "sandbox",
    "schedule", "skills", "stats", "status", "statusline", "stickers", "tag", "tasks", "terminal-setup", "theme", "todos",
    "upgrade", "usage", "vim", "voice",
})  # fmt: skip

_REFUSED = re.compile(r"the user said:\s*\n(.+)", re.DOTALL)
_REFUSED_BY_HOST = ("The user wants to clarify these questions", "[Request interrupted")
_REFUSED_TAIL = re.compile(r"\n\s*Note: The user's next message may contain a correction.*", re.DOTALL)

#: Where a prompt comes from when a person did not type it.
_NOT_TYPED = frozenset({"system", "loop_wakeup", "schedule_wakeup", "poll_event"})

#: The argument that tells what a tool call does, first found.
_CALL_ARGUMENTS = ("command", "file_path", "notebook_path", "path", "pattern", "url", "query", "plan", "description", "prompt")
_FILE_ARGUMENTS = ("file_path", "notebook_path")

#: Calls still waiting for their result, and queued prompts still waiting for their other record, that are remembered.
_PENDING_MAX = 200


@dataclass(frozen=True, slots=True)
class _Said:
    """One thing in a line, before it is a turn."""

    role: Role
    text: str
    tools: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    speaker: str = ""


class ClaudeCode:
    """Transcripts of Claude Code 1.0 to 2.1."""

    name = "claude-code"

    def recognises(self, head: bytes, path: str) -> bool:
        found = False
        for record in records(head, 0):
            found = True
            if record.value is not None and _is_ours(record.value):
                return True
        # A first line longer than the head: only its beginning can be judged.
        return found and re.search(rb'"(parentUuid|leafUuid|isSidechain)"\s*:', head) is not None

    def complete(self, data: bytes) -> int:
        return complete(data)

    def parse(self, data: bytes, cursor: Cursor, path: str) -> Parsed:
        reading = _Reading(Carry.load(cursor.carry))
        for record in records(data, cursor.offset):
            reading.take(record)
        carry = reading.finish()
        return Parsed(
            session=carry.session(self.name, path, tuple(reading.turns)),
            cursor=Cursor(cursor.offset + len(data), cursor.prefix_hash, carry.dump()),
            unknown=reading.unknown,
            broken=reading.broken,
            replaced=reading.replaced,
        )


class _Reading:
    """One pass over new lines: fills turns and counts, and keeps the carry."""

    def __init__(self, carry: Carry) -> None:
        self.turns: list[Turn] = []
        self.unknown: Counter[str] = Counter()
        self.broken = self.replaced = 0
        self._carry = carry
        self._seen = Seen(carry)
        self._calls: dict[str, str] = carry.own.get("calls", {})
        self._queue = _Queue(carry.own.get("queue", []), carry.own.get("given", []))

    def take(self, record: Record) -> None:
        """Read one object of the file."""
        self.replaced += record.replaced
        if record.value is None:
            self.broken += 1
            return
        kind = str(record.value.get("type"))
        if kind in SPEECH_LINES:
            self._take_speech(record, record.value)
        elif kind in BOOKKEEPING_LINES:
            self._take_bookkeeping(record, record.value)
        else:
            self.unknown[clean(kind)[:60]] += 1

    def finish(self) -> Carry:
        """The carry for the next read."""
        self._seen.save()
        self._carry.own = {"calls": self._calls, "queue": self._queue.waiting, "given": self._queue.given}
        return self._carry

    def _take_speech(self, record: Record, line: Mapping[str, Any]) -> None:
        self._note_header(line)
        if line["type"] == "progress":
            line = _nested(line)
        ref = line.get("uuid")
        if isinstance(ref, str) and ref and not self._seen.add(ref):
            return
        self._add(record, line, list(self._said(line)))

    def _add(self, record: Record, line: Mapping[str, Any], said: list[_Said]) -> None:
        ref = clean(str(line.get("uuid") or f"@{record.start}"))
        for number, one in enumerate(one for one in said if one.text.strip()):
            turn = Turn(
                ref=f"{ref}.{number}" if number else ref,
                role=one.role,
                text=clean(one.text),
                speaker=clean(one.speaker),
                time=parse_time(line.get("timestamp")),
                start=record.start,
                end=record.end,
                tools=tuple(map(clean, one.tools)),
                files=tuple(map(clean, one.files)),
                sidechain=bool(line.get("isSidechain")),
            )
            self.turns.append(turn)
            self._carry.date(turn)
            if turn.role == "user" and not turn.sidechain:
                self._carry.entitle("prompt", turn.text)

    def _said(self, line: Mapping[str, Any]) -> Iterator[_Said]:
        match line.get("type"):
            case "user":
                yield from self._user(line)
            case "assistant":
                yield from self._assistant(line)
            case "attachment":
                yield from self._attachment(line)
            case "system" if line.get("subtype") == "compact_boundary":
                yield _Said("note", _text(line.get("content")) or "Conversation compacted")

    def _user(self, line: Mapping[str, Any]) -> Iterator[_Said]:
        message = line.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, str | list):
            self.unknown["user/no content"] += 1
            return
        blocks = _blocks(content)
        for block in blocks:
            if block.get("type") == "tool_result":
                yield from self._result(block)
            elif block.get("type") not in ("text", "image", "document"):
                self.unknown[clean(f"user/{block.get('type')}")] += 1
        text = "\n".join(_text(block.get("text")) for block in blocks if block.get("type") == "text")
        pictures = any(block.get("type") in ("image", "document") for block in blocks)
        if text.strip() or pictures:
            yield _spoken(text, pictures) if _is_typed(line) else _put_there(line, text)

    def _result(self, block: Mapping[str, Any]) -> Iterator[_Said]:
        name = self._calls.pop(str(block.get("tool_use_id")), "")
        text = _without_embedded(_text(block.get("content"))).strip()
        yield _Said("tool", _short(text), speaker=name)
        refused = _REFUSED.search(text) if block.get("is_error") else None
        if refused:
            words = _REFUSED_TAIL.sub("", refused[1]).strip()
            if not words.startswith(_REFUSED_BY_HOST):
                yield _Said("user", words)

    def _assistant(self, line: Mapping[str, Any]) -> Iterator[_Said]:
        message = line.get("message")
        if not isinstance(message, dict):
            self.unknown["assistant/no content"] += 1
            return
        by_host = bool(line.get("isApiErrorMessage")) or message.get("model") == "<synthetic>"
        for block in _blocks(message.get("content")):
            match block.get("type"):
                case "text":
                    yield _Said("note" if by_host else "agent", _text(block.get("text")))
                case "tool_use" | "server_tool_use" | "mcp_tool_use":
                    yield self._call(block)
                case "thinking" | "redacted_thinking" | "fallback":
                    pass
                case "tool_result" | "web_search_tool_result" | "mcp_tool_result" | "web_fetch_tool_result":
                    yield _Said("tool", _short(_text(block.get("content"))))
                case other:
                    self.unknown[clean(f"assistant/{other}")] += 1

    def _call(self, block: Mapping[str, Any]) -> _Said:
        name = _text(block.get("name")) or "tool"
        given = block.get("input")
        arguments: Mapping[str, Any] = given if isinstance(given, dict) else {}
        if isinstance(block.get("id"), str):
            self._calls[block["id"]] = name
            if len(self._calls) > _PENDING_MAX:
                del self._calls[next(iter(self._calls))]
        main = next((arguments[key] for key in _CALL_ARGUMENTS if isinstance(arguments.get(key), str)), "")
        main = main or (json.dumps(arguments, ensure_ascii=False) if arguments else "")
        files = tuple(arguments[key] for key in _FILE_ARGUMENTS if isinstance(arguments.get(key), str))
        return _Said("tool", _short(f"{name}: {main}" if main else name), tools=(name,), files=files)

    def _attachment(self, line: Mapping[str, Any]) -> Iterator[_Said]:
        attachment = line.get("attachment")
        if not isinstance(attachment, dict):
            self.unknown["attachment/no content"] += 1
        elif attachment.get("type") == "queued_command":
            text = _text(attachment.get("prompt"))
            typed = attachment.get("commandMode", "prompt") == "prompt" and _is_typed(attachment) and _is_typed(line)
            if self._queue.attached(text):
                yield _spoken(text) if typed else _Said("injected", _short(text))
        elif _text(attachment.get("type")) in HOOK_ATTACHMENTS:
            yield _Said("injected", _text(attachment.get("content")))

    def _take_bookkeeping(self, record: Record, line: Mapping[str, Any]) -> None:
        session = line.get("sessionId")
        if isinstance(session, str) and not self._carry.id:
            self._carry.id = clean(session)
        match line["type"]:
            case "queue-operation":
                absorbed = self._queue.move(line)
                if absorbed is not None and not _is_host_text(absorbed):
                    self._add(record, {"timestamp": line.get("timestamp")}, [_spoken(absorbed)])
            case "custom-title":
                self._carry.entitle("given", clean(_text(line.get("customTitle"))))
            case "ai-title":
                self._carry.entitle("host", clean(_text(line.get("aiTitle"))))
            case "summary":
                self._carry.entitle("summary", clean(_text(line.get("summary"))))

    def _note_header(self, line: Mapping[str, Any]) -> None:
        carry = self._carry
        session, agent = line.get("sessionId"), line.get("agentId")
        if isinstance(session, str) and session and not carry.id_is_sure:
            carry.id_is_sure = True
            of_agent = bool(line.get("isSidechain")) and isinstance(agent, str)
            carry.id = clean(f"{session}.agent-{agent}" if of_agent else session)
        for field, key in (("cwd", "cwd"), ("branch", "gitBranch")):
            if not getattr(carry, field) and isinstance(line.get(key), str):
                setattr(carry, field, clean(line[key]))


class _Queue:
    """Prompts typed while the agent works: each is enqueued, then leaves in one of three ways.

    "dequeue": it becomes an ordinary user line. "popAll": the person took it back. "remove": it was handed to the agent at
    work, and unless a `queued_command` attachment tells it too, the queue holds the only copy.
    """

    def __init__(self, waiting: list[str], given: list[list[str]]) -> None:
        self.waiting = waiting
        #: [where it was met, text] of prompts met in one of the two records and not yet in the other.
        self.given = given

    def attached(self, text: str) -> bool:
        """An attachment tells a prompt: whether it was not met before."""
        return self._first_of_two("attachment", text)

    def move(self, line: Mapping[str, Any]) -> str | None:
        """Follow one queue operation. The prompt that was handed over and is told nowhere else so far."""
        text = _text(line.get("content"))
        match line.get("operation"):
            case "enqueue":
                self.waiting.append(text)
                del self.waiting[:-_PENDING_MAX]
            case "dequeue":
                self._leave(text)
            case "popAll":
                if text in self.waiting:
                    self.waiting.remove(text)
                else:
                    self.waiting.clear()
            case "remove":
                left = self._leave(text)
                return left if left.strip() and self._first_of_two("queue", left) else None
        return None

    def _leave(self, text: str) -> str:
        if text:
            if text in self.waiting:
                self.waiting.remove(text)
            return text
        return self.waiting.pop(0) if self.waiting else ""

    def _first_of_two(self, where: Literal["attachment", "queue"], text: str) -> bool:
        other = ["queue" if where == "attachment" else "attachment", text.strip()]
        if other in self.given:
            self.given.remove(other)
            return False
        self.given.append([where, text.strip()])
        del self.given[:-_PENDING_MAX]
        return True


def _nested(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """The line of a sub-agent that its parent's progress line holds; an empty one when it holds none."""
    data = line.get("data")
    nested = data.get("message") if isinstance(data, dict) else None
    if not isinstance(nested, dict) or nested.get("type") not in ("user", "assistant"):
        return {}
    return {"uuid": line.get("uuid"), "timestamp": line.get("timestamp"), **nested, "isSidechain": True}


def _spoken(text: str, pictures: bool = False) -> _Said:
    """What a person's line says, without what the host put into it."""
    remembered = _REMEMBER.search(text)
    if remembered:
        return _Said("user", remembered[1].strip())
    words = _without_embedded(text).strip()
    if "<command-name>" in words:
        return _command(words)
    if words.startswith(_INTERRUPTION):
        return _Said("note", words)
    if _is_host_text(words):
        return _Said("injected", _short(words))
    if not words and not pictures:
        return _Said("injected", _short(text))
    return _Said("user", words or "[image]")


def _without_embedded(text: str) -> str:
    """`text` without the host's blocks. One that is never closed is a person's mention of it, and stays."""
    parts: list[str] = []
    done = 0
    open_ended: set[str] = set()
    for match in _EMBEDDED.finditer(text):
        if match.start() < done or match[1] in open_ended:
            continue
        close = text.find(f"</{match[1]}>", match.end())
        if close < 0:
            open_ended.add(match[1])
            continue
        parts.append(text[done : match.start()])
        done = close + len(match[1]) + 3
    return "".join([*parts, text[done:]])


def _command(text: str) -> _Said:
    """A slash command: a person's words when it has arguments that are words."""
    parts = {match[1]: match[2].strip() for match in _COMMAND.finditer(text)}
    name, words = parts.get("name", "").lstrip("/"), parts.get("args", "")
    if not words or name in HOST_COMMANDS:
        return _Said("note", " ".join(f"/{name} {words}".split()))
    return _Said("user", words)


def _put_there(line: Mapping[str, Any], text: str) -> _Said:
    """A user line that says of itself that no person wrote it. A summary is kept whole, other text short."""
    return _Said("note", text) if line.get("isCompactSummary") else _Said("injected", _short(text))


def _is_typed(line: Mapping[str, Any]) -> bool:
    origin = line.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return (
        not line.get("isMeta")
        and not line.get("isCompactSummary")
        and not line.get("isVisibleInTranscriptOnly")
        and kind in (None, "human")
        and _text(line.get("promptSource")) not in _NOT_TYPED
    )


def _is_host_text(text: str) -> bool:
    return text.startswith(HOST_PREFIXES) or text.startswith('{"task_id":')


def _is_ours(value: Mapping[str, Any]) -> bool:
    kind = str(value.get("type"))
    if kind in SPEECH_LINES:
        return ("uuid" in value or "parentUuid" in value) and ("sessionId" in value or "isSidechain" in value)
    return kind in BOOKKEEPING_LINES and bool(value.keys() & {"sessionId", "leafUuid", "messageId"})


def _blocks(content: object) -> list[Mapping[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text(value: object) -> str:
    """A text, or the text blocks of a list, or the texts of a list."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in value)
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""


def _short(text: str) -> str:
    """Both ends of a long text: what was asked stands at its beginning, what went wrong at its end."""
    if len(text) <= SHORT_HEAD_CHARS + SHORT_TAIL_CHARS:
        return text
    return f"{text[:SHORT_HEAD_CHARS]}\n…\n{text[-SHORT_TAIL_CHARS:]}"
