"""Sessions of OpenCode: the document that `opencode export` writes, to which its database and older files are converted.

As of OpenCode 1.19 and 2.0.32 (2026-11), after its types (packages/core/src/session/sql.ts, cli/cmd/export.ts,
packages/schema/src/session-message.ts), the field guide of skillsynchq/txcript and real exports of 1.2.

* Version 1: a message's parts contain the text; `synthetic` and `ignored` ones are from the program or a plugin, possibly ours
  (X-23). A `tool` part contains a call and its result.
* Version 2: a message has a `type`; `synthetic`, `system` and `skill` are presented to the model as the user's and are not. An
  `assistant` message has its text and calls in `content`.
* A session with a `parentID` is a sub-agent's, whose "user" is another agent.
* `opencode run` denies its session questions and plan mode, because nobody can answer (packages/opencode/src/cli/cmd/run.ts):
  such a session was started by a program.
* The person's answers to `question` are in the `metadata` of the call, and the text typed when refusing a call is in its error.
  This is trusted only for OpenCode's own tools, because an MCP server writes its own error messages.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from vademecum.domain.session import Outcome
from vademecum.plugin_api.transcripts import (
    Format,
    Reading,
    Record,
    Said,
    answers,
    call,
    mapping,
    mappings,
    outcome_of_exit,
    parse_time,
    prompt,
    quoted_answers,
    result,
    short,
    text_of,
    without_blocks,
    word,
)

#: Parts and messages without speech.
SILENT_PARTS = frozenset({
    "step-start", "step-finish", "reasoning", "snapshot", "patch", "agent", "retry", "compaction", "subtask",
})  # fmt: skip
SILENT_MESSAGES = frozenset({"agent-switched", "model-switched", "location-switched", "idle"})

#: Built-in tools of OpenCode 1 and 2, whose errors are written by OpenCode itself.
OWN_TOOLS = frozenset({
    "apply_patch", "bash", "batch", "codesearch", "edit", "execute", "glob", "grep", "list", "ls", "lsp", "multiedit", "patch",
    "plan_enter", "plan_exit", "question", "read", "shell", "skill", "subagent", "task", "todoread", "todowrite", "webfetch", "websearch",
    "write",
})  # fmt: skip
#: Tools that need a person to answer.
_ASKING_THE_PERSON = frozenset({"question", "plan_enter", "plan_exit"})
_PLACEHOLDER = ("New session - ", "Child session - ")
_CONTEXT_TAGS = ("system-reminder", "hook_context")
_REFUSED = re.compile(r"The user (?:rejected permission to use this specific tool call|dismissed this question)")
_FEEDBACK = re.compile(
    r"The user rejected permission to use this specific tool call with the following feedback: (.+)", re.DOTALL
)


class _OpenCode(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        about = mapping(value.get("info"))
        self.head(id=about.get("id"), cwd=about.get("directory"))
        title = text_of(about.get("title"))
        if not title.startswith(_PLACEHOLDER):
            self.carry.entitle("host", title)
        self.led_by(agent=bool(about.get("parentID")), program=_is_unattended(about.get("permission")))
        for message in mappings(value.get("messages")):
            if "type" in message:
                created = parse_time(mapping(message.get("time")).get("created")) or parse_time(message.get("time_created"))
                self.add(record, self._said_2(message), ref=message.get("id"), time=created)
            else:
                self._message(record, message)

    def _message(self, record: Record, message: Mapping[str, Any]) -> None:
        about = mapping(message.get("info"))
        role, summary = about.get("role"), about.get("summary") is True
        if role not in ("user", "assistant"):
            self.strange(f"message/{role}")
            return
        for number, part in enumerate(mappings(message.get("parts"))):
            time = mapping(mapping(part.get("state")).get("time") or part.get("time")).get("start")
            self.add(
                record,
                self._part(part, person=role == "user", summary=summary),
                ref=part.get("id") or f"{about.get('id') or record.start}/{number}",
                time=parse_time(time) or parse_time(mapping(about.get("time")).get("created")),
            )

    def _part(self, part: Mapping[str, Any], *, person: bool, summary: bool) -> Iterator[Said]:
        match word(part.get("type")):
            case "text" if part.get("synthetic") or part.get("ignored"):
                yield Said("injected", short(text_of(part.get("text"))))
            case "text" if person:
                yield _typed(text_of(part.get("text")), pictures=False)
            case "text":
                yield Said("note" if summary else "agent", text_of(part.get("text")))
            case "file" if person and text_of(part.get("mime")).startswith("image/"):
                yield Said("user", "[image]")
            case "file":
                pass
            case "tool":
                yield from _tool(part.get("tool"), part.get("callID"), mapping(part.get("state")))
            case kind if kind not in SILENT_PARTS:
                self.strange(f"part/{kind}")

    def _said_2(self, message: Mapping[str, Any]) -> Iterator[Said]:
        text = text_of(message.get("text"))
        match word(message.get("type")):
            case "user":
                pictures = any(text_of(file.get("mime")).startswith("image/") for file in mappings(message.get("files")))
                yield _typed(text, pictures=pictures)
            case "assistant":
                yield from self._answered_2(message)
            case "synthetic" | "system" | "skill":
                yield Said("injected", short(text))
            case "shell":
                turn = call("shell", {"command": message.get("command")})
                output = message.get("output")
                yield turn
                yield result(mapping(output).get("output", output), turn.tools[0], outcome=outcome_of_exit(message.get("exit")))
            case "compaction":
                failed = message.get("status") == "failed"
                yield Said("note", text_of(message.get("summary")) or f"Conversation {'not ' if failed else ''}compacted")
            case kind if kind not in SILENT_MESSAGES:
                self.strange(f"message/{kind}")

    def _answered_2(self, message: Mapping[str, Any]) -> Iterator[Said]:
        for block in mappings(message.get("content")):
            match word(block.get("type")):
                case "text":
                    yield Said("agent", text_of(block.get("text")))
                case "tool":
                    yield from _tool(block.get("name"), block.get("id"), mapping(block.get("state")))
                case kind if kind != "reasoning":
                    self.strange(f"block/{kind}")


def _is_unattended(rules: object) -> bool:
    """Return whether a session was started where nobody can answer."""
    denied = {rule.get("permission") for rule in mappings(rules) if rule.get("action") == "deny" and rule.get("pattern") == "*"}
    return denied >= _ASKING_THE_PERSON


def _typed(text: str, *, pictures: bool) -> Said:
    return prompt(without_blocks(text, _CONTEXT_TAGS).strip(), text, pictures=pictures)


def _tool(name: object, call_id: object, state: Mapping[str, Any]) -> Iterator[Said]:
    """Yield a call, its result, and the person's reply: answers to a question, or why they refused."""
    given, tool = state.get("input"), text_of(name)
    yield call(name, given, word(call_id))
    status, metadata = word(state.get("status")), mapping(state.get("metadata") or state.get("structured"))
    if status in ("pending", "running", "streaming"):
        return
    error = text_of(state.get("error")) or text_of(mapping(state.get("error")).get("message"))
    refused = tool in OWN_TOOLS and _REFUSED.match(error) is not None
    output = text_of(state.get("output")) or text_of(state.get("content")) or error
    yield result(output, tool, word(call_id), _outcome(status, metadata.get("exit"), refused=refused))
    if tool == "question" and status == "completed":
        yield from answers(_answered(mapping(given), metadata.get("answers"), output), word(call_id))
    if refused and (words := _FEEDBACK.match(error)):
        yield Said("refusal", words[1].strip(), call=word(call_id))


