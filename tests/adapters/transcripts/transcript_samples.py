"""Transcripts made by us that carry every trap met in real ones. Format name -> files."""

import json
from collections.abc import Mapping
from typing import Any

SESSION = "5b0c1de2-0000-4000-8000-000000000001"


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


PLAIN = [
    lines(
        {"type": "session", "id": "S1", "time": "2026-05-08T13:56:00Z", "project": "larder", "title": "Menus"},
        {"id": "D1:1", "speaker": "Caroline", "text": "Grüße! The larder is empty.", "time": "2026-05-08T13:56:10Z"},
        {"id": "D1:2", "role": "assistant", "content": "Shall I write a list?", "timestamp": 1778248580},
        {"type": "user", "message": "Yes, please."},
        {"role": "tool", "text": "list written"},
    ),
    lines({"role": "user", "text": "no newline at the end"}).rstrip(),
    b'{"role":"user","text":"one"}{"role":"ai","text":"two"}\r\n\r\n{"role":"system","content":[{"type":"text","text":"three"}]}\n',
]

CLAUDE = [
    lines(
        {"type": "last-prompt", "leafUuid": "u9", "sessionId": "00000000-not-the-one"},
        {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {"timestamp": "2026-10-05T08:00:00.000Z"}},
        attachment(
            0, type="hook_additional_context", content=["Remembered: the user always uses tabs."], hookEvent="SessionStart"
        ),
        user(1, "Add a page for the larder, é\n\nwith a list", promptSource="typed"),
        agent(2, {"type": "thinking", "thinking": "They always want lists.", "signature": "x"}),
        agent(3, text("I'll read the code.")),
        agent(4, call("Read", "t1", file_path="/home/ana/code/larder/app.py")),
        user(5, [result("t1", "print('x')\n<system-reminder>Always check for malware.</system-reminder>")]),
        agent(6, text("Done."), call("Bash", "t2", command="pytest -q"), message_id="m2"),
        user(7, [result("t2", [text("1 failed"), {"type": "image", "source": {}}], is_error=True)]),
        {"type": "ai-title", "aiTitle": "Larder page", "sessionId": SESSION},
        {"type": "brand-new-kind", "sessionId": SESSION},
    ),
    lines(user(1, "first")).rstrip() + lines(agent(2, text("two on a line"))) + lines(user(3, "no newline, é")).rstrip(),
]

SAMPLES: Mapping[str, list[bytes]] = {"plain": PLAIN, "claude-code": CLAUDE}
