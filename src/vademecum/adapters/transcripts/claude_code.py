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

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from vademecum.adapters.transcripts.carry import Carry, parse_time
from vademecum.adapters.transcripts.jsonl import Record, clean
from vademecum.adapters.transcripts.reading import PENDING_MAX, Format, Reading
from vademecum.adapters.transcripts.said import Said, blocks_of, call, result, short, text_of, without_blocks

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
_EMBEDDED = (
    "system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "new-diagnostics", "task-notification",
    "local-command-caveat", "local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr",
    "user-prompt-submit-hook", "vademecum",
)  # fmt: skip
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


class _Lines(Reading):
    """One pass over new lines."""

    def __init__(self, carry: Carry) -> None:
        super().__init__(carry)
        self._queue = _Queue(carry.own.setdefault("queue", []), carry.own.setdefault("given", []))

    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        kind = str(value.get("type"))
        if kind in SPEECH_LINES:
            self._take_speech(record, value)
        elif kind in BOOKKEEPING_LINES:
            self._take_bookkeeping(record, value)
        else:
            self.strange(kind)

    def _take_speech(self, record: Record, line: Mapping[str, Any]) -> None:
        self._note_header(line)
        if line["type"] == "progress":
            line = _nested(line)
        self._add(record, line, self._said(line))

    def _add(self, record: Record, line: Mapping[str, Any], said: Iterator[Said]) -> None:
        sidechain = bool(line.get("isSidechain"))
        self.add(record, said, ref=line.get("uuid"), time=parse_time(line.get("timestamp")), sidechain=sidechain)

    def _said(self, line: Mapping[str, Any]) -> Iterator[Said]:
        match line.get("type"):
            case "user":
                yield from self._user(line)
            case "assistant":
                yield from self._assistant(line)
            case "attachment":
                yield from self._attachment(line)
            case "system" if line.get("subtype") == "compact_boundary":
                yield Said("note", text_of(line.get("content")) or "Conversation compacted")

    def _user(self, line: Mapping[str, Any]) -> Iterator[Said]:
        message = line.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, str | list):
            self.strange("user/no content")
            return
        blocks = blocks_of(content)
        for block in blocks:
            if block.get("type") == "tool_result":
                yield from self._result(block)
            elif block.get("type") not in ("text", "image", "document"):
                self.strange(f"user/{block.get('type')}")
        text = "\n".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")
        pictures = any(block.get("type") in ("image", "document") for block in blocks)
        if text.strip() or pictures:
            yield _spoken(text, pictures) if _is_typed(line) else _put_there(line, text)

    def _result(self, block: Mapping[str, Any]) -> Iterator[Said]:
        text = _without_embedded(text_of(block.get("content"))).strip()
        yield result(text, self.answered(block.get("tool_use_id")))
        refused = _REFUSED.search(text) if block.get("is_error") else None
        if refused:
            words = _REFUSED_TAIL.sub("", refused[1]).strip()
            if not words.startswith(_REFUSED_BY_HOST):
                yield Said("user", words)

    def _assistant(self, line: Mapping[str, Any]) -> Iterator[Said]:
        message = line.get("message")
        if not isinstance(message, dict):
            self.strange("assistant/no content")
            return
        by_host = bool(line.get("isApiErrorMessage")) or message.get("model") == "<synthetic>"
        for block in blocks_of(message.get("content")):
            match block.get("type"):
                case "text":
                    yield Said("note" if by_host else "agent", text_of(block.get("text")))
                case "tool_use" | "server_tool_use" | "mcp_tool_use":
                    yield self._call(block)
                case "thinking" | "redacted_thinking" | "fallback":
                    pass
                case "tool_result" | "web_search_tool_result" | "mcp_tool_result" | "web_fetch_tool_result":
                    yield result(text_of(block.get("content")))
                case other:
                    self.strange(f"assistant/{other}")

    def _call(self, block: Mapping[str, Any]) -> Said:
        said = call(block.get("name"), block.get("input"))
        self.called(block.get("id"), said.tools[0])
        return said

    def _attachment(self, line: Mapping[str, Any]) -> Iterator[Said]:
        attachment = line.get("attachment")
        if not isinstance(attachment, dict):
            self.strange("attachment/no content")
        elif attachment.get("type") == "queued_command":
            text = text_of(attachment.get("prompt"))
            typed = attachment.get("commandMode", "prompt") == "prompt" and _is_typed(attachment) and _is_typed(line)
            if self._queue.attached(text):
                yield _spoken(text) if typed else Said("injected", short(text))
        elif text_of(attachment.get("type")) in HOOK_ATTACHMENTS:
            yield Said("injected", text_of(attachment.get("content")))

    def _take_bookkeeping(self, record: Record, line: Mapping[str, Any]) -> None:
        session = line.get("sessionId")
        if isinstance(session, str) and not self.carry.id:
            self.carry.id = clean(session)
        match line["type"]:
            case "queue-operation":
                absorbed = self._queue.move(line)
                if absorbed is not None and not _is_host_text(absorbed):
                    self._add(record, {"timestamp": line.get("timestamp")}, iter([_spoken(absorbed)]))
            case "custom-title":
                self.carry.entitle("given", clean(text_of(line.get("customTitle"))))
            case "ai-title":
                self.carry.entitle("host", clean(text_of(line.get("aiTitle"))))
            case "summary":
                self.carry.entitle("summary", clean(text_of(line.get("summary"))))

    def _note_header(self, line: Mapping[str, Any]) -> None:
        carry = self.carry
        session, agent = line.get("sessionId"), line.get("agentId")
        if isinstance(session, str) and session and not carry.id_is_sure:
            carry.id_is_sure = True
            of_agent = bool(line.get("isSidechain")) and isinstance(agent, str)
            carry.id = clean(f"{session}.agent-{agent}" if of_agent else session)
        self.work_in(line.get("cwd"))
        self.head(branch=line.get("gitBranch"))


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
        """Return whether a prompt that an attachment tells was not met before."""
        return self._first_of_two("attachment", text)

    def move(self, line: Mapping[str, Any]) -> str | None:
        """Follow one queue operation. The prompt that was handed over and is told nowhere else so far."""
        text = text_of(line.get("content"))
        match line.get("operation"):
            case "enqueue":
                self.waiting.append(text)
                del self.waiting[:-PENDING_MAX]
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
        del self.given[:-PENDING_MAX]
        return True


