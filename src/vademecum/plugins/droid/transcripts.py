"""Sessions of Droid (Factory): `~/.factory/sessions/<folder>/<id>.jsonl`.

As of Droid 0.57 and later (2026-10). The format is not documented; this follows several independent readers and their test
files: `session_start`, then `message` lines with Claude's content blocks, `todo_state`, `compaction_state` and `agent_turn_outcome`.
`<system-reminder>` blocks are the host's, and so is a message with the visibility `llm_only` or `user_only` or of a hook; one with the
source "automation" is a program's. A session whose title or first text is a "Task Tool Invocation" is a sub-agent's.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from vademecum.plugin_api.transcripts import (
    Format,
    Reading,
    Record,
    Said,
    answers,
    blocks_of,
    mapping,
    parse_time,
    prompt,
    result,
    short,
    text_of,
    without_blocks,
    word,
    words_of,
)

CONTEXT_TAGS = ("system-reminder", "system-notification", "hook_context", "context", "local-command-stdout")
#: Result of the tool that asks the person.
_QUESTION_AND_ANSWER = re.compile(r"^\d+\. \[question\] (.+)\n\[answer\] (.+)$", re.MULTILINE)
_SPAWNED = "# Task Tool Invocation"
_BOOKKEEPING = frozenset({"todo_state", "session_end", "settings", "token_usage", "agent_turn_outcome"})
_PLACEHOLDER = "New Session"


class _Droid(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        match word(value.get("type")):
            case "session_start":
                self._start(value)
            case "message":
                turns = self._said(mapping(value.get("message")) or value)
                self.add(record, turns, ref=value.get("id"), time=parse_time(value.get("timestamp")))
            case "compaction_state":
                summary = value.get("summaryText") or mapping(value.get("summary")).get("body") or value.get("summary")
                time = parse_time(value.get("timestamp"))
                self.add(record, [Said("note", text_of(summary) or "Conversation compacted")], ref=value.get("id"), time=time)
            case other if other not in _BOOKKEEPING:
                self.strange(other)

    def _start(self, value: Mapping[str, Any]) -> None:
        inner = mapping(value.get("session"))
        self.head(
            id=value.get("id") or value.get("sessionId") or inner.get("id"),
            cwd=value.get("cwd") or value.get("workspace_root") or inner.get("cwd"),
        )
        title = text_of(value.get("sessionTitle") or value.get("title") or inner.get("title"))
        if title.startswith(_SPAWNED) or value.get("callingSessionId"):
            self.led_by(agent=True)
        elif title != _PLACEHOLDER:
            self.carry.entitle("host", title)

    def _said(self, message: Mapping[str, Any]) -> Iterator[Said]:
        blocks = blocks_of(message.get("content"))
        text = words_of(blocks)
        pictures = any(block.get("type") in ("image", "document") for block in blocks)
        if text.strip() or pictures:
            yield self._speech(message, text, pictures)
        for block in blocks:
            match word(block.get("type")):
                case "tool_use":
                    yield self.call(block.get("name"), block.get("input"), block.get("id"))
                case "tool_result":
                    yield from self._answer(block)
                case "text" | "image" | "thinking" | "reasoning" | "thought" | "document":
                    pass
                case other:
                    self.strange(f"block/{other}")

    def _answer(self, block: Mapping[str, Any]) -> Iterator[Said]:
        call_id, text = word(block.get("tool_use_id")), text_of(block.get("content"))
        tool, failed = self.answered(call_id), block.get("is_error") is True
        yield result(block.get("content"), tool, call_id, "failed" if failed else "succeeded" if "is_error" in block else "")
        if tool == "AskUser" and not failed:
            yield from answers(_QUESTION_AND_ANSWER.findall(text), call_id)

    def _speech(self, message: Mapping[str, Any], text: str, pictures: bool) -> Said:
        role, source = message.get("role"), word(message.get("userMessageSource"))
        if role != "user":
            return Said("agent" if role == "assistant" else "note", text)
        if message.get("visibility") in ("llm_only", "user_only") or message.get("hookEventName"):
            return Said("injected", short(text))
        if source == "automation":
            return Said("program", text)
        if source not in ("", "user"):
            self.strange(f"user/source {source}")
        words = without_blocks(text, CONTEXT_TAGS).strip()
        if words.startswith(_SPAWNED):
            self.led_by(agent=True)
        if words.startswith("[Request interrupted"):
            return Said("note", words)
        return prompt(words, text, pictures=pictures)


class Droid(Format):
    """Sessions of Droid."""

    name = "droid"
    reading = _Droid

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return value.get("type") == "session_start" and "data" not in value


FORMATS = (Droid(),)
