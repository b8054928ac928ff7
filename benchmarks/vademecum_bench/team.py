"""`vade bench team`: a team's store on PostgreSQL at several sizes, with its own statements, explained by the database.

Texts are sentences with Zipf-distributed words; vectors are random unit vectors. They say what loading and planning cost, and
nothing about an index of vectors (`team_vectors` compares those with real texts). Rows are loaded by a superuser and queried by
the unprivileged role of the server, with row level security on.
"""

import json
import random
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psycopg

from vademecum.adapters.stores.analysis import Words
from vademecum.plugins.team.postgres.private import PrivateDatabase, made_database, private_server
from vademecum.plugins.team.postgres.schema import DIM, migrate, role_of
from vademecum.plugins.team.postgres.team import EF_SEARCH, SEARCH, as_text, quoted
from vademecum_bench.generate import Generator
from vademecum_bench.metrics import percentile

#: Number of different sentences, sentences per passage, words per sentence.
SENTENCES, OF_A_PASSAGE, WORDS = 50_000, 5, 10
#: Questions for each figure, and rarest words of a sentence in each question.
QUESTIONS, ASKED = 30, 4
_BATCH = 10_000
_HEAD = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_EXPLAIN = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "


class Loaded(NamedTuple):
    """The fields of one passage in binary COPY format: its rows in `published` and in `passage`."""

    published: tuple[bytes, ...]
    passage: tuple[bytes, ...]


def lexeme(stem: str) -> bytes:
    """Return a word of a tsvector without positions, in binary form."""
    return stem.encode() + b"\0\0\0"


def loaded(space: str, number: int, text: str, lexemes: list[bytes], vector: np.ndarray) -> Loaded:
    """Return a memory of one passage; `lexemes` are sorted, `vector` has DIM numbers."""
    name, identity, content = space.encode(), f"{number:026}".encode(), text.encode()
    words = struct.pack(">i", len(lexemes)) + b"".join(lexemes)
    near = struct.pack(">hh", DIM, 0) + vector.astype(">f2").tobytes()
    cursor, at, ordinal = struct.pack(">q", number + 1), struct.pack(">q", 0), struct.pack(">i", 0)
    published = (name, identity, b"ana", content[:40], content, cursor, at)
    return Loaded(published, (name, identity, ordinal, content, words, near))


class Made:
    """Passages to load, deterministic for a seed."""

    def __init__(self, seed: int = 1) -> None:
        words, generator = Words(), Generator(seed)
        self.sentences = [generator.text(WORDS) for _ in range(SENTENCES)]
        self.stems = [words.of(one) for one in self.sentences]
        self._packed = [[lexeme(stem) for stem in stems] for stems in self.stems]
        self._chance, self._numbers = random.Random(seed), np.random.default_rng(seed)

    def vectors(self, count: int) -> np.ndarray:
        """Return random unit vectors."""
        rows = self._numbers.standard_normal((count, DIM), dtype=np.float32)
        unit: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def rows(self, space: str, start: int, stop: int) -> Iterator[Loaded]:
        """Yield the rows with numbers from `start` up to `stop`, one passage per memory."""
        for number, vector in enumerate(self.vectors(stop - start), start):
            chosen = self._chance.choices(range(SENTENCES), k=OF_A_PASSAGE)
            lexemes = sorted({stem for one in chosen for stem in self._packed[one]})
            yield loaded(space, number, " ".join(self.sentences[one] for one in chosen), lexemes, vector)

    def questions(self) -> list[tuple[list[str], np.ndarray]]:
        """Return pairs of words from one sentence and a vector."""
        counts: dict[str, int] = {}
        for stems in self.stems:
            for stem in stems:
                counts[stem] = counts.get(stem, 0) + 1
        picked = self._chance.sample(self.stems, QUESTIONS)
        return [
            (sorted(stems, key=counts.__getitem__)[:ASKED], vector)
            for stems, vector in zip(picked, self.vectors(QUESTIONS), strict=True)
        ]


def _row(values: tuple[bytes, ...]) -> bytes:
    return struct.pack(">h", len(values)) + b"".join(struct.pack(">i", len(value)) + value for value in values)


