"""The index in SQLite is an index, agrees with one that is written at once, and costs no more as it grows."""

import tempfile
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from msgspec.structs import replace
from tests.adapters.stores.index_conformance import (
    DAY,
    EVERYTHING,
    MODEL,
    MONDAY,
    STOP,
    IndexConformance,
    everything,
    find,
    note,
    numbers,
    rows,
)

from vademecum.adapters.stores import stems
from vademecum.adapters.stores.sqlite import vectors
from vademecum.adapters.stores.sqlite.snapshot import IN_MEMORY
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.adapters.stores.sqlite.vectors import best, quantise
from vademecum.domain.item import Edge, Passage
from vademecum.domain.memory import STATUSES
from vademecum.domain.query import Scope


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index.db"


@pytest.fixture
def index(path):
    index = SqliteIndex(path)
    yield index
    index.close()


class TestSqliteIndex(IndexConformance):
    @pytest.fixture
    def index(self, index):
        return index


class TestSqliteIndexInMemory(IndexConformance):
    """The index that answers what was believed at a moment: kept in memory, and nothing of it on disk."""

    @pytest.fixture
    def index(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        index = SqliteIndex(IN_MEMORY)
        yield index
        index.close()
        assert list(tmp_path.iterdir()) == []

    def test_much_is_kept_in_memory(self, index):
        """What would be written beside a file once there is much of it is not written either, and is searched all the same."""
        index.apply([note("talk", *(f"kettle number {n}" for n in range(3000)), source="session")])
        index.add_vectors(MODEL, list(range(1, 3001)), rows(*(n / 500 for n in range(3000))))
        assert find(index, "kettle 77", limit=1) == ["kettle number 77"]
        assert [one.number for one in index.near(rows(0.0)[0], MODEL, Scope(statuses=None), 1)] == [1]
        index.wipe()
        assert index.stats().passages == 0


WORDS = st.sampled_from(["kettle", "kettles", "tea", "iron", "数据库", "readFile", "8", "the"])
TEXTS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
KEYS = st.sampled_from(["one", "two", "three", "four"])


def answers(index, scope):
    """What an index finds by words, without numbers, and words like those asked for."""
    for question in ("kettle tea", "数据 readFile iron"):
        terms = index.terms(question, STOP)
        hits = index.words(terms, scope, 99, budget=99)
        yield sorted((hit.item, hit.turn, round(hit.score, 6)) for hit in hits)
        yield index.like(terms, fuzzy=0.4, prefix=True, limit=5)


class AgreesWithANewOne(RuleBasedStateMachine):
    """Whatever is written in whatever order, the index answers as one to which the same was written once, in memory."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "index.db"
        self.index = SqliteIndex(self.path)
        self.items = {}

    def teardown(self):
        self.index.close()
        self.folder.cleanup()

    @rule(
        key=KEYS, texts=st.lists(TEXTS, max_size=4), drop=st.lists(KEYS, max_size=2), link=KEYS,
        status=st.sampled_from(["active", "archived"]), speaker=st.sampled_from(["", "Ann"]),
        topics=st.lists(st.sampled_from(["Tea", "tea", "iron"]), max_size=2),
    )  # fmt: skip
    def put(self, *, key, texts, drop, link, status, speaker, topics):
        said = tuple(Passage(text, turn, speaker=speaker) for turn, text in enumerate(texts))
        item = note(key, passages=said, status=status, edges=(Edge("links", link),), topics=tuple(topics))
        self.index.apply([item], [f"document://{other}" for other in drop])
        self.items = {name: one for name, one in self.items.items() if name not in drop} | {key: item}

    @rule(key=KEYS, texts=st.lists(TEXTS, max_size=3))
    def extend(self, key, texts):
        item = note(key, *texts)
        self.index.extend(item)
        before = self.items[key].passages if key in self.items else ()
        behind = (replace(one, turn=one.turn + (before[-1].turn + 1 if before else 0)) for one in item.passages)
        self.items[key] = replace(item, passages=(*before, *behind))

    @rule(key=KEYS, new=KEYS)
    def rename(self, key, new):
        if key in self.items and key != new:
            item = note(new, passages=self.items.pop(key).passages)
            before = numbers(self.index, f"document://{key}")
            self.index.apply([item], [f"document://{key}"])
            assert new in self.items or numbers(self.index, f"document://{new}") == before
            self.items[new] = item

    @rule(seed=st.integers(0, 9), model=st.sampled_from(["toy@1", "toy@2"]))
    def embed(self, seed, model):
        waiting = [one.number for one in self.index.without_vectors(model, 3)]
        self.index.add_vectors(model, waiting, rows(*(seed + n / 3 for n in range(len(waiting)))))

    @rule()
    def reopen(self):
        self.index.close()
        self.index = SqliteIndex(self.path)

    @invariant()
    def same_answers(self):
        new = SqliteIndex(IN_MEMORY)
        new.apply(list(self.items.values()))
        for key in new.fingerprints():
            vectors = self.index.vectors(MODEL, numbers(self.index, key))
            had = [(number, row) for number, row in zip(numbers(new, key), vectors, strict=True) if row.any()]
            new.add_vectors(MODEL, [number for number, _ in had], np.array([row for _, row in had]))
        assert everything(self.index) == everything(new)
        for scope in (Scope(), Scope(statuses=None, speakers=("Ann",))):
            assert list(answers(self.index, scope)) == list(answers(new, scope))
            near, expected = (
                {(hit.item, hit.turn): hit.score for hit in index.near(rows(1.0)[0], MODEL, scope, 99)}
                for index in (self.index, new)
            )
            assert near == pytest.approx(expected, abs=0.02)
            topics, expected = (
                {topic.label: (topic.items, topic.passages, *topic.centroid[:2]) for topic in index.topics(scope, MODEL)}
                for index in (self.index, new)
            )
            assert topics.keys() == expected.keys()
            assert all(values == pytest.approx(expected[label], abs=0.02) for label, values in topics.items())
        new.close()


TestAgreesWithANewOne = AgreesWithANewOne.TestCase
TestAgreesWithANewOne.settings = settings(max_examples=12, stateful_step_count=15, deadline=None)


def test_write_from_another(path, index):
    """X-02: what another process writes is found at once, and nothing earlier is lost."""
    index.apply([note("one", "kettle")])
    assert find(index, "kettle") == ["kettle"]
    other = SqliteIndex(path)
    other.apply([note("two", "kettle too")])
    other.add_vectors(MODEL, numbers(other, "document://two"), rows(0))
    assert find(index, "kettle") == ["kettle", "kettle too"]
    assert len(index.near(rows(0)[0], MODEL, Scope(), 9)) == 1
    other.wipe()
    other.apply([note("three", "teapot")])
    assert find(index, "kettle teapot") == ["teapot"]
    assert index.near(rows(0)[0], MODEL, Scope(), 9) == ()
    other.close()


def test_identity_survives_reopening(path):
    """X-50: numbers, vectors and answers survive re-ingest, delete and reopen."""
    index = SqliteIndex(path)
    index.apply([note("one", "kettle"), note("two", "teapot")])
    index.add_vectors(MODEL, numbers(index, "document://two"), rows(0))
    index.apply([note("one", "kettle"), note("two", "teapot")])
    index.apply([], ["document://one"])
    before = numbers(index, "document://two")
    index.close()
    index = SqliteIndex(path)
    assert numbers(index, "document://two") == before
    assert [hit.item for hit in index.near(rows(0)[0], MODEL, Scope(), 9)] == ["document://two"]
    index.apply([note("one", "kettle")])
    assert find(index, "kettle") == ["kettle"]
    index.close()


def test_unknown_schema(path):
    """An index of an unknown schema starts empty: it can be rebuilt."""
    index = SqliteIndex(path)
    index.apply([note("one", "kettle")])
    index.close()
    foreign = apsw.Connection(str(path))
    foreign.pragma("user_version", 999)
    foreign.close()
    index = SqliteIndex(path)
    assert index.fingerprints() == {}
    index.apply([note("one", "kettle")])
    assert find(index, "kettle") == ["kettle"]
    index.close()


def test_touching_writes_little(path, index):
    """A note whose file was touched but not changed keeps its passages as they are."""
    item = note("one", *(f"text number {n}" for n in range(500)))
    index.apply([item])
    assert written_by(path, lambda: index.apply([item])) < 20


def written_by(path, act):
    """Pages written to the log while `act` runs."""
    other = apsw.Connection(str(path))
    other.pragma("wal_checkpoint", "truncate")
    other.close()
    act()
    return path.with_name(f"{path.name}-wal").stat().st_size // 4096


def test_dropped_bytes(path, index):
    """X-36: after giving back room, no byte of what was dropped is in any of the files."""
    secrets = [f"zebrasecret{n} is the word" for n in range(40)]
    index.apply([note(f"n{n}", f"kettle number {n}") for n in range(300)])
    index.apply([note("bad", *secrets, title="giraffesecret", tags=("okapisecret",), edges=(Edge("links", "gnusecret"),))])
    index.add_vectors(MODEL, list(range(1, 341)), rows(*range(340)))
    forgotten = quantise(rows(320))[0].tobytes()
    index.near(rows(0)[0], MODEL, EVERYTHING, 5)
    index.apply([], ["document://bad"])
    index.compact()
    index.near(rows(0)[0], MODEL, EVERYTHING, 5)
    index.close()
    held = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"kettle" in held
    for word in (b"zebrasecret", b"giraffesecret", b"okapisecret", b"gnusecret"):
        assert word not in held, word
    assert forgotten not in held


@pytest.mark.parametrize("grow", ["notes", "session"])
def test_cost_stays(path, index, grow):
    """X-55: a write costs no more in a large index, or in a long session, than in a small one."""

    def fill(start, stop):
        for first in range(start, stop, 200):
            if grow == "notes":
                index.apply([note(f"n{n}", f"kettle {n} tea {n * 7} iron") for n in range(first, first + 200)])
            else:
                index.extend(
                    note("talk", *(f"kettle {n} tea {n * 7} iron" for n in range(first, first + 200)), source="session")
                )

    def write_ten(name):
        for n in range(10):
            if grow == "notes":
                index.apply([note(f"{name}{n}", f"kettle {n} tea {n * 7} iron")])
            else:
                index.extend(note("talk", f"kettle {n} tea {n * 7} iron", source="session"))

    fill(0, 400)
    small = written_by(path, lambda: write_ten("a"))
    fill(400, 6000)
    large = written_by(path, lambda: write_ten("b"))
    assert large <= 2 * small


def test_a_page_of_the_newest(index):
    """The newest are read by time until the page is full: of four times the memories no more is looked at."""
    took, steps = [], []

    def count_steps(event):
        steps.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])

    for count in (500, 2_000):
        index.apply([note(f"{n}", "x", source="memory", updated=MONDAY + n * DAY / 100) for n in range(count)])
        with index._reading() as opened:
            opened.db.trace_v2(apsw.SQLITE_TRACE_PROFILE, count_steps)
        found = index.select(Scope(sources=("memory",), statuses=STATUSES), limit=50)
        opened.db.trace_v2(0, None)
        assert [item.key for item in found[:2]] == [f"memory://{count - 1}", f"memory://{count - 2}"]
        took.append(sum(steps))
        steps.clear()
    assert took[1] <= 1.1 * took[0], took


def test_asking_writes_nothing(path, index):
    """Questions do not write to the database."""
    index.apply([note(f"n{n}", f"kettle {n}") for n in range(100)])
    index.add_vectors(MODEL, list(range(1, 101)), rows(*range(100)))

    def ask():
        for _ in range(20):
            find(index, "kettle")
            index.near(rows(0)[0], MODEL, Scope(), 9)
            index.select(Scope())
            index.health(deep=True)

    assert written_by(path, ask) == 0


def test_snapshots_serve(path):
    """A large index starts from its snapshots, catches up with what changed since, and answers as one that read everything."""
    index = SqliteIndex(path)
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(5000, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index.apply([note("talk", *(f"kettle number {n}" for n in range(5000)), source="session")])
    index.add_vectors(MODEL, list(range(1, 5001)), vectors)
    index.near(vectors[0], MODEL, Scope(), 5)
    index.close()
    snapshots = sorted(file.name for file in path.parent.iterdir())
    assert {"index.db.columns", "index.db.vectors-1"} <= set(snapshots)
    index = SqliteIndex(path)
    index.apply([note("talk", *(f"kettle number {n}" for n in range(4990)), "brand new", source="session")])
    index.add_vectors(MODEL, [5001], vectors[4995:4996])
    answers = ask_all(index, vectors)
    index.close()
    for name in snapshots:
        if "db." in name:
            (path.parent / name).unlink()
    index = SqliteIndex(path)
    assert ask_all(index, vectors) == answers
    assert index.near(vectors[4995], MODEL, Scope(), 1)[0].number == 5001
    index.close()


@pytest.mark.parametrize("mapped", [0, 1 << 30])
def test_rows_read_one_by_one(path, monkeypatch, mapped):
    """Rows of a large snapshot are read from its file, those changed since from memory; giving pages back changes no answer."""
    vectors = np.random.default_rng(4).normal(size=(9000, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = SqliteIndex(path)
    index.apply([note("talk", *(f"kettle number {n}" for n in range(9000)), source="session")])
    index.add_vectors(MODEL, list(range(1, 9001)), vectors)
    index.near(vectors[0], MODEL, Scope(), 5)
    index.close()
    monkeypatch.setattr("vademecum.adapters.stores.sqlite.vectors._MAPPED_BYTES", mapped)
    index = SqliteIndex(path)
    index.near(vectors[0], MODEL, Scope(), 5)
    index.add_vectors(MODEL, [7, 4000], vectors[[8, 4001]])
    index.apply([note("talk", *(f"kettle number {n}" for n in range(8990)), source="session")])
    for _ in range(2):
        found = [index.near(vectors[at], MODEL, Scope(), 3)[0] for at in (8, 4001, 100)]
        assert [(hit.number, round(hit.score, 2)) for hit in found] == [(7, 1.0), (4000, 1.0), (101, 1.0)]
        near = index.near(vectors[8995], MODEL, Scope(), 3)
        assert all(hit.number <= 8990 for hit in near)
        assert index.cosines(vectors[8], MODEL, [7, 8996, 9]).tolist() == pytest.approx([1, np.nan, 1], abs=0.01, nan_ok=True)
        index.let_go()
    index.close()


def ask_all(index, vectors):
    words = [index.words(index.terms(f"number {n}", STOP), EVERYTHING, 20, budget=99999) for n in (5, 4995)]
    return words, [index.near(vector, MODEL, Scope(), 10) for vector in vectors[::500]]


def test_pools_share_a_comparison(path, index, monkeypatch):
    """A question that is asked of one source after the other is compared with all signs once, and answered as if asked alone."""
    chance = np.random.default_rng(3)
    made = chance.standard_normal((10_000, 64)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    said = [Passage(f"passage {turn}", turn) for turn in range(10_000)]
    index.apply([note("one", passages=tuple(said[:5000])), note("two", passages=tuple(said[5000:]), source="log")])
    index.add_vectors(MODEL, range(1, 10_001), made)
    compared = []
    once = vectors._Part.distances
    monkeypatch.setattr(vectors._Part, "distances", lambda part, signs: compared.append(part) or once(part, signs))
    asked = made[17]
    together = [index.near(asked, MODEL, Scope(sources=(source,), statuses=None), 9) for source in ("document", "log")]
    assert len(compared) == 2  # the two parts of the copy
    for source, found in zip(("document", "log"), together, strict=True):
        alone = SqliteIndex(path)
        assert alone.near(asked, MODEL, Scope(sources=(source,), statuses=None), 9) == found
        alone.close()
    index.add_vectors(MODEL, [7000], asked[None])
    assert index.near(asked, MODEL, Scope(sources=("log",), statuses=None), 1)[0].number == 7000


def test_choice_by_signs():
    """The choice by signs loses almost none of the nearest."""
    folder = Path(tempfile.mkdtemp())
    index = SqliteIndex(folder / "index.db")
    rng = np.random.default_rng(2)
    vectors = (rng.normal(size=(9000, 128)) + rng.normal(size=(60, 128)).repeat(150, axis=0)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index.apply([note("talk", *map(str, range(9000)), source="session")])
    index.add_vectors(MODEL, list(range(1, 9001)), vectors)
    found = total = 0
    for question in vectors[::300]:
        exact = set((np.argsort(-(vectors @ question), kind="stable")[:10] + 1).tolist())
        found += len(exact & {hit.number for hit in index.near(question, MODEL, Scope(), 10)})
        total += 10
    index.close()
    assert found / total > 0.97


def test_quantised_cosines():
    """Eight bits a number change a cosine by less than a hundredth; a row of zeros stays one."""
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(50, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[7] = 0
    small, scales = quantise(vectors)
    again = small.astype(np.float32) * scales[:, None]
    assert np.abs(again @ vectors.T - vectors @ vectors.T).max() < 0.01
    assert not again[7].any()


def test_best():
    """The best are taken in order; ties keep the order given, also at the edge."""
    numbers_, scores = best(np.array([1, 2, 3, 4, 5]), np.array([1.0, 3.0, 1.0, 1.0, 2.0]), 3)
    assert numbers_.tolist() == [2, 5, 1] and scores.tolist() == [3.0, 2.0, 1.0]


def test_compacting_forgets_stems(path, index):
    """X-36: after compacting, no byte of a word that was dropped is left, not even in the list of words to mistype."""
    index.apply([note("one", "xyzzyplugh"), note("two", "kettle")])
    index.apply([], ["document://one"])
    index.compact()
    index.close()
    assert all(b"xyzzyplugh" not in file.read_bytes() for file in path.parent.iterdir())


def test_codes_are_bounded(monkeypatch):
    """However many words a process meets, the codes of few are kept, and each has the same one always."""
    monkeypatch.setattr(stems, "CODES_KEPT", 10)
    codes = stems.CodeOf()
    first = [codes[f"w{number}"] for number in range(100)]
    assert len(codes) <= 10
    assert [codes[f"w{number}"] for number in range(100)] == first
