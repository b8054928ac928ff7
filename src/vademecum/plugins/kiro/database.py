"""The database of Kiro's command line, table `conversations_v2`, as of Kiro CLI 1.2x. It is only read."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from vademecum.plugin_api.transcripts import (
    Connection,
    Database,
    as_lines,
    json_object,
    opened,
    tables,
    text_of_value,
)
from vademecum.ports.transcripts import Member


class KiroDatabase(Database):
    """`data.sqlite3` of Kiro's command line."""

    name = "kiro"
    generations = frozenset({"conversations_v2"})
    needs = (frozenset({"conversations_v2"}),)

    def members(self, path: str) -> Sequence[Member]:
        with opened(Path(path)) as base:
            return [Member(name, mark) for name, _, mark in kiro_conversations(base)]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        with opened(Path(path)) as base:
            folders = {name: folder for name, folder, _ in kiro_conversations(base)}
            for name in names:
                about = {"conversation_id": name, "cwd": folders.get(name, ""), **json_object(kiro_conversation(base, name))}
                history = about.pop("history", [])
                yield name, as_lines(about, "history", history if isinstance(history, list) else [])


def kiro_conversations(base: Connection) -> list[tuple[str, str, str]]:
    """Return (conversation id, working folder, fingerprint that changes with it) for each conversation in the database."""
    if "conversations_v2" not in tables(base):
        return []
    rows = base.execute("SELECT conversation_id, key, updated_at, length(value) FROM conversations_v2 ORDER BY created_at")
    return [(str(name), str(folder), f"{updated}:{length}") for name, folder, updated, length in rows]


def kiro_conversation(base: Connection, name: str) -> str:
    """Return the JSON of a conversation; "" if it no longer exists."""
    row = base.execute("SELECT value FROM conversations_v2 WHERE conversation_id = ?", (name,)).fetchone()
    return text_of_value(row[0]) if row else ""


LIBRARIES = (KiroDatabase(),)
