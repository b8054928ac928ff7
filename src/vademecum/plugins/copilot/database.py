"""The database of the Copilot command line, `session-store.db`: tables sessions and turns (2026-11). It is only read."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.plugin_api.transcripts import Connection, Database, columns, opened, text_of_value
from vademecum.ports.transcripts import Member


class CopilotConversation(NamedTuple):
    """A conversation in Copilot's database: its header, and its turns in order as (index, prompt, answer, time)."""

    cwd: str
    branch: str
    title: str
    turns: list[tuple[int, str, str, str]]


class CopilotDatabase(Database):
    """`session-store.db` of the Copilot command line, converted to the events of its transcripts.

    A conversation that also has an events file in `session-state` is read from there, because that contains more.
    """

    name = "copilot"
    needs = (frozenset({"sessions", "turns"}),)

    def members(self, path: str) -> Sequence[Member]:
        with opened(Path(path)) as base:
            return [Member(name, mark) for name, mark in copilot_conversations(base) if not _has_events(path, name)]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        with opened(Path(path)) as base:
            for name in names:
                yield (
                    name,
                    b"".join(
                        json.dumps(event, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
                        for event in _copilot_events(name, copilot_conversation(base, name))
                    ),
                )


def _has_events(path: str, name: str) -> bool:
    return "/" not in name and (Path(path).parent / "session-state" / name / "events.jsonl").is_file()


def _copilot_events(name: str, held: CopilotConversation) -> Iterator[dict[str, Any]]:
    place = {"cwd": held.cwd, "branch": held.branch}
    yield {"type": "session.start", "id": f"{name}/start", "data": {"sessionId": name, "context": place}}
    yield {"type": "session.title_changed", "id": f"{name}/title", "data": {"title": held.title}}
    for number, asked, answered, time in held.turns:
        for kind, text in (("user.message", asked), ("assistant.message", answered)):
            if text.strip():
                yield {"type": kind, "id": f"{name}/{number}/{kind}", "timestamp": time, "data": {"content": text}}


def copilot_conversations(base: Connection) -> list[tuple[str, str]]:
    """Return (conversation id, fingerprint that changes with it), oldest first."""
    rows = base.execute(
        "SELECT s.id, s.updated_at, count(t.id), sum(octet_length(t.user_message)), sum(octet_length(t.assistant_response)) FROM sessions s"
        " LEFT JOIN turns t ON t.session_id = s.id GROUP BY s.id ORDER BY s.created_at, s.id"
    )
    return [(str(name), ":".join(map(str, mark))) for name, *mark in rows]


def copilot_conversation(base: Connection, name: str) -> CopilotConversation:
    """Return a conversation; without turns if it no longer exists."""
    there = columns(base, "sessions")
    wanted = (column if column in there else "''" for column in ("cwd", "branch", "summary"))
    about = base.execute(f"SELECT {', '.join(wanted)} FROM sessions WHERE id = ?", (name,)).fetchone() or ("", "", "")
    rows = base.execute(
        "SELECT turn_index, user_message, assistant_response, timestamp FROM turns WHERE session_id = ? ORDER BY turn_index, id",
        (name,),
    )
    turns = [(int(place or 0), _said(asked), _said(answered), _said(time)) for place, asked, answered, time in rows]
    cwd, branch, title = map(_said, about)
    return CopilotConversation(cwd, branch, title, turns)


def _said(value: object) -> str:
    return "" if value is None else text_of_value(value)


LIBRARIES = (CopilotDatabase(),)