def bench_team(
    sizes: tuple[int, ...], partitions: tuple[int, ...], hnsw_up_to: int, folder: Path | None, say: Callable[[str], object]
) -> dict[str, Any]:
    """Return the times of loading and querying spaces of these sizes, and of planning with many spaces.

    Args:
        partitions: numbers of spaces.
        hnsw_up_to: larger spaces get no vector index.
        folder: for the database; None: a temporary one.
        say: called with each figure as soon as it is available.
    """
    with tempfile.TemporaryDirectory(prefix="vade-bench-") as fresh, private_server(folder or Path(fresh) / "pg") as superuser:
        database = made_database(superuser, "bench")
        migrate(database.owner, role_of(database.service))
        made = Made()
        result: dict[str, Any] = {"sizes": [], "partitions": []}
        for size in sizes:
            result["sizes"].append(_size(database, made, size, size <= hnsw_up_to, say))
        for count in partitions:
            result["partitions"].append(_partitions(database, count))
            say(json.dumps(result["partitions"][-1]))
        return result


def _timed(connection: psycopg.Connection, statement: str) -> float:
    start = time.perf_counter()
    connection.execute(statement.encode())
    return round(time.perf_counter() - start, 2)


def _size(database: PrivateDatabase, made: Made, size: int, hnsw: bool, say: Callable[[str], object]) -> dict[str, Any]:
    space, table = f"s{size}", f"team.load_{size}"
    with psycopg.connect(database.superuser, autocommit=True, options="-c search_path=team,public") as connection:
        connection.execute("SET maintenance_work_mem = '4GB'")
        connection.execute("INSERT INTO space (name, opened, cursor) VALUES (%s, now(), %s)", (space, size))
        connection.execute("INSERT INTO member VALUES (%s, 'ana', 'keeper', %s, now())", (space, b"ana"))
        connection.execute(f"CREATE TABLE {table} (LIKE passage)".encode())
        took = {"load_s": load(connection, table, lambda start, stop: made.rows(space, start, stop), size)}
        took["key_s"] = _timed(connection, f"ALTER TABLE {table} ADD PRIMARY KEY (space, id, ordinal)")
        took["words_s"] = _timed(connection, f"CREATE INDEX ON {table} USING gin (words) WITH (fastupdate = off)")
        connection.execute(f"ANALYZE {table}; ANALYZE published".encode())
        asked = made.questions()
        figures: dict[str, Any] = {"passages": size, **took}
        figures["bytes"] = table_bytes(connection, table)
        say(json.dumps(figures))
        if hnsw:
            figures["hnsw_s"] = _timed(connection, f"CREATE INDEX ON {table} USING hnsw (vector halfvec_ip_ops)")
            connection.execute(f"ALTER TABLE passage ATTACH PARTITION {table} FOR VALUES IN ('{space}')".encode())
            figures["bytes"] = table_bytes(connection, table)
    if hnsw:
        for both in (False, True):
            figures |= searched(database.service, space, asked, both=both)
        say(json.dumps(figures))
    return figures


def load(connection: psycopg.Connection, table: str, rows: Callable[[int, int], Iterator[Loaded]], size: int) -> float:
    """Load the rows with numbers below `size`; return the seconds in the database, without the time for making them."""
    seconds = 0.0
    for at in range(0, size, _BATCH):
        some = list(rows(at, min(at + _BATCH, size)))
        columns = "space, id, author, title, text, cursor, at"
        data = b"".join(_row(one.published) for one in some), b"".join(_row(one.passage) for one in some)
        start = time.perf_counter()
        for target, part in zip((f"published ({columns})", table), data, strict=True):
            with connection.cursor().copy(f"COPY {target} FROM STDIN (FORMAT binary)".encode()) as stream:
                stream.write(_HEAD + part + b"\xff\xff")
        seconds += time.perf_counter() - start
    return round(seconds, 1)


def searched(service: str, space: str, asked: list[tuple[list[str], np.ndarray]], *, both: bool) -> dict[str, Any]:
    """Return the figures of the store's own statements, after one warm-up of each question.

    Args:
        both: by words and vectors; otherwise by words only.
    """
    with psycopg.connect(service, options=f"-c search_path=team,public -c hnsw.ef_search={EF_SEARCH}") as connection:
        connection.execute(
            "SELECT set_config('vademecum.space', %s, false), set_config('vademecum.member', 'ana', false)", (space,)
        )
        plans = []
        for terms, vector in asked * 2:
            values = {
                "space": space,
                "terms": [quoted(one) for one in terms],
                "limit": 10,
                "vector": as_text(vector) if both else None,
            }
            plans.append(explained(connection, SEARCH, values))
        pages = (
            "SELECT cursor, id, author, title, text FROM published WHERE space = %s AND cursor > %s ORDER BY cursor LIMIT 200"
        )
        return {
            "by_both" if both else "by_words": plan_figures(plans[len(asked) :]),
            "a_page_of_changes": plan_figures([explained(connection, pages, (space, at * 37)) for at in range(QUESTIONS)]),
        }


