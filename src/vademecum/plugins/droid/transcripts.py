"""Sessions of Droid (Factory): `~/.factory/sessions/<folder>/<id>.jsonl`.

As of Droid 0.57 (2026). The format is not documented; this follows the readers of specstoryai/getspecstory (droidcli/parser.go) and
robertpelloni/borg (DroidSessionParser.swift): `session_start`, then `message` lines with Claude's content blocks, `todo_state`
and `compaction_state`. `<system-reminder>` blocks are the host's. A session whose title or first text is a "Task Tool
Invocation" is a sub-agent's.
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
    call,
    mapping,
    parse_time,
    prompt,
    result,
    text_of,
    without_blocks,
    word,
)

CONTEXT_TAGS = ("system-reminder", "system-notification", "hook_context", "context", "local-command-stdout")
#: Result of the tool that asks the person.
_QUESTION_AND_ANSWER = re.compile(r"^\d+\. \[question\] (.+)\n\[answer\] (.+)$", re.MULTILINE)
_SPAWNED = "# Task Tool Invocation"
_BOOKKEEPING = frozenset({"todo_state", "session_end", "settings", "token_usage"})


class _Droid(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        match word(value.get("type")):
            case "session_start":
                self._start(value)
            case "message":
                turns = list(self._said(mapping(value.get("message"))))
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
            id=value.get("id") or inner.get("id"), cwd=value.get("cwd") or value.get("workspace_root") or inner.get("cwd")
        )
        title = text_of(value.get("sessionTitle") or value.get("title") or inner.get("title"))
        if title.startswith(_SPAWNED) or value.get("callingSessionId"):
            self.led_by(agent=True)
        else:
            self.carry.entitle("host", title)

    def _said(self, message: Mapping[str, Any]) -> Iterator[Said]:
        role, blocks = message.get("role"), blocks_of(message.get("content"))
        text = "\n".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")
        pictures = any(block.get("type") in ("image", "document") for block in blocks)
        if text.strip() or pictures:
            yield self._speech(role, text, pictures)
        for block in blocks:
            match word(block.get("type")):
                case "tool_use":
                    turn = call(block.get("name"), block.get("input"), word(block.get("id")))
                    self.called(block.get("id"), turn.tools[0])
                    yield turn
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

    def _speech(self, role: object, text: str, pictures: bool) -> Said:
        if role != "user":
            return Said("agent" if role == "assistant" else "note", text)
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
