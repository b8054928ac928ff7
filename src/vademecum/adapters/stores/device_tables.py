"""State of this device about its own work: one class for each table of the device's database."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from vademecum.adapters.stores.device_file import DeviceFile, safe
from vademecum.domain.benefit import Lot, Need
from vademecum.domain.clocks import ClockAhead
from vademecum.domain.errors import WriteFailed
from vademecum.domain.feed import Use
from vademecum.domain.jobs import JobRun
from vademecum.domain.session import Cursor, Snapshot
from vademecum.domain.topics import TopicLock
from vademecum.domain.verdict import Verdicts
from vademecum.ports.state import KnownTurn, Outcome, ShownTo, Unused

#: Recalls whose explanation is stored for `vade why`.
TRACES_KEPT = 500
#: Seconds after which records of shown items expire.
SHOWN_KEPT_S = 30 * 86400
#: Longest duration of a claim, in seconds.
_CLAIM_KEPT_S = 2 * 86400
_PER_QUERY = 500
#: Seconds between two attempts to get a lease.
_POLL_S = 0.02
#: Sessions whose topic locks are stored.
LOCKS_KEPT = 500
#: Sessions whose last messages are stored.
SNAPSHOTS_KEPT = 500
#: Outcome that is counted by project: shown, and not used since.
_UNUSED = "unused"
#: Longest stored name of a kind of line; hosts' names are short, and a longer text may contain anything.
KIND_MAX_CHARS = 80


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


class _Table:
    def __init__(self, base: DeviceFile) -> None:
        self._base = base


class Cursors(_Table):
    """The Cursors port."""

    def get(self, path: str) -> Cursor:
        row = self._base.first("SELECT offset, prefix_hash, carry FROM cursor WHERE path = ?", (safe(path),))
        return Cursor(*row) if row else Cursor()

    def set(self, path: str, cursor: Cursor) -> None:
        self._base.execute(
            "INSERT OR REPLACE INTO cursor VALUES(?, ?, ?, ?)", (safe(path), cursor.offset, cursor.prefix_hash, cursor.carry)
        )

    def all(self) -> Mapping[str, Cursor]:
        rows = self._base.execute("SELECT path, offset, prefix_hash, carry FROM cursor ORDER BY path")
        return {path: Cursor(*row) for path, *row in rows}


class UnknownLines(_Table):
    """The UnknownLines port."""

    def note(self, path: str, host: str, found: Mapping[str, int], *, anew: bool) -> None:
        rows = [(safe(path), safe(kind)[:KIND_MAX_CHARS], safe(host), count) for kind, count in found.items() if count]
        if not rows and not anew:
            return
        with self._base.transaction():
            if anew:
                self._base.execute("DELETE FROM strange WHERE path = ?", (safe(path),))
            self._base.executemany(
                "INSERT INTO strange VALUES(?, ?, ?, ?) ON CONFLICT(path, kind) DO UPDATE SET count = count + excluded.count",
                rows,
            )

    def counts(self) -> Mapping[tuple[str, str], int]:
        rows = self._base.execute("SELECT host, kind, sum(count) FROM strange GROUP BY host, kind ORDER BY host, kind")
        return {(host, kind): count for host, kind, count in rows}


class TurnOwners(_Table):
    """The TurnOwners port. Names are stored as 64-bit hashes: for ten million of them the probability of a collision is 10^-6.

    Args:
        key_file: file with the key of the hashes, since hashes of turns said in pauses outlive the database. None: the key is
            in the database only.
    """

    def __init__(self, base: DeviceFile, key_file: Path | None) -> None:
        super().__init__(base)
        self._key = b""
        self._key_file = key_file

    def number(self, session: str) -> int:
        return _number(session)

    def mark(self, words: str) -> int:
        digest = _blake2b()(words.encode("utf-8", "surrogatepass"), digest_size=8, key=self._key or self._read_key()).digest()
        return int.from_bytes(digest, "little", signed=True)

    def of(self, session: int) -> tuple[KnownTurn, ...]:
        rows = self._base.execute(
            "SELECT mark, time, coalesce(owner, session), elsewhere FROM said WHERE session = ? ORDER BY number", (session,)
        )
        return tuple(KnownTurn(mark, time, owner, bool(elsewhere)) for mark, time, owner, elsewhere in rows)

    def holding(self, marks: Sequence[int]) -> frozenset[int]:
        result: set[int] = set()
        for start in range(0, len(marks), _PER_QUERY):
            part = marks[start : start + _PER_QUERY]
            holes = ",".join("?" * len(part))
            result.update(number for (number,) in self._base.execute(f"SELECT session FROM said WHERE mark IN ({holes})", part))
        return frozenset(result)

    def fill(self, sessions: Iterable[tuple[int, Sequence[KnownTurn]]]) -> None:
        with self._base.transaction():
            for session, turns in sessions:
                self._base.executemany("INSERT OR IGNORE INTO said VALUES(?, ?, ?, ?, ?, ?)", self._rows(session, 0, turns))

    def _rows(self, session: int, first: int, turns: Sequence[KnownTurn]) -> list[tuple[int | None, ...]]:
        return [
            (session, number, turn.words, turn.time, None if turn.owner == session else turn.owner, turn.elsewhere)
            for number, turn in enumerate(turns, first)
        ]

    def put(self, session: int, first: int, turns: Sequence[KnownTurn]) -> None:
        rows = self._rows(session, first, turns)
        with self._base.transaction():
            self._base.execute("DELETE FROM said WHERE session = ? AND number >= ?", (session, first))
            self._base.executemany("INSERT INTO said VALUES(?, ?, ?, ?, ?, ?)", rows)

    def sharing(self, session: int) -> frozenset[int]:
        copies = {number for (number,) in self._base.execute("SELECT DISTINCT session FROM said WHERE owner = ?", (session,))}
        owners = {turn.owner for turn in self.of(session)}
        return frozenset(copies if session in owners else copies | owners)

    def is_empty(self) -> bool:
        return self._base.first("SELECT 1 FROM said LIMIT 1") is None

    def _read_key(self) -> bytes:
        self._base.execute("INSERT OR IGNORE INTO hash_key VALUES(1, randomblob(32))")
        made: bytes = self._base.first("SELECT value FROM hash_key")[0]
        self._key = _kept_key(self._key_file, made) if self._key_file else made
        return self._key

    def claim(self, session: str, turns: Sequence[str]) -> frozenset[str]:
        mine = _number(session)
        names = {_number(turn): turn for turn in turns}
        with self._base.transaction():
            self._base.executemany("INSERT OR IGNORE INTO turn VALUES(?, ?)", [(name, mine) for name in names])
            taken: set[str] = set()
            for start in range(0, len(names), _PER_QUERY):
                part = list(names)[start : start + _PER_QUERY]
                marks = ",".join("?" * len(part))
                rows = self._base.execute(f"SELECT name FROM turn WHERE session <> ? AND name IN ({marks})", (mine, *part))
                taken.update(names[name] for (name,) in rows)
        return frozenset(taken)


def _kept_key(path: Path, made: bytes) -> bytes:
    """Return the key in the file; if there is no file, write `made` to it and return that."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        known = path.read_bytes()
        return known if len(known) == len(made) else made
    except OSError:
        return made
    try:
        os.write(descriptor, made)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return made


