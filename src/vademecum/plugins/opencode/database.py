"""OpenCode's database, as of OpenCode 1.19 and 2.0.32 (2026-11). It is only read.

Version 1 has the tables session, message and part, which are converted to the document that `opencode export` writes. Version 2
has session_v2 and session_message in the same file.
"""

from collections.abc import Iterable
from typing import Any

from vademecum.plugin_api.transcripts import (
    Connection,
    Database,
    as_lines,
    columns,
    json_object,
    json_value,
    tables,
    text_of_value,
)
from vademecum.plugins.opencode.files import OpenCodeFiles

#: Tables of OpenCode 1 and 2. A database of 1.18 also has `session_message`, always empty, so `session_v2` distinguishes the
#: versions.
OPENCODE_1 = frozenset({"session", "message", "part"})
OPENCODE_2 = frozenset({"session_v2", "session_message"})


class OpenCodeDatabase(Database):
    """`opencode.db`, and those of other channels (`opencode-dev.db`), with tables of version 1, version 2 or both."""

    name = "opencode"
    needs = (OPENCODE_1, OPENCODE_2)
    generations = frozenset({"session_v2"})

    def marks(self, base: Connection, path: str) -> Iterable[tuple[str, str]]:
        """Return the sessions of version 2 first. Archived sessions are included.

        A session in both versions occurs once, with both fingerprints: the old tables stay unchanged after an upgrade.
        """
        there = tables(base)
        marks: dict[str, list[str]] = {}
        for needed, session, message, size in (
            (OPENCODE_2, "session_v2", "session_message", ", sum(octet_length(m.data))"),
            (OPENCODE_1, "session", "message", ""),
        ):
            if there >= needed:
                rows = base.execute(
                    f"SELECT s.id, s.time_updated, count(m.id), max(m.time_updated){size} FROM {session} s"
                    f" LEFT JOIN {message} m ON m.session_id = s.id GROUP BY s.id ORDER BY s.time_created, s.id"
                )
                for name, *mark in rows:
                    marks.setdefault(str(name), []).append(":".join(map(str, mark)))
        return ((name, "|".join(mark)) for name, mark in marks.items())

    def document(self, base: Connection, path: str, name: str) -> bytes:
        """Return a session, its messages oldest first: those that version 2 lacks, because it migrated the others with their ids."""
        there = tables(base)
        about: tuple[object, ...] | None = None
        messages: list[dict[str, Any]] = []
        if there >= OPENCODE_2:
            about = _head(base, "session_v2", name)
            rows = base.execute(
                "SELECT id, type, time_created, data FROM session_message WHERE session_id = ? ORDER BY seq, id", (name,)
            )
            messages = [
                {**json_object(text_of_value(data)), "id": str(message), "type": str(kind), "time_created": int(time or 0)}
                for message, kind, time, data in rows
            ]
        if there >= OPENCODE_1:
            about = about or _head(base, "session", name)
            taken_over = {message["id"] for message in messages}
            parts: dict[str, list[Any]] = {}
            for message, part, data in base.execute(
                "SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id", (name,)
            ):
                parts.setdefault(str(message), []).append({"id": str(part), **json_object(text_of_value(data))})
            rows = base.execute("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (name,))
            before = [
                {"info": {"id": str(message), **json_object(text_of_value(data))}, "parts": parts.get(str(message), [])}
                for message, data in rows
                if str(message) not in taken_over
            ]
            messages = [*before, *messages]
        parent, folder, title, rules = ("" if value is None else text_of_value(value) for value in about or ("", "", "", ""))
        info = {"id": name, "parentID": parent, "directory": folder, "title": title, "permission": json_value(rules)}
        return as_lines({"info": info}, "messages", messages)


def _head(base: Connection, table: str, name: str) -> tuple[object, ...] | None:
    """Return parent, folder, title and rules (JSON) of a session; None if it is not in the table. Older ones have no rules."""
    rules = "permission" if "permission" in columns(base, table) else "NULL"
    row = base.execute(f"SELECT parent_id, directory, title, {rules} FROM {table} WHERE id = ?", (name,)).fetchone()
    return tuple(row) if row else None


LIBRARIES = (OpenCodeDatabase(), OpenCodeFiles())
