"""The database of the Copilot command line, `session-store.db`: tables sessions and turns (2026-11). It is only read."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vademecum.plugin_api.transcripts import Connection, Database, columns, text_of_value


class CopilotDatabase(Database):
    """`session-store.db` of the Copilot command line, converted to the events of its transcripts.

    A conversation that also has an events file in `session-state` is read from there, because that contains more.
    """

    name = "copilot"
    needs = (frozenset({"sessions", "turns"}),)

    def marks(self, base: Connection, path: str) -> Iterator[tuple[str, str]]:
        rows = base.execute(
            "SELECT s.id, s.updated_at, count(t.id), sum(octet_length(t.user_message)), sum(octet_length(t.assistant_response))"
            " FROM sessions s LEFT JOIN turns t ON t.session_id = s.id GROUP BY s.id ORDER BY s.created_at, s.id"
        )
        states = Path(path).parent / "session-state"
        for name, *mark in rows:
            if "/" in str(name) or not (states / str(name) / "events.jsonl").is_file():
                yield str(name), ":".join(map(str, mark))

    def document(self, base: Connection, path: str, name: str) -> bytes:
        there = columns(base, "sessions")
        wanted = (column if column in there else "''" for column in ("cwd", "branch", "summary"))
        about = base.execute(f"SELECT {', '.join(wanted)} FROM sessions WHERE id = ?", (name,)).fetchone()
        cwd, branch, title = map(_text, about or ("", "", ""))
        start = {"sessionId": name, "context": {"cwd": cwd, "branch": branch}}
        events: list[dict[str, Any]] = [
            {"type": "session.start", "id": f"{name}/start", "data": start},
            {"type": "session.title_changed", "id": f"{name}/title", "data": {"title": title}},
        ]
        rows = base.execute(
            "SELECT turn_index, user_message, assistant_response, timestamp FROM turns WHERE session_id = ? ORDER BY turn_index, id",
            (name,),
        )
        for number, asked, answered, time in rows:
            for kind, text in (("user.message", _text(asked)), ("assistant.message", _text(answered))):
                if text.strip():
                    ref = f"{name}/{int(number or 0)}/{kind}"
                    events.append({"type": kind, "id": ref, "timestamp": _text(time), "data": {"content": text}})
        return b"".join(json.dumps(event, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for event in events)


def _text(value: object) -> str:
    return "" if value is None else text_of_value(value)


LIBRARIES = (CopilotDatabase(),)
