"""The databases of this device: small SQLite files with a table for each type of record, and helpers to change and read rows.

The first one contains the device's state: session life cycles, the queue of the language model and its use. If a database is
lost, data must be read again, but no memory is lost; so a damaged file is replaced rather than repaired by hand
(:class:`DeviceFile`).
"""

import contextlib
import json
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import apsw
import msgspec
from msgspec import Struct

from vademecum.adapters.stores.write_ahead import log_ahead
from vademecum.domain.errors import Locked, StateReplaced, WriteFailed

#: Name of the file.
NAME = "device.db"
#: SQLite's errors for a file that cannot be trusted. SQLError is raised for unexpected tables, but also for a wrong statement
#: of ours.
DAMAGED = (apsw.NotADBError, apsw.CorruptError, apsw.SQLError)
#: Errors of SQLite and the system for a file that cannot be opened or written.
UNUSABLE = (apsw.CantOpenError, apsw.FullError, apsw.IOError, apsw.PermissionsError, apsw.ReadOnlyError, OSError)
_BUSY_MS = 5000
#: A statement fails at most twice: the file is set aside, then the database is opened in memory.
_TRIES = 3
_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
_ASIDE = ".damaged"
#: Columns that contain JSON.
_RECORDS = frozenset({"fields", "weights", "messages"})
T = TypeVar("T")

