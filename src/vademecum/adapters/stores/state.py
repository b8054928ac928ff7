"""What this device remembers of its own work, in one small SQLite file. A damaged file is set aside and started anew."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import apsw

from vademecum import model
from vademecum.adapters import stores
from vademecum.adapters.stores.device_file import opened, safe

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from vademecum.model.ports import Use
    from vademecum.model.session import Cursor, Snapshot
    from vademecum.model.topics import TopicLock
    from vademecum.model.verdict import Verdicts

#: Recalls whose story is kept for `vade why`.
TRACES_KEPT = 500
#: Seconds after which nobody asks any more what a session was told.
TOLD_KEPT_S = 30 * 86400
#: No claim holds longer.
_CLAIM_KEPT_S = 2 * 86400
_BUSY_MS = 2000
_PER_QUERY = 500
#: Sessions whose topics are remembered.
LOCKS_KEPT = 500
#: Sessions whose last words are remembered.
SNAPSHOTS_KEPT = 500
#: What a host calls a kind of line is short; a longer one may be anything.
KIND_MAX_CHARS = 80

_SCHEMA = """
CREATE TABLE IF NOT EXISTS cursor(
    path TEXT PRIMARY KEY, offset INTEGER NOT NULL, prefix_hash TEXT NOT NULL, carry TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS strange(path TEXT NOT NULL, kind TEXT NOT NULL, host TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY(path, kind)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS turn(name INTEGER PRIMARY KEY, session INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS trace(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS told(session TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY(session, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claim(name TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS use(key TEXT PRIMARY KEY, count INTEGER NOT NULL, last REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS topic_lock(number INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, held INTEGER NOT NULL,
    weights TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS snapshot(number INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, project TEXT NOT NULL,
    moment REAL NOT NULL, messages TEXT NOT NULL, finished INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS verdict(pattern TEXT PRIMARY KEY, accepted INTEGER NOT NULL, rejected INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS extraction(session TEXT PRIMARY KEY, stage TEXT NOT NULL, due INTEGER NOT NULL, fields TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS extraction_stop(one INTEGER PRIMARY KEY CHECK(one = 1), mark TEXT NOT NULL, reason TEXT NOT NULL,
    since INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS ledger(day TEXT NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL, input INTEGER NOT NULL,
    output INTEGER NOT NULL, cost REAL NOT NULL, PRIMARY KEY(day, model)) WITHOUT ROWID;
"""


class SqliteState:
    """The State port over a file; `path` None keeps it in memory."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._base = state_file(path)
        self._swept = -math.inf

    def cursor(self, path: str) -> Cursor:
        """How far the transcript was read."""
        row = self._base.execute("SELECT offset, prefix_hash, carry FROM cursor WHERE path = ?", (safe(path),)).fetchone()
        return model.session.Cursor(*row) if row else model.session.Cursor()

    def set_cursor(self, path: str, cursor: Cursor) -> None:
        """Remember how far it was read."""
        self._base.execute(
            "INSERT OR REPLACE INTO cursor VALUES(?, ?, ?, ?)", (safe(path), cursor.offset, cursor.prefix_hash, cursor.carry)
        )

    def cursor_paths(self) -> tuple[str, ...]:
        """Transcripts that were ever read, in the order of their paths."""
        return tuple(path for (path,) in self._base.execute("SELECT path FROM cursor ORDER BY path"))

    def note_strange(self, path: str, host: str, found: Mapping[str, int], *, anew: bool) -> None:
        """Count what was passed over."""
        rows = [(safe(path), safe(kind)[:KIND_MAX_CHARS], safe(host), count) for kind, count in found.items() if count]
        if not rows and not anew:
            return
        with self._base:
            if anew:
                self._base.execute("DELETE FROM strange WHERE path = ?", (safe(path),))
            self._base.executemany(
                "INSERT INTO strange VALUES(?, ?, ?, ?) ON CONFLICT(path, kind) DO UPDATE SET count = count + excluded.count",
                rows,
            )

    def strange(self) -> Mapping[tuple[str, str], int]:
        """What was passed over in all transcripts."""
        rows = self._base.execute("SELECT host, kind, sum(count) FROM strange GROUP BY host, kind ORDER BY host, kind")
        return {(host, kind): count for host, kind, count in rows}

    def claim_turns(self, session: str, turns: Sequence[str]) -> frozenset[str]:
        """Turns that another session had first. Names are kept as 64 bits: ten million of them share one with a chance of 10^-6."""
        mine = stores.turn_numbers.number(session)
        names = {stores.turn_numbers.number(turn): turn for turn in turns}
        with self._base:
            self._base.executemany("INSERT OR IGNORE INTO turn VALUES(?, ?)", [(name, mine) for name in names])
            taken: set[str] = set()
            for start in range(0, len(names), _PER_QUERY):
                part = list(names)[start : start + _PER_QUERY]
                marks = ",".join("?" * len(part))
                rows = self._base.execute(f"SELECT name FROM turn WHERE session <> ? AND name IN ({marks})", (mine, *part))
                taken.update(names[name] for (name,) in rows)
        return frozenset(taken)

    def keep_trace(self, trace: str, text: str) -> None:
        """Keep the story of a recall; the oldest beyond TRACES_KEPT are dropped."""
        with self._base:
            self._base.execute("INSERT OR REPLACE INTO trace(id, text) VALUES(?, ?)", (trace, safe(text)))
            self._base.execute("DELETE FROM trace WHERE number <= (SELECT max(number) FROM trace) - ?", (TRACES_KEPT,))

    def trace(self, trace: str = "") -> str | None:
        """The story under that id or its start; the last one for ""."""
        row = self._base.execute(
            "SELECT text FROM trace WHERE id >= ?1 AND id < ?1 || 'a' ORDER BY number DESC LIMIT 1", (trace.upper(),)
        ).fetchone()
        return row[0] if row else None

    def record_use(self, keys: Iterable[str], moment: datetime) -> None:
        """Count one use of each item."""
        with self._base:
            self._base.executemany(
                "INSERT INTO use VALUES(?1, 1, ?2) ON CONFLICT(key) DO UPDATE SET count = count + 1, last = max(last, ?2)",
                [(key, moment.timestamp()) for key in keys],
            )

    def uses(self, keys: Sequence[str]) -> Mapping[str, Use]:
        """Uses of those items that were ever used."""
        found: dict[str, Use] = {}
        for start in range(0, len(keys), _PER_QUERY):
            part = keys[start : start + _PER_QUERY]
            marks = ",".join("?" * len(part))
            for key, count, last in self._base.execute(f"SELECT key, count, last FROM use WHERE key IN ({marks})", tuple(part)):
                found[key] = model.ports.Use(count, datetime.fromtimestamp(last, UTC))
        return found

    def told(self, session: str) -> frozenset[str]:
        """What this session was told."""
        return frozenset(key for (key,) in self._base.execute("SELECT key FROM told WHERE session = ?", (safe(session),)))

    def record_told(self, session: str, keys: Iterable[str], moment: datetime) -> None:
        """Remember it; old sessions are forgotten now and then."""
        at = moment.timestamp()
        with self._base:
            self._base.executemany(
                "INSERT OR REPLACE INTO told VALUES(?, ?, ?)", [(safe(session), safe(key), at) for key in keys]
            )
            if self._first("sweep of told", at, 86400):
                self._base.execute("DELETE FROM told WHERE at < ?", (at - TOLD_KEPT_S,))

    def forget_told(self, session: str) -> None:
        """The agent has nothing of it any more."""
        self._base.execute("DELETE FROM told WHERE session = ?", (safe(session),))

    def claim(self, name: str, moment: datetime, within_s: float) -> bool:
        """First within so many seconds; the write lock of the database decides between processes."""
        at = moment.timestamp()
        if abs(at - self._swept) >= _CLAIM_KEPT_S:
            self._base.execute("DELETE FROM claim WHERE abs(at - ?) > ?", (at, _CLAIM_KEPT_S))
            self._swept = at
        return self._first(name, at, within_s)

    def _first(self, name: str, at: float, within_s: float) -> bool:
        self._base.execute(
            "INSERT INTO claim VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET at = ?2 WHERE abs(at - ?2) >= ?3",
            (safe(name), at, within_s),
        )
        return self._base.changes() == 1

    def snapshot(self, session: str) -> Snapshot | None:
        """The last words of a session."""
        row = self._base.execute(f"{_SNAPSHOT} WHERE session = ?", (safe(session),)).fetchone()
        return _read_snapshot(*row) if row else None

    def set_snapshot(self, snapshot: Snapshot) -> None:
        """Remember the last words of a session; the oldest beyond SNAPSHOTS_KEPT are dropped."""
        messages = safe(json.dumps(snapshot.messages, ensure_ascii=False))
        row = (safe(snapshot.session), snapshot.project, snapshot.when.timestamp(), messages, snapshot.finished)
        with self._base:
            names = "session, project, moment, messages, finished"
            self._base.execute(f"INSERT OR REPLACE INTO snapshot({names}) VALUES(?, ?, ?, ?, ?)", row)
            self._base.execute("DELETE FROM snapshot WHERE number <= (SELECT max(number) FROM snapshot) - ?", (SNAPSHOTS_KEPT,))

    def snapshots(self, project: str) -> tuple[Snapshot, ...]:
        """The last words of the sessions of a project."""
        rows = self._base.execute(f"{_SNAPSHOT} WHERE project = ? ORDER BY number DESC", (project,))
        return tuple(_read_snapshot(*row) for row in rows)

    def topic_lock(self, session: str) -> TopicLock | None:
        """What a session is about."""
        row = self._base.execute("SELECT weights, held FROM topic_lock WHERE session = ?", (safe(session),)).fetchone()
        return model.topics.TopicLock(json.loads(row[0]), bool(row[1])) if row else None

    def set_topic_lock(self, session: str, lock: TopicLock) -> None:
        """Remember what a session is about; the oldest beyond LOCKS_KEPT are dropped."""
        with self._base:
            self._base.execute("DELETE FROM topic_lock WHERE session = ?", (safe(session),))
            if lock.weights:
                row = (safe(session), lock.held, safe(json.dumps(dict(lock.weights), ensure_ascii=False)))
                self._base.execute("INSERT INTO topic_lock(session, held, weights) VALUES(?, ?, ?)", row)
            self._base.execute("DELETE FROM topic_lock WHERE number <= (SELECT max(number) FROM topic_lock) - ?", (LOCKS_KEPT,))

    def erase(self, holds: Callable[[str], bool], keys: Collection[str]) -> int:
        """Remove every row that tells what `holds` finds or is about one of the keys, and its bytes."""
        found = 0
        with self._base:
            for table, key, texts in _ROWS:
                for row in self._base.execute(f"SELECT {key}, {texts} FROM {table}").fetchall():
                    if row[0] in keys or any(_holds_one(str(text or ""), holds, keys) for text in row):
                        self._base.execute(f"DELETE FROM {table} WHERE {key} = ?", (row[0],))
                        found += self._base.changes()
        if self._path is not None:
            self._base.execute("VACUUM")
            self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return found

    def record_verdict(self, pattern: str, *, accepted: int = 0, rejected: int = 0) -> None:
        """Count what the person made of a proposal."""
        self._base.execute(
            "INSERT INTO verdict VALUES(?1, max(0, ?2), max(0, ?3)) ON CONFLICT(pattern) DO UPDATE SET"
            " accepted = max(0, accepted + ?2), rejected = max(0, rejected + ?3)",
            (safe(pattern), accepted, rejected),
        )

    def verdicts(self) -> Mapping[str, Verdicts]:
        """How the proposals of each pattern were judged."""
        rows = self._base.execute("SELECT pattern, accepted, rejected FROM verdict ORDER BY pattern")
        return {pattern: model.verdict.Verdicts(accepted, rejected) for pattern, accepted, rejected in rows}

    def close(self) -> None:
        """Release the file."""
        self._base.close()


#: (table, its key, the columns that hold words) of what may tell something.
_ROWS = (
    ("cursor", "path", "carry"), ("trace", "id", "text"), ("told", "key", "session"), ("told", "session", "key"),
    ("use", "key", "''"), ("topic_lock", "session", "weights"), ("snapshot", "session", "messages"), ("claim", "name", "''"),
    ("extraction", "session", "fields"), ("strange", "path", "kind"),
)  # fmt: skip


def _holds_one(text: str, holds: Callable[[str], bool], keys: Collection[str]) -> bool:
    """Whether a column tells it: a text, or JSON whose strings are judged as they read."""
    if not text:
        return False
    if any(key in text for key in keys):
        return True
    try:
        said = "\n".join(_strings(json.loads(text))) if text[0] in "[{" else text
    except ValueError:
        said = text
    return holds(said)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for entry in (*value.keys(), *value.values()) if isinstance(value, dict) else value:
            yield from _strings(entry)


_SNAPSHOT = "SELECT session, project, moment, messages, finished FROM snapshot"


def _read_snapshot(session: str, project: str, moment: float, messages: str, finished: int) -> Snapshot:
    said = tuple((ref, text) for ref, text in json.loads(messages))
    return model.session.Snapshot(session, project, datetime.fromtimestamp(moment, UTC), said, bool(finished))


def state_file(path: Path | None) -> apsw.Connection:
    """A connection to this file; other adapters keep rows in it too."""
    return opened(path, _SCHEMA, _BUSY_MS)
