"""Sessions of pi: a tree of entries, one per line (`~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`).

As of version 3 of the format (2026), after badlogic/pi-mono (packages/coding-agent/docs/session.md, src/core/session-manager.ts) and
a real file. Version 1 has neither ids nor its number, version 2 another name for extensions' messages. The branches of the tree are
read in the order of the file, because removed turns were still said. `custom_message` entries are from extensions. A
`bashExecution` is a command that the person ran, not something they said.

* A sub-agent's session is below its parent's, `<parent>/<run>/run-<n>/session.jsonl`; the lines with a `recordType` in
  `subagent-artifacts` are a copy of it. In both, the "user" is another agent.
* A fork names its `parentSession` and begins with the entries of that session. As for every host, they are recognised as captured
  already, so the fork inherits the person's choices about the parent.
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
    clean,
    mapping,
    mappings,
    outcome_of,
    outcome_of_exit,
    parse_time,
    prompt,
    result,
    short,
    text_of,
    without_blocks,
    word,
    words_of,
)

_BOOKKEEPING = frozenset({"thinking_level_change", "model_change", "label", "custom"})
#: Tools of pi's own extensions by which the agent asks the person.
ASKING = frozenset({"question", "questionnaire", "ask_user"})


#: Files of a sub-agent: below the folder named like its parent's session, which also contains forks by the person.
_OF_SUB_AGENT = re.compile(
    r"[/\\](?:\d{4}-\d\d-\d\dT[\w-]+_[0-9a-f-]{36}[/\\](?!forks[/\\])|subagent-artifacts[/\\]|run-\d+[/\\]session\.jsonl$)"
)

#: Blocks that pi puts before the typed text: the text of a skill, and files named on the command line.
_PUT_BEFORE = re.compile(r'\s*<(skill|file) name="[^"<>]*"[^<>]*>')


class _Pi(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        time, ref = parse_time(value.get("timestamp")), value.get("id")
        if "recordType" in value:
            self._recorded(record, value)
            return
        match word(value.get("type")):
            case "session":
                self.head(id=ref, cwd=value.get("cwd"))
            case "session_info":
                self.carry.entitle("given", clean(text_of(value.get("name"))))
            case "message":
                self.add(record, self._said(mapping(value.get("message"))), ref=ref, time=time)
            case "custom_message":
                self.add(record, [Said("injected", short(text_of(value.get("content"))))], ref=ref, time=time)
            case "compaction" | "branch_summary":
                self.add(record, [Said("note", text_of(value.get("summary")) or "Conversation compacted")], ref=ref, time=time)
            case other if other not in _BOOKKEEPING:
                self.strange(other)

    def _recorded(self, record: Record, value: Mapping[str, Any]) -> None:
        """Read a line of the copy of a sub-agent's session."""
        self.led_by(agent=True)
        text = text_of(value.get("text")) or text_of(value.get("content"))
        speaker = {"user": "user", "assistant": "agent", "toolResult": "tool", "tool": "tool"}.get(
            word(value.get("role")), "note"
        )
        if value.get("recordType") == "message":
            self.add(record, [Said(speaker, text)], time=parse_time(value.get("timestamp")))  # type: ignore[arg-type]  # are speakers

    def _said(self, message: Mapping[str, Any]) -> Iterator[Said]:
        blocks = blocks_of(message.get("content"))
        text = words_of(blocks)
        match word(message.get("role")):
            case "user":
                yield from _typed(text, any(block.get("type") == "image" for block in blocks))
            case "assistant":
                yield Said("agent", text)
                for block in blocks:
                    if block.get("type") == "toolCall":
                        yield self.call(block.get("name"), block.get("arguments"), block.get("id"))
            case "toolResult":
                yield from self._answer(message, text)
            case "bashExecution":
                turn = call("bash", {"command": message.get("command")})
                yield turn
                yield result(message.get("output"), turn.tools[0], outcome=outcome_of_exit(message.get("exitCode")))
            case "compactionSummary" | "branchSummary" | "custom" | "hookMessage":
                yield Said("note", short(text))
            case other:
                self.strange(f"message/{other}")

    def _answer(self, message: Mapping[str, Any], text: str) -> Iterator[Said]:
        call_id = word(message.get("toolCallId"))
        name = self.answered(call_id) or text_of(message.get("toolName"))
        failed = message.get("isError")
        yield result(text, name, call_id, outcome_of(not failed if isinstance(failed, bool) else None))
        details = mapping(message.get("details"))
        if name in ASKING and not message.get("isError"):
            yield from answers(_pairs(details), call_id)


def _typed(text: str, pictures: bool) -> Iterator[Said]:
    """Yield the blocks before the typed text, and the person's words."""
    begin = 0
    while (match := _PUT_BEFORE.match(text, begin)) and (end := text.find(f"</{match[1]}>", match.end())) >= 0:
        yield Said("document" if match[1] == "file" else "injected", short(text[match.end() : end].strip()))
        begin = end + len(match[1]) + 3
    words = without_blocks(text[begin:], ("system-reminder", "hook_context")).strip()
    if words or pictures or not begin:
        yield prompt(words, text, pictures=pictures)


def _pairs(details: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (question, answer) from the result of a tool in pi's own examples: one question, or a list."""
    if word(details.get("answer")):
        yield word(details.get("question")), word(details.get("answer"))
    questions = {
        word(values.get("id")): text_of(values.get("prompt") or values.get("question"))
        for values in mappings(details.get("questions"))
    }
    for fields in mappings(details.get("answers")):
        yield questions.get(word(fields.get("id")), word(fields.get("id"))), text_of(fields.get("label") or fields.get("value"))


class Pi(Format):
    """Sessions of pi."""

    name = "pi"
    reading = _Pi

    def begin(self, reading: Reading) -> None:
        """Mark a sub-agent's session, which is recognised only by its folder."""
        reading.led_by(agent=_OF_SUB_AGENT.search(reading.path) is not None)

    def is_own(self, value: Mapping[str, Any]) -> bool:
        if "recordType" in value:
            return "runId" in value and "role" in value
        if value.get("type") == "session":
            return "version" in value and "cwd" in value
        message = mapping(value.get("message"))
        return value.get("type") == "message" and bool("parentId" in value if "id" in value else "timestamp" in message)


FORMATS = (Pi(),)
