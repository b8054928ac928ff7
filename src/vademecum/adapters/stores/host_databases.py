"""The databases in which hosts keep conversations, read without ever touching them.

A host may be writing while we read. Its file is opened as it is only when there is no journal beside it and it stays unchanged
meanwhile; else a copy of file and journal is read, so that nothing of ours, not even a lock, appears in the host's folder.

Shapes are hosts' own (see :mod:`vademecum.adapters.transcripts.databases` for what they mean, and as of when). A table or
column that is missing gives no rows: the host changed, and the caller tells.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import apsw

#: What stands beside a database while it is written.
JOURNALS = ("-wal", "-journal")
MAGIC = b"SQLite format 3\x00"

#: Tables of OpenCode 1 and 2. A store of 1.18 has `session_message` too, always empty: `session_v2` tells the generations apart.
OPENCODE_1 = frozenset({"session", "message", "part"})
OPENCODE_2 = frozenset({"session_v2", "session_message"})


class Changed(OSError):
    """The file changed while it was copied, as often as it was tried."""


@contextmanager
def opened(path: Path) -> Iterator[apsw.Connection]:
    """Open the database at `path` for reading.

    Raises:
        OSError: it cannot be read, or is none.
    """
    with _still(path) as (place, flags):
        try:
            base = apsw.Connection(
                f"{place.absolute().as_uri()}?{flags}", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            )
            try:
                base.set_busy_timeout(1000)
                yield base
            finally:
                base.close()
        except apsw.Error as error:
            raise OSError(f"not a database that can be read: {error}") from error


def tables(base: apsw.Connection) -> frozenset[str]:
    """Return names of the tables."""
    return frozenset(name for (name,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"))


#: How hosts name tables of conversations of a later generation, and those of them that are read.
_GENERATION = re.compile(r"(?:sessions?|messages?|parts?|turns?|conversations?)(?:_\w+)?_v\d+")
_READ = frozenset({"session_v2", "conversations_v2"})


def newer_tables(path: Path) -> list[str]:
    """Return tables of a host's database that are called as if they held conversations of a generation that nobody here knows.

    Raises:
        OSError: it cannot be read, or is none.
    """
    with opened(path) as base:
        return sorted(name for name in tables(base) if _GENERATION.fullmatch(name) and name not in _READ)


def columns(base: apsw.Connection, table: str) -> frozenset[str]:
    """Return names of the columns of a table; none when there is no such table."""
    return frozenset(str(name) for (name,) in base.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def opencode_marks(base: apsw.Connection) -> list[tuple[str, str]]:
    """Return (session, what changes when it does), those of version 2 first. Archived sessions are conversations like others.

    A session that both generations hold is named once, with the marks of both: after an upgrade the old tables stay as they were.
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


class OpenCodeSession(NamedTuple):
    """Rows of a session in the order in which they were said: its header, of which
    `permission` is JSON; of version 1 (message, JSON) and (message, part, JSON); of
    version 2 (message, type, time in ms, JSON).
    """

    parent: str
    directory: str
    title: str
    permission: str
    messages: list[tuple[str, str]]
    parts: list[tuple[str, str, str]]
    messages_2: list[tuple[str, str, int, str]]


