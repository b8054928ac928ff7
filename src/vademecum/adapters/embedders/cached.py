"""Cache of vectors in an SQLite file of its own, so that a rebuilt index embeds nothing twice.

A row is stored as float16 and always returned normalised from that, so a text has the same vector the first time and later. The
cache may fail in any way (damaged, full, locked, read-only); this only costs time, because the inner embedder then does the
work.
"""

import contextlib
import hashlib
import os
import threading
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import apsw
import msgspec
import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.embedders.rows import unit
from vademecum.adapters.stores.write_ahead import log_ahead
from vademecum.ports.embedder import Embedder, Likeness

Floats = NDArray[np.float32]
Role = Literal["query", "passage"]

#: Increase when the meaning of a row changes; a file with another number is emptied.
FORMAT = 2
MAX_ROWS = 500_000
#: Share of rows that is deleted at once, oldest first, when there are more than the maximum.
EVICTED_SHARE = 0.1
BUSY_TIMEOUT_MS = 200
#: SQLite's largest number of `?` was 999 for a long time.
KEYS_AT_ONCE = 500
SEAL_BYTES = 4

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS vectors(place INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, row BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS facts(model_id TEXT PRIMARY KEY, dim INTEGER, calibration TEXT);
PRAGMA user_version = {FORMAT};
"""


class Cached:
    """Embedder port around another embedder, with a cache. Several processes may share the file."""

    def __init__(self, inner: Embedder, path: Path, max_rows: int = MAX_ROWS) -> None:
        """Store at most `max_rows` rows of all models together in `path`, which is created if missing."""
        self._inner = inner
        self._path = path
        self._max_rows = max_rows
        self.model_id = inner.model_id

    @cached_property
    def _file(self) -> "_File":
        """Opened at the first passage, so that a process that only embeds queries does not need it."""
        return _File(self._path, self._max_rows)

    @property
    def dim(self) -> int:
        """As of the inner embedder; cached, since it may have to ask a server."""
        return self._known_facts()[0]

    @property
    def calibration(self) -> Mapping[str, Likeness]:
        """As of the inner embedder; cached if it had to be measured."""
        known = vars(self._inner).get("calibration") or getattr(type(self._inner), "calibration", None)
        return known if isinstance(known, Mapping) else self._known_facts()[1]

    def embed(self, texts: Sequence[str], *, role: Role = "passage") -> Floats:
        """Return (len(texts), dim) unit rows in order; only new passages reach the inner embedder.

        Queries are not cached: they rarely return, and prompts should not be stored on disk.

        Raises:
            EmbedderUnavailable: from the inner embedder.
        """
        if role == "query":
            return self._inner.embed(texts, role=role)
        keys = [_key(self.model_id, role, text) for text in texts]
        by_key = self._file.read(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if len(by_key.get(key, b"")) != 2 * self.dim}
        if missing:
            rows = self._inner.embed(list(missing.values()), role=role).astype("<f2")
            new = {key: row.tobytes() for key, row in zip(missing, rows, strict=True)}
            self._file.write(new)
            by_key |= new
        kept = np.frombuffer(b"".join(by_key[key] for key in keys), "<f2").reshape(len(texts), self.dim)
        return unit(kept.astype(np.float32))

    def close(self) -> None:
        """Close the file. The embedder still works afterwards, without a cache."""
        self._file.close()

    def _known_facts(self) -> tuple[int, Mapping[str, Likeness]]:
        if known := self._file.facts(self.model_id):
            return known
        dim, calibration = self._inner.dim, self._inner.calibration
        self._file.write_facts(self.model_id, dim, calibration)
        return dim, calibration


def _key(model_id: str, role: Role, text: str) -> bytes:
    """Return a 16-byte key of a text for a model and a role, since a model may prefix roles differently."""
    keyed = f"{model_id}\0{role}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(keyed, digest_size=16).digest()


def _seal(row: bytes) -> bytes:
    """Return the checksum of a row: SQLite does not detect a changed byte, and a wrong vector would stay wrong for ever."""
    return zlib.crc32(row).to_bytes(SEAL_BYTES, "little")


def drop_texts(path: Path, texts: Iterable[str]) -> int:
    """Delete the vectors of these texts, for every model and role, and ensure that no byte of them remains; return their
    number.

    A missing file has none; a locked one is retried for a while, then skipped. A file that cannot be used, or cannot be
    rewritten because the disk is full, is deleted completely.
    """
    if not path.exists():
        return 0
    try:
        database = _connect(path)
    except (apsw.Error, OSError):
        drop_file(path)
        return 0
    try:
        models = [row[0] for row in database.execute("SELECT model_id FROM facts")]
        keys = [(_key(model, role, text),) for text in set(texts) for model in models for role in get_args(Role)]
        before = database.total_changes()
        with database:
            database.executemany("DELETE FROM vectors WHERE key = ?", keys)
        dropped = database.total_changes() - before
        if dropped:
            database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return dropped
    except (apsw.BusyError, apsw.LockedError):
        return 0
    except apsw.Error:
        drop_file(path)
        return 0
    finally:
        database.close()


def drop_file(path: Path) -> bool:
    """Delete all cached vectors and free their disk space at once.

    This works while other processes have the file open; they then treat it as damaged.

    Returns:
        Whether the file existed.
    """
    exists = path.exists()
    for file in (path, path.with_name(f"{path.name}-wal")):
        with contextlib.suppress(OSError):
            os.truncate(file, 0)
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).unlink()
    return exists


class _File:
    """The table of rows, for one thread at a time. While the file cannot be used, reads return nothing and writes are ignored."""

    def __init__(self, path: Path, max_rows: int) -> None:
        self._lock = threading.RLock()
        self._path = path
        self._max_rows = max_rows
        self._database = self._opened()

    def read(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return key -> row, of the existing rows with a correct checksum."""
        wanted = list(dict.fromkeys(keys))
        by_key: dict[bytes, bytes] = {}
        for start in range(0, len(wanted), KEYS_AT_ONCE):
            part = wanted[start : start + KEYS_AT_ONCE]
            marks = ",".join("?" * len(part))
            for key, sealed in self._run(f"SELECT key, CAST(row AS BLOB) FROM vectors WHERE key IN ({marks})", part):
                if _seal(sealed[SEAL_BYTES:]) == sealed[:SEAL_BYTES]:
                    by_key[key] = sealed[SEAL_BYTES:]
        return by_key

    def write(self, rows: dict[bytes, bytes]) -> None:
        """Store rows, and delete the oldest when there are too many."""
        sealed = [(key, _seal(row) + row) for key, row in rows.items()]
        with self._lock:
            if self._database is None:
                return
            try:
                with self._database:
                    self._database.executemany("INSERT OR REPLACE INTO vectors(key, row) VALUES(?, ?)", sealed)
                    self._evict(self._database)
            except apsw.Error as error:
                self._give_up(error)

    def facts(self, model_id: str) -> tuple[int, dict[str, Likeness]] | None:
        """Return dimension and calibration of a model, if known."""
        known = self._run("SELECT dim, calibration FROM facts WHERE model_id = ?", [model_id])
        return (known[0][0], msgspec.json.decode(known[0][1], type=dict[str, Likeness])) if known else None

    def write_facts(self, model_id: str, dim: int, calibration: Mapping[str, Likeness]) -> None:
        """Store dimension and calibration of a model."""
        self._run("INSERT OR REPLACE INTO facts VALUES(?, ?, ?)", [model_id, dim, msgspec.json.encode(calibration).decode()])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _evict(self, database: apsw.Connection) -> None:
        """Delete the rows with the smallest places. Places only increase, so their span is at least the number of rows."""
        first, last = next(database.execute("SELECT min(place), max(place) FROM vectors"))
        if first is not None and last - first >= self._max_rows:
            kept = self._max_rows - int(self._max_rows * EVICTED_SHARE)
            database.execute("DELETE FROM vectors WHERE place <= ?", [last - kept])

    def _run(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        with self._lock:
            if self._database is None:
                return []
            try:
                return list(self._database.execute(sql, values))
            except apsw.Error as error:
                self._give_up(error)
                return []

    def _give_up(self, error: apsw.Error) -> None:
        """Set a damaged file aside for a new one; after any other failure but a lock continue without a file."""
        if isinstance(error, apsw.NotADBError | apsw.CorruptError):
            self.close()
            self._database = self._renewed()
        elif not isinstance(error, apsw.BusyError | apsw.LockedError):
            self.close()

    def _opened(self) -> apsw.Connection | None:
        try:
            return _connect(self._path)
        except (apsw.NotADBError, apsw.CorruptError):
            return self._renewed()
        except (apsw.Error, OSError):
            return None

    def _renewed(self) -> apsw.Connection | None:
        try:
            for suffix in ("", "-wal", "-shm"):
                file = self._path.with_name(self._path.name + suffix)
                if file.exists():
                    file.replace(file.with_name(f"{self._path.name}.damaged{suffix}"))
            return _connect(self._path)
        except (apsw.Error, OSError):
            return None


def _connect(path: Path) -> apsw.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    database = apsw.Connection(str(path))
    try:
        database.set_busy_timeout(BUSY_TIMEOUT_MS)
        (version,) = next(database.execute("PRAGMA user_version"))
        if version != FORMAT:
            log_ahead(database, BUSY_TIMEOUT_MS / 1000)
            with database:
                database.execute("DROP TABLE IF EXISTS vectors; DROP TABLE IF EXISTS facts;" + SCHEMA)
        database.execute("PRAGMA synchronous = NORMAL")
    except apsw.Error:
        database.close()
        raise
    return database
