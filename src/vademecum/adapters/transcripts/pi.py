"""Sessions of pi: a tree of entries, one a line (`~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`).

As of version 3 of the format (2026), after earendil-works/pi (packages/coding-agent/docs/session-format.md, by way of the
field guide of skillsynchq/txcript) and a real file. The branches of the tree are heard in the order of the file: what was
taken back was still said. `custom_message` entries are put there by extensions. A `bashExecution` is a command that the
person ran, not something they said.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from vademecum.adapters.transcripts.carry import parse_time
from vademecum.adapters.transcripts.jsonl import Record, clean
from vademecum.adapters.transcripts.reading import Format, Reading
from vademecum.adapters.transcripts.said import Said, blocks_of, call, mapping, result, short, text_of, without_blocks, word

_BOOKKEEPING = frozenset({"thinking_level_change", "model_change", "label", "custom"})


class _Pi(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        time, ref = parse_time(value.get("timestamp")), value.get("id")
        match word(value.get("type")):
            case "session":
                self.head(id=ref, cwd=value.get("cwd"))
            case "session_info":
                self.carry.entitle("given", clean(text_of(value.get("name"))))
            case "message":
                self.add(record, list(self._said(mapping(value.get("message")))), ref=ref, time=time)
            case "custom_message":
                self.add(record, [Said("injected", short(text_of(value.get("content"))))], ref=ref, time=time)
            case "compaction" | "branch_summary":
                self.add(record, [Said("note", text_of(value.get("summary")) or "Conversation compacted")], ref=ref, time=time)
            case other if other not in _BOOKKEEPING:
                self.strange(other)

    def _said(self, message: Mapping[str, Any]) -> Iterator[Said]:
        blocks = blocks_of(message.get("content"))
        text = "\n".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")
        match word(message.get("role")):
            case "user":
                words = without_blocks(text, ("system-reminder", "hook_context")).strip()
                if words or any(block.get("type") == "image" for block in blocks):
                    yield Said("user", words or "[image]")
                else:
                    yield Said("injected", short(text))
            case "assistant":
                yield Said("agent", text)
                for block in blocks:
                    if block.get("type") == "toolCall":
                        said = call(block.get("name"), block.get("arguments"))
                        self.called(block.get("id"), said.tools[0])
                        yield said
            case "toolResult":
                name = self.answered(message.get("toolCallId")) or text_of(message.get("toolName"))
                yield Said("tool", short(text), name=name)
            case "bashExecution":
                said = call("bash", {"command": message.get("command")})
                yield said
                yield result(message.get("output"), said.tools[0])
            case "compactionSummary" | "branchSummary" | "custom":
                yield Said("note", short(text))
            case other:
                self.strange(f"message/{other}")


class Pi(Format):
    """Sessions of pi."""

    name = "pi"
    reading = _Pi

    def is_own(self, value: Mapping[str, Any]) -> bool:
        if value.get("type") == "session":
            return "version" in value and "cwd" in value
        return value.get("type") == "message" and "parentId" in value and isinstance(value.get("message"), dict)