SCHEMA = """
CREATE TABLE IF NOT EXISTS cursor(
    path TEXT PRIMARY KEY, offset INTEGER NOT NULL, prefix_hash TEXT NOT NULL, carry TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS strange(path TEXT NOT NULL, kind TEXT NOT NULL, host TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY(path, kind)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS turn(name INTEGER PRIMARY KEY, session INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS said(session INTEGER NOT NULL, number INTEGER NOT NULL, mark INTEGER NOT NULL, time INTEGER, owner INTEGER,
    elsewhere INTEGER NOT NULL, PRIMARY KEY(session, number)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS said_by_mark ON said(mark);
CREATE TABLE IF NOT EXISTS hash_key(one INTEGER PRIMARY KEY CHECK(one = 1), value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS identity(path TEXT PRIMARY KEY, session TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS clock_ahead(session TEXT PRIMARY KEY, latest REAL NOT NULL, after REAL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS trace(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS told(session TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY(session, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lot(session TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL, told INTEGER NOT NULL,
    needed TEXT NOT NULL DEFAULT '', needed_at REAL, PRIMARY KEY(session, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claim(name TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outcome(key TEXT NOT NULL, what TEXT NOT NULL, project TEXT NOT NULL, count INTEGER NOT NULL,
    last REAL NOT NULL, PRIMARY KEY(key, what, project)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS topic_lock(number INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, held INTEGER NOT NULL,
    weights TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS snapshot(number INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, project TEXT NOT NULL,
    moment REAL NOT NULL, messages TEXT NOT NULL, finished INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS verdict(pattern TEXT PRIMARY KEY, accepted INTEGER NOT NULL, rejected INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS extraction(session TEXT PRIMARY KEY, stage TEXT NOT NULL, due INTEGER NOT NULL, fields TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS extraction_stop(one INTEGER PRIMARY KEY CHECK(one = 1), mark TEXT NOT NULL, reason TEXT NOT NULL,
    since INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS reader_trial(llm TEXT PRIMARY KEY, shown INTEGER, tried INTEGER, fault TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledger(day TEXT NOT NULL, model TEXT NOT NULL, calls INTEGER NOT NULL, input INTEGER NOT NULL,
    output INTEGER NOT NULL, cost REAL NOT NULL, PRIMARY KEY(day, model)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS marker(session TEXT PRIMARY KEY, stage TEXT NOT NULL, seen INTEGER NOT NULL, fields TEXT NOT NULL)
    WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS marker_by_stage ON marker(stage, seen);
CREATE TABLE IF NOT EXISTS job(name TEXT PRIMARY KEY, fields TEXT NOT NULL) WITHOUT ROWID;
"""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class DeviceFile:
    """A connection to a database of this device, opened at first use; `path` None: in memory.

    Acknowledged changes are in the file's log before a call returns, so they survive kill -9. A damaged file is set aside and
    replaced by a new one with all rows that can still be read. A file that cannot be written is read, and changes stay in
    memory only (reported by `problem`).

    Args:
        schema: statements that create missing tables.
    """

    def __init__(self, path: Path | None, schema: str = SCHEMA) -> None:
        self._path = path
        self._schema = schema
        self._lock = threading.RLock()
        self._base: apsw.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._unwritten = ""

    @property
    def problem(self) -> str:
        """Why changes are lost when this process ends, and what to do; "" when they are saved."""
        self.execute("SELECT 1 FROM job")
        return self._unwritten

    def must_keep(self) -> None:
        """Refuse to continue if changes would be lost when this process ends.

        Raises:
            WriteFailed: the file cannot be written.
        """
        if problem := self.problem:
            raise WriteFailed(problem)

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a statement.

        Raises:
            Locked: another process holds the file. StateReplaced: a transaction was lost; it may be repeated.
        """
        return self._done(lambda base: base.execute(statement, values).fetchall())

    def first(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Return the first row of a statement, None when there is none; errors as :meth:`execute`."""
        return next(iter(self.execute(statement, values)), None)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row; errors as :meth:`execute`."""
        given = list(rows)
        self._done(lambda base: base.executemany(statement, given).fetchall())

    def changes(self) -> int:
        """Return how many rows the last statement changed."""
        return self._base.changes() if self._base is not None else 0

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block atomically, with the write lock held."""
        with self._lock:
            self.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.execute("COMMIT")
            finally:
                if self._base is not None and self._base.in_transaction:
                    self._base.execute("ROLLBACK")

    def compact(self) -> None:
        """Ensure that no byte of removed rows remains on disk.

        Raises:
            WriteFailed: the file cannot be written, so removed rows are still in it.
        """
        if self._path is None:
            return
        self.execute("VACUUM")
        self.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if self._unwritten:
            problem, self._unwritten = self._unwritten, ""
            self.close()  # the next statement tries the file again
            raise WriteFailed(problem)

    def close(self) -> None:
        """Release the file."""
        with self._lock, contextlib.suppress(apsw.Error):
            if self._base is not None:
                base, self._base = self._base, None
                base.close(True)

    def _done(self, work: Callable[[apsw.Connection], T]) -> T:
        for _ in range(_TRIES):
            try:
                with self._lock:
                    return work(self._opened())
            except (apsw.BusyError, apsw.LockedError) as error:
                raise Locked(f"Another process is writing to {self._path}.", "Try again when it is done.") from error
            except (*DAMAGED, *UNUSABLE) as error:
                if isinstance(error, apsw.SQLError) and self._path is not None and holds_tables(self._path, self._schema):
                    raise
                begun = self._base is not None and self._base.in_transaction
                self._replace(error)
                if begun:
                    raise StateReplaced(f"{self._path} could not be used: {error}.", "Do it again.") from error
                reason = error
        raise reason

    def _opened(self) -> apsw.Connection:
        path, begun = self._path, self._base is not None and self._base.in_transaction
        if path is not None and self._file is not None and not begun and self._file != file_id(path):
            self.close()  # another process replaced the file, or somebody deleted it
        if self._base is None:
            self._base = _prepared(str(path or ":memory:"), self._schema)
            if path is not None:
                self._file = file_id(path)
        return self._base

    def _replace(self, error: Exception) -> None:
        """Close a file that cannot be used, and open a replacement for the next statement."""
        if self._path is None:
            raise error
        opened, self._file = self._file, None
        self.close()
        if opened is not None and opened != file_id(self._path):
            return  # another process was faster
        if isinstance(error, DAMAGED):
            try:
                aside = _set_aside(self._path)
                self._base = _prepared(str(self._path), self._schema)
                self._file = file_id(self._path)
                _salvage(self._base, str(aside))
                return
            except (apsw.Error, OSError) as why:
                error = why
        self.close()
        self._base = _prepared(":memory:", self._schema)
        _salvage(self._base, f"{self._path.absolute().as_uri()}?immutable=1")
        self._unwritten = (
            f"{self._path} cannot be written ({error}): how often memories were shown, how far transcripts were read and the"
            " state of sessions are lost when a program ends."
            " Free some space, make the folder writable, or move away the file in its place; then: vade stop"
        )


def set_aside(folder: Path) -> tuple[Path, ...]:
    """Return the damaged files that were set aside in a data folder, oldest first."""
    paths = [path for path in folder.glob(f"*{_ASIDE}") if path.stem.partition("-")[0] == Path(NAME).stem]
    return tuple(sorted(paths, key=lambda path: path.stat().st_mtime))


