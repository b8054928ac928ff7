"""X-51: an answer is never made from an index known to be damaged without saying so. Each of these faults happens."""

import os
import random
import resource
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import apsw
import numpy as np
import pytest
from tests.adapters.stores.index_conformance import EVERYTHING, MODEL, everything, find, note, numbers, rows

from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.errors import IndexDamaged, Locked, WriteFailed

WORDS = ("kettle", "teapot", "number", "late")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "index.db"


def filled(path, count=400):
    """An index on disk, closed, with everything checkpointed into the one file."""
    index = SqliteIndex(path)
    index.apply(
        [note(f"n{n}", f"{'kettle' if n % 2 else 'teapot'} number {n}", *(["late"] if n > 390 else [])) for n in range(count)]
    )
    index.add_vectors(MODEL, numbers(index, "document://n0"), rows(0))
    answers = {word: find(index, word, limit=1000) for word in WORDS}
    index.close()
    return answers


def test_truncated(path):
    """A file that lost its end is refused, says so when asked for its health, and can be started anew."""
    filled(path)
    size = path.stat().st_size
    for keep in (size - 4096, size // 2, 5000, 50):
        with path.open("r+b") as file:
            file.truncate(keep)
        index = SqliteIndex(path)
        with pytest.raises(IndexDamaged):
            find(index, "kettle")
        assert index.health().damage
        index.wipe()
        assert index.health(deep=True).damage == ""
        index.apply([note("one", "kettle")])
        assert find(index, "kettle") == ["kettle"]
        index.close()
        path.unlink()
        filled(path)


def test_not_a_database(path):
    """A file of something else is refused, not searched and not overwritten before the person's own rebuild."""
    path.write_bytes(b"shopping list\n" * 1000)
    index = SqliteIndex(path)
    with pytest.raises(IndexDamaged):
        index.fingerprints()
    with pytest.raises(IndexDamaged):
        index.apply([note("one", "kettle")])
    assert path.read_bytes().startswith(b"shopping")
    index.wipe()
    index.apply([note("one", "kettle")])
    assert find(index, "kettle") == ["kettle"]
    index.close()


def test_garbage_pages(path):
    """A page of garbage anywhere is noticed, or was not needed for the answer: never a wrong one."""
    answers = filled(path)
    whole = path.read_bytes()
    chance = random.Random(5)
    noticed = 0
    for page in range(len(whole) // 4096):
        broken = bytearray(whole)
        broken[page * 4096 : (page + 1) * 4096] = chance.randbytes(4096)
        path.write_bytes(broken)
        index = SqliteIndex(path)
        try:
            for word in WORDS:
                assert find(index, word, limit=1000) == answers[word], page
        except IndexDamaged:
            noticed += 1
        index.close()
    assert noticed > len(whole) // 4096 // 4


def test_garbage_is_found(path):
    """The deep look at an index finds any page of garbage."""
    filled(path)
    whole = path.read_bytes()
    chance = random.Random(6)
    for page in chance.sample(range(1, len(whole) // 4096), 12):
        broken = bytearray(whole)
        broken[page * 4096 : (page + 1) * 4096] = chance.randbytes(4096)
        path.write_bytes(broken)
        index = SqliteIndex(path)
        assert index.health(deep=True).damage, page
        index.close()


def test_locked(path):
    """A writer waits for another one, then says that it is locked, having changed nothing; readers never wait."""
    index = SqliteIndex(path, busy_timeout_s=0.05)
    index.apply([note("one", "kettle")])
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Locked):
        index.apply([note("two", "teapot")])
    assert find(index, "kettle") == ["kettle"]
    assert index.is_held()
    other.execute("ROLLBACK")
    assert not index.is_held()
    index.apply([note("two", "teapot")])
    assert find(index, "teapot") == ["teapot"]
    other.close()
    index.close()


def test_deleted_while_open(path):
    """A file that is taken away is missed by the next question and by the next write, until it is started anew."""
    index = SqliteIndex(path)
    index.apply([note("one", "kettle")])
    path.unlink()
    for _ in range(2):
        with pytest.raises(IndexDamaged):
            find(index, "kettle")
        with pytest.raises(IndexDamaged):
            index.apply([note("two", "teapot")])
    index.wipe()
    assert index.fingerprints() == {}
    index.apply([note("one", "kettle")])
    assert find(index, "kettle") == ["kettle"]
    index.close()


def test_replaced_while_open(path):
    """A file that another process healed and put in its place is followed."""
    index = SqliteIndex(path)
    index.apply([note("one", "kettle")])
    for file in path.parent.iterdir():
        file.unlink()
    other = SqliteIndex(path)
    other.apply([note("two", "teapot")])
    assert find(index, "kettle teapot") == ["teapot"]
    other.close()
    index.close()


def test_unfinished_call(path):
    """A call that fails in the middle leaves nothing of itself: records, words and edges stand together or not at all."""
    index = SqliteIndex(path)
    index.apply([note("one", "kettle")])
    before = everything(index)
    blocker = apsw.Connection(str(path))
    blocker.execute("CREATE TRIGGER t BEFORE INSERT ON texts WHEN new.text = 'bad' BEGIN SELECT raise(ABORT, 'no'); END")
    blocker.close()
    with pytest.raises(apsw.ConstraintError):
        index.apply([note("one", "changed"), note("two", "fine"), note("three", "bad")])
    assert everything(index) == before
    assert find(index, "changed fine bad") == []
    index.close()


def test_torn_snapshots(path):
    """A snapshot that is torn, foreign or cut is not used; the answers stay the same."""
    index = SqliteIndex(path)
    index.apply([note("talk", *(f"kettle number {n}" for n in range(3000)), source="session")])
    index.add_vectors(MODEL, list(range(1, 3001)), rows(*(n / 500 for n in range(3000))))

    def ask(index):
        return find(index, "kettle 77", limit=20), index.near(rows(1.0)[0], MODEL, EVERYTHING, 20)

    answers = ask(index)
    index.close()
    for name in ("index.db.columns", "index.db.vectors-1"):
        whole = (path.parent / name).read_bytes()
        for torn in (whole[: len(whole) // 2], b"", b"x" * len(whole), whole[:100] + b"x" * 100 + whole[200:]):
            (path.parent / name).write_bytes(torn)
            index = SqliteIndex(path)
            assert ask(index) == answers
            index.close()
    (path.parent / "index.db.columns").write_bytes(whole)
    index = SqliteIndex(path)
    assert ask(index) == answers
    index.close()


def test_changed_snapshot(path):
    """A bit that flipped in a snapshot is found by the deep look."""
    index = SqliteIndex(path)
    index.apply([note("talk", *(f"kettle number {n}" for n in range(3000)), source="session")])
    find(index, "kettle")
    file = path.with_name("index.db.columns")
    data = bytearray(file.read_bytes())
    data[5000] ^= 4
    file.write_bytes(data)
    assert "columns" in index.health(deep=True).damage
    index.close()


def test_read_only_folder(path):
    """X-22: an index that cannot be written says so."""
    if os.geteuid() == 0:
        path.parent.joinpath("file").write_text("")
        index = SqliteIndex(path.parent / "file" / "index.db")
    else:
        path.parent.chmod(0o500)
        index = SqliteIndex(path)
    with pytest.raises((WriteFailed, IndexDamaged)):
        index.apply([note("one", "kettle")])
    assert index.health().damage
    index.close()


SMALL_DISK = """
    import resource, signal, sys
    from pathlib import Path
    sys.path.insert(0, {tests!r})
    from index_conformance import find, note
    from vademecum.adapters.stores.sqlite.store import SqliteIndex
    from vademecum.domain.errors import WriteFailed

    index = SqliteIndex(Path({path!r}))
    index.apply([note("one", "kettle")])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))
    try:
        for start in range(0, 100_000, 500):
            index.apply([note(f"n{{n}}", f"teapot number {{n}} " * 20) for n in range(start, start + 500)])
    except WriteFailed:
        print("full")
    known = len(index.fingerprints())
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert known % 500 == 1, known
    assert find(index, "kettle") == ["kettle"]
    index.apply([note("after", "later")])
    assert find(index, "later") == ["later"] and index.health(deep=True).damage == ""
    print("whole")
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs file size limits")
def test_disk_full(path):
    """When the disk is full the call fails and says so, what stood before stands, and writing goes on when there is room."""
    done = run(SMALL_DISK, path)
    assert done.stdout.split() == ["full", "whole"], done.stderr


WRITER = """
    import sys
    from pathlib import Path
    sys.path.insert(0, {tests!r})
    from index_conformance import MODEL, note, numbers, rows
    from vademecum.adapters.stores.sqlite.store import SqliteIndex
    from vademecum.domain.item import Edge
    from vademecum.domain.query import Scope

    index = SqliteIndex(Path({path!r}))
    start = len(index.fingerprints())
    for n in range(start, start + 100_000):
        texts = [f"kettle number {{n}} part {{part}}" for part in range(40)]
        index.apply([note(f"n{{n}}", *texts, edges=(Edge("links", f"n{{n - 1}}"),))], [f"document://n{{n - 50}}"])
        print("wrote", n, flush=True)
        mine = numbers(index, f"document://n{{n}}")
        index.add_vectors(MODEL, mine, rows(*(n + part / 40 for part in range(40))))
        index.near(rows(n)[0], MODEL, Scope(), 3)
        print("embedded", n, flush=True)
"""


def run(script, path, **how):
    code = textwrap.dedent(script).format(path=str(path), tests=str(Path(__file__).parent))
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False, **how)


@pytest.mark.slow
def test_killed_writers(path):
    """X-54: a writer that is killed at any moment has lost nothing that it was told is written, and left nothing half done."""
    code = textwrap.dedent(WRITER).format(path=str(path), tests=str(Path(__file__).parent))
    chance = random.Random(7)
    for _ in range(12):
        writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(chance.uniform(0, 0.4))
        writer.send_signal(signal.SIGKILL)
        told = [first, *writer.stdout.readlines()]
        writer.stdout.close()
        writer.wait()
        told = [line.split() for line in told if line.endswith("\n")]
        last = {word: int(number) for word, number in told}
        index = SqliteIndex(path)
        health = index.health(deep=True)
        known = index.fingerprints()
        assert health.damage == ""
        assert health.passages == 40 * len(known) == index.stats().passages
        assert f"document://n{last['wrote']}" in known
        for key in list(known)[-3:]:
            n = int(key.removeprefix("document://n"))
            assert len(find(index, str(n), limit=50)) >= 40
            assert len(index.passages_of(key)) == 40
        if "embedded" in last:
            mine = numbers(index, f"document://n{last['embedded']}")
            assert len(mine) == 40 and not np.isnan(index.cosines(rows(0)[0], MODEL, mine)).any()
        index.close()
