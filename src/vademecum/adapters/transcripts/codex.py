"""Rollouts of Codex: the log of what the model saw and the log of what the person saw, interleaved in one file.

As of Codex 0.163 (2026-11), after hosts.md, the field guide of skillsynchq/txcript (docs/formats/codex.md, 2026-08) and real
files of 0.140 to 0.142. Decisions:

* Everything is told twice: a person's words as a `user` message and as a `user_message` event, the agent's as an `assistant`
  message and as an `agent_message` event. Each is heard once, whichever comes first or comes alone.
* A `user` message also carries what the host added (environment, AGENTS.md, skills): whole blocks in one tag, or under a
  known heading. `developer` messages are the host's or, of kind `hooks.additional_context`, ours (X-23).
* A fork begins with the metas of its ancestors and a copy of their turns, with new times. The turn's id (a UUIDv7) tells when
  it was really made: one that is older than the session is the ancestor's, and stands there.
* Files of 2025 have no envelope: a first line with an id, then bare items.
* A session that another agent spawned is a sub-agent's.
"""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from vademecum.adapters.transcripts.carry import parse_time
from vademecum.adapters.transcripts.jsonl import Record
from vademecum.adapters.transcripts.reading import Format, Reading
from vademecum.adapters.transcripts.said import (
    Said,
    blocks_of,
    call,
    is_tagged,
    mapping,
    result,
    short,
    text_of,
    without_blocks,
    word,
)

#: How blocks of a `user` message begin that no person typed.
HOST_PREFIXES = (
    "# AGENTS.md instructions for", "<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "<permissions instructions>",
    "<turn_aborted>", "<user_shell_command>", "<skill>", "<subagent_notification>", "<collaboration_mode>", "<hook_prompt",
    "<user_action>", "<image", "</image>", "<apps_instructions>", "<plugins_instructions>", "<skills_instructions>", "<app-context>",
    "Warning: The maximum number of unified exec processes",
)  # fmt: skip

#: Above it stands what the editor or the browser adds; the person's words follow.
_REQUEST = re.compile(r"\n#+ My request for Codex:\n")
_CONTEXT = re.compile(r"\s*# (?:Context from my IDE setup|In app browser|Files mentioned by the user|Applications mentioned)")

#: The header of 2025 has no folder; what the host tells the model does.
_FOLDER = re.compile(r"<cwd>([^<>\n]{1,4096})</cwd>")

#: Envelopes that hold nothing anybody said.
BOOKKEEPING = frozenset({"turn_context", "world_state", "token_usage_record", "ghost_snapshot", "state"})

#: Events that repeat an item, or tell how the work goes.
EVENTS = frozenset({
    "task_started", "task_complete", "turn_started", "turn_complete", "turn_aborted", "token_count", "agent_reasoning",
    "agent_reasoning_raw_content", "agent_reasoning_section_break", "exec_command_begin", "exec_command_end",
    "exec_command_output_delta", "patch_apply_begin", "patch_apply_end", "patch_apply_updated", "mcp_tool_call_begin",
    "mcp_tool_call_end", "web_search_begin", "web_search_end", "view_image_tool_call", "image_generation_begin",
    "image_generation_end", "context_compacted", "thread_rolled_back", "entered_review_mode", "exited_review_mode",
    "thread_name_updated", "session_name_updated", "plan_update", "plan_delta", "turn_diff", "background_event", "error",
    "warning", "stream_error", "shutdown_complete", "session_configured", "undo_started", "undo_completed", "item_started",
    "item_completed", "dynamic_tool_call_request", "dynamic_tool_call_response", "collab_agent_spawn_begin",
    "collab_agent_spawn_end", "collab_agent_interaction_begin", "collab_agent_interaction_end", "collab_waiting_begin",
    "collab_waiting_end", "collab_close_begin", "collab_close_end", "hook_started", "hook_completed", "guardian_assessment",
    "model_reroute", "deprecation_notice", "thread_goal_updated", "request_user_input", "sub_agent_activity",
})  # fmt: skip

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output"})
_SILENT = frozenset({"reasoning", "ghost_snapshot", "compaction", "compaction_summary", "image_generation_call", "other"})
_OUR_KIND = "hooks.additional_context"


