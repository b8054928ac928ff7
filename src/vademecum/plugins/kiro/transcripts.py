"""Sessions of Kiro: of the command line (JSON lines, formerly a database) and of the editor (one JSON document).

As of Kiro CLI 2.14 (2026-07) and the editor of 2026. Neither is documented; the formats are those on which several independent
readers agree: lines `{"version", "kind": Prompt | AssistantMessage | ToolResults, "data": {"message_id", "content": [{"kind",
"data"}], "meta": {"timestamp"}}}` in `~/.kiro/sessions/cli/<id>.jsonl`; rows of `conversations_v2` whose JSON contains
`history: [{"user": {"content": {"Prompt": {"prompt"}}}, "assistant": {"Response" | "ToolUse"}}]`; documents of the editor with
`sessionId`, `workspacePath` and `history: [{"message": {"role", "content"}}]` (yigitkonur/cli-continues, src/parsers/kiro.ts).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vademecum.plugin_api.transcripts import (
    Format,
    Reading,
    Record,
    Said,
    blocks_of,
    call,
    mapping,
    parse_time,
    prompt,
    result,
    short,
    text_of,
    without_blocks,
    word,
)

#: Blocks that Kiro adds to a prompt.
CONTEXT_TAGS = (
    "EnvironmentContext", "environment-context", "steering-reminder", "implicit-rules", "key_information", "hook_context",
)  # fmt: skip


def _typed(text: str, *, pictures: bool) -> Said:
    return prompt(without_blocks(text, CONTEXT_TAGS).strip(), text, pictures=pictures)


class _Lines(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        data = mapping(value.get("data"))
        content = data.get("content")
        blocks = [by_key for by_key in content if isinstance(by_key, dict)] if isinstance(content, list) else []
        turns = list(self._said(word(value.get("kind")), blocks))
        time = parse_time(mapping(data.get("meta")).get("timestamp"))
        self.add(record, turns, ref=data.get("message_id"), time=time)

    def _said(self, kind: str, blocks: Sequence[Mapping[str, Any]]) -> Iterator[Said]:
        text = "\n".join(text_of(block.get("data")) for block in blocks if block.get("kind") == "text")
        match kind:
            case "Prompt":
                yield _typed(text, pictures=any(block.get("kind") == "image" for block in blocks))
            case "AssistantMessage":
                yield Said("agent", text)
                for block in blocks:
                    if block.get("kind") == "toolUse":
                        yield self._call(mapping(block.get("data")))
            case "ToolResults":
                for block in blocks:
                    if block.get("kind") == "toolResult":
                        data = mapping(block.get("data"))
                        yield result(_output(data.get("content")), self.answered(data.get("toolUseId")))
            case "Clear" | "Compaction" | "CompactionSummary":
                yield Said("note", text or "Conversation compacted")
            case other:
                self.strange(other)

    def _call(self, data: Mapping[str, Any]) -> Said:
        turn = call(data.get("name"), data.get("input"))
        self.called(data.get("toolUseId"), turn.tools[0])
        return turn


class Kiro(Format):
    """Sessions of the command line."""

    name = "kiro"
    reading = _Lines
    beginning = re.compile(rb'\s*\{\s*"version"\s*:\s*"v\d+"\s*,\s*"kind"\s*:\s*"(?:Prompt|AssistantMessage|ToolResults)"')

    def is_own(self, value: Mapping[str, Any]) -> bool:
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
                pair = [by_key for by_key in entry if isinstance(by_key, dict)]
                self._entry(record, {"user": (pair or [{}])[0], "assistant": (pair[1:] or [{}])[0]}, number)

    def _entry(self, record: Record, entry: Mapping[str, Any], number: int) -> None:
        message = mapping(entry.get("message"))
        if message:
            self.add(record, _message(message), ref=message.get("id") or f"{number}")
            return
        asked, answered = mapping(entry.get("user")), mapping(entry.get("assistant"))
        meta = mapping(entry.get("request_metadata"))
        time = parse_time(asked.get("timestamp")) or parse_time(meta.get("request_start_timestamp_ms"))
        self.add(record, list(self._asked(mapping(asked.get("content")))), ref=f"{number}.asked", time=time)
        self.add(record, list(self._answered(answered)), ref=f"{number}.answered", time=time)

    def _asked(self, content: Mapping[str, Any]) -> Iterator[Said]:
        for kind in ("Prompt", "CancelledToolUses"):
            text = text_of(mapping(content.get(kind)).get("prompt"))
            if text:
                yield _typed(text, pictures=False)
        for kind in ("ToolUseResults", "CancelledToolUses"):
            results = mapping(content.get(kind)).get("tool_use_results")
            for entry in results if isinstance(results, list) else []:
                yield result(_output(mapping(entry).get("content")), self.answered(mapping(entry).get("tool_use_id")))

    def _answered(self, answer: Mapping[str, Any]) -> Iterator[Said]:
        for kind in ("Response", "ToolUse"):
            fields = mapping(answer.get(kind))
            if fields:
                yield Said("agent", text_of(fields.get("content")))
                uses = fields.get("tool_uses")
                for use in uses if isinstance(uses, list) else []:
                    turn = call(mapping(use).get("name"), mapping(use).get("args"))
                    self.called(mapping(use).get("id"), turn.tools[0])
                    yield turn


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


def _message(message: Mapping[str, Any]) -> list[Said]:
    blocks = blocks_of(message.get("content"))
    text = "\n".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")
    match message.get("role"):
        case "user":
            return [_typed(text, pictures=any(block.get("type") == "image" for block in blocks))]
        case "assistant":
            return [Said("agent", text)]
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
