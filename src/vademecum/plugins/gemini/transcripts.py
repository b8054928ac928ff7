"""Chats of Gemini CLI: one JSON document up to 0.3x, since then a log of records and changes to them.

As of Gemini CLI 0.61 (2026-11), after its source (packages/core/src/services/chatRecordingTypes.ts) and real files. A log
begins with the header; each message has a record, and another one with the same id when it got text or tool calls.
`{"$set": ...}` changes the header or replaces all messages, `{"$rewindTo": id}` removes the messages after it. Decisions:

* Removed messages were still said: they stay, and a note records the rewind.
* A message is read when it first has text; later changes of its text are read as well. The program changes a text in the person's
  name when it shortens the history: such a text is a note.
* `functionResponse` parts of a `user` record are tool results. `<session_context>` is from the host, `<hook_context>` from
  hooks, including ours (X-23).
* The person's answers to `ask_user` are in the result of that call, by the number of the question; the text typed when refusing
  a plan is in the result of `exit_plan_mode`. Tools of MCP servers are named `mcp_...`, so they cannot imitate these.
* The content of files that the person refers to with "@" is below their words, between two headings.
* A chat of kind "subagent" is another agent's, under the session id of its parent; so is one in a folder below `chats`.
* A chat has no working folder; it follows from `.project_root`, `projects.json` and `projectHash`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from vademecum.domain.session import Outcome
from vademecum.plugin_api.transcripts import (
    Format,
    Reading,
    Record,
    Said,
    answers,
    blocks_of,
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
)
from vademecum.plugins.gemini.folders import gemini_folder

CONTEXT_TAGS = ("session_context", "hook_context", "environment_context", "system-reminder", "system_reminder")

#: Types of messages from the program to the person.
NOTES = frozenset({"info", "error", "warning", "compression", "quit", "about", "help", "stats", "model_stats", "tool_stats"})

#: Beginnings of messages of the program in the person's role: it goes on by itself, or tells the model about the editor, the
#: folders, a mode, a task in the background, or a command that the person ran.
_BY_HOST = (
    "System: Please continue.", "System: Potential loop detected.", "This session is being continued", "This is the Gemini CLI.",
    "Here is the user's editor context as a JSON object.", "Here is a summary of changes in the user's editor context",
    "- **Workspace Directories:**\n", "User has manually exited Plan Mode.", "Background execution update:\n<background_output>",
    "I ran the following shell command:\n```sh\n",
)  # fmt: skip
#: Id of a message that the program made of others to shorten the history; other ids are UUIDs or numbers.
_MADE_OF_OTHERS = re.compile(r"[0-9a-f]{32}")
#: What the person typed while the agent works, with the program's instruction around it.
_HINTS = re.compile(
    r"User (?:steering update|hints):\n<user_input>\n(.*?)\n</user_input>\s*Internal instruction: [^\n]*", re.DOTALL
)

#: Chats of sub-agents are in a folder named by the session of their parent.
_BELOW_CHATS = re.compile(r"[/\\]chats[/\\][^/\\]+[/\\]")

_HEADER = frozenset({"sessionId", "projectHash"})


_PLAN_FEEDBACK = "Plan rejected. User feedback: "
#: Content of files that the person referred to, which the program puts below their words.
_REFERENCED = re.compile(
    r"\n?--- Content from referenced (?:files|resources|context) ---.*?(?:--- End of content ---|\Z)", re.DOTALL
)
_EXIT = re.compile(r"^Exit Code: (\d+)$", re.MULTILINE)


class _Gemini(Reading):
    def folder_beside(self) -> str:
        return gemini_folder(self.path, word(self.carry.own.get("hash")))

    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        if "$set" in value:
            self._document(record, mapping(value["$set"]))
        elif "$rewindTo" in value:
            self.add(record, [Said("note", f"Taken back to message {text_of(value['$rewindTo'])[:80]}")])
        elif "sessionId" in value and "id" not in value:
            self._document(record, value)
        elif "type" in value and "content" in value:
            self._message(record, value)
        else:
            self.strange(value.get("type", "no type"))

    def _document(self, record: Record, value: Mapping[str, Any]) -> None:
        self.head(id=value.get("sessionId"))
        if word(value.get("projectHash")):
            self.carry.own["hash"] = clean(word(value["projectHash"]))
        self.led_by(agent=value.get("kind") == "subagent" or _BELOW_CHATS.search(self.path) is not None)
        directories = value.get("directories")
        self.head(cwd=next(filter(None, map(word, directories)), "") if isinstance(directories, list) else "")
        self.carry.entitle("host", clean(text_of(value.get("summary"))))
        for message in mappings(value.get("messages")):
            self._message(record, message)

    def _message(self, record: Record, message: Mapping[str, Any]) -> None:
        name = clean(message["id"]) if isinstance(message.get("id"), str) else ""
        words = list(self._words(message))
        for turn in words:
            # The id alone would hide text that appears, or changes, in a later record of the same message.
            same = name and self.met(f"{name}\0{turn.speaker}\0{turn.text}")
            if not same and turn.text.strip():
                first = not name or not self.met(f"{name}\0{turn.speaker}")
                if turn.speaker == "user" and not first:
                    turn = replace(turn, speaker="note")  # noqa: PLW2901 -- nobody types under an old id
                own = f"{name}/document" if name and turn.speaker == "document" else name
                self._say(record, message, [turn], ref=own if first else "")
        for part in blocks_of(message.get("content")):
            answer = mapping(part.get("functionResponse"))
            if answer:
                self._answered(record, message, answer)
        for given in mappings(message.get("toolCalls")):
            self._called(record, message, given)

    def _words(self, message: Mapping[str, Any]) -> Iterator[Said]:
        kind, sent = word(message.get("type")), _text(message.get("content"))
        if kind == "user" and (sent.startswith(_BY_HOST) or _MADE_OF_OTHERS.fullmatch(word(message.get("id")))):
            yield Said("note", short(sent))
            return
        content = message.get("displayContent") or message.get("content")
        parts, text = blocks_of(content), _text(content)
        if kind == "user":
            typed = _HINTS.sub(lambda hints: re.sub(r"^- ", "", hints[1], flags=re.MULTILINE), _REFERENCED.sub("", text))
            shown = not text.strip() and any(part.keys() & {"inlineData", "fileData"} for part in parts)
            yield prompt(without_blocks(typed, CONTEXT_TAGS).strip(), text, pictures=shown)
            for content in _REFERENCED.findall(text):
                yield Said("document", short(content.strip()))
        elif kind == "gemini":
            yield Said("agent", text)
        elif kind in NOTES:
            yield Said("note", short(text))
        else:
            self.strange(kind)

    def _called(self, record: Record, message: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        name, call_id = text_of(given.get("name")) or "tool", text_of(given.get("id"))
        if not (call_id and self.met(f"call\0{call_id}")):
            self._say(record, message, [self.call(name, given.get("args"), call_id)], ref=f"{call_id}.call" if call_id else "")
        if name == "ask_user" and call_id:
            asked = mappings(mapping(given.get("args")).get("questions"))
            self.pending("asked")[call_id] = [text_of(fields.get("question")) for fields in asked]
        for answer in mappings(given.get("result")):
            self._answered(record, message, mapping(answer.get("functionResponse")), word(given.get("status")))

    def _answered(self, record: Record, message: Mapping[str, Any], answer: Mapping[str, Any], status: str = "") -> None:
        call_id = text_of(answer.get("id"))
        if not answer or (call_id and self.met(f"answer\0{call_id}")):
            return
        response = mapping(answer.get("response"))
        output = response.get("output", response.get("error", response or None))
        tool = self.answered(call_id) or text_of(answer.get("name"))
        questions = self.pending("asked").pop(call_id, [])
        turns = [
            result(output, tool, call_id, _outcome(status, text_of(output), failed="error" in response)),
            *_persons(tool, output, questions, call_id),
        ]
        self._say(record, message, turns, ref=f"{call_id}.answer" if call_id else "")

    def _say(self, record: Record, message: Mapping[str, Any], turns: Iterable[Said], ref: str) -> None:
        self.add(record, turns, ref=ref, time=parse_time(message.get("timestamp")))


def _text(content: object) -> str:
    """Return the text of a message, without the agent's thoughts."""
    return "\n".join(text_of(part.get("text")) for part in blocks_of(content) if "text" in part and not part.get("thought"))


