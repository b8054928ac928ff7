"""Sessions of OpenCode: the document that `opencode export` writes, which its database is read as, too.

As of OpenCode 1.19 (2026-11), after its types (packages/core/src/session/sql.ts, cli/cmd/export.ts), the field guide of
skillsynchq/txcript and real exports of 1.2. A message's parts hold the words; `synthetic` and `ignored` ones were put there by
the program or a plugin, ours among them (X-23). A `tool` part holds a call and its answer. A session with a `parentID` is a
sub-agent's, whose "user" is another agent.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from vademecum.adapters.transcripts.carry import parse_time
from vademecum.adapters.transcripts.jsonl import Record
from vademecum.adapters.transcripts.reading import Format, Reading
from vademecum.adapters.transcripts.said import Said, call, mapping, result, short, text_of, without_blocks, word

#: Parts that nobody said.
SILENT_PARTS = frozenset({
    "step-start", "step-finish", "reasoning", "snapshot", "patch", "agent", "retry", "compaction", "subtask",
})  # fmt: skip
_PLACEHOLDER = ("New session - ", "Child session - ")


class _OpenCode(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        about = mapping(value.get("info"))
        self.head(id=about.get("id"), cwd=about.get("directory"))
        title = text_of(about.get("title"))
        if not title.startswith(_PLACEHOLDER):
            self.carry.entitle("host", title)
        messages = value.get("messages")
        for message in messages if isinstance(messages, list) else []:
            if isinstance(message, dict):
                self._message(record, message, spawned=bool(about.get("parentID")))

    def _message(self, record: Record, message: Mapping[str, Any], *, spawned: bool) -> None:
        about, parts = mapping(message.get("info")), message.get("parts")
        role, summary = about.get("role"), about.get("summary") is True
        if role not in ("user", "assistant"):
            self.strange(f"message/{role}")
            return
        for number, part in enumerate(parts if isinstance(parts, list) else []):
            if isinstance(part, dict):
                time = mapping(mapping(part.get("state")).get("time") or part.get("time")).get("start")
                self.add(
                    record,
                    list(self._part(part, person=role == "user", summary=summary)),
                    ref=part.get("id") or f"{about.get('id') or record.start}/{number}",
                    time=parse_time(time) or parse_time(mapping(about.get("time")).get("created")),
                    sidechain=spawned,
                )

    def _part(self, part: Mapping[str, Any], *, person: bool, summary: bool) -> Iterator[Said]:
        match word(part.get("type")):
            case "text" if part.get("synthetic") or part.get("ignored"):
                yield Said("injected", short(text_of(part.get("text"))))
            case "text" if person:
                text = text_of(part.get("text"))
                words = without_blocks(text, ("system-reminder", "hook_context")).strip()
                yield Said("user", words) if words else Said("injected", short(text))
            case "text":
                yield Said("note" if summary else "agent", text_of(part.get("text")))
            case "file" if person and text_of(part.get("mime")).startswith("image/"):
                yield Said("user", "[image]")
            case "file":
                pass
            case "tool":
                state = mapping(part.get("state"))
                said = call(part.get("tool"), state.get("input"))
                yield said
                yield result(state.get("output") or state.get("error"), said.tools[0])
            case kind if kind not in SILENT_PARTS:
                self.strange(f"part/{kind}")


class OpenCode(Format):
    """Exports of OpenCode."""

    name = "opencode"
    reading = _OpenCode
    spanning = True

    def recognises(self, head: bytes, path: str) -> bool:
        """Know a document longer than the head by its header, which comes first."""
        start = head[:4096]
        return super().recognises(head, path) or (start.lstrip()[:1] == b"{" and b'"info"' in start and b'"ses_' in start)

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return isinstance(value.get("info"), dict) and isinstance(value.get("messages"), list)