def _set_aside(path: Path) -> Path:
    """Rename a file and its log, which SQLite would otherwise apply to the next file of that name; return the new path."""
    number = 1
    while (aside := path.with_name(f"{path.stem}{f'-{number}' if number > 1 else ''}{_ASIDE}")).exists():
        number += 1
    for ending in ("-shm", "-wal", ""):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + ending).replace(aside.with_name(aside.name + ending))
    return aside


def _prepared(name: str, schema: str) -> apsw.Connection:
    if name != ":memory:":
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):  # only the owner may read it; SQLite gives its log the same mode
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    base = apsw.Connection(name, flags=_FLAGS)
    try:
        base.set_busy_timeout(_BUSY_MS)
        if base.readonly("main"):
            raise apsw.ReadOnlyError("the file is read-only")
        if base.db_filename("main"):
            log_ahead(base, _BUSY_MS / 1000)
        base.pragma("synchronous", "normal")
        base.execute(schema)
    except apsw.Error:
        base.close(True)
        raise
    return base


def _salvage(base: apsw.Connection, name: str) -> None:
    """Copy the readable rows of another file, table by table; rows with invalid JSON are skipped."""
    with contextlib.suppress(apsw.Error, OSError):
        base.execute("ATTACH ? AS before", (name,))
        try:
            ours, theirs = (_columns(base, schema) for schema in ("main", "before"))
            for table in ours.keys() & theirs.keys():
                columns = [column for column in ours[table] if column in theirs[table]]
                whole = " AND ".join(f"json_valid({column})" for column in columns if column in _RECORDS) or "true"
                listed = ", ".join(columns)
                with contextlib.suppress(apsw.Error):
                    base.execute(
                        f"INSERT OR IGNORE INTO main.{table}({listed}) SELECT {listed} FROM before.{table} WHERE {whole}"
                    )
        finally:
            base.execute("DETACH before")


def holds_tables(path: Path, statements: str) -> bool:
    """Return whether a file is readable and has the tables and columns that these statements create."""
    try:
        with contextlib.closing(apsw.Connection(":memory:")) as model:
            model.execute(statements)
            ours = _columns(model, "main")
        with contextlib.closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as base:
            theirs = _columns(base, "main")
            sound = base.pragma("quick_check", 1) == "ok"
    except apsw.Error:
        return False
    return sound and all(set(columns) <= set(theirs.get(table, ())) for table, columns in ours.items())


def _columns(base: apsw.Connection, schema: str) -> dict[str, list[str]]:
    """Return table -> its columns."""
    tables = [name for (name,) in base.execute(f"SELECT name FROM {schema}.sqlite_schema WHERE type = 'table'")]
    return {table: [row[1] for row in base.execute(f"PRAGMA {schema}.table_info({table})")] for table in tables}


@contextlib.contextmanager
def transaction(base: apsw.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[apsw.Connection]:
    """Run the block in one transaction; `begin` selects the lock, by default the write lock."""
    base.execute(begin)
    try:
        yield base
        base.execute("COMMIT")
    finally:
        if base.in_transaction:
            base.execute("ROLLBACK")


def file_id(path: Path) -> tuple[int, int] | None:
    """Return the identity of the file at a path (device and inode); None when there is no file."""
    try:
        stat = os.stat(path)  # noqa: PTH116 -- called before every query
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def micros(moment: datetime) -> int:
    """Return microseconds since 1970, for columns that are compared."""
    return (moment - _EPOCH) // _MICROSECOND


def moment_of(count: int) -> datetime:
    """Return the time `count` microseconds after 1970; aware, UTC."""
    return _EPOCH + count * _MICROSECOND


def to_column(value: Struct, apart: Collection[str], times: Collection[str]) -> str:
    """Return a record as JSON, without empty fields and without the fields that have columns of their own (`apart`)."""
    given: dict[str, Any] = {}
    for name in value.__struct_fields__:
        held = getattr(value, name)
        if name not in apart and held not in (None, "", 0, False, ()):
            given[name] = micros(held) if name in times else held
    return safe(json.dumps(given, ensure_ascii=False))


def from_column(text: str, times: Collection[str]) -> dict[str, Any]:
    """Return the fields in such a column by name; those in `times` as datetimes."""
    given: dict[str, Any] = msgspec.json.decode(text)
    return {name: moment_of(held) if name in times else held for name, held in given.items()}


def safe(text: str) -> str:
    """Return a text without lone surrogates, which SQLite cannot store (X-49)."""
    return text.encode("utf-8", "replace").decode("utf-8")
