"""The tables of an index file, and functions to open it. An unknown schema is dropped, since everything can be read again.

A *place* encodes the position of a passage as one sortable number: item, turn, part of the turn. Passages that are read
together are stored together. `log` records the passages or vectors that each write changed, so that copies in memory can be
updated without reading everything.
"""

import os
from pathlib import Path

import apsw

from vademecum.adapters.stores.device_file import transaction
from vademecum.adapters.stores.texts import TOKENIZER
from vademecum.adapters.stores.write_ahead import log_ahead
from vademecum.domain.errors import IndexDamaged

#: Must be increased with every change of the tables or of their contents.
SCHEMA = 13

_TURN_BITS, _PART_BITS = 20, 16
MOST_TURNS, MOST_PARTS = 1 << _TURN_BITS, 1 << _PART_BITS

#: Size of SQLite's page cache, in KiB.
_CACHE_KIB = 32_000
#: Bytes of the file that are memory-mapped rather than copied: a query reads a thousand passages that are far apart. The rest
#: is copied, because otherwise most of a large file would be in memory after some queries.
_MAPPED_BYTES = 64 << 20
#: Size of the write-ahead log after a checkpoint, in bytes.
_LOG_BYTES = 1_000_000
_READ_ONLY = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI

TABLES = f"""
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO meta VALUES('identity', hex(randomblob(16))), ('generation', 0), ('next_item', 1), ('next_number', 1),
    ('passages', 0), ('stems', 0), ('log_start', 0);
CREATE TABLE items(
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, source TEXT NOT NULL, space TEXT NOT NULL, path TEXT NOT NULL,
    kind TEXT NOT NULL, status TEXT NOT NULL, project TEXT NOT NULL, agent TEXT NOT NULL, profile TEXT NOT NULL,
    host TEXT NOT NULL, visibility TEXT NOT NULL, importance REAL NOT NULL, priority INTEGER NOT NULL,
    always_load INTEGER NOT NULL,
    created INTEGER, updated INTEGER, valid_from INTEGER, valid_until INTEGER, last_confirmed INTEGER,
    stat TEXT NOT NULL, digest TEXT NOT NULL, content INTEGER NOT NULL, layout INTEGER NOT NULL
);
CREATE INDEX items_by_status ON items(status);
CREATE INDEX items_by_update ON items(updated, source, status, kind, project);
CREATE INDEX items_by_sort ON items(source, kind, status, project);
CREATE INDEX items_by_importance ON items(source, status, importance DESC, key);
CREATE INDEX items_by_kind ON items(kind, status, priority DESC, importance DESC, updated DESC, key);
CREATE INDEX items_of_kind_by_update ON items(kind, status, updated DESC, key);
CREATE INDEX items_always ON items(priority DESC, importance DESC, updated DESC, key) WHERE always_load;
CREATE TABLE details(item INTEGER PRIMARY KEY, fields TEXT NOT NULL);
CREATE INDEX details_by_origin ON details(json_extract(fields, '$.origin'));
CREATE INDEX details_by_branch ON details(json_extract(fields, '$.branch'), item) WHERE json_extract(fields, '$.branch') IS NOT NULL;
CREATE TABLE tags(tag TEXT, item INTEGER, PRIMARY KEY(tag, item)) WITHOUT ROWID;
CREATE INDEX tags_by_item ON tags(item);
CREATE TABLE topics(topic TEXT, item INTEGER, label TEXT NOT NULL, PRIMARY KEY(topic, item)) WITHOUT ROWID;
CREATE INDEX topics_by_item ON topics(item);
CREATE TABLE names(name TEXT, item INTEGER, sureness INTEGER NOT NULL, PRIMARY KEY(name, item)) WITHOUT ROWID;
CREATE INDEX names_by_item ON names(item);
CREATE TABLE edges(item INTEGER, ordinal INTEGER, type TEXT NOT NULL, target TEXT NOT NULL, part TEXT NOT NULL,
    PRIMARY KEY(item, ordinal)) WITHOUT ROWID;
CREATE INDEX edges_by_part ON edges(part);
CREATE INDEX edges_by_type ON edges(type, item) WHERE type <> 'links';
CREATE TABLE files(id INTEGER PRIMARY KEY, file TEXT NOT NULL UNIQUE, folded TEXT NOT NULL, name TEXT NOT NULL);
CREATE INDEX files_by_name ON files(name);
CREATE TABLE tools(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE touches(item INTEGER NOT NULL, tool INTEGER NOT NULL, file INTEGER NOT NULL, turn INTEGER NOT NULL, time INTEGER,
    ref TEXT NOT NULL);
CREATE INDEX touches_by_item ON touches(item);
CREATE INDEX touches_by_file ON touches(file);
CREATE TABLE speakers(id INTEGER PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, UNIQUE(name, role));
CREATE TABLE marks(number INTEGER PRIMARY KEY, place INTEGER NOT NULL, ordinal INTEGER NOT NULL, hash INTEGER NOT NULL,
    stems INTEGER NOT NULL, time INTEGER, speaker INTEGER NOT NULL, ref TEXT NOT NULL);
CREATE INDEX marks_by_place ON marks(place);
CREATE TABLE texts(place INTEGER PRIMARY KEY, number INTEGER NOT NULL, time INTEGER, speaker TEXT NOT NULL,
    heading TEXT NOT NULL, codes BLOB NOT NULL, text TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(own, content='', contentless_delete=1, detail=none,
    tokenize="{" ".join(TOKENIZER[:-1])} '{TOKENIZER[-1]}'");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
CREATE VIRTUAL TABLE holders USING fts5vocab(words, instance);
CREATE TABLE stems(number INTEGER PRIMARY KEY AUTOINCREMENT, stem TEXT NOT NULL UNIQUE);
CREATE TABLE models(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dim INTEGER NOT NULL, vectors INTEGER NOT NULL);
CREATE TABLE vectors(model INTEGER, number INTEGER, scale REAL NOT NULL, row BLOB NOT NULL,
    PRIMARY KEY(model, number)) WITHOUT ROWID;
CREATE TABLE log(generation INTEGER, model INTEGER, numbers BLOB NOT NULL, PRIMARY KEY(generation, model)) WITHOUT ROWID;
PRAGMA user_version = {SCHEMA};
"""


