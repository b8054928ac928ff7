"""Sessions of Kiro: of the command line (JSON lines, formerly a database) and of the editor (JSON lines, formerly one document).

As of Kiro CLI 2.16 and the editor 1.0 (2026-10). Neither is documented; the formats are those on which several independent readers
agree:

* `~/.kiro/sessions/cli/<id>.jsonl`: lines `{"version", "kind": Prompt | AssistantMessage | ToolResults | Clear, "data": {"message_id",
  "content": [{"kind", "data"}], "meta": {"timestamp"}}}`. `<id>.json` beside it has `cwd`, `title`, `parent_session_id` (of a
  sub-agent) and `session_created_reason`, which is "subagent" for sessions of a person too.
* `~/.kiro/sessions/<workspace>/sess_<id>/messages.jsonl`, of the editor since 1.0 and the command line's version 3: lines `{"id",
  "timestamp", "payload": {"type", ...}}`. `session.json` beside it has `workspacePaths` and `title`; `sub-executions` contains the
  sub-agents' lines.
* Rows of `conversations_v2`, whose JSON contains `history: [{"user": {"content": {"Prompt": {"prompt"}}}, "assistant": {"Response" |
  "ToolUse"}}]`; documents of the editor with `sessionId`, `workspacePath` and `history: [{"message": {"role", "content"}}]`
  (yigitkonur/cli-continues, src/parsers/kiro.ts).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vademecum.plugin_api.transcripts import (
    Format,
    Reading,
    Record,
    Said,
    blocks_of,
    clean,
    json_in,
    mapping,
    mappings,
    outcome_of,
    parse_time,
    prompt,
    result,
    short,
    text_of,
    without_blocks,
    word,
    words_of,
)

#: Blocks that Kiro adds to a prompt.
CONTEXT_TAGS = (
    "EnvironmentContext", "environment-context", "steering-reminder", "implicit-rules", "key_information", "hook_context",
)  # fmt: skip
#: Beginnings of messages of the editor in the person's role.
_BY_HOST = ("# System Prompt", "# Identity", "<identity>", "## Included Rules", "You are operating in a workspace")
#: Types of lines of the editor without any speech.
_SILENT = frozenset({
    "session_start", "session_event", "session_metadata", "turn_start", "turn_end", "usage_summary", "pending_interaction",
    "interaction_resolved", "steering_inclusion", "sub_agent_start", "sub_agent_complete", "sub_agent_progress",
    "ContextualHookInvoked",
})  # fmt: skip
#: Reasons for a session that nobody started.
_BY_ITSELF = frozenset({"cron", "hook", "heartbeat"})
_MESSAGES, _SUB_AGENTS = "messages.jsonl", "sub-executions"
_EXIT = re.compile(r"exit status: (-?\d+)")


def _typed(text: str, *, pictures: bool) -> Said:
    return prompt(without_blocks(text, CONTEXT_TAGS).strip(), text, pictures=pictures)


def _about(path: Path) -> Mapping[str, object]:
    """Return the description of a session, in a file beside its lines."""
    if path.parent.name == _SUB_AGENTS:
        return json_in(path.parent.parent / "session.json")
    return json_in(path.parent / "session.json" if path.name == _MESSAGES else path.with_suffix(".json"))


class _Lines(Reading):
    def folder_beside(self) -> str:
        about = _about(Path(self.path))
        paths = about.get("workspacePaths")
        first = next(iter(paths), "") if isinstance(paths, list) else ""
        return word(about.get("cwd")) or word(first)

    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        if "payload" in value:
            turns = self._turns_of(mapping(value["payload"]))
            self.add(record, turns, ref=value.get("id"), time=parse_time(value.get("timestamp")))
            return
        data = mapping(value.get("data"))
        turns = self._said(word(value.get("kind")), mappings(data.get("content")))
        self.add(record, turns, ref=data.get("message_id"), time=parse_time(mapping(data.get("meta")).get("timestamp")))

    def _said(self, kind: str, blocks: Sequence[Mapping[str, Any]]) -> Iterator[Said]:
        text = "\n".join(text_of(block.get("data")) for block in blocks if block.get("kind") == "text")
        match kind:
            case "Prompt":
                yield _typed(text, pictures=any(block.get("kind") == "image" for block in blocks))
            case "AssistantMessage":
                yield Said("agent", text)
                for block in blocks:
                    if block.get("kind") == "toolUse":
                        data = mapping(block.get("data"))
                        yield self.call(data.get("name"), data.get("input"), data.get("toolUseId"))
            case "ToolResults":
                for block in blocks:
                    if block.get("kind") == "toolResult":
                        yield self._answer(mapping(block.get("data")))
            case "Clear" | "Compaction" | "CompactionSummary":
                yield Said("note", text or "Conversation compacted")
            case other:
                self.strange(other)

    def _turns_of(self, payload: Mapping[str, Any]) -> Iterator[Said]:
        """Yield the turns of a line of the editor; a call is written again when the person allowed it."""
        text, call_id = text_of(payload.get("content")), word(payload.get("toolCallId"))
        match word(payload.get("type")):
            case "user":
                yield _typed(text, pictures=bool(payload.get("images")))
            case "assistant":
                if payload.get("operationType") != "Reasoning":
                    yield Said("agent", text)
            case "tool_call":
                if not (call_id and self.met(f"call\0{call_id}")):
                    yield self.call(payload.get("toolName"), payload.get("args"), call_id)
            case "tool_result":
                yield result(payload.get("content"), self.answered(call_id), call_id, outcome_of(payload.get("success")))
            case "tombstone":
                yield Said("note", "Conversation compacted")
            case other if other not in _SILENT:
                self.strange(other)

    def _answer(self, data: Mapping[str, Any]) -> Said:
        call_id, output = word(data.get("toolUseId")), _output(data.get("content"))
        code = _EXIT.search(word(mapping(output).get("exit_status")))
        worked = code[1] == "0" if code else {"success": True, "error": False}.get(word(data.get("status")))
        return result(output, self.answered(call_id), call_id, outcome_of(worked))


class Kiro(Format):
    """Sessions of the command line and, since 1.0, of the editor."""

    name = "kiro"
    reading = _Lines
    beginning = re.compile(
        rb'\s*\{\s*(?:"version"\s*:\s*"v\d+"\s*,\s*"kind"\s*:\s*"(?:Prompt|AssistantMessage|ToolResults)"'
        rb'|"id"\s*:\s*"[^"]{1,99}"\s*,\s*"timestamp"\s*:\s*"[^"]{1,40}"\s*,\s*"payload"\s*:\s*\{\s*"type")'
    )

    def begin(self, reading: Reading) -> None:
        """Set what the files around the lines state."""
        path = Path(reading.path)
        spawned = path.parent.name == _SUB_AGENTS
        if spawned or path.name == _MESSAGES:
            reading.head(id=f"{path.parent.parent.name}.agent-{path.stem}" if spawned else path.parent.name)
        about = _about(path)
        reading.led_by(
            agent=spawned or bool(word(about.get("parent_session_id"))),
            program=word(about.get("session_created_reason")) in _BY_ITSELF,
        )
        reading.carry.entitle("host", clean(word(about.get("title"))))

    def is_own(self, value: Mapping[str, Any]) -> bool:
        if isinstance(value.get("payload"), dict):
            return value.keys() <= {"id", "timestamp", "payload"} and isinstance(value["payload"].get("type"), str)
        return value.get("kind") in ("Prompt", "AssistantMessage", "ToolResults") and isinstance(value.get("data"), dict)


class _Documents(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        self.head(
            id=value.get("sessionId") or value.get("conversation_id"),
            cwd=value.get("workspacePath") or value.get("workspaceDirectory") or value.get("cwd"),
        )
        self.carry.entitle("host", text_of(value.get("title")))
        history = value.get("history")
        for number, entry in enumerate(history if isinstance(history, list) else []):
            if isinstance(entry, dict):
                self._entry(record, entry, number)
            elif isinstance(entry, list):  # before 1.20: [user, assistant]
                pair = mappings(entry)
                self._entry(record, {"user": (pair or [{}])[0], "assistant": (pair[1:] or [{}])[0]}, number)

    def _entry(self, record: Record, entry: Mapping[str, Any], number: int) -> None:
        message = mapping(entry.get("message"))
        if message:
            logs = "\n\n".join(text_of(log.get("completion")) for log in mappings(entry.get("promptLogs")))
            self.add(record, _message(message, logs), ref=message.get("id") or f"{number}")
            return
        asked, answered = mapping(entry.get("user")), mapping(entry.get("assistant"))
        meta = mapping(entry.get("request_metadata"))
        time = parse_time(asked.get("timestamp")) or parse_time(meta.get("request_start_timestamp_ms"))
        self.add(record, self._asked(mapping(asked.get("content"))), ref=f"{number}.asked", time=time)
        self.add(record, self._answered(answered), ref=f"{number}.answered", time=time)

    def _asked(self, content: Mapping[str, Any]) -> Iterator[Said]:
        for kind in ("Prompt", "CancelledToolUses"):
            text = text_of(mapping(content.get(kind)).get("prompt"))
            if text:
                yield _typed(text, pictures=False)
        for kind in ("ToolUseResults", "CancelledToolUses"):
            for entry in mappings(mapping(content.get(kind)).get("tool_use_results")):
                call_id = word(entry.get("tool_use_id"))
                yield result(_output(entry.get("content")), self.answered(call_id), call_id)

    def _answered(self, answer: Mapping[str, Any]) -> Iterator[Said]:
        for kind in ("Response", "ToolUse"):
            fields = mapping(answer.get(kind))
            if fields:
                yield Said("agent", text_of(fields.get("content")))
                for use in mappings(fields.get("tool_uses")):
                    yield self.call(use.get("name"), use.get("args"), use.get("id"))


class KiroDocument(Format):
    """A session of the editor, or one from the command line's database."""

    name = "kiro"
    reading = _Documents
    spanning = True
    beginning = re.compile(rb'\s*\{"conversation_id":')

    def recognises(self, head: bytes, path: str) -> bool:
        """Recognise a document longer than the head by its header."""
        return super().recognises(head, path) or (
            b'"history"' in head and b'"workspacePath"' in head and b'"sessionId"' in head
        )

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return isinstance(value.get("history"), list) and ("sessionId" in value or "conversation_id" in value)


def _message(message: Mapping[str, Any], logs: str) -> list[Said]:
    """Return the turn of a message; the agent's text may be in the logs of its prompts only."""
    blocks = blocks_of(message.get("content"))
    text = words_of(blocks)
    match message.get("role"):
        case "user":
            if text.startswith(_BY_HOST):
                return [Said("injected", short(text))]
            return [_typed(text, pictures=any(block.get("type") == "image" for block in blocks))]
        case "assistant":
            return [Said("agent", text if text.strip() else logs)]
        case "tool":
            return [result(text)]
    return [Said("note", short(text))]


def _output(content: object) -> object:
    """Return a tool result: texts joined, other values as they are."""
    parts = [mapping(entry) for entry in content] if isinstance(content, list) else []
    outcome = [part.get("data", part.get("Text", part.get("text", part.get("Json", part.get("json"))))) for part in parts]
    if all(isinstance(entry, str) for entry in outcome):
        return "\n".join(map(text_of, outcome))
    return outcome[0] if len(outcome) == 1 else outcome


FORMATS = (KiroDocument(), Kiro())
