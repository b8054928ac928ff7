"""`vade bench team-vectors`: which index of vectors finds the nearest passages of a large team space, with real texts.

Random vectors tell nothing about an index: no two are close, so it has nothing to follow. Here each passage is a line of a file of
real texts, encoded by the shipped embedder, and each question a line of another. Every index is compared with an exact scan.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psycopg

from vademecum.adapters.embedders.use import UniversalSentenceEncoder
from vademecum.adapters.stores.analysis import Words
from vademecum.plugins.team.postgres.private import PrivateDatabase, made_database, private_server
from vademecum.plugins.team.postgres.schema import DIM, migrate, role_of
from vademecum.plugins.team.postgres.team import as_text
from vademecum_bench.team import Loaded, explained, lexeme, load, loaded, plan_figures, searched, table_bytes

#: Nearest passages that a search of the store takes into account, and those that a person is shown.
CANDIDATES, SHOWN = 200, 10


class Index(NamedTuple):
    """An index of vectors to compare."""

    name: str
    definition: str
    #: Query settings to try, each a list of SET statements.
    settings: tuple[str, ...]
    #: Query for `limit` nearest passages of `table` to `%(near)s`.
    query: str = "SELECT id FROM {table} ORDER BY vector <#> %(near)s::halfvec LIMIT {limit}"


_EF = tuple(f"SET hnsw.iterative_scan = off; SET hnsw.ef_search = {ef}" for ef in (200, 400, 800))
_ITERATIVE = tuple(f"SET hnsw.iterative_scan = {order}_order; SET hnsw.ef_search = 100" for order in ("strict", "relaxed"))
_BITS = f"binary_quantize({{}})::bit({DIM})"
#: Rows that the index of bits gives are ordered again by their whole vectors.
_BY_BITS = (
    f"SELECT id FROM (SELECT id, vector FROM {{table}} ORDER BY {_BITS.format('vector')} <~> "
    f"{_BITS.format('%(near)s::halfvec')} LIMIT 4 * {{limit}}) AS close ORDER BY vector <#> %(near)s::halfvec LIMIT {{limit}}"
)
#: The index of the store.
OWN = Index("HNSW", "USING hnsw (vector halfvec_ip_ops)", _EF + _ITERATIVE)
INDEXES = (
    OWN,
    Index("HNSW, m 32, ef_construction 128", "USING hnsw (vector halfvec_ip_ops) WITH (m = 32, ef_construction = 128)", _EF),
    Index(
        "HNSW of bits, ordered again",
        f"USING hnsw (({_BITS.format('vector')}) bit_hamming_ops)",
        ("SET hnsw.iterative_scan = off; SET hnsw.ef_search = 800",),
        _BY_BITS,
    ),
    Index(
        "IVFFlat, 1,000 lists",
        "USING ivfflat (vector halfvec_ip_ops) WITH (lists = 1000)",
        tuple(f"SET ivfflat.probes = {probes}" for probes in (10, 30, 100)),
    ),
)


class Encoded(NamedTuple):
    """Texts and their vectors: (len(texts), DIM) unit rows of float16."""

    texts: list[str]
    vectors: np.ndarray

    @classmethod
    def read(cls, path: Path, count: int | None = None) -> "Encoded":
        """Read the first `count` lines of a file; vectors that `PATH.npy` does not hold are made and written there."""
        with path.open(encoding="utf-8") as lines:
            texts = [line.strip() for line in islice(lines, count)]
        cache = path.with_suffix(path.suffix + ".npy")
        known = np.load(cache, mmap_mode="r") if cache.exists() else np.empty((0, DIM), np.float16)
        if len(known) < len(texts):
            with ProcessPoolExecutor() as processes:
                parts = list(processes.map(_vectors, [texts[at : at + 1000] for at in range(len(known), len(texts), 1000)]))
            known = np.concatenate([known, *parts])
            np.save(cache, known)
        return cls(texts, known[: len(texts)])

    def rows(self, space: str, start: int, stop: int) -> Iterator[Loaded]:
        """Yield the rows of the texts from `start` up to `stop`."""
        some = [self.texts[at : min(at + 1000, stop)] for at in range(start, stop, 1000)]
        with ProcessPoolExecutor() as processes:
            lexemes = [one for part in processes.map(_lexemes, some) for one in part]
        for number, words in enumerate(lexemes, start):
            yield loaded(space, number, self.texts[number], words, self.vectors[number])


def _vectors(texts: list[str]) -> np.ndarray:
    return UniversalSentenceEncoder().embed(texts).astype(np.float16)


def _lexemes(texts: list[str]) -> list[list[bytes]]:
    """Return the sorted words of each text, as a tsvector has them."""
    words = Words()
    return [sorted(lexeme(stem) for stem in words.of(text)) for text in texts]


class Server(NamedTuple):
    """How the database is run."""

    folder: Path | None
    shared_buffers_gb: int


def bench_team_vectors(
    texts: Path, questions: Path, sizes: Sequence[int], server: Server, say: Callable[[str], object]
) -> list[dict[str, Any]]:
    """Return for each size, ascending: loading, the exact scan, each index at each setting, and the store's own search.

    Args:
        texts: a passage a line, in random order; `sizes` are numbers of its first lines.
        questions: a question a line.
        say: called with each result as soon as it is available.

    Raises:
        ValueError: the file has fewer lines than the largest size.
    """
    passages = Encoded.read(texts, max(sizes))
    if len(passages.texts) < max(sizes):
        raise ValueError(f"{texts} has {len(passages.texts)} lines, fewer than {max(sizes)}")
    asked = Encoded.read(questions)
    with tempfile.TemporaryDirectory(prefix="vade-bench-") as fresh:
        folder = server.folder or Path(fresh) / "pg"
        with private_server(folder) as superuser:
            _configure(superuser, server.shared_buffers_gb)
        with private_server(folder) as superuser:
            database = made_database(superuser, "bench")
            migrate(database.owner, role_of(database.service))
            return [_size(database, passages, size, asked, say) for size in sizes]


def _configure(superuser: str, shared_buffers_gb: int) -> None:
    """Set what a server of this size is run with; it applies at the next start."""
    cores = os.cpu_count() or 1
    with psycopg.connect(superuser, autocommit=True) as connection:
        for name, value in (
            ("shared_buffers", f"{shared_buffers_gb}GB"),
            ("max_wal_size", "8GB"),
            ("max_worker_processes", f"{cores + 8}"),
            ("max_parallel_workers", f"{cores}"),
            ("max_parallel_maintenance_workers", f"{cores}"),
        ):
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())


def _size(
    database: PrivateDatabase, passages: Encoded, size: int, asked: Encoded, say: Callable[[str], object]
) -> dict[str, Any]:
    space, table = f"s{size}", f"team.load_{size}"
    result: dict[str, Any] = {"passages": size}
    with psycopg.connect(database.superuser, autocommit=True, options="-c search_path=team,public") as connection:
        connection.execute("SET maintenance_work_mem = '4GB'")
        connection.execute("INSERT INTO space (name, opened, cursor) VALUES (%s, now(), %s)", (space, size))
        connection.execute("INSERT INTO member VALUES (%s, 'ana', 'keeper', %s, now())", (space, f"ana {size}".encode()))
        connection.execute(f"CREATE TABLE {table} (LIKE passage)".encode())
        result["load_s"] = load(connection, table, lambda start, stop: passages.rows(space, start, stop), size)
        connection.execute(f"ALTER TABLE {table} ADD PRIMARY KEY (space, id, ordinal)".encode())
        connection.execute(f"CREATE INDEX ON {table} USING gin (words) WITH (fastupdate = off)".encode())
        connection.execute(f"VACUUM ANALYZE {table}".encode())
        exact = [_nearest(connection, OWN.query, table, vector) for vector in asked.vectors]
        result["exact"] = plan_figures([plan for plan, _ in exact])
        say(json.dumps(result))
        result["indexes"] = []
        for index in INDEXES:
            started = time.perf_counter()
            connection.execute(f"CREATE INDEX near_{size} ON {table} {index.definition}".encode())
            made = {"index": index.name, "build_s": round(time.perf_counter() - started, 1)}
            made["bytes"] = table_bytes(connection, table)
            for setting in index.settings:
                connection.execute(setting.encode())
                found = [_nearest(connection, index.query, table, vector) for vector in asked.vectors]
                figures = plan_figures([plan for plan, _ in found]) | {
                    f"recall@{among}": _recall([ids for _, ids in exact], [ids for _, ids in found], among)
                    for among in (SHOWN, CANDIDATES)
                }
                result["indexes"].append(made | {"setting": setting} | figures)
                say(json.dumps(result["indexes"][-1]))
            if index is OWN:
                connection.execute(f"ALTER TABLE passage ATTACH PARTITION {table} FOR VALUES IN ('{space}')".encode())
                result |= _searched(database, space, asked)
                say(json.dumps({name: result[name] for name in ("passages", "by_words", "by_both")}))
                connection.execute(f"ALTER TABLE passage DETACH PARTITION {table}".encode())
            connection.execute(f"DROP INDEX team.near_{size}".encode())
    return result


def _searched(database: PrivateDatabase, space: str, asked: Encoded) -> dict[str, Any]:
    """Return the figures of the store's own search, by words and by words and vectors."""
    words = Words()
    pairs = [(list(words.asked(text)), vector) for text, vector in zip(asked.texts, asked.vectors, strict=True)]
    return searched(database.service, space, pairs, both=False) | searched(database.service, space, pairs, both=True)


def _nearest(connection: psycopg.Connection, query: str, table: str, vector: np.ndarray) -> tuple[dict[str, Any], list[str]]:
    """Return the plan of a query for the nearest passages, and their ids, nearest first."""
    statement, values = query.format(table=table, limit=CANDIDATES), {"near": as_text(vector)}
    ids = [row[0] for row in connection.execute(statement.encode(), values)]
    return explained(connection, statement, values), ids


def _recall(exact: list[list[str]], found: list[list[str]], among: int) -> float:
    """Return the mean share of the `among` nearest passages that were found."""
    shares = [len(set(near[:among]) & set(ids)) / among for near, ids in zip(exact, found, strict=True)]
    return round(float(np.mean(shares)), 4)
