"""Sessions of GitHub Copilot CLI: typed events, one a line (`~/.copilot/session-state/<id>/events.jsonl`).

As of Copilot CLI 1.0.68 (2026-07), after the event types of github/copilot-sdk (session-events.schema.json, by way of its
published bindings) and real files of 1.0.20 to 1.0.68. `user.message` holds the words as typed in `content` (what the
model got, with additions, is `transformedContent`); one with a `source` such as "skill-pdf" was put there. An event with a
`parentToolCallId` is a sub-agent's. A call stands in the message that asked for it and in the event of its execution; it is
taken from the latter, and the answer from `tool.execution_complete`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from vademecum.adapters.transcripts.carry import parse_time
from vademecum.adapters.transcripts.jsonl import Record, clean
from vademecum.adapters.transcripts.reading import Format, Reading
from vademecum.adapters.transcripts.said import Said, call, mapping, result, short, text_of, without_blocks

#: Events that hold nothing anybody said.
BOOKKEEPING = frozenset({
    "session.resume", "session.idle", "session.warning", "session.model_change", "session.mode_changed",
    "session.plan_changed", "session.workspace_file_changed", "session.handoff", "session.truncation",
    "session.snapshot_rewind", "session.shutdown", "session.usage_info", "session.context_changed", "session.task_complete",
    "session.compaction_start", "session.import_legacy", "session.tools_updated", "session.background_tasks_changed",
    "session.skills_loaded", "session.custom_agents_updated", "session.mcp_servers_loaded", "session.permissions_changed",
    "assistant.turn_start", "assistant.turn_end", "assistant.intent", "assistant.reasoning", "assistant.reasoning_delta",
    "assistant.message_delta", "assistant.message_start", "assistant.streaming_delta", "assistant.usage", "assistant.thinking",
    "tool.execution_partial_result", "tool.execution_progress", "tool.user_requested", "skill.invoked", "hook.start", "hook.end",
    "subagent.started", "subagent.completed", "subagent.failed", "subagent.selected", "subagent.deselected", "abort",
    "pending_messages.modified", "permission.requested", "permission.completed", "user_input.requested", "user_input.completed",
    "elicitation.requested", "elicitation.completed", "external_tool.requested", "external_tool.completed", "command.queued",
    "command.execute", "command.completed", "commands.changed", "exit_plan_mode.requested", "exit_plan_mode.completed",
})  # fmt: skip
_NOTES = frozenset({"system.message", "system.notification", "session.info", "session.error"})
_KINDS = ("session.", "user.message", "assistant.", "tool.", "hook.", "system.", "subagent.", "skill.")


class _Copilot(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        data = mapping(value.get("data"))
        kind = text_of(value.get("type"))
        if kind == "session.start":
            place = mapping(data.get("context"))
            self.head(id=data.get("sessionId"), cwd=place.get("cwd") or data.get("cwd"), branch=place.get("branch"))
        elif kind == "session.title_changed":
            self.carry.entitle("host", clean(text_of(data.get("title"))))
        elif kind not in BOOKKEEPING:
            spawned = bool(data.get("parentToolCallId") or value.get("agentId"))
            said = list(self._said(kind, data))
            self.add(record, said, ref=value.get("id"), time=parse_time(value.get("timestamp")), sidechain=spawned)

    def _said(self, kind: str, data: Mapping[str, Any]) -> Iterator[Said]:
        match kind:
            case "user.message":
                yield from _typed(data)
            case "assistant.message":
                yield Said("agent", text_of(data.get("content")))
            case "tool.execution_start":
                said = call(data.get("toolName"), data.get("arguments"))
                self.called(data.get("toolCallId"), said.tools[0])
                yield said
            case "tool.execution_complete":
                answer = mapping(data.get("result")) or mapping(data.get("error"))
                yield result(answer.get("content") or answer.get("message"), self.answered(data.get("toolCallId")))
            case "session.compaction_complete":
                yield Said("note", text_of(data.get("summaryContent")) or "Conversation compacted")
            case _ if kind in _NOTES:
                yield Said("note", short(text_of(data.get("content") or data.get("message"))))
            case _:
                self.strange(kind)


def _typed(data: Mapping[str, Any]) -> Iterator[Said]:
    text, source = text_of(data.get("content")), text_of(data.get("source"))
    words = without_blocks(text, ("system_notification", "hook_context", "current_datetime", "reminder")).strip()
    if source not in ("", "user") or data.get("isAutopilotContinuation"):
        yield Said("injected", short(text))
    elif words:
        yield Said("user", words)
    elif data.get("attachments"):
        yield Said("user", "[image]")
    else:
        yield Said("injected", short(text))


class Copilot(Format):
    """Events of Copilot CLI."""

    name = "copilot"
    reading = _Copilot

    def is_own(self, value: Mapping[str, Any]) -> bool:
        kind = value.get("type")
        return isinstance(kind, str) and kind.startswith(_KINDS) and isinstance(value.get("data"), dict) and "id" in value
