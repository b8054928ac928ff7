"""Rollouts of Codex: the log of the model's context and the log of the display, interleaved in one file.

As of Codex 0.163 (2026-11), after hosts.md, the field guide of skillsynchq/txcript (docs/formats/codex.md, 2026-08) and real
files of 0.140 to 0.142. Decisions:

* Every message is logged twice: the person's as a `user` message and as a `user_message` event, the agent's as an `assistant`
  message and as an `agent_message` event. Each counts once, whichever comes first or alone.
* A `user` message also contains insertions of the host (environment, AGENTS.md, skills). Since 2026 `content_item_kinds` states
  the origin of each block; before, blocks in one tag, below a known heading or starting with a tag in a host's form are the
  host's. `developer` messages are the host's or, of kind `hooks.additional_context`, ours (X-23).
* Prompts of `codex exec`, the SDK and other programs, and those of a sub-agent, look like a person's; only the file's header
  distinguishes them.
* The outcome of a call is in its output, in JSON beside it, or in an event before it; answers to questions are in an output.
* A rollout may contain a message in `item_completed` events only; a message that other logs contain too counts once.
* A fork begins with the headers of its ancestors and a copy of their turns, with new times. The turn's id, if it is a UUIDv7,
  contains the original time: a turn older than the session belongs to the ancestor and is skipped. Without such an id the copy
  ends where the times leave the moment in which it was written.
* Files of 2025 have no envelope: a first line with an id, then bare items.
* A session that another agent spawned is a sub-agent's.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from vademecum.adapters.transcripts.carry import parse_time
from vademecum.adapters.transcripts.jsonl import Record, clean
from vademecum.adapters.transcripts.reading import Format, Reading
from vademecum.adapters.transcripts.said import (
    Said,
    answers,
    blocks_of,
    is_tagged,
    json_value,
    mapping,
    mappings,
    outcome_of,
    outcome_of_exit,
    result,
    short,
    text_of,
    without_blocks,
    without_host_blocks,
    word,
)
from vademecum.domain.session import Outcome

#: Beginnings of blocks of a `user` message that no person typed.
HOST_PREFIXES = (
    "# AGENTS.md instructions", "<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "<permissions instructions>",
    "<turn_aborted>", "<user_shell_command>", "<skill>", "<subagent_notification>", "<collaboration_mode>", "<hook_prompt",
    "<user_action>", "<image", "</image>", "<apps_instructions>", "<plugins_instructions>", "<skills_instructions>", "<app-context>",
    "Warning: The maximum number of unified exec processes",
    "Another language model started to solve this problem and produced a summary",
)  # fmt: skip

#: Heading between the additions of an editor or browser and the person's words.
_REQUEST = re.compile(r"\n#+ My request for Codex:\n")
_CONTEXT = re.compile(r"\s*# (?:Context from my IDE setup|In app browser|Files mentioned by the user|Applications mentioned)")

#: Working folder in the host's text for the model; the header of 2025 has none.
_FOLDER = re.compile(r"<cwd>([^<>\n]{1,4096})</cwd>")

#: Types of envelopes without any speech.
BOOKKEEPING = frozenset({
    "turn_context", "world_state", "token_usage_record", "ghost_snapshot", "state", "dynamic_tools_updated", "security_risk_score",
    "inter_agent_communication_metadata",
})  # fmt: skip

#: Events that repeat an item or report progress.
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
    "thread_settings_applied", "thread_queue_changed", "environment_connected", "environment_disconnected", "mcp_startup_update",
    "mcp_startup_complete", "auth_recovery_started", "auth_recovery_completed", "guardian_warning", "model_verification",
    "turn_moderation_metadata", "safety_buffering", "terminal_interaction", "exec_approval_request", "request_permissions",
    "elicitation_request", "elicitation_abandoned", "apply_patch_approval_request", "agent_message_content_delta",
    "reasoning_content_delta", "reasoning_raw_content_delta", "raw_response_completed", "collab_resume_begin",
    "collab_resume_end",
})  # fmt: skip

#: Programs in which a person types, and those that drive the host; any other source is treated as a program.
_PERSONS_SOURCE = frozenset({"cli", "vscode", "appserver", "app-server", "app_server", "ide", "desktop", "jetbrains", "xcode"})
_DRIVING_SOURCE = frozenset({"exec", "mcp", "sdk", "automation", "cloud"})
_DRIVING_PROGRAM = re.compile(r"codex_(?:exec|sdk)")
#: Kinds of content that the person typed or provided, and those of the host.
_TYPED_KINDS, _DOCUMENT_KIND = (
    frozenset({"user.text", "user.image", "user.local_image", "user.audio"}),
    re.compile(r"user\.\w+"),
)
_HOST_KIND = re.compile(
    r"unknown|(?:agents_md|environments|permissions|collaboration_mode|generic|host_skills|skills|hooks|multi_agent|memories|plugins|apps)\..*"
)
#: A tag in the form that hosts use, at the beginning of a text, closed or not.
_HOST_TAG = re.compile(r"\s*<[A-Za-z]+(?:[_-][A-Za-z0-9]+)+[\s>]")
_INSTRUCTIONS = re.compile(r"^<INSTRUCTIONS>", re.MULTILINE)
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:)\s+(-?\d+)", re.MULTILINE)
_REFUSED = re.compile(
    r"\ACommand blocked by \w+ hook|^aborted by user\s*\Z|\A(?:exec_command|patch) (?:was )?rejected by user", re.MULTILINE
)
_QUESTION_TOOL, _NOTE, _NO_LABEL = "request_user_input", "user_note:", "None of the above"

#: A fork's copy of its ancestor is written within this time of its header.
_COPIED_WITHIN = timedelta(seconds=1)

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output"})
_SILENT = frozenset({
    "reasoning", "ghost_snapshot", "compaction", "compaction_summary", "compaction_trigger", "context_compaction",
    "configuration_update", "image_generation_call", "agent_message", "additional_tools", "other",
})  # fmt: skip
_OUR_KIND = "hooks.additional_context"


class _Codex(Reading):
    only_grows = True

    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        kind = word(value.get("type"))
        if "payload" not in value:
            self._bare(record, value)
            return
        payload = mapping(value["payload"])
        if kind == "session_meta":
            self._meta(payload, parse_time(value.get("timestamp")))
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
        """Parse a line of the layout without envelopes."""
        if "type" in value:
            text = text_of(value.get("content"))
            place = _FOLDER.search(text) if text.startswith("<environment_context>") else None
            self.head(cwd=place[1] if place else "")
            self._say(record, value, value, list(self._item(value)))
        elif isinstance(value.get("id"), str) and "timestamp" in value:
            self._meta(value, None)
        elif "record_type" not in value:
            self.strange("no type")

    def _meta(self, payload: Mapping[str, Any], time: datetime | None) -> None:
        """Parse a header. The first is the session's own; a later one repeats it, or is a copied one of an ancestor."""
        own = self.carry.own
        if not self.carry.id_is_sure and isinstance(payload.get("id"), str) and payload["id"]:
            self.carry.id_is_sure = True
            self.carry.id = ""
            self.head(id=payload["id"], cwd=payload.get("cwd"), branch=mapping(payload.get("git")).get("branch"))
            started_by = mapping(payload.get("source")).keys() - {"custom"}  # another agent, or Codex itself
            own["spawned"] = bool(started_by) or payload.get("thread_source") not in (None, "", "user")
            own["driven"] = self._is_driven(payload)
            own["forked"] = bool(payload.get("forked_from_id"))
            own["began"] = time.isoformat() if time else ""
        elif payload.get("id") not in (None, self.carry.id):
            own["forked"] = own["copying"] = True

    def _is_driven(self, payload: Mapping[str, Any]) -> bool:
        """Return whether a program drives the conversation, by the header; a header of 2025 without a source is a person's."""
        source = word(payload.get("source"))
        if source and source.lower() not in _PERSONS_SOURCE | _DRIVING_SOURCE:
            self.strange(f"session_meta/source {source}")
        by_name = _DRIVING_PROGRAM.match(word(payload.get("originator"))) is not None
        return by_name or bool(source and source.lower() not in _PERSONS_SOURCE)

    def _turn_begins(self, payload: Mapping[str, Any]) -> None:
        made, began = _made(payload.get("turn_id")), _made(self.carry.id)
        if self.carry.own.get("forked") and made and began:
            self.carry.own["copying"] = made < began
            self.carry.own["by_turn"] = True
        elif payload.get("turn_id"):
            self.carry.own["by_turn"] = False

    def _is_copied(self, value: Mapping[str, Any]) -> bool:
        """Return whether a record was copied from an ancestor; what follows the fork's own first record is its own."""
        own = self.carry.own
        time, began = parse_time(value.get("timestamp")), parse_time(own.get("began"))
        if own.get("copying") and not own.get("by_turn") and time and began and time - began >= _COPIED_WITHIN:
            own["copying"] = False
        return bool(own.get("copying"))

    def _event(self, record: Record, value: Mapping[str, Any], payload: Mapping[str, Any]) -> None:
        kind = word(payload.get("type"))
        if kind in ("task_started", "turn_started"):
            self._turn_begins(payload)
            self.carry.own["by_agent"] = bool(mapping(payload.get("turn_attribution")).get("parent_turn_id"))
        elif kind == "item_completed":
            self._completed(record, value, mapping(payload.get("item")))
        elif kind == "exec_command_end":
            self._ended(payload.get("call_id"), payload.get("exit_code"), "")
        elif kind == "user_message" and payload.get("kind") in (None, "plain"):
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

    def _completed(self, record: Record, value: Mapping[str, Any], item: Mapping[str, Any]) -> None:
        """Parse an event about an item: a message that no other log contains, or the outcome of a call."""
        match word(item.get("type")):
            case "UserMessage" | "AgentMessage" as kind:
                text = text_of(item.get("content"))
                turn = Said("user", _request(text)) if kind == "UserMessage" else Said("agent", text)
                if turn.text.strip() and not self.carry.own.get("items"):
                    self.other_half(f"completed/{turn.speaker}", turn.text, "")
                    self._keep(record, value, [turn], ref=item.get("id"))
            case "CommandExecution" | "McpToolCall" | "FileChange":
                self._ended(item.get("id"), item.get("exit_code"), word(item.get("status")))

    def _ended(self, call_id: object, code: object, status: str) -> None:
        """Record the outcome of a call until its output is read."""
        if isinstance(call_id, str) and (isinstance(code, int) or status in ("completed", "failed", "declined")):
            ended: Outcome = "refused" if status == "declined" else "failed" if code or status == "failed" else "succeeded"
            self.pending("outcomes")[clean(call_id)] = ended

    def _output(self, payload: Mapping[str, Any]) -> Iterator[Said]:
        """Yield the result of a call and, for a question, the person's answers."""
        call_id = word(payload.get("call_id"))
        tool = self.answered(call_id)
        given = payload.get("output", payload.get("tools"))
        output = mapping(given).get("content", given)
        inner = _wrapped(output).get("output")
        text = text_of(inner if isinstance(inner, str) else output)
        known = self.pending("outcomes").pop(clean(call_id), "")
        yield result(text or output, tool, call_id, _outcome(given, text) or known)
        questions = self.pending("asked").pop(clean(call_id), None)
        if questions is not None:
            yield from answers(_answered(text, questions), call_id)

    def _item(self, payload: Mapping[str, Any]) -> Iterator[Said]:
        kind = word(payload.get("type"))
        if kind == "message":
            for turn, unknown in _message(payload):
                if unknown:
                    self.strange(f"content/{unknown}")
                yield turn
        elif kind in _CALLS:
            given = next((payload[key] for key in ("arguments", "input", "action") if payload.get(key)), None)
            call_id = word(payload.get("call_id"))
            turn = self.call(payload.get("name") or kind.removesuffix("_call"), given, call_id)
            if turn.tools[0] == _QUESTION_TOOL and call_id:
                self.pending("asked")[clean(call_id)] = _questions(given)
            yield turn
        elif kind in _OUTPUTS:
            yield from self._output(payload)
        elif kind not in _SILENT and kind not in BOOKKEEPING:
            self.strange(f"item/{kind}")

    def _say(self, record: Record, value: Mapping[str, Any], payload: Mapping[str, Any], turns: list[Said]) -> None:
        speech = [said for said in turns if said.speaker in ("user", "agent")]
        for turn in speech:
            self._once(record, value, "item", turn, ref=payload.get("id"))
        handed = [said for said in turns if said.speaker == "document"]
        if speech and handed:
            self._keep(record, value, handed, ref=f"{payload.get('id') or f'@{record.start}'}/document")
        elif not speech:
            self._keep(record, value, turns, ref=payload.get("id"))

    def _once(self, record: Record, value: Mapping[str, Any], where: str, turn: Said, ref: object = "") -> None:
        """Add a message only once, although the other log may contain it too."""
        key = f"{where}/{turn.speaker}"
        self.carry.own["items"] = True
        if turn.text.strip() and self.completes(f"completed/{turn.speaker}", turn.text):
            self.other_half(key, turn.text, "")
            return
        other = f"{'item' if where == 'event' else 'event'}/{turn.speaker}"
        if turn.text.strip() and "payload" in value and self.other_half(key, turn.text, other):
            return
        self._keep(record, value, [turn], ref=ref)

    def _keep(self, record: Record, value: Mapping[str, Any], turns: list[Said], ref: object) -> None:
        if not self._is_copied(value):
            by_agent = bool(self.carry.own.get("by_agent"))
            self.add(record, turns, ref=ref, time=parse_time(value.get("timestamp")), sidechain=by_agent)


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


