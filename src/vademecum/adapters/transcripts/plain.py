"""Plain turns, one JSON object per line: the format to write when no host's format fits.

    {"type": "session", "id": "2026-05-08", "time": "2026-05-08T13:56:00Z", "project": "larder", "title": "Menus"}   (optional)
    {"id": "D1:1", "role": "user", "text": "...", "time": "2026-05-08T13:56:10Z"}

A header may name the program in which the conversation took place as `host`, and its `thread`; without a host the session is of
host "plain". The speaker may be in `speaker`, `role` or `type`, the words in `text`, `content` or `message`, the time in `time`
or `timestamp`. `speaker` may be any name, which is a person's unless it is one of the words for agents, tools and systems. In
`role` and `type` only these words and those for a person are valid: with any other `role` the speaker is unknown, and a line
with any other `type` is no turn. `sidechain` marks words said by or to a sub-agent, `question` is the question that an answer
answers. A turn without `id` is named by its text and time.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from vademecum.adapters.transcripts.carry import Carry, Seen, parse_time
from vademecum.adapters.transcripts.jsonl import Record, clean, complete, records
from vademecum.adapters.transcripts.reading import name_of
from vademecum.adapters.transcripts.said import Said
from vademecum.domain.session import THREAD, Cursor, Speaker, Turn
from vademecum.ports.transcripts import Parsed

#: Words for speakers other than persons.
ROLES: Mapping[str, Speaker] = {
    "assistant": "agent", "agent": "agent", "ai": "agent", "bot": "agent", "model": "agent",
    "tool": "tool", "tool_result": "tool", "function": "tool",
    "system": "note", "developer": "note", "note": "note", "injected": "injected", "program": "program", "document": "document",
}  # fmt: skip

#: Words for a person that are no name.
PERSON = ("user", "human")

_BEGINNING = re.compile(
    rb'\s*\{\s*"(?:id"\s*:\s*"[^"]{0,200}"\s*,\s*")?(?:role|speaker)"\s*:\s*"[^"]{1,200}"\s*,\s*"(?:text|content|message)"\s*:\s*"'
)

#: Valid host name in a header; it becomes part of a URI.
_HOST = re.compile(r"[a-z][a-z0-9-]{0,39}")

_SPEAKER_KEYS = ("speaker", "role", "type")
_TEXT_KEYS = ("text", "content", "message")
_TIME_KEYS = ("time", "timestamp")
_HEADER_KEYS = {"type", "id", "time", "timestamp", "project", "title", "cwd", "host", "thread", "closed", "about"}


class Plain:
    """Transcripts of turns without any bookkeeping."""

    name = "plain"
    whole = False

    def recognises(self, head: bytes, path: str) -> bool:
        values = [record.value for record in records(head[: complete(head)], 0) if record.value is not None]
        if not values:  # a first line longer than the head: only its beginning can be checked
            return _BEGINNING.match(head) is not None
        rest = [value for value in values if not _is_header(value)]
        return all(_is_turn(value) or _is_of_other_type(value) for value in rest) and (not rest or any(map(_is_turn, rest)))

    def complete(self, data: bytes) -> int:
        return complete(data)

    def parse(self, data: bytes, cursor: Cursor, path: str) -> Parsed:
        carry = Carry.load(cursor.carry)
        seen = Seen(carry)
        turns: list[Turn] = []
        unknown: Counter[str] = Counter()
        broken = replaced = 0
        for record in records(data, cursor.offset):
            replaced += record.replaced
            if record.value is None:
                broken += 1
            elif _is_turn(record.value):
                turns.append(_turn(record, record.value, carry, seen))
            elif not _header(record.value, carry):
                unknown[clean(str(record.value.get("type", "no text")))[:60]] += 1
        seen.save()
        session = carry.session(str(carry.own.get("host") or self.name), path, tuple(turns))
        session = replace(session, tags=tuple(thread for thread in [carry.own.get("thread")] if thread))
        end = Cursor(cursor.offset + len(data), cursor.prefix_hash, carry.dump())
        return Parsed(session, end, unknown, broken, replaced)


def _turn(record: Record, value: Mapping[str, Any], carry: Carry, seen: Seen) -> Turn:
    word = str(_first(value, _SPEAKER_KEYS))
    speaker = _speaker(value)
    text = _text(value)
    question = value.get("question")
    is_answer = speaker == "user" and isinstance(question, str) and bool(question.strip())
    time = parse_time(_first(value, _TIME_KEYS))
    given = clean(str(value["id"])) if value.get("id") not in (None, "") else ""
    turn = Turn(
        ref=seen.add_numbered(given or name_of([Said(speaker, text)], time)),
        speaker="answer" if is_answer else speaker,
        text=text,
        name=clean(word) if "speaker" in value or not _is_role(word) else "",
        time=time,
        start=record.start,
        end=record.end,
        sidechain=value.get("sidechain") is True or value.get("isSidechain") is True,
        question=clean(str(question)) if is_answer else "",
    )
    carry.date(turn)
    if turn.is_persons:
        carry.entitle("prompt", text)
    _note(value, carry, id_key="session")
    return turn


def _speaker(value: Mapping[str, Any]) -> Speaker:
    """Return the speaker: a known word in any field takes precedence over a name, and only `speaker` may contain a name."""
    words = [value[key].lower() for key in ("role", "type", "speaker") if isinstance(value.get(key), str)]
    known = next((word for word in words if _is_role(word)), "")
    if known:
        return ROLES.get(known, "user")
    return "user" if isinstance(value.get("speaker"), str) and not isinstance(value.get("role"), str) else "note"


def _is_role(word: str) -> bool:
    return word.lower() in ROLES or word.lower() in PERSON


def _header(value: Mapping[str, Any], carry: Carry) -> bool:
    """Read the fields of a header line; return False when it is none."""
    if not _is_header(value):
        return False
    _note(value, carry, id_key="id")
    if isinstance(value.get("host"), str) and _HOST.fullmatch(value["host"]):
        carry.own.setdefault("host", value["host"])
    if THREAD.fullmatch(str(value.get("thread", ""))):
        carry.own.setdefault("thread", value["thread"])
    time = parse_time(_first(value, _TIME_KEYS))
    if time is not None:
        carry.started = carry.started or time.isoformat()
        carry.ended = carry.ended or time.isoformat()
    return True


def _note(value: Mapping[str, Any], carry: Carry, *, id_key: str) -> None:
    if not carry.id and isinstance(value.get(id_key), str | int):
        carry.id = clean(str(value[id_key]))
    for key in ("project", "cwd"):
        if not getattr(carry, key) and isinstance(value.get(key), str):
            setattr(carry, key, clean(value[key]))
    if isinstance(value.get("title"), str):
        carry.entitle("given", clean(value["title"]))


def _is_header(value: Mapping[str, Any]) -> bool:
    return value.get("type") == "session" and value.keys() <= _HEADER_KEYS


def _is_turn(value: Mapping[str, Any]) -> bool:
    return isinstance(_first(value, _SPEAKER_KEYS), str) and bool(_text(value).strip()) and not _is_of_other_type(value)


def _is_of_other_type(value: Mapping[str, Any]) -> bool:
    """Return whether a line has no speaker but a `type` that is no speaker's word."""
    kind = value.get("type")
    return (
        not any(isinstance(value.get(key), str) for key in ("speaker", "role")) and isinstance(kind, str) and not _is_role(kind)
    )


def _text(value: Mapping[str, Any]) -> str:
    """Return the words, if they are a text or a list of text blocks; "" for values of other formats."""
    text = _first(value, _TEXT_KEYS)
    if isinstance(text, list):
        blocks = [block for block in text if isinstance(block, dict) and block.keys() == {"type", "text"}]
        text = "\n".join(str(block["text"]) for block in blocks) if len(blocks) == len(text) else ""
    return clean(text) if isinstance(text, str) else ""


def _first(value: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)
