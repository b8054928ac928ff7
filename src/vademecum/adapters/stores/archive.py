"""The transcript archive in one SQLite file: compressed pieces under the hash of their source, and transcripts as lists of
them.

Zstandard at level 10, measured over 29 real transcripts in pieces of half a megabyte: 0.153 of the text at 110 MB/s. LZMA at
its fastest preset gave 0.166 at 44 MB/s; it is the fallback where Zstandard is missing, and both formats are readable. A piece
is compared with its hash whenever it is read.
"""

import contextlib
import hashlib
import lzma
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
from msgspec.structs import replace

from vademecum.adapters.installation import adding
from vademecum.adapters.stores.device_file import from_column, micros, moment_of, safe, to_column, transaction
from vademecum.adapters.stores.write_ahead import log_ahead
from vademecum.adapters.zstandard import MAGIC, zstd
from vademecum.domain.archive import Archived, ArchiveSize, Packed
from vademecum.domain.errors import (
    MAKE_ROOM,
    ArchiveDamaged,
    ArchiveFull,
    InvalidInput,
    Locked,
    NotFound,
    Problem,
    VademecumError,
    WriteFailed,
)

_BUSY_MS = 10_000
_LEVEL, _LZMA_PRESET = 10, 0
#: SQLite page size in bytes; small, because each piece wastes half a page on average and most pieces are not large.
_PAGE_BYTES = 1024
_TIMES = frozenset({"kept", "started", "ended", "cut"})
_SCHEMA = """
CREATE TABLE IF NOT EXISTS piece(
    id INTEGER PRIMARY KEY, source BLOB NOT NULL UNIQUE, digest BLOB NOT NULL, bytes INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS transcript(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1, session TEXT NOT NULL, kept INTEGER NOT NULL,
    fields TEXT NOT NULL, UNIQUE(path, version)
);
CREATE INDEX IF NOT EXISTS transcript_by_session ON transcript(session);
CREATE TABLE IF NOT EXISTS part(transcript INTEGER, ordinal INTEGER, piece INTEGER NOT NULL, PRIMARY KEY(transcript, ordinal))
    WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS part_by_piece ON part(piece);
"""

#: Upgrades an archive with one version per path to the current schema; transcript ids, which parts refer to, stay the same.
_WITH_VERSIONS = f"""
DROP INDEX IF EXISTS transcript_by_session;
ALTER TABLE transcript RENAME TO transcript_before;
{_SCHEMA}
INSERT INTO transcript(id, path, version, session, kept, fields) SELECT id, path, 1, session, kept, fields FROM transcript_before;
DROP TABLE transcript_before;
"""
_COLUMNS = "path, version, session, kept, fields"


def digest_of(data: bytes) -> bytes:
    """Return the 128-bit hash of a piece."""
    return hashlib.blake2b(data, digest_size=16).digest()


def packed(data: bytes) -> Packed:
    """Return a piece, compressed."""
    return Packed(digest_of(data), len(data), _packed(data))