def _message(payload: Mapping[str, Any]) -> Iterator[tuple[Said, str]]:
    """Yield (turn, "") for each turn of a message; an unknown kind of content is in the second place instead of ""."""
    blocks = blocks_of(payload.get("content"))
    text = "\n".join(text_of(block.get("text")) for block in blocks)
    about = mapping(payload.get("internal_chat_message_metadata_passthrough")) or payload
    kinds = [word(kind) for kind in given] if isinstance(given := about.get("content_item_kinds"), list) else []
    match payload.get("role"):
        case "assistant":
            yield Said("agent", text), ""
        case "user":
            unknown = next(
                (kind for kind in kinds if not _HOST_KIND.fullmatch(kind) and not _DOCUMENT_KIND.fullmatch(kind)), ""
            )
            typed, handed = _typed(blocks, kinds, mappings(about.get("content_item_metadata")))
            words = "\n".join(part for part in typed if part.strip()).strip()
            if words:
                yield Said("user", words), unknown
            elif typed and any(block.get("type") == "input_image" for block in blocks):
                yield Said("user", "[image]"), unknown
            elif not handed:
                yield Said("note", short(text)), unknown
            for part in handed:
                yield Said("document", short(part)), ""
        case "developer" | "system":
            yield Said("injected" if _OUR_KIND in kinds else "note", short(text)), ""