def explained(connection: psycopg.Connection, statement: str, values: Any) -> dict[str, Any]:
    """Run a statement and return its plan with times and pages."""
    row = connection.execute((_EXPLAIN + statement).encode(), values).fetchone()
    found: dict[str, Any] = row[0][0] if row else {}
    return found


def plan_figures(plans: list[dict[str, Any]]) -> dict[str, float]:
    """Return milliseconds and pages of 8 kB, of planning and execution together."""
    times = [one["Planning Time"] + one["Execution Time"] for one in plans]
    return {
        "p50_ms": round(percentile(times, 0.5), 2),
        "p95_ms": round(percentile(times, 0.95), 2),
        "planning_p50_ms": round(percentile([one["Planning Time"] for one in plans], 0.5), 2),
        "pages_hit": round(percentile([one["Plan"]["Shared Hit Blocks"] for one in plans], 0.5)),
        "pages_read": round(percentile([one["Plan"]["Shared Read Blocks"] for one in plans], 0.5)),
    }


def table_bytes(connection: psycopg.Connection, table: str) -> dict[str, int]:
    """Return the bytes on disk of the table and of each of its indexes."""
    rows = connection.execute(
        """SELECT access.amname, sum(pg_relation_size(index.indexrelid)) FROM pg_index index JOIN pg_class ON pg_class.oid = indexrelid
        JOIN pg_am access ON access.oid = relam WHERE indrelid = %s::regclass GROUP BY 1""",
        (table,),
    ).fetchall()
    whole = connection.execute("SELECT pg_table_size(%s::regclass)", (table,)).fetchone()
    return {"table": int(whole[0]) if whole else 0, **{name: int(size) for name, size in rows}}


def _partitions(database: PrivateDatabase, count: int) -> dict[str, Any]:
    """Return the cost of planning and querying with `count` spaces of 20 passages each.

    It is measured with the space named in the query, and with row level security alone selecting it.
    """
    with psycopg.connect(database.superuser, autocommit=True, options="-c search_path=team,public") as connection:
        had = connection.execute("SELECT count(*) FROM pg_inherits WHERE inhparent = 'passage'::regclass").fetchone()
        start = time.perf_counter()
        for number in range(had[0] if had else 0, count):
            name = f"p{number}"
            connection.execute(f"CREATE TABLE part_{number} PARTITION OF passage FOR VALUES IN ('{name}')".encode())
            connection.execute("INSERT INTO space (name, opened) VALUES (%s, now())", (name,))
            connection.execute("INSERT INTO member VALUES (%s, 'ana', 'keeper', 'x', now())", (name,))
            connection.execute(
                "INSERT INTO passage SELECT %s, 'm' || i, 0, 'pump', array_to_tsvector(ARRAY['pump']) FROM generate_series(1, 20) i",
                (name,),
            )
        made_s = round(time.perf_counter() - start, 1)
    with psycopg.connect(database.service, options="-c search_path=team,public") as connection:
        space = f"p{count - 1}"
        connection.execute(
            "SELECT set_config('vademecum.space', %s, false), set_config('vademecum.member', 'ana', false)", (space,)
        )
        named, forgotten = "SELECT id FROM passage WHERE space = %s", "SELECT id FROM passage"
        words = {"space": space, "terms": ["'pump'"], "limit": 10, "vector": None}
        return {
            "partitions": count,
            "made_s": made_s,
            "named": plan_figures([explained(connection, named, (space,)) for _ in range(QUESTIONS)][5:]),
            "searched": plan_figures([explained(connection, SEARCH, words) for _ in range(QUESTIONS)][5:]),
            "forgotten": plan_figures([explained(connection, forgotten, ()) for _ in range(QUESTIONS)][5:]),
        }
