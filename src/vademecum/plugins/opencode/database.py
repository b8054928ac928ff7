"""OpenCode's database, as of OpenCode 1.19 and 2.0.32 (2026-11). It is only read.

Version 1 has the tables session, message and part, which are converted to the document that `opencode export` writes. Version 2
has session_v2 and session_message in the same file.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from vademecum.plugin_api.transcripts import (
    Connection,
    Database,
    as_lines,
    columns,
    json_object,
    json_value,
    opened,
    tables,
    text_of_value,
)
from vademecum.plugins.opencode.files import OpenCodeFiles
from vademecum.ports.transcripts import Member

#: Tables of OpenCode 1 and 2. A database of 1.18 also has `session_message`, always empty, so `session_v2` distinguishes the
#: versions.
OPENCODE_1 = frozenset({"session", "message", "part"})
OPENCODE_2 = frozenset({"session_v2", "session_message"})


class OpenCodeSession(NamedTuple):
    """Rows of a session, oldest first.

    Attributes:
        permission: JSON.
        messages: version 1: (message id, JSON).
        parts: version 1: (message id, part id, JSON).
        messages_2: version 2: (message id, type, time in ms, JSON).
    """

    parent: str
    directory: str
    title: str
    permission: str
    messages: list[tuple[str, str]]
    parts: list[tuple[str, str, str]]
    messages_2: list[tuple[str, str, int, str]]


class OpenCodeDatabase(Database):
    """`opencode.db`, and those of other channels (`opencode-dev.db`), with tables of version 1, version 2 or both."""

    name = "opencode"
    needs = (OPENCODE_1, OPENCODE_2)
    generations = frozenset({"session_v2"})

    def members(self, path: str) -> Sequence[Member]:
        with opened(Path(path)) as base:
            return [Member(name, mark) for name, mark in opencode_marks(base)]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        with opened(Path(path)) as base:
            for name in names:
                session = opencode_session(base, name)
                about: dict[str, object] = {
                    "id": name,
                    "parentID": session.parent,
                    "directory": session.directory,
                    "title": session.title,
                }
                about["permission"] = json_value(session.permission)
                yield name, as_lines({"info": about}, "messages", _opencode_messages(session))


def _opencode_messages(session: OpenCodeSession) -> list[dict[str, Any]]:
    """Return the messages of a session, first those that version 2 lacks: it migrated the others with their ids."""
    taken_over = {message for message, *_ in session.messages_2}
    held: dict[str, list[Any]] = {}
    for message, part, data in session.parts:
        held.setdefault(message, []).append({"id": part, **json_object(data)})
    before = [
        {"info": {"id": message, **json_object(data)}, "parts": held.get(message, [])}
        for message, data in session.messages
        if message not in taken_over
    ]
    result = [
        {**json_object(data), "id": message, "type": kind, "time_created": time}
        for message, kind, time, data in session.messages_2
    ]
    return [*before, *result]


def opencode_marks(base: Connection) -> list[tuple[str, str]]:
    """Return (session id, fingerprint that changes with it), those of version 2 first. Archived sessions are included.

    A session in both versions occurs once, with both fingerprints: the old tables stay unchanged after an upgrade.
    """
    there = tables(base)
    marks: dict[str, list[str]] = {}
    if there >= OPENCODE_2:
        rows = base.execute(
            "SELECT s.id, s.time_updated, count(m.id), max(m.time_updated), sum(octet_length(m.data)) FROM session_v2 s"
            " LEFT JOIN session_message m ON m.session_id = s.id GROUP BY s.id ORDER BY s.time_created, s.id"
        )
        for name, *mark in rows:
            marks.setdefault(str(name), []).append(":".join(map(str, mark)))
    if there >= OPENCODE_1:
        rows = base.execute(
            "SELECT s.id, s.time_updated, count(m.id), max(m.time_updated) FROM session s"
            " LEFT JOIN message m ON m.session_id = s.id GROUP BY s.id ORDER BY s.time_created, s.id"
        )
        for name, *mark in rows:
            marks.setdefault(str(name), []).append(":".join(map(str, mark)))
    return [(name, "|".join(mark)) for name, mark in marks.items()]


def opencode_session(base: Connection, name: str) -> OpenCodeSession:
    """Return a session; without messages if it no longer exists."""
    there = tables(base)
    about: tuple[object, ...] | None = None
    messages: list[tuple[str, str]] = []
    parts: list[tuple[str, str, str]] = []
    messages_2: list[tuple[str, str, int, str]] = []
    if there >= OPENCODE_2:
        about = _opencode_head(base, "session_v2", name)
        rows = base.execute(
            "SELECT id, type, time_created, data FROM session_message WHERE session_id = ? ORDER BY seq, id", (name,)
        )
        messages_2 = [(str(message), str(kind), int(time or 0), text_of_value(data)) for message, kind, time, data in rows]
    if there >= OPENCODE_1:
        about = about or _opencode_head(base, "session", name)
        rows = base.execute("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (name,))
        messages = [(str(message), text_of_value(data)) for message, data in rows]
        rows = base.execute("SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id", (name,))
        parts = [(str(message), str(part), text_of_value(data)) for message, part, data in rows]
    parent, directory, title, permission = (
        "" if value is None else text_of_value(value) for value in about or ("", "", "", "")
    )
    return OpenCodeSession(parent, directory, title, permission, messages, parts, messages_2)


def _opencode_head(base: Connection, table: str, name: str) -> tuple[object, ...] | None:
    """Return parent, folder, title and rules (JSON) of a session; None if it is not in the table. Older ones have no rules."""
    rules = "permission" if "permission" in columns(base, table) else "NULL"
    row = base.execute(f"SELECT parent_id, directory, title, {rules} FROM {table} WHERE id = ?", (name,)).fetchone()
    return tuple(row) if row else None


LIBRARIES = (OpenCodeDatabase(), OpenCodeFiles())
