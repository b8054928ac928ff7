"""Transcripts of Claude Code, with the speaker of each text: the person, the agent, the host, its tools, or we.

Of the lines of type "user" about one in twelve is a person's; the others are tool results, output of commands, summaries and
reminders. Decisions:

* Every line is parsed by itself, so that a growing file gives the same turns however it is split. A message spread over several
  lines gives a turn for each text in it. Thinking is not speech.
* A tool call and a tool result are turns of role "tool": the command or the path, and both ends of the output.
* A prompt typed while the agent works never becomes a "user" line. It is in a `queued_command` attachment; before about 2.1.50
  only in the queue: "enqueue", then "remove". Both are read, but each prompt counts once.
* Refused tool calls, answers to the agent's questions and arguments of slash commands also contain the person's words.
* A prompt of a program (`claude -p`, the SDK) belongs to the program, and the turns up to the next words of a person are no
  conversation with a person. A person who types in an editor or a desktop program counts as a person, though these use the SDK
  too.
* A fork gives the copied lines new ids and says in `forkedFrom` which line each is a copy of: that is the turn's id.
* The session id is the file's name, because the first lines of a fork's file still contain the id of the session they were
  copied from.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from vademecum.adapters.transcripts.carry import Carry, parse_time, stem
from vademecum.adapters.transcripts.jsonl import Record, clean
from vademecum.adapters.transcripts.reading import PENDING_MAX, Format, Reading
from vademecum.adapters.transcripts.said import (
    Said,
    answers,
    blocks_of,
    is_tagged,
    mapping,
    result,
    short,
    text_of,
    without_blocks,
    without_host_blocks,
    word,
    words_of,
)
from vademecum.domain.session import Outcome, Speaker

#: Types of lines that are part of the conversation.
SPEECH_LINES = ("user", "assistant", "attachment", "system", "progress")

#: Types of lines without any speech.
BOOKKEEPING_LINES = frozenset({
    "file-history-snapshot", "file-history-delta", "last-prompt", "mode", "permission-mode", "atis-latch", "api-request-shape",
    "api-request-blob", "api-request", "tools-used", "cost-state", "agent-name", "agent-color", "agent-setting", "pr-link",
    "content-replacement", "context-collapse-commit", "context-collapse-snapshot", "marble-origami-commit", "started",
    "worktree-state", "attribution-snapshot", "speculation-accept", "task-summary", "tag", "result", "bridge-session",
    "relocated", "session-state", "fork-context-ref", "queue-operation", "summary", "ai-title", "custom-title",
    "continued-in", "frame-link", "artifact-autoreact-ledger", "artifact-comment-monitor", "api-request-resumed",
    "data-flow-records", "data-flow-incomplete", "derived-from", "dev-mods", "ended-by-model", "history-suppression",
    "isolation-latch", "memory-mode", "observer-ref", "resume-head-vouch", "session-owner",
})  # fmt: skip

#: Lines of the journal of a workflow, `subagents/workflows/<run>/journal.jsonl`, beside its agents' files.
_JOURNAL_LINES = ("started", "result")

#: Attachments that a hook (ours included) added to the conversation.
HOOK_ATTACHMENTS = frozenset({
    "hook_additional_context", "hook_success", "hook_system_message", "hook_blocking_error", "hook_non_blocking_error",
    "hook_stopped_continuation", "hook_error_during_execution", "hook_cancelled", "async_hook_response",
})  # fmt: skip

#: Beginnings of user lines that no person typed.
HOST_PREFIXES = (
    "<local-command-", "<bash-stdout>", "<bash-stderr>", "<bash-input>", "<system-reminder>", "<task-notification>",
    "<bash-notification>", "<agent-notification>", "<ultraplan", "<github-webhook-activity>", "<fork-boilerplate>", "<mcp-resource-update",
    "<mcp-polling-update", "<<autonomous-loop", "Stop hook blocking error from command", "Operation stopped by hook",
    "<teammate-message", "<agent-message", "<cross-session-message", "<channel", "<tick>", "<user-prompt-submit-hook>",
    "<session_context>", "<environment_context>", "<scheduled-task", "<persisted-output>", "<vademecum",
    "Caveat: The messages below were generated", "[SYSTEM NOTIFICATION", "[Image: source:", "[Image: original ",
    "Another Claude session sent a message:", "Stop hook feedback:", "PreToolUse:", "PostToolUse:",
    "UserPromptSubmit hook ", "SessionStart hook ", "SessionStart:", "Base directory for this skill:", "Unknown slash command:",
    "Unknown skill:", "This session is being continued from a previous conversation",
)  # fmt: skip

_QUESTION_TOOL = "AskUserQuestion"
_INTERRUPTION = "[Request interrupted by user"

#: Tags of blocks that the host inserts into a person's message.
_EMBEDDED = (
    "system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "new-diagnostics",
    "local-command-caveat", "local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr",
    "user-prompt-submit-hook", "system_instruction", "system-instruction", "vademecum",
)  # fmt: skip
_COMMAND = re.compile(r"<command-(name|message|args|contents)>(.*?)</command-\1>", re.DOTALL)
_REMEMBER = re.compile(r"<user-memory-input>(.*?)</user-memory-input>", re.DOTALL)

#: Slash commands of the host whose arguments are options and no speech.
HOST_COMMANDS = frozenset({
    "add-dir", "agents", "allowed-tools", "branch", "clear", "color", "config", "context", "copy", "cost", "cd", "doctor",
    "effort", "exit", "export", "fast", "files", "fork", "help", "hooks", "ide", "install", "install-github-app", "keybindings",
    "login", "logout", "mcp", "memory", "mobile", "model", "output-style", "permissions", "plugin", "plugins",
    "privacy-settings", "quit", "release-notes", "reload-plugins", "remote-control", "rename", "resume", "rewind", "sandbox",
    "schedule", "skills", "stats", "status", "statusline", "stickers", "tag", "tasks", "terminal-setup", "theme", "todos",
    "upgrade", "usage", "vim", "voice",
})  # fmt: skip

_REFUSED = re.compile(r"the user said:\s*\n(.+)", re.DOTALL)
_TALKED_FIRST = "The user wants to clarify these questions"
_REFUSED_BY_HOST = (_TALKED_FIRST, "[Request interrupted")
_REFUSAL = ("The user doesn't want to proceed", "The user doesn't want to take this action", "User rejected tool use")
_REFUSED_TAIL = re.compile(r"\n\s*Note: The user's next message may contain a correction.*", re.DOTALL)

#: Values of a user line's fields for a prompt of a person, of a program, and of neither. Any other value is reported as unknown
#: and treated as of neither.
_PERSONS = {
    "origin": frozenset({"human", "person", "composer", "voice-call", "remote", "suggestion"}),
    "turnOrigin": frozenset({"human"}),
    "promptSource": frozenset({"typed", "queued", "suggestion_accepted", "user"}),
}
_PROGRAMS = {"turnOrigin": frozenset({"sdk"}), "promptSource": frozenset({"sdk"})}
_NOBODYS = {
    "origin": frozenset({
        "peer", "coordinator", "channel", "plugin", "tool", "task-notification", "auto-continuation", "observer-activity", "unclassified",
    }),
    "turnOrigin": frozenset({"peer", "scheduled", "auto_continuation", "task_notification", "host_synthetic"}),
    "promptSource": frozenset({"system", "loop_wakeup", "schedule_wakeup", "poll_event"}),
}  # fmt: skip
#: Entry points in which a person types, and those that drive the host. Any other is reported as unknown and treated as a
#: program.
_PERSONS_PROGRAM = re.compile(r"cli|remote\w*|claude-(?!code-github)[\w-]+|(?:claude-)?(?:vscode|jetbrains|desktop|ide)\b.*")
_DRIVING = re.compile(r"sdk\b.*|mcp\b.*|.*github-action.*|local-agent.*")
#: Attachments that contain a document provided by the person.
_DOCUMENTS = frozenset({"pasted_text", "pasted_content", "uploaded_file"})
_ANSWERED = re.compile(
    r'"([^"\n]+)"="(.*?)"(?: selected preview:\n.*?)?(?:,? user notes: (.*?))?(?=, "[^"\n]+"="|\. |\.?\s*$)', re.DOTALL
)
#: A question with its answer in a result which says that the person wants to talk before answering the remaining questions.
_ANSWERED_SO_FAR = re.compile(r'^- "([^\n]+)"\n +Answer: (.+?)(?=\n- "|\s*\Z)', re.DOTALL | re.MULTILINE)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_AGENTS_FILE = re.compile(r"(?:^|[/\\])(?:subagents[/\\](?:.*[/\\])?[^/\\]+|agent-[^/\\]+)\.jsonl$")


class _Lines(Reading):
    """One pass over new lines."""

    def __init__(self, carry: Carry) -> None:
        super().__init__(carry)
        self._queue = _Queue(carry.own.setdefault("queue", []), carry.own.setdefault("given", []))

    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        kind = str(value.get("type"))
        if kind in SPEECH_LINES:
            self._note_header(value)
            line = _nested(value) if kind == "progress" else value
            self._add(record, line, self._said(line))
        elif kind in BOOKKEEPING_LINES:
            self._take_bookkeeping(record, value)
        else:
            self.strange(kind)

    def _add(self, record: Record, line: Mapping[str, Any], turns: Iterable[Said]) -> None:
        turns = list(turns)  # a list, because reading the prompt sets `driven`
        sidechain = self._is_aside(line) or _is_teammates(line) or bool(self.carry.own.get("driven"))
        ref = word(mapping(line.get("forkedFrom")).get("messageUuid")) or line.get("uuid")
        self.add(record, turns, ref=ref, time=parse_time(line.get("timestamp")), sidechain=sidechain)

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
            case "system" if line.get("subtype") == "local_command" and "<command-name>" in text_of(line.get("content")):
                yield _command(text_of(line.get("content")), "program" if self.carry.own.get("driven") else "user")

    def _is_aside(self, line: Mapping[str, Any]) -> bool:
        """Return whether a line belongs to a conversation with a sub-agent, by its flags or by the path of the file."""
        return bool(line.get("isSidechain") or line.get("agentId")) or _AGENTS_FILE.search(self.path) is not None

    def _speaker(self, line: Mapping[str, Any]) -> Speaker:
        """Return the author of a user line's prompt, and record whether a program drives the host from here on."""
        if line.get("isMeta") or line.get("isCompactSummary") or line.get("isVisibleInTranscriptOnly"):
            return "injected"
        fields = {name: _stated(line, name) for name in _PERSONS}
        known = {name: value for name, value in fields.items() if value}
        for name, value in known.items():
            if value not in _PERSONS[name] | _PROGRAMS.get(name, frozenset()) | _NOBODYS[name]:
                self.strange(f"user/{name} {value}")
        if any(value not in _PERSONS[name] | _PROGRAMS.get(name, frozenset()) for name, value in known.items()):
            return "injected"
        if text_of(line.get("rowSource")) in ("harness", "hook") or line.get("sourceToolUseID"):
            return "injected"
        entry = text_of(line.get("entrypoint"))
        person = any(value in _PERSONS[name] for name, value in known.items())
        driven = not person and any(value in _PROGRAMS.get(name, frozenset()) for name, value in known.items())
        if entry and not _PERSONS_PROGRAM.fullmatch(entry):
            driven = not person
            if not _DRIVING.fullmatch(entry):
                self.strange(f"user/entrypoint {entry}")
        elif entry and entry != "cli":
            driven = False
        self.carry.own["driven"] = driven
        return "program" if driven else "user"

    def _user(self, line: Mapping[str, Any]) -> Iterator[Said]:
        message = line.get("message")
        content = message.get("content") if isinstance(message, dict) else message
        if not isinstance(content, str | list):
            self.strange("user/no content")
            return
        blocks = blocks_of(content)
        for block in blocks:
            if block.get("type") == "tool_result":
                yield from self._result(line, block)
            elif block.get("type") not in ("text", "image", "document"):
                self.strange(f"user/{block.get('type')}")
        text = words_of(blocks)
        pictures = any(block.get("type") in ("image", "document") for block in blocks)
        if text.strip() or pictures:
            held = any(block.get("type") == "tool_result" for block in blocks)
            speaker = "injected" if held and not _states_speaker(line) else self._speaker(line)
            if speaker != "injected":
                yield _spoken(text, pictures, speaker, stated=_states_speaker(line))
            elif line.get("isCompactSummary"):
                yield Said("note", text)  # stored completely
            else:
                yield Said("injected", short(text))

    def _result(self, line: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[Said]:
        text = _without_embedded(text_of(block.get("content"))).strip()
        call_id = word(block.get("tool_use_id"))
        tool = self.answered(call_id)
        yield result(text, tool, call_id, _outcome(line, block, text))
        words = _refusal(line, block, text)
        if words:
            yield Said("refusal", words, call=call_id)
        elif not self._is_aside(line):
            given = _answered_so_far(text, tool) if block.get("is_error") else _answered(line, text, tool)
            yield from answers(given, call_id)

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
                    yield self.call(block.get("name"), block.get("input"), block.get("id"))
                case "thinking" | "redacted_thinking" | "fallback":
                    pass
                case "tool_result" | "web_search_tool_result" | "mcp_tool_result" | "web_fetch_tool_result":
                    yield result(text_of(block.get("content")), call_id=word(block.get("tool_use_id")))
                case other:
                    self.strange(f"assistant/{other}")

    def _attachment(self, line: Mapping[str, Any]) -> Iterator[Said]:
        attachment = line.get("attachment")
        if not isinstance(attachment, dict):
            self.strange("attachment/no content")
        elif attachment.get("type") == "queued_command":
            text = text_of(attachment.get("prompt"))
            fields = {**line, **{name: attachment[name] for name in ("isMeta", *_PERSONS) if attachment.get(name) is not None}}
            speaker = self._speaker(fields) if attachment.get("commandMode", "prompt") == "prompt" else "injected"
            if self._queue.is_first("attachment", text):
                yield (
                    Said("injected", short(text))
                    if speaker == "injected"
                    else _spoken(text, False, speaker, stated=_states_speaker(fields))
                )
        elif text_of(attachment.get("type")) in _DOCUMENTS:
            yield Said("document", short(text_of(attachment.get("content"))))
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
                    speaker: Speaker = "program" if self.carry.own.get("driven") else "user"
                    self._add(
                        record, {"timestamp": line.get("timestamp")}, iter([_spoken(absorbed, False, speaker, stated=False)])
                    )
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
            name = stem(self.path)
            if self._is_aside(line):
                agent = agent if isinstance(agent, str) else name.removeprefix("agent-")
                carry.id = clean(f"{session}.agent-{agent}")
            else:
                carry.id = name if _UUID.fullmatch(name) else clean(session)
        self.work_in(line.get("cwd"))
        self.head(branch=line.get("gitBranch"))


class _Queue:
    """Prompts typed while the agent works: each is enqueued, then removed in one of three ways.

    "dequeue": it becomes an ordinary user line. "popAll": the person took it back. "remove": it was passed to the working
    agent; unless a `queued_command` attachment repeats it, the queue has the only copy.
    """

    def __init__(self, waiting: list[str], given: list[list[str]]) -> None:
        self.waiting = waiting
        #: [source, text] of prompts seen in one of the two records but not yet in the other.
        self.given = given

    def move(self, line: Mapping[str, Any]) -> str | None:
        """Apply one queue operation; return a prompt passed to the agent that is not recorded elsewhere so far, else None."""
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
                return left if left.strip() and self.is_first("queue", left) else None
        return None

    def _leave(self, text: str) -> str:
        if text:
            if text in self.waiting:
                self.waiting.remove(text)
            return text
        return self.waiting.pop(0) if self.waiting else ""

    def is_first(self, where: Literal["attachment", "queue"], text: str) -> bool:
        """Return whether this record of a prompt is its first one of two."""
        other = ["queue" if where == "attachment" else "attachment", text.strip()]
        if other in self.given:
            self.given.remove(other)
            return False
        self.given.append([where, text.strip()])
        del self.given[:-PENDING_MAX]
        return True


def _nested(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the sub-agent's line inside its parent's progress line; an empty one when there is none."""
    data = line.get("data")
    nested = data.get("message") if isinstance(data, dict) else None
    if not isinstance(nested, dict) or nested.get("type") not in ("user", "assistant"):
        return {}
    return {"uuid": line.get("uuid"), "timestamp": line.get("timestamp"), **nested, "isSidechain": True}


def _spoken(text: str, pictures: bool, speaker: Speaker, *, stated: bool) -> Said:
    """Return the speech in a prompt, without insertions of the host.

    Args:
        stated: the record itself states the speaker; else a text completely inside one tag is the host's.
    """
    remembered = _REMEMBER.search(text)
    if remembered:
        return Said(speaker, remembered[1].strip())
    words = _without_embedded(text).strip()
    if "<command-name>" in words:
        return _command(words, speaker)
    if words.startswith(_INTERRUPTION):
        return Said("note", words)
    if _is_host_text(words) or (not stated and is_tagged(words)):
        return Said("injected", short(words))
    if not stated:
        words = without_host_blocks(words).strip()
    if not words and not pictures:
        return Said("injected", short(text))
    return Said(speaker, words or "[image]")


def _stated(line: Mapping[str, Any], name: str) -> str:
    """Return the origin of the prompt that a field of the line states."""
    value = line.get(name)
    return text_of(value.get("kind")) if isinstance(value, dict) else text_of(value)


def _is_teammates(line: Mapping[str, Any]) -> bool:
    """Return whether a line is of an agent in a team, whose leader is another agent, and not typed by a person."""
    return (
        bool(word(line.get("teamName"))) and word(line.get("agentName")) not in ("", "team-lead") and not _states_speaker(line)
    )


def _states_speaker(line: Mapping[str, Any]) -> bool:
    return any(_stated(line, name) in _PERSONS[name] for name in _PERSONS)


def _outcome(line: Mapping[str, Any], block: Mapping[str, Any], text: str) -> Outcome:
    """Return the outcome of the call of a result; "" if neither a flag nor the structured result states it."""
    fields = mapping(line.get("toolUseResult"))
    if not block.get("is_error"):
        stated = block.get("is_error") is False or fields or not text
        return "failed" if fields.get("interrupted") is True else "succeeded" if stated else ""
    rejected = mapping(line.get("permissionDecision")).get("decision") == "reject"
    return "refused" if rejected or line.get("toolDenialKind") or text.startswith(_REFUSAL) else "failed"


def _refusal(line: Mapping[str, Any], block: Mapping[str, Any], text: str) -> str:
    """Return what the person typed when they refused the call; "" when they typed nothing, or were not asked."""
    accepted = mapping(line.get("permissionDecision")).get("decision") == "accept"
    if not block.get("is_error") or line.get("holdsPersonsWords") is False or accepted:
        return ""
    match = (
        _REFUSED.search(text) if text.startswith(_REFUSAL) else None
    )  # a text without this beginning may have been printed by a program
    words = text_of(line.get("userFeedback")).strip()
    if not words and (match or line.get("holdsPersonsWords")):
        words = _REFUSED_TAIL.sub("", match[1] if match else text).strip()
    return "" if words.startswith((*_REFUSED_BY_HOST, *_REFUSAL)) else words


def _answered(line: Mapping[str, Any], text: str, tool: str) -> Iterator[tuple[str, str]]:
    """Yield (question, answer) of a result with the person's answers; notes are added to the answer."""
    fields = mapping(line.get("toolUseResult"))
    given, notes = mapping(fields.get("answers")), mapping(fields.get("annotations"))
    if given and isinstance(fields.get("questions"), list):
        for question, answer in given.items():
            words = ", ".join(map(str, answer)) if isinstance(answer, list) else text_of(answer)
            note = text_of(mapping(notes.get(question)).get("notes"))
            yield question, "\n".join(part for part in (words, note) if part.strip())
    elif tool == _QUESTION_TOOL:
        for question, answer, note in _ANSWERED.findall(text):
            yield question, "\n".join(filter(None, (answer, note)))


def _answered_so_far(text: str, tool: str) -> list[tuple[str, str]]:
    """Return (question, answer) of a result which says that the person wants to talk before answering the rest."""
    asked = text.partition(_TALKED_FIRST)[2] if tool == _QUESTION_TOOL and text.startswith(_REFUSAL) else ""
    return _ANSWERED_SO_FAR.findall(asked)


def _without_embedded(text: str) -> str:
    return without_blocks(text, _EMBEDDED)


def _command(text: str, speaker: Speaker) -> Said:
    """Return a slash command: as speech if it has arguments that are words, else as a note."""
    parts = {match[1]: match[2].strip() for match in _COMMAND.finditer(text)}
    name, words = parts.get("name", "").lstrip("/"), parts.get("args", "")
    if not words or name in HOST_COMMANDS:
        return Said("note", " ".join(f"/{name} {words}".split()))
    return Said(speaker, words)


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
        named = {"sessionId", "leafUuid", "messageId", *(("agentId",) if kind in _JOURNAL_LINES else ())}
        return kind in BOOKKEEPING_LINES and not value.keys().isdisjoint(named)
