"""Speed and size of the SQLite index: python -m benchmarks.index_timings [PASSAGES]. CPU milliseconds, one BLAS thread.

Words follow Zipf's law (the n-th most common word is n times rarer than the first), questions use the rarer words of a passage,
and one item in ten is archived and so outside the usual scope.
"""

import os

from msgspec.structs import replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.item import Item, Passage, Status
from vademecum.domain.query import Scope
from vademecum.entrypoints.daemon.memory_usage import peak_mb

VOCABULARY, STOPPED, TURNS, DIM, MODEL = 60_000, 120, 20, 384, "timing@1"
BEGIN = datetime(2023, 1, 1, tzinfo=UTC)
STOP = frozenset(f"w{rank:x}q" for rank in range(STOPPED))


def sessions(passages: int, rng: np.random.Generator) -> Iterator[Item]:
    """Yield conversations of TURNS turns with 10 to 140 words."""
    chances = 1 / np.arange(1, VOCABULARY + 1) ** 1.05
    for first in range(0, passages, TURNS):
        lengths = rng.integers(10, 140, TURNS)
        ranks = iter(np.searchsorted(np.cumsum(chances / chances.sum()), rng.random(int(lengths.sum()))).tolist())
        said = tuple(
            Passage(
                " ".join(f"w{next(ranks):x}q" for _ in range(length)), turn, speaker=("user", "agent")[turn % 2],
                ref=str(turn), time=BEGIN + timedelta(minutes=first + turn),
            )
            for turn, length in enumerate(lengths)
        )  # fmt: skip
        status: Status = "archived" if rng.random() < 0.1 else "active"
        yield Item(
            key=f"session://timing/{first}", source="session", space="sessions", path=f"/{first}", title="", stat="1:1",
            digest=str(first), kind="session", status=status, updated=BEGIN + timedelta(minutes=first), passages=said,
        )  # fmt: skip


def timed(name: str, act: Callable[[int], object], times: int = 100) -> None:
    """Run a function repeatedly and print the spread of its times."""
    taken = []
    for number in range(times):
        start = time.process_time()
        act(number)
        taken.append((time.process_time() - start) * 1000)
    print(f"{name:28} p50 {np.percentile(taken, 50):7.2f} ms   p95 {np.percentile(taken, 95):7.2f} ms")


def fill(index: SqliteIndex, passages: int) -> tuple[int, list[Item]]:
    """Fill the index; return the bytes of text, and some of the items."""
    rng = np.random.default_rng(1)
    batch: list[Item] = []
    some: list[Item] = []
    text, spent = 0, 0.0
    for number, item in enumerate(sessions(passages, rng), 1):
        batch.append(item)
        text += sum(len(passage.text) for passage in item.passages)
        if number % 25 == 0 or number * TURNS >= passages:
            start = time.process_time()
            index.apply(batch)
            spent += time.process_time() - start
            some.append(batch[0])
            batch = []
    print(f"{'apply':28} {passages / spent:7.0f} passages/s")
    return text, some


def ask(index: SqliteIndex, some: list[Item]) -> None:
    """Time questions by words."""
    rng = np.random.default_rng(2)
    questions = []
    for _ in range(100):
        passages = some[rng.integers(len(some))].passages
        questions.append(" ".join(rng.choice(passages[rng.integers(TURNS)].text.split(), 8)))
    terms = [index.terms(question, STOP)[:6] for question in questions]
    hits = [index.words(found, Scope(), 400, budget=8000) for found in terms]
    turns = [sorted({(hit.item, hit.turn) for hit in found}) for found in hits]
    timed("terms", lambda n: index.terms(questions[n], STOP))
    timed("words, 300 of them", lambda n: index.words(terms[n], Scope(), 300, budget=8000))
    timed("words, no budget", lambda n: index.words(terms[n], Scope(), 300, budget=10**9))
    timed(f"window, {int(np.mean([len(found) for found in turns]))} turns", lambda n: index.window(turns[n], 2))


def near(index: SqliteIndex, passages: int) -> None:
    """Time searches by vector."""
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(300, DIM)).astype(np.float32) * 1.5
    start, questions = time.process_time(), []
    for first in range(1, passages + 1, 4096):
        numbers = list(range(first, min(first + 4096, passages + 1)))
        rows = rng.normal(size=(len(numbers), DIM)).astype(np.float32) + centres[rng.integers(0, len(centres), len(numbers))]
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        questions += [rows[0]]
        index.add_vectors(MODEL, numbers, rows)
    print(f"{'add vectors':28} {passages / (time.process_time() - start):7.0f} passages/s")
    timed("near, first", lambda _: index.near(questions[0], MODEL, Scope(), 300), 1)
    timed("near, 300 of them", lambda n: index.near(questions[n % len(questions)], MODEL, Scope(), 300))
    timed("near, 10 of them", lambda n: index.near(questions[n % len(questions)], MODEL, Scope(), 10))
    numbers = rng.integers(1, passages, 1200).tolist()
    timed("cosines of 1200", lambda n: index.cosines(questions[n % len(questions)], MODEL, numbers))


def main(passages: int) -> None:
    """Fill an index in a temporary folder and time it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index.db"
        index = SqliteIndex(path)
        text, some = fill(index, passages)
        index.close()
        print(f"{'bytes per byte of text':28} {path.stat().st_size / text:7.2f}")
        index = SqliteIndex(path)
        ask(index, some)
        near(index, passages)
        edited = [replace(item, passages=(*item.passages[:-1], Passage("changed", TURNS))) for item in some]
        timed("one item changed", lambda n: index.apply([edited[n % len(edited)]]), 50)
        timed("fingerprints", lambda _: index.fingerprints(), 5)
        index.close()
        sizes = {file.name: round(file.stat().st_size / 1e6, 1) for file in sorted(Path(folder).iterdir())}
        print(f"MB on disk {sizes}, peak memory {peak_mb():.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
