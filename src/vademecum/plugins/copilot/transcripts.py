"""Sessions of GitHub Copilot, from its command line and VS Code's Chat: typed events, one per line
(`~/.copilot/session-state/<id>/events.jsonl`, `workspaceStorage/<hash>/GitHub.copilot-chat/transcripts/<id>.jsonl`).

As of Copilot CLI 1.0.102 and Copilot Chat 0.51 (2026-11), after the event types of github/copilot-sdk (session-events.schema.json, by
way of its published bindings) and real files of 1.0.20 to 1.0.102. Decisions:

* `user.message` has the typed text in `content` (`transformedContent` is the model's input, with additions); one with a
  `source` such as "skill-pdf" was injected. An event with a `parentToolCallId`, an `agentId` or the source "agent-..." is a
  sub-agent's, and so is a session that goes on from another one without a person.
* A call occurs in the requesting message and in the event of its execution; it is read from the latter, and its result from
  `tool.execution_complete`, which has the outcome.
* The person's answer to a question of the agent is the result of the host's own tool for questions; the text typed when refusing a
  call or a plan is the `feedback` to it. Each is read once, although several events contain it.
* A transcript of VS Code has no working folder; it follows from the workspace whose storage contains the transcript.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from vademecum.domain.session import Outcome, Speaker
from vademecum.plugin_api.transcripts import (
    Format,
    Reading,
    Record,
    Said,
    clean,
    json_value,
    mapping,
    mappings,
    parse_time,
    prompt,
    result,
    short,
    text_of,
    without_blocks,
    word,
    workspace_folder,
)

#: Events without speech.
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
    "pending_messages.modified", "permission.requested", "user_input.requested", "elicitation.requested", "external_tool.requested",
    "external_tool.completed", "command.queued",
    "command.execute", "command.completed", "commands.changed", "exit_plan_mode.requested", "session.auto_mode_resolved",
    "session.autopilot_objective_changed", "session.binary_asset", "session.canvas.recorded", "session.canvas.removed",
    "session.context_cleared", "session.remote_steerable_changed", "session.schedule_cancelled", "session.schedule_created",
    "session.schedule_rearmed", "session.session_limits_changed", "session.usage_checkpoint", "tool_search.activated",
})  # fmt: skip
_NOTES = frozenset({"system.message", "system.notification", "session.info", "session.error"})
_KINDS = ("session.", "user.message", "assistant.", "tool.", "hook.", "system.", "subagent.", "skill.")


#: The host's tools by which the agent asks the person, in the command line and VS Code. No tool of an MCP server has such a
#: name.
ASKING = ("ask_user", "vscode_askQuestions")
_RESPONDED, _FEEDBACK = "User responded: ", "The user rejected this tool call. User feedback: "


class _Copilot(Reading):
    def folder_beside(self) -> str:
        return workspace_folder(self.path)

    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        data = mapping(value.get("data"))
        kind = text_of(value.get("type"))
        place = mapping(data.get("context"))
        if kind in ("session.start", "session.resume", "session.context_changed"):
            self.work_in(place.get("cwd") or data.get("cwd"))
        if kind == "session.start":
            self.head(id=data.get("sessionId"), branch=place.get("branch"))
            self.led_by(agent=bool(data.get("detachedFromSpawningParentSessionId")))
        elif kind == "session.title_changed":
            self.carry.entitle("host", clean(text_of(data.get("title"))))
        elif kind not in BOOKKEEPING:
            spawned = bool(
                data.get("parentToolCallId") or value.get("agentId") or word(data.get("source")).startswith("agent-")
            )
            turns = self._said(kind, data)
            self.add(record, turns, ref=value.get("id"), time=parse_time(value.get("timestamp")), sidechain=spawned)

    def _said(self, kind: str, data: Mapping[str, Any]) -> Iterator[Said]:
        match kind:
            case "user.message":
                yield from _typed(data)
            case "assistant.message":
                yield Said("agent", text_of(data.get("content")))
            case "tool.execution_start":
                yield self._started(data)
            case "tool.execution_complete":
                yield from self._completed(data)
            case "permission.completed" | "user_input.completed" | "elicitation.completed" | "exit_plan_mode.completed":
                yield from self._replied(data)
            case "session.compaction_complete":
                yield Said("note", text_of(data.get("summaryContent")) or "Conversation compacted")
            case _ if kind in _NOTES:
                yield Said("note", short(text_of(data.get("content") or data.get("message"))))
            case _:
                self.strange(kind)

    def _started(self, data: Mapping[str, Any]) -> Said:
        call_id = word(data.get("toolCallId"))
        turn = self.call(data.get("toolName"), data.get("arguments"), call_id)
        if turn.tools[0] in ASKING:
            self.pending("asked")[call_id] = _questions(mapping(data.get("arguments")))
        return turn

    def _replied(self, data: Mapping[str, Any]) -> Iterator[Said]:
        """Yield the person's reply to a request of the host: why they refused a call or a plan, or their answer.

        If the host decided alone, by a rule or because nobody was there, nothing was said.
        """
        if word(data.get("decisionSource")) not in ("", "human_response"):
            return
        call_id = word(data.get("toolCallId"))
        refused = text_of(mapping(data.get("result")).get("feedback")) or text_of(data.get("feedback"))
        yield from self._heard("refusal", refused, call_id)
        filled_in = ", ".join(f"{name}={value}" for name, value in mapping(data.get("content")).items())
        yield from self._heard("answer", text_of(data.get("answer")) or filled_in, call_id)

    def _completed(self, data: Mapping[str, Any]) -> Iterator[Said]:
        call_id, error = word(data.get("toolCallId")), mapping(data.get("error"))
        tool, answer = self.answered(call_id), mapping(data.get("result")) or error
        output = answer.get("content") or answer.get("message")
        denied = error.get("code") == "denied"
        yield result(output, tool, call_id, _outcome(data, denied=denied))
        text = text_of(output)
        if denied and text.startswith(_FEEDBACK):
            yield from self._heard("refusal", text.removeprefix(_FEEDBACK), call_id)
        elif tool in ASKING and data.get("success") is True:
            questions = self.pending("asked").pop(call_id, [])
            for question, words in _responses(text, [word(entry) for entry in questions]):
                yield from self._heard("answer", words, call_id, question)

    def _heard(self, speaker: Speaker, text: str, call_id: str, question: str = "") -> Iterator[Said]:
        """Yield the person's reply to a call, unless another event contained it before."""
        if text.strip() and not self.met(f"{speaker}\0{call_id}\0{' '.join(text.split())}"):
            yield Said(speaker, text.strip(), call=call_id, question=question)


