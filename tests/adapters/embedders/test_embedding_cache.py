"""The cache saves work and never costs more than that."""

import multiprocessing
import shutil
from concurrent.futures import ThreadPoolExecutor

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vademecum.adapters.embedders.cached import Cached
from vademecum.adapters.embedders.reference import Hashing


class Counting(Hashing):
    """The reference, which also tells what it was asked."""

    def __init__(self, model_id="counting@1"):
        self.model_id = model_id
        self.asked = []

    def embed(self, texts, *, role="passage"):
        self.asked += texts
        return super().embed(texts, role=role)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "vectors.db"


def test_second_time(path):
    """A text is embedded once, also across processes that come later, and has the same bits both times."""
    inner = Counting()
    first = Cached(inner, path)
    before = first.embed(["a", "b", "a"])
    first.close()
    after = Cached(inner, path).embed(["b", "a", "c"])
    assert inner.asked == ["a", "b", "c"]
    assert np.array_equal(before[[1, 0]], after[:2])


def test_nearness(path):
    """What is kept is what was computed, to three digits."""
    assert np.allclose(Cached(Hashing(), path).embed(["one two three"]), Hashing().embed(["one two three"]), atol=1e-3)


def test_models_and_roles_apart(path):
    """Vectors of two models, and of a question and a passage, are never mixed up."""
    one, two = Counting("one@1"), Counting("two@1")
    Cached(one, path).embed(["a"])
    cached = Cached(two, path)
    cached.embed(["a"])
    cached.embed(["a"], role="query")
    assert (one.asked, two.asked) == (["a"], ["a", "a"])


def test_many_threads_at_once(path):
    """A server answers many at once from one cache: none is refused, each gets its own rows, and all are kept for the next."""
    inner = Counting()
    cached = Cached(inner, path)

    def embed(number):
        texts = [f"text {number} {part}" for part in range(3)]
        return np.allclose(cached.embed(texts), Hashing().embed(texts), atol=1e-3)

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(embed, range(160)))
    inner.asked.clear()
    cached.embed([f"text {number} 0" for number in range(160)])
    assert inner.asked == []


def test_oldest_go_first(path):
    """The file stays below its bound; what was kept last is still there."""
    inner = Counting()
    cached = Cached(inner, path, max_rows=100)
    for number in range(350):
        cached.embed([f"text {number}"])
    rows = apsw.Connection(str(path)).execute("SELECT count(*) FROM vectors").fetchone()[0]
    assert 80 <= rows <= 100
    inner.asked.clear()
    cached.embed(["text 349", "text 300", "text 0"])
    assert inner.asked == ["text 0"]


@pytest.mark.parametrize("content", [b"", b"not a database" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_damaged_file(path, content):
    """A damaged cache is set aside for a new one; nobody is told to repair it."""
    path.parent.mkdir()
    path.write_bytes(content)
    inner = Counting()
    assert Cached(inner, path).embed(["a"]).any()
    Cached(inner, path).embed(["a"])
    assert inner.asked == ["a"]


def test_damage_while_open(path):
    """Damage that appears later is survived as well."""
    inner = Counting()
    cached = Cached(inner, path)
    texts = [f"text {number}" for number in range(2000)]
    expected = cached.embed(texts)
    cached.close()
    content = bytearray(path.read_bytes())
    content[4096 : len(content) // 2] = b"\xa5" * (len(content) // 2 - 4096)
    path.write_bytes(content)
    again = Cached(inner, path)
    assert np.array_equal(again.embed(texts), expected)
    assert np.array_equal(again.embed(texts), expected)


def test_other_format(path):
    """A file of another version of Vademecum is emptied, not misread."""
    Cached(Hashing(), path).close()
    database = apsw.Connection(str(path))
    database.execute("PRAGMA user_version = 99; DROP TABLE vectors; CREATE TABLE vectors(other)")
    database.close()
    assert Cached(Hashing(), path).embed(["a"]).any()


def test_no_place(tmp_path):
    """A cache that cannot be written costs nothing but time."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert Cached(Hashing(), blocked / "vectors.db").embed(["a"]).any()


def test_locked(path):
    """A file that somebody holds is done without."""
    Cached(Hashing(), path).close()
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN EXCLUSIVE")
    assert Cached(Hashing(), path).embed(["a"]).any()
    holder.execute("ROLLBACK")


@pytest.mark.parametrize("row", ["x'00'", "zeroblob(132)", "substr(row, 1, 20) || x'7e7e' || substr(row, 23)", "'text'"])
def test_damaged_row(path, row):
    """A row cut short or changed is computed again, never answered."""
    inner = Counting()
    cached = Cached(inner, path)
    expected = cached.embed(["a"])
    apsw.Connection(str(path)).execute(f"UPDATE vectors SET row = {row}")
    assert np.array_equal(cached.embed(["a"]), expected)
    assert np.array_equal(Cached(inner, path).embed(["a"]), expected)
    assert inner.asked == ["a", "a"]


def test_facts_are_remembered(path):
    """Dimension and calibration, which a server may have to be asked for, are asked for once."""
    Cached(Hashing(), path).embed(["a"])

    class Offline(Hashing):
        @property
        def dim(self):
            raise AssertionError("asked")

        calibration = dim

    cached = Cached(Offline(), path)
    assert (cached.dim, cached.calibration) == (Hashing.dim, Hashing.calibration)


def _embed_many(path, seed):
    order = np.random.default_rng(seed).permutation(60)
    cached = Cached(Hashing(), path)
    for number in order:
        cached.embed([f"text {number}", f"text {number + 1}"])


def test_several_processes(path):
    """Processes that share the file neither fail nor disturb each other's vectors."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_embed_many, args=(path, seed)) for seed in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    texts = [f"text {number}" for number in range(61)]
    assert np.allclose(Cached(Hashing(), path).embed(texts), Hashing().embed(texts), atol=1e-3)


@settings(max_examples=30, deadline=None)
@given(batches=st.lists(st.lists(st.sampled_from(["", "a", "b c", "\ud800", "é"]), max_size=4), max_size=6))
def test_like_no_cache(tmp_path_factory, batches):
    """In any order of questions the cache answers as one that starts empty."""
    folder = tmp_path_factory.mktemp("cache")
    used = Cached(Hashing(), folder / "used.db", max_rows=3)
    for texts in batches:
        fresh = Cached(Hashing(), folder / "fresh.db")
        assert np.array_equal(used.embed(texts), fresh.embed(texts))
        fresh.close()
    used.close()
    shutil.rmtree(folder)