@cache
def _blake2b() -> Callable[..., Any]:
    import hashlib  # noqa: PLC0415 -- 3 ms that a prompt avoids

    return hashlib.blake2b


def _number(text: str) -> int:
    """Return the 64-bit hash of a text, signed as SQLite requires."""
    digest = _blake2b()(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


class Identities(_Table):
    """The Identities port."""

    def get(self, path: str) -> str:
        row = self._base.first("SELECT session FROM identity WHERE path = ?", (safe(path),))
        return str(row[0]) if row else ""

    def set(self, path: str, session: str) -> None:
        with self._base.transaction():
            self._base.execute("DELETE FROM identity WHERE session = ?", (safe(session),))
            self._base.execute("INSERT OR REPLACE INTO identity VALUES(?, ?)", (safe(path), safe(session)))

    def path(self, session: str) -> str:
        row = self._base.first("SELECT path FROM identity WHERE session = ?", (safe(session),))
        return str(row[0]) if row else ""

    def with_beginning(self, marks: Sequence[int]) -> tuple[str, ...]:
        if not marks:
            return ()
        first = "SELECT mark FROM said WHERE session = ? AND number < ? ORDER BY number"
        holding = self._base.execute("SELECT session FROM said WHERE mark = ? AND number = 0", (marks[0],))
        wanted = [(mark,) for mark in marks]
        numbers = {number for (number,) in holding if self._base.execute(first, (number, len(wanted))) == wanted}
        rows = self._base.execute("SELECT DISTINCT session FROM identity ORDER BY session") if numbers else []
        return tuple(session for (session,) in rows if _number(session) in numbers)


class ClocksAhead(_Table):
    """The ClocksAhead port."""

    def all(self) -> Mapping[str, ClockAhead]:
        rows = self._base.execute("SELECT session, latest, after FROM clock_ahead ORDER BY session")
        return {
            session: ClockAhead(_moment(latest), None if after is None else _moment(after)) for session, latest, after in rows
        }

    def get(self, session: str) -> ClockAhead | None:
        row = self._base.first("SELECT latest, after FROM clock_ahead WHERE session = ?", (safe(session),))
        return ClockAhead(_moment(row[0]), None if row[1] is None else _moment(row[1])) if row else None

    def set(self, session: str, known: ClockAhead | None) -> None:
        if known is None:
            self._base.execute("DELETE FROM clock_ahead WHERE session = ?", (safe(session),))
            return
        row = (safe(session), known.latest.timestamp(), known.after.timestamp() if known.after else None)
        self._base.execute("INSERT OR REPLACE INTO clock_ahead VALUES(?, ?, ?)", row)


class Traces(_Table):
    """The Traces port; the oldest beyond TRACES_KEPT are deleted."""

    def keep(self, trace: str, text: str) -> None:
        with self._base.transaction():
            self._base.execute("INSERT OR REPLACE INTO trace(id, text) VALUES(?, ?)", (trace, safe(text)))
            self._base.execute("DELETE FROM trace WHERE number <= (SELECT max(number) FROM trace) - ?", (TRACES_KEPT,))

    def get(self, trace: str = "") -> str | None:
        row = self._base.first(
            "SELECT text FROM trace WHERE id >= ?1 AND id < ?1 || 'a' ORDER BY number DESC LIMIT 1", (trace.upper(),)
        )
        return row[0] if row else None

    def latest(self, limit: int, before: str = "") -> tuple[str, ...]:
        rows = self._base.execute(
            "SELECT text FROM trace WHERE ?1 = '' OR number < (SELECT number FROM trace WHERE id = ?1) ORDER BY number DESC LIMIT ?2",
            (before, limit),
        )
        return tuple(text for (text,) in rows)


class Usage(_Table):
    """The Usage port: one row for each item and outcome; for items shown and not used since, one row for each project."""

    def note(self, outcome: Outcome, keys: Iterable[str], moment: datetime, project: str = "") -> None:
        at, listed = moment.timestamp(), list(dict.fromkeys(map(safe, keys)))
        rows: list[tuple[str, str, str, float]] = [(key, outcome, "", at) for key in listed]
        if outcome == "told":
            rows += [(key, _UNUSED, safe(project), at) for key in listed]
        with self._base.transaction():
            self._base.executemany(
                "INSERT INTO outcome VALUES(?1, ?2, ?3, 1, ?4)"
                " ON CONFLICT(key, what, project) DO UPDATE SET count = count + 1, last = max(last, ?4)",
                rows,
            )
            if outcome == "used":
                self._base.executemany("DELETE FROM outcome WHERE key = ? AND what = ?", [(key, _UNUSED) for key in listed])

    def of(self, keys: Sequence[str]) -> Mapping[str, Use]:
        by_key: dict[str, dict[str, tuple[int, float]]] = {}
        for key, what, count, last in self._rows("what <> ?", _UNUSED, keys):
            by_key.setdefault(key, {})[what] = (count, last)
        uses = {}
        for key, counts in by_key.items():
            found, shown, used = (counts.get(what, (0, 0.0)) for what in ("found", "told", "used"))
            uses[key] = Use(found[0], shown[0], used[0], _moment(used[1]) if used[0] else None)
        return uses

    def unused(self, project: str | None, keys: Sequence[str]) -> Mapping[str, Unused]:
        condition = ("what = ?", _UNUSED) if project is None else ("project = ?", safe(project))
        by_key: dict[str, tuple[int, float]] = {}
        for key, what, count, last in self._rows(*condition, keys):
            if what == _UNUSED:
                times, latest = by_key.get(key, (0, last))
                by_key[key] = (times + count, max(latest, last))
        return {key: Unused(times, _moment(last)) for key, (times, last) in by_key.items()}

    def _rows(self, condition: str, value: str, keys: Sequence[str]) -> Iterator[tuple[str, str, int, float]]:
        for start in range(0, len(keys), _PER_QUERY):
            part = tuple(map(safe, keys[start : start + _PER_QUERY]))
            marks = ",".join("?" * len(part))
            yield from self._base.execute(
                f"SELECT key, what, count, last FROM outcome WHERE {condition} AND key IN ({marks})", (value, *part)
            )


class Claims(_Table):
    """The Claims port; the database's write lock decides between processes."""

    def __init__(self, base: DeviceFile) -> None:
        super().__init__(base)
        self._swept = -math.inf

    def claim(self, name: str, moment: datetime, within_s: float) -> bool:
        at = moment.timestamp()
        if abs(at - self._swept) >= _CLAIM_KEPT_S:
            self._base.execute("DELETE FROM claim WHERE abs(at - ?) > ?", (at, _CLAIM_KEPT_S))
            self._swept = at
        return _is_first(self._base, name, at, within_s)

    def release(self, name: str) -> bool:
        return bool(self._base.execute("DELETE FROM claim WHERE name = ? RETURNING 1", (safe(name),)))


def _is_first(base: DeviceFile, name: str, at: float, within_s: float) -> bool:
    base.execute(
        "INSERT INTO claim VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET at = ?2 WHERE abs(at - ?2) >= ?3",
        (safe(name), at, within_s),
    )
    return base.changes() == 1


class Shown(_Table):
    """The Shown port."""

    def keys(self, session: str) -> frozenset[str]:
        return frozenset(key for (key,) in self._base.execute("SELECT key FROM told WHERE session = ?", (safe(session),)))

    def times(self, session: str) -> Mapping[str, datetime]:
        rows = self._base.execute("SELECT key, at FROM told WHERE session = ?", (safe(session),))
        return {key: _moment(at) for key, at in rows}

    def record(self, session: str, keys: Iterable[str], moment: datetime) -> None:
        at = moment.timestamp()
        with self._base.transaction():
            self._base.executemany(
                "INSERT OR REPLACE INTO told VALUES(?, ?, ?)", [(safe(session), safe(key), at) for key in keys]
            )
            if _is_first(self._base, "sweep of told", at, 86400):
                self._base.execute(
                    "DELETE FROM told WHERE at < ? AND (session LIKE 'session://%' OR key LIKE '%://%')", (at - SHOWN_KEPT_S,)
                )

    def since(self) -> datetime | None:
        at = self._base.first("SELECT min(at) FROM told WHERE session LIKE 'session://%'")[0]
        return None if at is None else _moment(at)

    def sessions(self, limit: int, key: str = "") -> tuple[ShownTo, ...]:
        rows = self._base.execute(
            "SELECT session, json_group_array(key), max(at) FROM told WHERE ?1 IN ('', key) OR substr(key, 1, length(?1) + 1) = ?1 || '#'"
            " GROUP BY session"
            " ORDER BY max(at) DESC, session LIMIT ?2",
            (safe(key), limit),
        )
        return tuple(ShownTo(session, tuple(json.loads(keys)), _moment(at)) for session, keys, at in rows)

    def forget(self, session: str) -> None:
        self._base.execute("DELETE FROM told WHERE session = ?", (safe(session),))


class Lots(_Table):
    """The Lots port."""

    def note(self, session: str, shown: Mapping[str, bool], moment: datetime) -> None:
        rows = [(safe(session), safe(key), moment.timestamp(), side) for key, side in shown.items()]
        self._base.executemany("INSERT OR IGNORE INTO lot(session, key, at, told) VALUES(?, ?, ?, ?)", rows)

    def drawn(self, session: str) -> Mapping[str, datetime]:
        rows = self._base.execute("SELECT key, at FROM lot WHERE session = ?", (safe(session),))
        return {key: _moment(at) for key, at in rows}

    def left_out(self, session: str) -> frozenset[str]:
        rows = self._base.execute("SELECT key FROM lot WHERE session = ? AND NOT told", (safe(session),))
        return frozenset(key for (key,) in rows)

    def need(self, session: str, needs: Mapping[str, Need], moment: datetime) -> None:
        rows = [(need, moment.timestamp(), safe(session), safe(key)) for key, need in needs.items()]
        self._base.executemany("UPDATE lot SET needed = ?, needed_at = ? WHERE session = ? AND key = ? AND needed = ''", rows)

    def all(self) -> tuple[Lot, ...]:
        rows = self._base.execute("SELECT session, key, at, told, needed, needed_at FROM lot ORDER BY at, session, key")
        return tuple(
            Lot(session, key, _moment(at), bool(delivered), needed, needed_at and _moment(needed_at))
            for session, key, at, delivered, needed, needed_at in rows
        )


class Snapshots(_Table):
    """The Snapshots port; the oldest beyond SNAPSHOTS_KEPT are deleted.

    Args:
        changed: called after snapshots have changed on disk.
    """

    def __init__(self, base: DeviceFile, changed: Callable[[], None]) -> None:
        super().__init__(base)
        self._changed = changed

    def get(self, session: str) -> Snapshot | None:
        row = self._base.first(f"{_SNAPSHOT} WHERE session = ?", (safe(session),))
        return _read_snapshot(*row) if row else None

    def set(self, snapshot: Snapshot) -> None:
        messages = safe(json.dumps(snapshot.messages, ensure_ascii=False))
        row = (safe(snapshot.session), snapshot.project, snapshot.when.timestamp(), messages, snapshot.finished)
        with self._base.transaction():
            names = "session, project, moment, messages, finished"
            self._base.execute(f"INSERT OR REPLACE INTO snapshot({names}) VALUES(?, ?, ?, ?, ?)", row)
            self._base.execute("DELETE FROM snapshot WHERE number <= (SELECT max(number) FROM snapshot) - ?", (SNAPSHOTS_KEPT,))
        self._changed()

    def of_project(self, project: str) -> Iterator[Snapshot]:
        rows = self._base.execute(f"{_SNAPSHOT} WHERE project = ? ORDER BY moment DESC, session DESC", (project,))
        return (_read_snapshot(*row) for row in rows)  # lazily, because most callers need only the first one


class TopicLocks(_Table):
    """The TopicLocks port; the oldest beyond LOCKS_KEPT are deleted."""

    def get(self, session: str) -> TopicLock | None:
        row = self._base.first("SELECT weights, held FROM topic_lock WHERE session = ?", (safe(session),))
        return TopicLock(json.loads(row[0]), bool(row[1])) if row else None

    def set(self, session: str, lock: TopicLock) -> None:
        with self._base.transaction():
            self._base.execute("DELETE FROM topic_lock WHERE session = ?", (safe(session),))
            if lock.weights:
                row = (safe(session), lock.held, safe(json.dumps(dict(lock.weights), ensure_ascii=False)))
                self._base.execute("INSERT INTO topic_lock(session, held, weights) VALUES(?, ?, ?)", row)
            self._base.execute("DELETE FROM topic_lock WHERE number <= (SELECT max(number) FROM topic_lock) - ?", (LOCKS_KEPT,))


class ReviewVerdicts(_Table):
    """The ReviewVerdicts port."""

    def record(self, pattern: str, *, accepted: int = 0, rejected: int = 0) -> None:
        self._base.execute(
            "INSERT INTO verdict VALUES(?1, max(0, ?2), max(0, ?3)) ON CONFLICT(pattern) DO UPDATE SET"
            " accepted = max(0, accepted + ?2), rejected = max(0, rejected + ?3)",
            (safe(pattern), accepted, rejected),
        )

    def all(self) -> Mapping[str, Verdicts]:
        rows = self._base.execute("SELECT pattern, accepted, rejected FROM verdict ORDER BY pattern")
        return {pattern: Verdicts(accepted, rejected) for pattern, accepted, rejected in rows}


class Jobs(_Table):
    """The Jobs port. A lease is a lock of the operating system, so that it ends with its process, even after a crash.

    Args:
        locks: folder of the lock files; None: there is only this process.
    """

    def __init__(self, base: DeviceFile, locks: Path | None) -> None:
        super().__init__(base)
        self._locks = locks

    @contextlib.contextmanager
    def lease(self, name: str, wait_s: float = 0) -> Iterator[bool]:
        if self._locks is None:
            yield True
            return
        from filelock import FileLock, Timeout  # noqa: PLC0415 -- queries do not need it

        path = self._locks / f"job-{name}.lock"
        lock = FileLock(path)
        try:
            self._locks.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=wait_s, poll_interval=_POLL_S)
        except Timeout:
            yield False
            return
        except (OSError, NotImplementedError) as error:  # the latter on a network disk without locks
            hint = "Check the folder's permissions and the disk; data_dir must be on a disk that supports file locks."
            raise WriteFailed(f"The lock {path} cannot be taken: {error}. Nothing was done.", hint) from error
        try:
            yield True
        finally:
            lock.release()

    def note(self, run: JobRun) -> None:
        self._base.execute("INSERT OR REPLACE INTO job VALUES(?, ?)", (run.name, safe(msgspec.json.encode(run).decode())))

    def all(self) -> Mapping[str, JobRun]:
        rows = self._base.execute("SELECT name, fields FROM job ORDER BY name")
        return {name: msgspec.json.decode(fields, type=JobRun) for name, fields in rows}


_SNAPSHOT = "SELECT session, project, moment, messages, finished FROM snapshot"


def _read_snapshot(session: str, project: str, moment: float, messages: str, finished: int) -> Snapshot:
    pairs = tuple((ref, text) for ref, text in json.loads(messages))
    return Snapshot(session, project, _moment(moment), pairs, bool(finished))