def opencode_session(base: apsw.Connection, name: str) -> OpenCodeSession:
    """Return a session; one that is gone has no messages."""
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
        messages_2 = [(str(message), str(kind), int(time or 0), _text(data)) for message, kind, time, data in rows]
    if there >= OPENCODE_1:
        about = about or _opencode_head(base, "session", name)
        rows = base.execute("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (name,))
        messages = [(str(message), _text(data)) for message, data in rows]
        rows = base.execute("SELECT message_id, id, data FROM part WHERE session_id = ? ORDER BY id", (name,))
        parts = [(str(message), str(part), _text(data)) for message, part, data in rows]
    parent, directory, title, permission = ("" if value is None else _text(value) for value in about or ("", "", "", ""))
    return OpenCodeSession(parent, directory, title, permission, messages, parts, messages_2)


def _opencode_head(base: apsw.Connection, table: str, name: str) -> tuple[object, ...] | None:
    """Return parent, folder, title and rules (JSON) of a session; None when it is not in the table. Older ones have no rules."""
    rules = "permission" if "permission" in columns(base, table) else "NULL"
    row = base.execute(f"SELECT parent_id, directory, title, {rules} FROM {table} WHERE id = ?", (name,)).fetchone()
    return tuple(row) if row else None


def cursor_conversations(base: apsw.Connection) -> list[tuple[str, str]]:
    """Return (key of the conversation's record, JSON) of the editor's database."""
    rows = base.execute(
        "SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL"
    )
    return [(str(key), _text(value)) for key, value in rows]


def cursor_sizes(base: apsw.Connection) -> dict[str, str]:
    """Return conversation -> how many messages it has and how long they are together. An answer is filled in after the
    conversation's record
    was written, and that record need not be written again.
    """
    rows = base.execute(
        "SELECT substr(key, 10, instr(substr(key, 10), ':') - 1), count(*), sum(octet_length(value)) FROM cursorDiskKV"
        " WHERE key >= 'bubbleId:' AND key < 'bubbleId;' GROUP BY 1"
    )
    return {str(name): f"{count}:{size}" for name, count, size in rows}


def cursor_bubbles(base: apsw.Connection, name: str) -> dict[str, str]:
    """Return id -> JSON of the messages of a conversation."""
    start = f"bubbleId:{name}:"
    rows = base.execute(
        "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? AND value IS NOT NULL", (start, start[:-1] + ";")
    )
    return {str(key)[len(start) :]: _text(value) for key, value in rows}


def kiro_conversations(base: apsw.Connection) -> list[tuple[str, str, str]]:
    """Return (conversation, folder, what changes when it does) of the command line's database."""
    if "conversations_v2" not in tables(base):
        return []
    rows = base.execute("SELECT conversation_id, key, updated_at, length(value) FROM conversations_v2 ORDER BY created_at")
    return [(str(name), str(folder), f"{updated}:{length}") for name, folder, updated, length in rows]


def kiro_conversation(base: apsw.Connection, name: str) -> str:
    """Return the JSON of a conversation; "" when it is gone."""
    row = base.execute("SELECT value FROM conversations_v2 WHERE conversation_id = ?", (name,)).fetchone()
    return _text(row[0]) if row else ""


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def copilot_conversations(base: apsw.Connection) -> list[tuple[str, str]]:
    """Return (conversation, what changes when it does) of Copilot's store, oldest first."""
    rows = base.execute(
        "SELECT s.id, s.updated_at, count(t.id), sum(octet_length(t.user_message)), sum(octet_length(t.assistant_response)) FROM sessions s"
        " LEFT JOIN turns t ON t.session_id = s.id GROUP BY s.id ORDER BY s.created_at, s.id"
    )
    return [(str(name), ":".join(map(str, mark))) for name, *mark in rows]


class CopilotConversation(NamedTuple):
    """A conversation of Copilot's store: its header, and (place, what was asked, what was answered, time) of its turns in order."""

    cwd: str
    branch: str
    title: str
    turns: list[tuple[int, str, str, str]]


def copilot_conversation(base: apsw.Connection, name: str) -> CopilotConversation:
    """Return a conversation; one that is gone has no turns."""
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
    return "" if value is None else _text(value)


@contextmanager
def _still(path: Path) -> Iterator[tuple[Path, str]]:
    """Give a file that does not change while it is read, and how to open it."""
    if not any(_size(journal) for journal in _journals(path)):
        yield path, "immutable=1"
        return
    with tempfile.TemporaryDirectory(prefix="vademecum-") as folder:
        copy = Path(folder) / "copy.db"
        for _ in range(3):
            before = _stamps(path)
            _copy(path, copy)
            if _stamps(path) == before:
                break
        else:
            raise Changed("it is being written to all the time")
        yield copy, "mode=ro"


def _journals(path: Path) -> Sequence[Path]:
    return [path.with_name(path.name + suffix) for suffix in JOURNALS]


def _copy(path: Path, copy: Path) -> None:
    shutil.copyfile(path, copy)
    for journal, beside in zip(_journals(path), _journals(copy), strict=True):
        beside.unlink(missing_ok=True)
        if journal.exists():
            shutil.copyfile(journal, beside)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _stamps(path: Path) -> list[tuple[int, int]]:
    stat_results = [other_path.stat() for other_path in (path, *_journals(path)) if other_path.exists()]
    return [(stat.st_size, stat.st_mtime_ns) for stat in stat_results]