def _typed(blocks: list[Mapping[str, Any]], kinds: list[str], about: list[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Return (typed texts, provided documents) of the blocks of a user message.

    Args:
        kinds, about: the host's kind and metadata of each block; empty when it gives none.
    """
    texts = [text_of(block.get("text")) for block in blocks]
    if not kinds:
        return [_request(text) for text in texts if not _is_put_there(text)], []
    if len(kinds) != len(texts):
        kinds = [kinds[0] if len(set(kinds)) == 1 else "unknown"] * len(texts)
    sources = [word(mapping(fields.get("provenance")).get("type")) for fields in about]
    sources += [""] * (len(texts) - len(sources))
    pairs = [(text, kind) for text, kind, source in zip(texts, kinds, sources, strict=False) if source in ("", "user")]
    handed = [text for text, kind in pairs if kind not in _TYPED_KINDS and _DOCUMENT_KIND.fullmatch(kind) and text.strip()]
    return [_request(text) for text, kind in pairs if kind in _TYPED_KINDS], handed


def _questions(given: object) -> dict[str, str]:
    """Return id -> text of the questions in a call."""
    arguments = json_value(given) if isinstance(given, str) else given
    asked = mappings(mapping(arguments).get("questions"))
    return {word(fields.get("id")): word(fields.get("question")) or word(fields.get("header")) for fields in asked}


def _answered(text: str, questions: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (question, answer) of the output of a question; the person's notes follow the selected labels."""
    given = mapping(mapping(json_value(text)).get("answers"))
    for name, answer in given.items():
        parts = [part for part in mapping(answer).get("answers") or [] if isinstance(part, str)]
        notes = [part.removeprefix(_NOTE).strip() for part in parts if part.startswith(_NOTE)]
        labels = [part for part in parts if not part.startswith(_NOTE) and part != _NO_LABEL]
        yield questions.get(name, name), "\n".join(filter(None, [", ".join(labels), *notes]))


def _outcome(output: object, text: str) -> Outcome:
    """Return the outcome that an output states; "" when it states none."""
    if _REFUSED.search(text):
        return "refused"
    head = text.partition("\nOutput:")[0]
    code = _EXIT.search(head)
    number = int(code[1]) if code else mapping(_wrapped(output).get("metadata")).get("exit_code")
    return outcome_of_exit(number) or outcome_of(mapping(output).get("success"))


def _wrapped(output: object) -> Mapping[str, Any]:
    """Return the JSON in which earlier versions wrapped an output and its exit code; empty for any other output."""
    return mapping(json_value(output)) if isinstance(output, str) and output.startswith('{"output":') else {}


def _is_put_there(text: str) -> bool:
    """Return whether a text without a stated kind is the host's: by its beginning, or by a tag in a host's form."""
    text = _below_context(text)
    begins = text.lstrip().startswith(HOST_PREFIXES) or _HOST_TAG.match(without_host_blocks(text) or text) is not None
    return begins or is_tagged(text) or _INSTRUCTIONS.search(text) is not None


def _request(text: str) -> str:
    """Return the person's words, without the text that a host or the program that drives it put before them."""
    text = _below_context(text)
    return without_host_blocks(text).strip() or text


def _below_context(text: str) -> str:
    """Return a text without the text that the editor or the browser put above it."""
    if _CONTEXT.match(text):
        parts = _REQUEST.split(text, maxsplit=1)
        text = parts[1] if len(parts) > 1 else text
    return without_blocks(text, ("environment_context", "hook_context")).strip()


def _made(name: object) -> int:
    """Return the time in a UUIDv7 in milliseconds since 1970; 0 for any other text."""
    digits = name.replace("-", "") if isinstance(name, str) else ""
    try:
        return int(digits[:12], 16) if len(digits) == 32 and digits[12] == "7" else 0
    except ValueError:
        return 0