def _answered(given: Mapping[str, Any], chosen: object, output: str) -> list[tuple[str, str]]:
    """Return (question, answer); several answers to a question are joined.

    Without a list of answers they are parsed from the output.
    """
    asked = [text_of(fields.get("question")) for fields in mappings(given.get("questions"))]
    if isinstance(chosen, list):
        return [
            (question, ", ".join(map(text_of, entry)) if isinstance(entry, list) else text_of(entry))
            for question, entry in zip(asked, chosen, strict=False)
        ]
    return [(question, answer) for question, answer in quoted_answers(output, asked) if answer != "Unanswered"]


def _outcome(status: str, exit_code: object, *, refused: bool) -> Outcome:
    if refused:
        return "refused"
    if status == "error":
        return "failed"
    if status != "completed":
        return ""
    return outcome_of_exit(exit_code) or "succeeded"


class OpenCode(Format):
    """Exports of OpenCode."""

    name = "opencode"
    reading = _OpenCode
    spanning = True

    def recognises(self, head: bytes, path: str) -> bool:
        """Recognise a document longer than the head by its header, which comes first."""
        start = head[:4096]
        return super().recognises(head, path) or (start.lstrip()[:1] == b"{" and b'"info"' in start and b'"ses_' in start)

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return isinstance(value.get("info"), dict) and isinstance(value.get("messages"), list)


FORMATS = (OpenCode(),)
