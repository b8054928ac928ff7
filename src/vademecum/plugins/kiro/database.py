"""The database of Kiro's command line, table `conversations_v2`, as of Kiro CLI 1.2x. It is only read."""

from collections.abc import Iterator

from vademecum.plugin_api.transcripts import Connection, Database, as_lines, json_object, text_of_value


class KiroDatabase(Database):
    """`data.sqlite3` of Kiro's command line."""

    name = "kiro"
    generations = frozenset({"conversations_v2"})
    needs = (generations,)

    def marks(self, base: Connection, path: str) -> Iterator[tuple[str, str]]:
        rows = base.execute("SELECT conversation_id, updated_at, length(value) FROM conversations_v2 ORDER BY created_at")
        return ((str(name), f"{updated}:{length}") for name, updated, length in rows)

    def document(self, base: Connection, path: str, name: str) -> bytes | None:
        row = base.execute("SELECT key, value FROM conversations_v2 WHERE conversation_id = ?", (name,)).fetchone()
        if row is None:
            return None
        about = {"conversation_id": name, "cwd": str(row[0]), **json_object(text_of_value(row[1]))}
        history = about.pop("history", [])
        return as_lines(about, "history", history if isinstance(history, list) else [])


LIBRARIES = (KiroDatabase(),)
