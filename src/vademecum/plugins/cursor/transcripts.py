"""Conversations of Cursor: agent transcripts (JSON lines, formerly plain text) and those in the editor's database.

As of Cursor 3.1 (2026-11), after hosts.md, the field guide of skillsynchq/txcript and the readers of specstoryai/getspecstory
(cursoride/types.go). Transcript lines are `{"role", "message": {"content"}}`, in other versions `{"type": 1 or 2, "text"}`; they
have no times, ids or tool results, and `turn_ended` markers between them. The typed text is in `<user_query>`; the text
around it is context that the editor added. The database has one `composerData` record for a conversation and a "bubble" for
each message; `database.py` combines them as `{"composerData", "bubbles"}`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from vademecum.domain.project import folder_slug
from vademecum.domain.session import Cursor as Place
from vademecum.domain.session import Outcome, Role
from vademecum.plugin_api.transcripts import (
    Carry,
    Format,
    Reading,
    Record,
    Said,
    answers,
    as_lines,
    between,
    blocks_of,
    call,
    first_time,
    json_value,
    mapping,
    mappings,
    prompt,
    result,
    sections,
    short,
    stem,
    text_of,
    without_blocks,
    word,
)
from vademecum.plugins.cursor.folders import cursor_folder
from vademecum.ports.transcripts import Parsed

#: Blocks that the editor adds when there is no `<user_query>`.
CONTEXT_TAGS = (
    "user_info", "system_reminder", "system-reminder", "external_links", "attached_files", "open_and_recently_viewed_files",
    "project_layout", "rules", "git_status", "additional_data", "timestamp", "agent_transcripts", "agent_skills", "cursor_commands",
    "manually_attached_skills", "image_files", "hook_context", "mcp_file_system", "user_rules", "always_applied_workspace_rules",
)  # fmt: skip
_ROLES: Mapping[object, Role] = {"user": "user", "assistant": "agent", 1: "user", 2: "agent"}
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_REDACTED = "[REDACTED]"
#: Beginning of the editor's report that a task ended.
_NOTIFICATION = "<system_notification>"


def typed(text: str) -> str:
    """Return the text that the person typed in a user message."""
    queries = between(text, "<user_query>", "</user_query>")
    return (
        "\n\n".join(text[begin:end].strip() for begin, end in queries)
        if queries
        else without_blocks(text, CONTEXT_TAGS).strip()
    )


class _Lines(Reading):
    def folder_beside(self) -> str:
        return cursor_folder(self.path)

    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        named = value.get("role", value.get("type"))
        role = _ROLES.get(named) if isinstance(named, str | int) else None
        if role is None:
            if value.get("type") not in ("turn_ended", "turn_started"):
                self.strange(value.get("type", "no role"))
            return
        message = value.get("message", value)
        content = mapping(message).get("content", mapping(message).get("text")) if not isinstance(message, str) else message
        blocks = blocks_of(content)
        self.add(record, self._said(role, blocks), time=first_time(value.get("timestamp"), value.get("createdAt")))

    def _said(self, role: Role, blocks: list[Mapping[str, Any]]) -> Iterator[Said]:
        texts = [text_of(block.get("text")) for block in blocks if block.get("type", "text") == "text"]
        if role == "user":
            yield from _typed("\n".join(texts), any(block.get("type") == "image" for block in blocks))
        elif "".join(texts).replace(_REDACTED, "").strip():
            yield Said("agent", "\n".join(texts).replace(_REDACTED, "").strip())
        for block in blocks:
            match word(block.get("type", "text")):
                case "tool_use" | "tool-call":
                    yield call(block.get("name") or block.get("toolName"), block.get("input", block.get("args")))
                case "tool_result" | "tool-result":
                    yield result(block.get("content", block.get("result")))
                case "text" | "image" | "thinking" | "reasoning" | "redacted-reasoning":
                    pass
                case other:
                    self.strange(f"block/{other}")


def _id_in(path: str) -> str:
    """Return the conversation's id, which is the name of its file; "" for any other name.

    A conversation may be below two projects.
    """
    name = stem(path)
    return name if _UUID.fullmatch(name) else ""


class Cursor(Format):
    """Agent transcripts as JSON lines."""

    name = "cursor"
    reading = _Lines
    beginning = re.compile(rb'\s*\{\s*"role"\s*:\s*"(?:user|assistant)"\s*,\s*"message"\s*:\s*\{')

    def is_own(self, value: Mapping[str, Any]) -> bool:
        if value.get("role") in ("user", "assistant") and "message" in value:
            blocks = mapping(value["message"]).get("content")
            return (
                isinstance(blocks, str | list)
                and value.keys() <= {"role", "message", "timestamp", "createdAt", "id"}
                and bool(blocks)
            )
        if value.get("type") == "turn_ended":
            return "status" in value
        return type(value.get("type")) is int and value["type"] in (1, 2) and ("text" in value or "message" in value)

    def begin(self, reading: Reading) -> None:
        """Set the id, which no record contains, and whether it is a sub-agent's."""
        reading.head(id=_id_in(reading.path))
        reading.led_by(agent=_is_sub_agents(reading.path))