class SqliteArchive:
    """The Archive port over a file, opened at first use."""

    pack = staticmethod(packed)

    def __init__(self, path: Path, *, cap_bytes: int = 0) -> None:
        self._path = path
        self._cap_bytes = cap_bytes
        self._lock = threading.RLock()
        self._opened: apsw.Connection | None = None

    @contextlib.contextmanager
    def _using(self, begin: str) -> Iterator[apsw.Connection]:
        """Run the block in one transaction: with one consistent state, all or nothing."""
        with self._lock, self._explained():
            if self._opened is None:
                self._opened = self._open()
            with transaction(self._opened, begin):
                yield self._opened

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (apsw.BusyError, apsw.LockedError) as error:
            raise Locked("Another process is writing to the archive of transcripts.", "Try again in a moment.") from error
        except (apsw.FullError, apsw.ReadOnlyError, apsw.IOError, apsw.CantOpenError, PermissionError) as error:
            hint = MAKE_ROOM if isinstance(error, apsw.FullError) else f"Look at {self._path.parent}."
            raise WriteFailed(f"The archive of transcripts cannot be written: {error}.", hint) from error
        except (apsw.CorruptError, apsw.NotADBError) as error:
            raise self._damaged(str(error)) from error

    def known(self, sources: Collection[bytes]) -> frozenset[bytes]:
        with self._using("BEGIN") as base:
            result = (base.execute("SELECT source FROM piece WHERE source = ?", (source,)).get for source in sources)
            return frozenset(source for source in result if source)

    def keep(self, pieces: Mapping[bytes, Packed]) -> None:
        fresh = {source: pieces[source] for source in sorted(pieces.keys() - self.known(pieces.keys()))}
        if not fresh:
            return
        with self._using("BEGIN IMMEDIATE") as base:
            must_have_room(self._bytes(base), self._cap_bytes, fresh)
            rows = [(source, piece.digest, piece.size, piece.body) for source, piece in fresh.items()]
            base.executemany("INSERT OR IGNORE INTO piece(source, digest, bytes, body) VALUES(?, ?, ?, ?)", rows)
            for source in fresh:
                row = base.execute("SELECT digest, body FROM piece WHERE source = ?", (source,)).fetchone()
                if not row or _unpacked(*row) is None:
                    raise WriteFailed(
                        "The archive does not contain what was written to it.", "Check the disk; nothing was changed."
                    )

    def put(self, record: Archived, sources: Sequence[bytes], *, cut: Archived | None, gone: Iterable[Archived]) -> None:
        with self._using("BEGIN IMMEDIATE") as base:
            asked = "SELECT id, bytes FROM piece WHERE source = ?"
            found: list[Any] = [base.execute(asked, (source,)).fetchone() for source in sources]
            if None in found:
                raise InvalidInput(f"A piece of {record.path} was never archived.")
            before = self._remove(base, record)
            record = replace(record, bytes=sum(row[1] for row in found))
            number = base.execute(
                f"INSERT INTO transcript({_COLUMNS}) VALUES(?, ?, ?, ?, ?) RETURNING id",
                (*_key(record), safe(record.session), micros(record.kept), _fields(record)),
            ).get
            base.executemany("INSERT INTO part VALUES(?, ?, ?)", [(number, at, piece) for at, (piece, _) in enumerate(found)])
            if cut is not None:
                base.execute("UPDATE transcript SET fields = ? WHERE path = ? AND version = ?", (_fields(cut), *_key(cut)))
            before += [piece for archived in gone for piece in self._remove(base, archived)]
            _let_go(base, before)

    def sources(self, record: Archived) -> tuple[bytes, ...]:
        asked = (
            "SELECT source FROM transcript JOIN part ON transcript = transcript.id JOIN piece ON piece.id = piece"
            " WHERE path = ? AND version = ? ORDER BY ordinal"
        )
        with self._using("BEGIN") as base:
            return tuple(row[0] for row in base.execute(asked, _key(record)))

    def records(self) -> tuple[Archived, ...]:
        with self._using("BEGIN") as base:
            rows = base.execute(f"SELECT {_COLUMNS} FROM transcript ORDER BY kept DESC, path, version DESC")
            return tuple(map(_record, rows))

    def stats(self) -> Mapping[str, str]:
        asked = "SELECT path, coalesce(json_extract(fields, '$.stat'), '') FROM transcript ORDER BY version"
        with self._using("BEGIN") as base:
            return dict(base.execute(asked))

    def of_session(self, session: str) -> tuple[Archived, ...]:
        asked = f"SELECT {_COLUMNS} FROM transcript WHERE session = ? ORDER BY kept, path, version"
        with self._using("BEGIN") as base:
            return tuple(map(_record, base.execute(asked, (safe(session),))))

    def incomplete(self) -> tuple[Archived, ...]:
        asked = (
            f"SELECT {_COLUMNS} FROM transcript WHERE coalesce(json_extract(fields, '$.bytes'), 0)"
            " <> (SELECT total(bytes) FROM part JOIN piece ON piece.id = piece WHERE transcript = transcript.id) ORDER BY path, version"
        )
        with self._using("BEGIN") as base:
            return tuple(map(_record, base.execute(asked)))

    def read(self, record: Archived) -> Iterator[bytes]:
        with self._using("BEGIN") as base:
            number = base.execute("SELECT id FROM transcript WHERE path = ? AND version = ?", _key(record)).get
            if number is None:
                raise unknown(record.path)
            parts: list[Any] = base.execute(
                "SELECT piece FROM part WHERE transcript = ? ORDER BY ordinal", (number,)
            ).fetchall()
        return (self._piece(record.path, row[0]) for row in parts)

    def _piece(self, path: str, piece: int) -> bytes:
        with self._using("BEGIN") as base:
            row = base.execute("SELECT digest, body FROM piece WHERE id = ?", (piece,)).fetchone()
        data = _unpacked(*row) if row else None
        if data is None:
            raise self._damaged(f"a piece of {path} differs from what was archived")
        return data

    def drop(self, records: Iterable[Archived]) -> None:
        with self._using("BEGIN IMMEDIATE") as base:
            for record in records:
                _let_go(base, self._remove(base, record))

    def rewrite(self, change: Callable[[bytes], bytes], retitle: Callable[[str], str]) -> int:
        with self._using("BEGIN IMMEDIATE") as base:
            changed = 0
            for number in [row[0] for row in base.execute("SELECT id FROM piece ORDER BY id").fetchall()]:
                row: Any = base.execute("SELECT digest, body FROM piece WHERE id = ?", (number,)).fetchone()
                data = _unpacked(*row)
                fresh = data if data is None else change(data)
                if fresh is not None and fresh != data:
                    values = (digest_of(fresh), len(fresh), _packed(fresh), number)
                    base.execute("UPDATE piece SET digest = ?, bytes = ?, body = ? WHERE id = ?", values)
                    changed += 1
            rows: list[Any] = base.execute(f"SELECT id, {_COLUMNS} FROM transcript").fetchall()
            for number, *row in rows:
                record = _record(row)
                total = "SELECT coalesce(sum(bytes), 0) FROM part JOIN piece ON piece.id = piece WHERE transcript = ?"
                archived = replace(record, title=retitle(record.title), bytes=base.execute(total, (number,)).get)
                if archived != record:
                    base.execute("UPDATE transcript SET fields = ? WHERE id = ?", (_fields(archived), number))
        return changed

    def compact(self) -> None:
        with self._lock, self._explained():
            if self._opened is None:
                self._opened = self._open()
            self._opened.execute("VACUUM")
            self._opened.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def check(self) -> tuple[Problem, ...]:
        problems = []
        with self._using("BEGIN") as base:
            result = [row[0] for row in base.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
        if result:
            problems.append(Problem(str(self._path), "The archive is damaged: " + "; ".join(result)))
        for record in self.records():
            try:
                held = sum(len(piece) for piece in self.read(record))
            except VademecumError as error:
                problems.append(Problem(record.path, error.message))
                continue
            if held != record.bytes:
                problems.append(Problem(record.path, f"{held} bytes are archived of {record.bytes}."))
        return tuple(problems)

    def size(self) -> ArchiveSize:
        with self._using("BEGIN") as base:
            transcripts = base.execute("SELECT count(DISTINCT path) FROM transcript").get
            pieces = base.execute("SELECT count(*) FROM piece").get
            source_bytes = base.execute("SELECT total(json_extract(fields, '$.source_bytes')) FROM transcript").get
            return ArchiveSize(transcripts, pieces, int(source_bytes), self._bytes(base), self._cap_bytes)

    def close(self) -> None:
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _open(self) -> apsw.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        base = apsw.Connection(str(self._path))
        base.set_busy_timeout(_BUSY_MS)
        base.pragma("page_size", _PAGE_BYTES)
        base.pragma("auto_vacuum", 2)  # freed pages can be returned one by one
        log_ahead(base, _BUSY_MS / 1000)
        base.pragma("synchronous", "full")  # the host's copy may be deleted tomorrow
        base.pragma("journal_size_limit", 4_000_000)
        _upgrade(base)
        base.execute(_SCHEMA)
        return base

    def _bytes(self, base: apsw.Connection) -> int:
        return int((base.pragma("page_count") - base.pragma("freelist_count")) * base.pragma("page_size"))

    def _remove(self, base: apsw.Connection, record: Archived) -> list[int]:
        """Remove a version; return the ids of its pieces."""
        number = base.execute("SELECT id FROM transcript WHERE path = ? AND version = ?", _key(record)).get
        pieces = [row[0] for row in base.execute("SELECT piece FROM part WHERE transcript = ?", (number,))]
        base.execute("DELETE FROM part WHERE transcript = ?", (number,))
        base.execute("DELETE FROM transcript WHERE id = ?", (number,))
        return pieces

    def _damaged(self, why: str) -> ArchiveDamaged:
        return ArchiveDamaged(
            f"The archive of transcripts is damaged: {why}.",
            f"Move {self._path} away; a new archive is made from the transcripts that still exist.",
        )


def _upgrade(base: apsw.Connection) -> None:
    """Upgrade an archive of an earlier program, so that it can store several versions of a transcript."""
    if not _has_one_version(base):
        return
    with base:
        if _has_one_version(base):  # checked again, because another process may have been faster
            base.execute(_WITH_VERSIONS)


def _has_one_version(base: apsw.Connection) -> bool:
    columns = {row[1] for row in base.execute("PRAGMA table_info(transcript)")}
    return bool(columns) and "version" not in columns


def _key(record: Archived) -> tuple[str, int]:
    return safe(record.path), record.version


def _let_go(base: apsw.Connection, pieces: Iterable[int]) -> None:
    """Delete those pieces that no transcript uses, and free their disk space."""
    for piece in pieces:
        base.execute("DELETE FROM piece WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM part WHERE piece = ?1)", (piece,))
    if base.pragma("freelist_count") > 1000:
        base.execute("PRAGMA incremental_vacuum(1000)").fetchall()


def must_have_room(disk_bytes: int, cap_bytes: int, pieces: Mapping[bytes, Packed]) -> None:
    if cap_bytes and pieces and disk_bytes + sum(len(piece.body) for piece in pieces.values()) > cap_bytes:
        raise ArchiveFull(disk_bytes, cap_bytes)


def _packed(data: bytes) -> bytes:
    if zstd is None:
        return lzma.compress(data, format=lzma.FORMAT_XZ, check=lzma.CHECK_NONE, preset=_LZMA_PRESET)
    return zstd.compress(data, level=_LEVEL)


def _unpacked(digest: bytes, body: bytes) -> bytes | None:
    """Return the original bytes of a compressed piece; None when they do not match the hash.

    Raises:
        NotFound: it is compressed with Zstandard, which is missing.
    """
    try:
        data = _inflated(body) if body.startswith(MAGIC) else lzma.decompress(body)
    except (lzma.LZMAError, ValueError, EOFError):
        return None
    return data if digest_of(data) == digest else None


def _inflated(body: bytes) -> bytes:
    if zstd is None:
        raise NotFound(
            "The archive is compressed with Zstandard, and the package that reads it is missing.", adding("backports.zstd")
        )
    try:
        return zstd.decompress(body)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from error


def unknown(path: str) -> NotFound:
    return NotFound(f"{path} is not in the archive.", "See what is archived: vade sessions list")


def _fields(record: Archived) -> str:
    return to_column(record, ("path", "version", "session", "kept"), _TIMES)


def _record(row: Any) -> Archived:
    path, version, session, kept, listed = row
    fields = {"stat": "", **from_column(listed, _TIMES), "version": version}
    return Archived(path, session, kept=moment_of(kept), **fields)