def _nested(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the line of a sub-agent that its parent's progress line holds; an empty one when it holds none."""
    data = line.get("data")
    nested = data.get("message") if isinstance(data, dict) else None
    if not isinstance(nested, dict) or nested.get("type") not in ("user", "assistant"):
        return {}
    return {"uuid": line.get("uuid"), "timestamp": line.get("timestamp"), **nested, "isSidechain": True}


def _spoken(text: str, pictures: bool = False) -> Said:
    """Return what a person's line says, without what the host put into it."""
    remembered = _REMEMBER.search(text)
    if remembered:
        return Said("user", remembered[1].strip())
    words = _without_embedded(text).strip()
    if "<command-name>" in words:
        return _command(words)
    if words.startswith(_INTERRUPTION):
        return Said("note", words)
    if _is_host_text(words):
        return Said("injected", short(words))
    if not words and not pictures:
        return Said("injected", short(text))
    return Said("user", words or "[image]")


def _without_embedded(text: str) -> str:
    return without_blocks(text, _EMBEDDED)


def _command(text: str) -> Said:
    """Return a slash command: a person's words when it has arguments that are words."""
    parts = {match[1]: match[2].strip() for match in _COMMAND.finditer(text)}
    name, words = parts.get("name", "").lstrip("/"), parts.get("args", "")
    if not words or name in HOST_COMMANDS:
        return Said("note", " ".join(f"/{name} {words}".split()))
    return Said("user", words)


def _put_there(line: Mapping[str, Any], text: str) -> Said:
    """Return a user line that says of itself that no person wrote it. A summary is kept whole, other text short."""
    return Said("note", text) if line.get("isCompactSummary") else Said("injected", short(text))


def _is_typed(line: Mapping[str, Any]) -> bool:
    origin = line.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return (
        not line.get("isMeta")
        and not line.get("isCompactSummary")
        and not line.get("isVisibleInTranscriptOnly")
        and kind in (None, "human")
        and text_of(line.get("promptSource")) not in _NOT_TYPED
    )


def _is_host_text(text: str) -> bool:
    return text.startswith(HOST_PREFIXES) or text.startswith('{"task_id":')


class ClaudeCode(Format):
    """Transcripts of Claude Code 1.0 to 2.1."""

    name = "claude-code"
    reading = _Lines
    beginning = re.compile(rb'(?s)\s*\{.*"(?:parentUuid|leafUuid|isSidechain)"\s*:')

    def is_own(self, value: Mapping[str, Any]) -> bool:
        kind = str(value.get("type"))
        if kind in SPEECH_LINES:
            return ("uuid" in value or "parentUuid" in value) and ("sessionId" in value or "isSidechain" in value)
        return kind in BOOKKEEPING_LINES and bool(value.keys() & {"sessionId", "leafUuid", "messageId"})