def _persons(tool: str, output: object, questions: list[str], call_id: str) -> Iterator[Said]:
    """Yield the person's reply to a call: answers to its questions, or why they refused a plan."""
    text = text_of(output)
    if tool == "ask_user":
        given = mapping(mapping(output).get("answers")) or mapping(mapping(json_value(text)).get("answers"))
        numbered = ((int(number) if number.isdigit() else -1, number, words) for number, words in given.items())
        pairs = (
            (questions[place] if 0 <= place < len(questions) else number, text_of(words)) for place, number, words in numbered
        )
        yield from answers(pairs, call_id)
    elif tool == "exit_plan_mode" and text.startswith(_PLAN_FEEDBACK):
        yield Said("refusal", text.removeprefix(_PLAN_FEEDBACK).strip(), call=call_id)


def _outcome(status: str, text: str, *, failed: bool) -> Outcome:
    if status == "cancelled":
        return "refused"
    code = _EXIT.search(text)
    if status == "error" or failed or (code and code[1] != "0"):
        return "failed"
    return "succeeded" if status == "success" else ""


class Gemini(Format):
    """Chats of Gemini CLI, both layouts."""

    name = "gemini"
    reading = _Gemini
    spanning = True

    def recognises(self, head: bytes, path: str) -> bool:
        """Recognise a document longer than the head by the form of its messages, because its keys may have any order."""
        if super().recognises(head, path):
            return True
        return b'"messages"' in head and (
            b'"projectHash"' in head or (b'"type": "gemini"' in head and b'"sessionId"' not in head)
        )

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return value.keys() >= _HEADER or "$rewindTo" in value or (value.get("type") == "gemini" and "content" in value)


FORMATS = (Gemini(),)