class _Codex(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        kind = word(value.get("type"))
        if "payload" not in value:
            self._bare(record, value)
            return
        payload = mapping(value["payload"])
        if kind == "session_meta":
            self._meta(payload)
        elif kind == "response_item":
            self._say(record, value, payload, list(self._item(payload)))
        elif kind == "event_msg":
            self._event(record, value, payload)
        elif kind == "compacted":
            self._say(record, value, {}, [Said("note", text_of(payload.get("message")) or "Conversation compacted")])
        elif kind == "turn_context":
            self._turn_begins(payload)
            self.work_in(payload.get("cwd"))
        elif kind == "inter_agent_communication":
            self._say(record, value, {}, [Said("tool", short(text_of(payload.get("message") or payload.get("content"))))])
        elif kind not in BOOKKEEPING:
            self.strange(kind)

    def _bare(self, record: Record, value: Mapping[str, Any]) -> None:
        """Read a line of the layout without envelope."""
        if "type" in value:
            told = text_of(value.get("content"))
            place = _FOLDER.search(told) if told.startswith("<environment_context>") else None
            self.head(cwd=place[1] if place else "")
            self._say(record, value, value, list(self._item(value)))
        elif isinstance(value.get("id"), str) and "timestamp" in value:
            self._meta(value)
        elif "record_type" not in value:
            self.strange("no type")

    def _meta(self, payload: Mapping[str, Any]) -> None:
        """Read the header. The first is the session's own; a later one repeats it, or is an ancestor's that was copied."""
        own = self.carry.own
        if not self.carry.id_is_sure and isinstance(payload.get("id"), str) and payload["id"]:
            self.carry.id_is_sure = True
            self.carry.id = ""
            self.head(id=payload["id"], cwd=payload.get("cwd"), branch=mapping(payload.get("git")).get("branch"))
            own["spawned"] = "subagent" in mapping(payload.get("source")) or payload.get("thread_source") == "subagent"
            own["forked"] = bool(payload.get("forked_from_id"))
        elif payload.get("id") not in (None, self.carry.id):
            own["forked"] = own["copying"] = True

    def _turn_begins(self, payload: Mapping[str, Any]) -> None:
        made, began = _made(payload.get("turn_id")), _made(self.carry.id)
        if self.carry.own.get("forked") and made and began:
            self.carry.own["copying"] = made < began

    def _event(self, record: Record, value: Mapping[str, Any], payload: Mapping[str, Any]) -> None:
        kind = word(payload.get("type"))
        if kind in ("task_started", "turn_started"):
            self._turn_begins(payload)
        elif kind == "user_message":
            words = _request(text_of(payload.get("message")))
            pictures = payload.get("images") or payload.get("local_images")
            if words.strip():
                self._once(record, value, "event", Said("user", words))
            elif pictures:
                self._once(record, value, "event", Said("user", "[image]"))
        elif kind == "agent_message":
            self._once(record, value, "event", Said("agent", text_of(payload.get("message"))))
        elif kind in ("thread_name_updated", "session_name_updated"):
            self.carry.entitle("given", text_of(payload.get("name") or payload.get("thread_name") or payload.get("title")))
        elif kind not in EVENTS:
            self.strange(f"event_msg/{kind}")

    def _item(self, payload: Mapping[str, Any]) -> Iterator[Said]:
        kind = word(payload.get("type"))
        if kind == "message":
            yield from _message(payload)
        elif kind in _CALLS:
            given = next((payload[key] for key in ("arguments", "input", "action") if payload.get(key)), None)
            said = call(payload.get("name") or kind.removesuffix("_call"), given)
            self.called(payload.get("call_id"), said.tools[0])
            yield said
        elif kind in _OUTPUTS:
            output = payload.get("output", payload.get("tools"))
            output = mapping(output).get("content", output)
            yield result(
                text_of(_unwrapped(output)) if isinstance(output, str | list) else output, self.answered(payload.get("call_id"))
            )
        elif kind not in _SILENT and kind not in BOOKKEEPING:
            self.strange(f"item/{kind}")

    def _say(self, record: Record, value: Mapping[str, Any], payload: Mapping[str, Any], said: list[Said]) -> None:
        speech = [one for one in said if one.speaker in ("user", "agent")]
        for one in speech:
            self._once(record, value, "item", one, ref=payload.get("id"))
        if not speech:
            self._keep(record, value, said, ref=payload.get("id"))

    def _once(self, record: Record, value: Mapping[str, Any], where: str, said: Said, ref: object = "") -> None:
        """Add speech that the other log tells too, once."""
        key = f"{where}/{said.speaker}"
        other = f"{'item' if where == 'event' else 'event'}/{said.speaker}"
        if said.text.strip() and "payload" in value and self.other_half(key, said.text, other):
            return
        self._keep(record, value, [said], ref=ref)

    def _keep(self, record: Record, value: Mapping[str, Any], said: list[Said], ref: object) -> None:
        if not self.carry.own.get("copying"):
            spawned = bool(self.carry.own.get("spawned"))
            self.add(record, said, ref=ref, time=parse_time(value.get("timestamp")), sidechain=spawned)


class Codex(Format):
    """Rollouts of Codex, of 2025 to 0.163."""

    name = "codex"
    reading = _Codex
    beginning = re.compile(
        rb'\s*\{\s*"timestamp"\s*:\s*"[^"]{1,40}"\s*,\s*(?:"ordinal"\s*:\s*\d+\s*,\s*)?'
        rb'"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context|compacted)"'
    )

    def is_own(self, value: Mapping[str, Any]) -> bool:
        if isinstance(value.get("payload"), dict):
            return value.get("type") in ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
        if value.get("type") == "message" and value.get("role") in ("user", "assistant", "developer"):
            blocks = blocks_of(value.get("content"))
            return bool(blocks) and all(block.get("type") in ("input_text", "output_text", "input_image") for block in blocks)
        return value.keys() == {"record_type"} or {"id", "timestamp", "instructions"} <= value.keys()


def _message(payload: Mapping[str, Any]) -> Iterator[Said]:
    blocks = blocks_of(payload.get("content"))
    text = "\n".join(text_of(block.get("text")) for block in blocks)
    match payload.get("role"):
        case "assistant":
            yield Said("agent", text)
        case "user":
            typed = [_request(text_of(block.get("text"))) for block in blocks]
            words = "\n".join(part for part in typed if part.strip() and not _is_put_there(part)).strip()
            if words:
                yield Said("user", words)
            elif any(block.get("type") == "input_image" for block in blocks):
                yield Said("user", "[image]")
            else:
                yield Said("note", short(text))
        case "developer" | "system":
            kinds = mapping(payload.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds")
            ours = isinstance(kinds, list) and _OUR_KIND in kinds
            yield Said("injected" if ours else "note", short(text))


def _is_put_there(text: str) -> bool:
    return text.lstrip().startswith(HOST_PREFIXES) or is_tagged(text)


def _request(text: str) -> str:
    """Return the person's words below what the editor or the browser put above them."""
    if _CONTEXT.match(text):
        parts = _REQUEST.split(text, maxsplit=1)
        text = parts[1] if len(parts) > 1 else text
    return without_blocks(text, ("environment_context", "hook_context")).strip()


def _made(name: object) -> int:
    """Return milliseconds since 1970 at which a UUIDv7 was made; 0 for any other text."""
    digits = name.replace("-", "") if isinstance(name, str) else ""
    try:
        return int(digits[:12], 16) if len(digits) == 32 and digits[12] == "7" else 0
    except ValueError:
        return 0


def _unwrapped(output: Any) -> Any:
    """Return what a command printed; earlier versions wrote it as JSON within the text, beside its exit code."""
    if isinstance(output, str) and output.startswith('{"output":'):
        with contextlib.suppress(ValueError, RecursionError):
            told = json.loads(output)
            return told["output"] if isinstance(told, dict) and isinstance(told.get("output"), str) else output
    return output
