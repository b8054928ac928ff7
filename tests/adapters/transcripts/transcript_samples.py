"""Builders of transcripts, and files of each format, which are those of its conformance cases."""

import json
from collections.abc import Mapping
from typing import Any

from tests.adapters.transcripts.conformance.cases import CASES

from vademecum.adapters.transcripts import formats

SESSION = "5b0c1de2-0000-4000-8000-000000000001"


def recognise(head: bytes, path: str):
    """The format of a file that starts with `head` (some complete lines), or None. File names lie, so content decides."""
    return next((one for one in formats() if one.recognises(head, path)), None)


def lines(*values: Mapping[str, Any]) -> bytes:
    """One JSON object a line, as hosts write it."""
    return b"".join(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for value in values)


def line(kind: str, number: int, **more: Any) -> dict[str, Any]:
    """A line of a Claude Code conversation, a second after the one before."""
    return {
        "parentUuid": f"u{number - 1}" if number else None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/code/larder",
        "sessionId": SESSION,
        "version": "2.1.330",
        "gitBranch": "main",
        "type": kind,
        "uuid": f"u{number}",
        "timestamp": f"2026-10-05T09:00:{number % 60:02d}.000Z",
        **more,
    }


def user(number: int, content: Any, **more: Any) -> dict[str, Any]:
    return line("user", number, message={"role": "user", "content": content}, **more)


def agent(number: int, *blocks: Mapping[str, Any], message_id: str = "m1", **more: Any) -> dict[str, Any]:
    message = {"model": "claude-x", "id": message_id, "type": "message", "role": "assistant", "content": list(blocks)}
    return line("assistant", number, message=message, **more)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def attachment(number: int, **fields: Any) -> dict[str, Any]:
    return line("attachment", number, attachment=fields)


def queue(operation: str, content: str | None = None) -> dict[str, Any]:
    given = {} if content is None else {"content": content}
    return {
        "type": "queue-operation",
        "operation": operation,
        "timestamp": "2026-10-05T09:30:00.000Z",
        "sessionId": SESSION,
        **given,
    }


def stamped(second: int) -> str:
    """A time of the sample conversations."""
    return f"2026-10-05T09:{second // 60:02d}:{second % 60:02d}.000Z"


# Codex
FORK = "01950000-0000-7000-8000-00000000bbbb"


def rollout(kind: str, second: int, **payload: Any) -> dict[str, Any]:
    return {"timestamp": stamped(second), "type": kind, "payload": payload}


def codex_meta(name: str = FORK, **more: Any) -> dict[str, Any]:
    return rollout(
        "session_meta", 0, id=name, cwd="/home/user/code/larder", cli_version="0.163.0", git={"branch": "main"}, **more
    )


def item(second: int, role: str, *texts: str, **more: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": one} for one in texts]
    return rollout("response_item", second, type="message", role=role, content=content, **more)


def event(second: int, kind: str, **more: Any) -> dict[str, Any]:
    return rollout("event_msg", second, type=kind, **more)


# Others
def gemini(number: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": f"00000000-0000-4000-8000-{number:012d}",
        "timestamp": stamped(number),
        "type": kind,
        "content": content,
        **more,
    }


GEMINI_HEAD = {
    "sessionId": "94feec1f-0000-4000-8000-83be00f2a00b",
    "projectHash": "8b4f",
    "startTime": stamped(0),
    "kind": "main",
}


def part(number: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "id": f"prt_{number}", "messageID": "msg", "sessionID": "ses_1", **more}


def opencode(*messages: Any, **info: Any) -> dict[str, Any]:
    about = {"id": "ses_1", "directory": "/home/user/code/larder", "title": "Larder page", **info}
    return {"info": about, "messages": [{"info": {"id": f"msg_{n}", "role": role, "time": {"created": 1790000000000 + n}}, "parts": parts}
                                        for n, (role, *parts) in enumerate(messages)]}  # fmt: skip


def copilot(number: int, kind: str, **data: Any) -> dict[str, Any]:
    name = f"00000000-0000-4000-9000-{number:012d}"
    return {"type": kind, "data": data, "id": name, "timestamp": stamped(number), "parentId": None}


def pi(number: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": content, **more}
    return {
        "type": "message",
        "id": f"{number:08x}",
        "parentId": f"{number - 1:08x}",
        "timestamp": stamped(number),
        "message": message,
    }


def samples() -> Mapping[str, list[bytes]]:
    """Return format -> its files: the longest of its conformance cases, the first of them also in other layouts."""
    found: dict[str, list[bytes]] = {}
    for case in sorted((one for one in CASES if one.turns), key=lambda one: -len(one.data)):
        made = found.setdefault(case.format, [])
        if not made:
            values = (
                case.records
                if not isinstance(case.records, bytes)
                else [json.loads(case.data)]
                if case.data[:1] == b"{"
                else []
            )
            made += [case.data, case.data.replace(b"\n", b"")] if values else [case.data]
            made += ["\n".join(json.dumps(value, indent=1) for value in values).encode()] if is_spanning(case.format) else []
        elif len(made) < SAMPLES_EACH:
            made.append(case.data)
    return found


def is_spanning(name: str) -> bool:
    """Return whether a record of this format may span lines."""
    return any(getattr(one, "spanning", False) for one in formats() if type(one).__name__ == name)


#: Most files of a format that are read at every split.
SAMPLES_EACH = 8
SAMPLES = samples()


def said_once(name: str, words_said: str) -> bytes:
    """Return a transcript of that format in which a person says just these words: a typed prompt among the cases."""
    form = next(one for one in formats() if type(one).__name__ == name)
    case = next(one for one in CASES if one.format == name and one.kind.startswith("typed prompt") and len(one.turns) == 1)
    (turn,) = case.turns
    if form.whole:
        return case.data.replace(turn["text"].encode(), words_said.encode())
    old, new = (json.dumps(words, ensure_ascii=False)[1:-1].encode() for words in (turn["text"], words_said))
    alone = next(line for line in case.data.splitlines(keepends=True) if old in line)
    return (alone if form.recognises(alone, case.path) else case.data).replace(old, new)
