"""Databases in which hosts keep many conversations: OpenCode's, the one of Cursor's editor, Copilot's, and that of Kiro's command line.

As of OpenCode 1.19 and 2.0.32, Cursor 3.16 and Kiro CLI 1.2x (2026-11). OpenCode 1: tables session, message, part, put together as
the document that `opencode export` writes; OpenCode 2: session_v2 and session_message, in the same file. Cursor:
`<User>/globalStorage/state.vscdb`, table cursorDiskKV with `composerData:<id>` and `bubbleId:<id>:<bubble>` (after
skillsynchq/txcript, src/harness/cursor_desktop.rs). Copilot: `session-store.db`, tables sessions and turns. Kiro:
`conversations_v2`. The databases are never written to (:mod:`vademecum.adapters.stores.host_databases`).
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import vademecum.adapters.stores.host_databases as host
from vademecum.adapters.transcripts.cursor import document
from vademecum.adapters.transcripts.jsonl import as_lines
from vademecum.adapters.transcripts.said import json_value, mapping
from vademecum.ports.transcripts import Member


class _Database:
    """What these have in common: a file of SQLite with the host's tables."""

    name = ""
    needs: frozenset[str] = frozenset()

    def recognises(self, head: bytes, path: str) -> bool:
        if not head.startswith(host.MAGIC):
            return False
        with host.opened(Path(path)) as base:
            return self.needs <= host.tables(base)


class OpenCodeDatabase(_Database):
    """`opencode.db`, and those of other channels (`opencode-dev.db`), of version 1, of version 2 or of both."""

    name = "opencode"

    def recognises(self, head: bytes, path: str) -> bool:
        if not head.startswith(host.MAGIC):
            return False
        with host.opened(Path(path)) as base:
            there = host.tables(base)
        return there >= host.OPENCODE_1 or there >= host.OPENCODE_2

    def members(self, path: str) -> Sequence[Member]:
        with host.opened(Path(path)) as base:
            return [Member(name, mark) for name, mark in host.opencode_marks(base)]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        with host.opened(Path(path)) as base:
            for name in names:
                session = host.opencode_session(base, name)
                about: dict[str, object] = {
                    "id": name,
                    "parentID": session.parent,
                    "directory": session.directory,
                    "title": session.title,
                }
                about["permission"] = json_value(session.permission)
                yield name, as_lines({"info": about}, "messages", _opencode_messages(session))


def _opencode_messages(session: host.OpenCodeSession) -> list[dict[str, Any]]:
    """Return the messages of a session, those that version 2 does not hold first: it took the others over under their ids."""
    taken_over = {message for message, *_ in session.messages_2}
    held: dict[str, list[Any]] = {}
    for message, part, data in session.parts:
        held.setdefault(message, []).append({"id": part, **_object(data)})
    before = [
        {"info": {"id": message, **_object(data)}, "parts": held.get(message, [])}
        for message, data in session.messages
        if message not in taken_over
    ]
    result = [
        {**_object(data), "id": message, "type": kind, "time_created": time} for message, kind, time, data in session.messages_2
    ]
    return [*before, *result]


class CursorDatabase(_Database):
    """`state.vscdb` of Cursor's editor."""

    name = "cursor"
    needs = frozenset({"cursorDiskKV"})

    def members(self, path: str) -> Sequence[Member]:
        with host.opened(Path(path)) as base:
            sizes = host.cursor_sizes(base)
            named = [(key.partition(":")[2], text) for key, text in host.cursor_conversations(base)]
        return [Member(name, f"{_digest(text)}:{sizes.get(name, '')}") for name, text in named]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        wanted = set(names)
        with host.opened(Path(path)) as base:
            for key, text in host.cursor_conversations(base):
                name = key.partition(":")[2]
                if name in wanted:
                    yield name, _composed(name, _object(text), host.cursor_bubbles(base, name))


class CopilotDatabase(_Database):
    """`session-store.db` of the Copilot command line, put together as the events of its transcripts.

    A conversation whose events lie beside it, in `session-state`, is read from there: they hold more.
    """

    name = "copilot"
    needs = frozenset({"sessions", "turns"})

    def members(self, path: str) -> Sequence[Member]:
        with host.opened(Path(path)) as base:
            return [Member(name, mark) for name, mark in host.copilot_conversations(base) if not _has_events(path, name)]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        with host.opened(Path(path)) as base:
            for name in names:
                yield (
                    name,
                    b"".join(
                        json.dumps(event, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
                        for event in _copilot_events(name, host.copilot_conversation(base, name))
                    ),
                )


def _has_events(path: str, name: str) -> bool:
    return "/" not in name and (Path(path).parent / "session-state" / name / "events.jsonl").is_file()


def _copilot_events(name: str, held: host.CopilotConversation) -> Iterator[dict[str, Any]]:
    place = {"cwd": held.cwd, "branch": held.branch}
    yield {"type": "session.start", "id": f"{name}/start", "data": {"sessionId": name, "context": place}}
    yield {"type": "session.title_changed", "id": f"{name}/title", "data": {"title": held.title}}
    for number, asked, answered, time in held.turns:
        for kind, text in (("user.message", asked), ("assistant.message", answered)):
            if text.strip():
                yield {"type": kind, "id": f"{name}/{number}/{kind}", "timestamp": time, "data": {"content": text}}


class KiroDatabase(_Database):
    """`data.sqlite3` of Kiro's command line."""

    name = "kiro"
    needs = frozenset({"conversations_v2"})

    def members(self, path: str) -> Sequence[Member]:
        with host.opened(Path(path)) as base:
            return [Member(name, mark) for name, _, mark in host.kiro_conversations(base)]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        with host.opened(Path(path)) as base:
            folders = {name: folder for name, folder, _ in host.kiro_conversations(base)}
            for name in names:
                about = {"conversation_id": name, "cwd": folders.get(name, ""), **_object(host.kiro_conversation(base, name))}
                history = about.pop("history", [])
                yield name, as_lines(about, "history", history if isinstance(history, list) else [])


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _composed(name: str, about: dict[str, Any], bubbles: dict[str, str]) -> bytes:
    """Return a conversation with its messages in order; before version 3 they stand in the record itself."""
    about.setdefault("composerId", name)
    headers = about.pop("fullConversationHeadersOnly", None)
    inline = about.pop("conversation", None)
    order = [mapping(header).get("bubbleId") for header in headers] if isinstance(headers, list) else []
    result = [_object(bubbles[entry]) for entry in order if isinstance(entry, str) and entry in bubbles]
    if not result and isinstance(inline, list):
        result = [by_key for by_key in inline if isinstance(by_key, dict)]
    known = ("composerId", "name", "createdAt", "lastUpdatedAt", "workspaceIdentifier")
    spawned = bool(about.get("subagentInfo") or about.get("isSubagent"))
    return document({key: about[key] for key in known if key in about}, result, subagent=spawned)


def _object(text: str) -> dict[str, Any]:
    return dict(mapping(json_value(text)))
