"""Chats of Gemini CLI: one JSON document up to 0.3x, since then a log of records and changes to them.

As of Gemini CLI 0.61 (2026-11), after its source (packages/core/src/services/chatRecordingTypes.ts) and real files. A log
begins with the header; each message stands in a record, and again, with the same id, when it got words or tool calls.
`{"$set": ...}` changes the header or gives all messages anew, `{"$rewindTo": id}` takes back what followed. Decisions:

* What was taken back was still said: it stays, and a note tells of the rewind.
* A message is heard when it first has words; words that are changed later are heard as well.
* `functionResponse` parts of a `user` record are a tool's. `<session_context>` is the host's, `<hook_context>` holds what
  hooks gave, ours among them (X-23).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vademecum.adapters.transcripts.carry import parse_time
from vademecum.adapters.transcripts.jsonl import Record, clean
from vademecum.adapters.transcripts.reading import Format, Reading
from vademecum.adapters.transcripts.said import Said, blocks_of, call, mapping, result, short, text_of, without_blocks, word

CONTEXT_TAGS = ("session_context", "hook_context", "environment_context", "system-reminder", "system_reminder")

#: Messages of the program to the person.
NOTES = frozenset({"info", "error", "warning", "compression", "quit", "about", "help", "stats", "model_stats", "tool_stats"})

#: What the program says in the person's place when an answer stops short.
_BY_HOST = ("System: Please continue.", "This session is being continued")

_HEADER = frozenset({"sessionId", "projectHash"})


class _Gemini(Reading):
    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        if "$set" in value:
            self._document(record, mapping(value["$set"]))
        elif "$rewindTo" in value:
            self._note(record, f"Taken back to message {text_of(value['$rewindTo'])[:80]}")
        elif "sessionId" in value and "id" not in value:
            self._document(record, value)
        elif "type" in value and "content" in value:
            self._message(record, value)
        else:
            self.strange(value.get("type", "no type"))

    def _document(self, record: Record, value: Mapping[str, Any]) -> None:
        self.head(id=value.get("sessionId"))
        if value.get("kind") == "subagent":
            self.carry.own["spawned"] = True
        directories = value.get("directories")
        self.head(cwd=next((one for one in directories if isinstance(one, str)), "") if isinstance(directories, list) else "")
        self.carry.entitle("host", clean(text_of(value.get("summary"))))
        messages = value.get("messages")
        for message in messages if isinstance(messages, list) else []:
            if isinstance(message, dict):
                self._message(record, message)

    def _message(self, record: Record, message: Mapping[str, Any]) -> None:
        name = clean(message["id"]) if isinstance(message.get("id"), str) else ""
        words = list(self._words(message))
        for one in words:
            # The id alone would hide words that come, or change, in a later record of the same message.
            same = name and self.met(f"{name}\0{one.speaker}\0{one.text}")
            if not same and one.text.strip():
                first = not name or not self.met(f"{name}\0{one.speaker}")
                self._say(record, message, [one], ref=name if first else "")
        for part in blocks_of(message.get("content")):
            answer = mapping(part.get("functionResponse"))
            if answer:
                self._answered(record, message, answer)
        calls = message.get("toolCalls")
        for one_call in calls if isinstance(calls, list) else []:
            if isinstance(one_call, dict):
                self._called(record, message, one_call)

    def _words(self, message: Mapping[str, Any]) -> Iterator[Said]:
        kind, content = word(message.get("type")), message.get("displayContent", message.get("content"))
        parts = blocks_of(content)
        text = "\n".join(text_of(part.get("text")) for part in parts if "text" in part and not part.get("thought"))
        if kind == "user":
            words = without_blocks(text, CONTEXT_TAGS).strip()
            if words.startswith(_BY_HOST):
                yield Said("note", words)
            elif words:
                yield Said("user", words)
            elif text.strip():
                yield Said("injected", short(text))
            elif any(part.keys() & {"inlineData", "fileData"} for part in parts):
                yield Said("user", "[image]")
        elif kind == "gemini":
            yield Said("agent", text)
        elif kind in NOTES:
            yield Said("note", short(text))
        else:
            self.strange(kind)

    def _called(self, record: Record, message: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        name, call_id = text_of(given.get("name")) or "tool", text_of(given.get("id"))
        if not (call_id and self.met(f"call\0{call_id}")):
            self._say(record, message, [call(name, given.get("args"))], ref=f"{call_id}.call" if call_id else "")
            self.called(call_id, name)
        answers = given.get("result")
        for answer in answers if isinstance(answers, list) else []:
            self._answered(record, message, mapping(mapping(answer).get("functionResponse")))

    def _answered(self, record: Record, message: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        call_id = text_of(answer.get("id"))
        if not answer or (call_id and self.met(f"answer\0{call_id}")):
            return
        response = mapping(answer.get("response"))
        output = response.get("output", response.get("error", response or None))
        tool = self.answered(call_id) or text_of(answer.get("name"))
        self._say(record, message, [result(output, tool)], ref=f"{call_id}.answer" if call_id else "")

    def _note(self, record: Record, text: str) -> None:
        self.add(record, [Said("note", text)])

    def _say(self, record: Record, message: Mapping[str, Any], said: Iterable[Said], ref: str) -> None:
        spawned = bool(self.carry.own.get("spawned"))
        named = ref or f"@{record.start}~{len(self.turns)}"
        self.add(record, said, ref=named, time=parse_time(message.get("timestamp")), sidechain=spawned)


class Gemini(Format):
    """Chats of Gemini CLI, both layouts."""

    name = "gemini"
    reading = _Gemini
    spanning = True

    def recognises(self, head: bytes, path: str) -> bool:
        """Know a document longer than the head by what its messages look like: its keys stand in any order."""
        if super().recognises(head, path):
            return True
        return b'"messages"' in head and (
            b'"projectHash"' in head or (b'"type": "gemini"' in head and b'"sessionId"' not in head)
        )

    def is_own(self, value: Mapping[str, Any]) -> bool:
        return value.keys() >= _HEADER or "$rewindTo" in value or (value.get("type") == "gemini" and "content" in value)