class _Bubbles(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        about = mapping(value.get("composerData"))
        place = mapping(mapping(about.get("workspaceIdentifier")).get("uri")).get("fsPath")
        self.head(id=about.get("composerId"), cwd=place)
        self.carry.entitle("host", text_of(about.get("name")))
        began = about.get("createdAt")
        spawned = bool(value.get("subagent"))
        for bubble in mappings(value.get("bubbles")):
            time = first_time(bubble.get("createdAt"), mapping(bubble.get("timingInfo")).get("clientStartTime"), began)
            self.add(record, _bubble(bubble), ref=bubble.get("bubbleId"), time=time, sidechain=spawned)


def _bubble(bubble: Mapping[str, Any]) -> Iterator[Said]:
    text = text_of(bubble.get("text")) or _plain(_object(bubble.get("richText")).get("root"))
    tool, kind = mapping(bubble.get("toolFormerData")), bubble.get("type")
    if kind == 1:
        yield from _typed(text, bool(bubble.get("images")))
        return
    if text.strip():
        yield Said("agent" if kind == _AGENTS_BUBBLE else "note", text)
    if tool:
        call_id = word(tool.get("toolCallId"))
        turn = call(tool.get("name"), tool.get("rawArgs") or tool.get("params"), call_id)
        yield turn
        answer = tool.get("result") or tool.get("error")
        yield result(answer, turn.tools[0], call_id, _outcome(tool))
        if turn.tools[0] in ASKING and _outcome(tool) != "refused":
            yield from answers(_chosen(_object(tool.get("rawArgs") or tool.get("params")), _object(answer)), call_id)


def _plain(node: object) -> str:
    """Return the text of a document of the editor's prompt field; each paragraph is a line."""
    fields = mapping(node)
    if fields.get("type") == "linebreak":
        return "\n"
    parts = [_plain(child) for child in mappings(fields.get("children"))]
    return ("\n" if fields.get("type") == "root" else "").join(parts) or text_of(fields.get("text"))


_AGENTS_BUBBLE = 2
#: The editor's own tools by which the agent asks the person.
ASKING = frozenset({"ask_question", "askQuestion", "ask_user_question", "AskQuestion"})


def _outcome(tool: Mapping[str, Any]) -> Outcome:
    if word(tool.get("userDecision")) == "rejected":
        return "refused"
    return _OUTCOMES.get(word(tool.get("status")), "")


_OUTCOMES: Mapping[str, Outcome] = {"completed": "succeeded", "error": "failed", "cancelled": "refused", "rejected": "refused"}


def _chosen(asked: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (question, answer). An answer refers to its question and options by id, and may contain free text."""
    questions = {word(fields.get("id")): fields for fields in mappings(asked.get("questions"))}
    for answer in mappings(given.get("answers")):
        question = mapping(questions.get(word(answer.get("questionId") or answer.get("id"))))
        labels = {word(fields.get("id")): text_of(fields.get("label")) for fields in mappings(question.get("options"))}
        chosen = answer.get("selectedOptionIds") or answer.get("selected")
        words = [labels.get(word(entry), word(entry)) for entry in chosen] if isinstance(chosen, list) else []
        own = text_of(answer.get("freeformText")) or text_of(answer.get("freeText"))
        yield (
            text_of(question.get("prompt")) or text_of(question.get("question")),
            ", ".join(entry for entry in [*words, own] if entry),
        )


def _object(value: object) -> Mapping[str, Any]:
    """Return a JSON object, decoded if it is a string."""
    return mapping(json_value(value) if isinstance(value, str) else value)


class CursorEditor(Format):
    """A conversation exported from the editor's database."""

    name = "cursor"
    reading = _Bubbles
    spanning = True
    beginning = re.compile(rb'\s*\{"composerData":')

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return isinstance(value.get("composerData"), dict) and "bubbles" in value


_SPEAKER = re.compile(r"^(user|assistant|A):[ \t]*$", re.MULTILINE)
_MARK = re.compile(r"^\[(Thinking|Tool call|Tool result)\][ \t]*(.*)$", re.MULTILINE)


class CursorText:
    """Agent transcripts of the first versions: `user:` and `assistant:` on lines of their own, tools in brackets."""

    name = "cursor"
    whole = True

    def recognises(self, head: bytes, path: str) -> bool:
        return head.lstrip().startswith((b"user:\n", b"user:\r\n")) and (b"<user_query>" in head or b"\nassistant:" in head)

    def complete(self, data: bytes) -> int:
        return len(data)

    def parse(self, data: bytes, cursor: Place, path: str) -> Parsed:
        """Return all turns; such a file is always rewritten completely."""
        text = data.decode("utf-8", "replace")
        reading = Reading(Carry())
        reading.head(id=_id_in(path))
        reading.led_by(agent=_is_sub_agents(path))
        for part, body, record in sections(text, list(_SPEAKER.finditer(text)), cursor.offset):
            words = body.strip()
            reading.add(record, _typed(words, False) if part[1] == "user" else _answer(words))
        parsed = reading.parsed(self.name, path, Place(cursor.offset + len(data), cursor.prefix_hash, reading.carry.dump()))
        return _placed(parsed, path)


def _placed(parsed: Parsed, path: str) -> Parsed:
    """Return the result with the working folder, which follows from the transcript's place."""
    folder = cursor_folder(path)
    if not folder:
        return parsed
    return replace(parsed, session=replace(parsed.session, cwd=folder, project=parsed.session.project or folder_slug(folder)))


def _answer(text: str) -> list[Said]:
    """Return the agent's text, without its thinking, and its calls."""
    marks = list(_MARK.finditer(text))
    turns = [Said("agent", text[: marks[0].start()] if marks else text)]
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(text)
        body = text[mark.end() : end]
        if mark[1] == "Tool call":
            arguments, _, rest = body.partition("\n\n")
            turns += [call(mark[2].strip(), arguments.strip()), Said("agent", rest.strip())]
        elif mark[1] == "Tool result":
            turns.append(Said("tool", short(body.strip()) or mark[2], name=mark[2].strip()))
        else:
            turns.append(Said("agent", body.strip()))
    return turns


def _typed(text: str, pictures: bool) -> list[Said]:
    if _NOTIFICATION in text:  # with the request to the agent that follows it, in `<user_query>` like a person's
        return [Said("injected", short(text))]
    return [prompt(typed(text), text, pictures=pictures)]


def _is_sub_agents(path: str) -> bool:
    """Return whether a conversation is a sub-agent's: being in a folder `subagents` is the only sign of that."""
    return "subagents" in re.split(r"[/\\]", path)


def document(about: Mapping[str, Any], bubbles: list[Any], *, subagent: bool = False) -> bytes:
    """Return a conversation of the editor's database as one record in the format of :class:`CursorEditor`."""
    return as_lines({"composerData": about, "subagent": subagent}, "bubbles", bubbles)


FORMATS = (CursorEditor(), Cursor(), CursorText())