def place(item: int, turn: int = 0, part: int = 0) -> int:
    """Return the place of a passage. The place of the next item is the end of this one's range."""
    return (item << _TURN_BITS | turn) << _PART_BITS | part


def turn_of(place: int) -> int:
    """Return the turn that a place encodes."""
    return place >> _PART_BITS & MOST_TURNS - 1


def state(db: apsw.Connection) -> tuple[str, int]:
    """Return the identity and generation of the index as this transaction sees it."""
    values = dict(db.execute("SELECT name, value FROM meta WHERE name IN ('identity', 'generation')"))
    return values["identity"], values["generation"]


def connect(path: Path, busy_timeout_s: float) -> apsw.Connection:
    """Return a connection to the index, which is created if there is none with this schema.

    A file that cannot be written, as on a full disk, is opened read-only (:func:`is_frozen`).

    Raises:
        IndexDamaged: the path is a folder.
        apsw.Error: other errors of SQLite.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IndexDamaged(f"{path} is a folder.", "Move it away; the index is then built again.")
    try:
        return _prepared(apsw.Connection(os.fspath(path)), busy_timeout_s)
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.FullError, apsw.IOError):
        if not path.is_file():
            raise
        frozen = apsw.Connection(f"{path.absolute().as_uri()}?immutable=1", flags=_READ_ONLY)
        if frozen.pragma("user_version") != SCHEMA:
            frozen.close()
            raise
        return frozen


def connect_to_read(path: Path, busy_timeout_s: float) -> apsw.Connection:
    """Return a read-only connection; nothing is created, changed or repaired.

    Raises:
        IndexDamaged: there is no index with this schema. apsw.Error: other errors of SQLite.
    """
    connection = apsw.Connection(f"{path.absolute().as_uri()}?mode=ro", flags=_READ_ONLY)
    connection.set_busy_timeout(int(busy_timeout_s * 1000))
    if connection.pragma("user_version") != SCHEMA:
        connection.close()
        raise IndexDamaged(f"{path} has another schema.", "It is built again by: vade sync")
    return connection


def is_frozen(connection: apsw.Connection) -> bool:
    """Return whether a connection is read-only. It does not see later changes, so it is used for one query only."""
    return connection.readonly("main")


def _prepared(connection: apsw.Connection, busy_timeout_s: float) -> apsw.Connection:
    connection.set_busy_timeout(int(busy_timeout_s * 1000))
    log_ahead(connection, busy_timeout_s)
    connection.pragma("synchronous", "normal")
    connection.pragma("cache_size", -_CACHE_KIB)
    connection.pragma("journal_size_limit", _LOG_BYTES)
    read_as_memory(connection)
    if connection.pragma("user_version") != SCHEMA:
        create(connection)
    return connection


def read_as_memory(connection: apsw.Connection) -> None:
    """Map the file again, which returns the mapped pages to the system. Not within a transaction."""
    connection.pragma("mmap_size", 0)
    connection.pragma("mmap_size", _MAPPED_BYTES)


def create(connection: apsw.Connection) -> None:
    """Create the tables, unless another process just did. A file with another schema is emptied first.

    Raises:
        apsw.Error: errors of SQLite.
    """
    with transaction(connection):
        known = connection.pragma("user_version") == SCHEMA
        foreign = not known and connection.execute("SELECT count(*) FROM sqlite_schema").get > 0
        if not known and not foreign:
            connection.execute(TABLES)
    if foreign:
        empty(connection)


def empty(connection: apsw.Connection) -> None:
    """Drop everything and create the tables, in place. Works on many damaged files.

    Raises:
        apsw.Error: errors of SQLite.
    """
    connection.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 1)
    try:
        connection.execute("VACUUM")
    finally:
        connection.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 0)
    create(connection)


def features() -> dict[str, str | bool]:
    """Return SQLite's version, whether FTS5 is available, and whether extensions could be loaded (none are needed)."""
    options = set(apsw.compile_options)
    return {
        "version": apsw.sqlite_lib_version(),
        "fts5": "ENABLE_FTS5" in options,
        "extensions": "OMIT_LOAD_EXTENSION" not in options,
    }