def _questions(arguments: Mapping[str, Any]) -> list[str]:
    """Return the questions of a call; for VS Code in the form "header: question"."""
    several = mappings(arguments.get("questions"))
    if several:
        return [f"{text_of(fields.get('header'))}: {text_of(fields.get('question'))}" for fields in several]
    return [text_of(arguments.get("question")) or text_of(arguments.get("message"))]


def _responses(text: str, questions: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (question, answer) from a result of the host's tool: a sentence in the command line, JSON in VS Code."""
    if text.startswith(_RESPONDED):
        yield (questions or [""])[0], text.removeprefix(_RESPONDED)
        return
    given = mapping(mapping(json_value(text)).get("answers"))
    asked = dict(question.partition(": ")[::2] for question in questions)
    for header, entry in given.items():
        chosen = [*(mapping(entry).get("selected") or []), mapping(entry).get("freeText")]
        words = ", ".join(word(part) for part in chosen if word(part).strip())
        if words and not mapping(entry).get("skipped"):
            yield asked.get(header, header), words


def _outcome(data: Mapping[str, Any], *, denied: bool) -> Outcome:
    shell = mapping(data.get("shellExecution") or mapping(data.get("result")).get("shellExecution"))
    if denied:
        return "refused"
    if data.get("success") is False or shell.get("exitCode") not in (None, 0):
        return "failed"
    return "succeeded" if data.get("success") is True else ""


def _typed(data: Mapping[str, Any]) -> Iterator[Said]:
    text, source = text_of(data.get("content")), text_of(data.get("source"))
    words = without_blocks(text, ("system_notification", "hook_context", "current_datetime", "reminder")).strip()
    if source not in ("", "user") or data.get("isAutopilotContinuation"):
        yield Said("injected", short(text))
    else:
        yield prompt(words, text, pictures=bool(data.get("attachments")))


class Copilot(Format):
    """Events of Copilot CLI."""

    name = "copilot"
    reading = _Copilot

    def is_own(self, value: Mapping[str, Any]) -> bool:
        kind = value.get("type")
        return isinstance(kind, str) and kind.startswith(_KINDS) and isinstance(value.get("data"), dict) and "id" in value


FORMATS = (Copilot(),)
