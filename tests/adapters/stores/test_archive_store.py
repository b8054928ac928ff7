"""The Archive port: one suite for the file and for the reference."""

import os
import signal
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.adapters.stores.references import MemoryArchive

from vademecum.adapters.stores.archive import SqliteArchive
from vademecum.domain.archive import Archived
from vademecum.domain.errors import ArchiveDamaged, ArchiveFull, InvalidInput, NotFound

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture(params=["memory", "sqlite"])
def archives(request, tmp_path):
    made = []

    def archive(**more):
        made.append(MemoryArchive(**more) if request.param == "memory" else SqliteArchive(tmp_path / "archive.db", **more))
        return made[-1]

    yield archive
    for one in made:
        one.close()


def record(path="/a.jsonl", **more):
    return Archived(path, more.pop("session", "session://codex/a"), "10:5", NINE, **more)


def at(path, version=1):
    """What names a version."""
    return Archived(path, "", "", NINE, version=version)


def put(archive, path, *texts, **more):
    archive.keep({text: archive.pack(text.upper()) for text in texts})
    archive.put(record(path, **more), texts, cut=None, gone=())


def test_round_trip(archives):
    """A transcript comes back as the pieces that were kept, with everything that is known of it."""
    archive = archives()
    archive.keep({b"1": archive.pack(b"one\n"), b"2": archive.pack(b"two\n")})
    full = record(title="Über", project="shop", started=NINE, ended=NINE + timedelta(microseconds=3), source_bytes=99)
    archive.put(full, [b"2", b"1", b"2"], cut=None, gone=())
    assert list(archive.read(at("/a.jsonl"))) == [b"two\n", b"one\n", b"two\n"]
    kept = archive.records()[0]
    assert (kept.title, kept.started, kept.ended, kept.bytes, kept.host) == ("Über", NINE, full.ended, 12, "codex")
    assert archive.of_session("session://codex/a") == (kept,)
    assert archive.known([b"1", b"3"]) == {b"1"}


def test_unknown(archives):
    """What is not there is said."""
    archive = archives()
    with pytest.raises(NotFound):
        archive.read(at("/none"))
    with pytest.raises(InvalidInput):
        archive.put(record(), [b"never kept"], cut=None, gone=())
    assert archive.records() == () and archive.check() == ()
    archive.drop([at("/none")])


def test_pieces_are_shared(archives):
    """A piece that two transcripts share is kept once, and stays until both are gone."""
    archive = archives()
    put(archive, "/a", b"one", b"two")
    put(archive, "/b", b"one", b"three", session="session://codex/b")
    assert archive.size().pieces == 3
    archive.drop([at("/a")])
    assert archive.size().pieces == 2
    assert list(archive.read(at("/b"))) == [b"ONE", b"THREE"]
    archive.drop([at("/b")])
    assert archive.size().pieces == 0


def test_grown(archives):
    """A transcript that grew lets go of its former last piece, and of nothing else."""
    archive = archives()
    put(archive, "/a", b"one", b"tw")
    put(archive, "/a", b"one", b"two")
    assert archive.size().pieces == 2 and archive.size().transcripts == 1
    assert list(archive.read(at("/a"))) == [b"ONE", b"TWO"]


def test_versions(archives):
    """A version stays beside the next one, with what is told of it, and goes when that one holds all that it held."""
    archive = archives()
    put(archive, "/a", b"one", b"two")
    first = archive.records()[0]
    cut = replace(first, cut=NINE, had=9, left=1, missing=8)
    archive.keep({b"three": archive.pack(b"THREE")})
    archive.put(record("/a", version=2), [b"one", b"three"], cut=cut, gone=())
    assert [(one.version, one.had) for one in archive.of_session(first.session)] == [(1, 9), (2, 0)]
    assert list(archive.read(at("/a"))) == [b"ONE", b"TWO"] and list(archive.read(at("/a", 2))) == [b"ONE", b"THREE"]
    assert archive.size().transcripts == 1 and archive.size().pieces == 3 and archive.incomplete() == ()
    archive.put(record("/a", version=2), [b"one", b"three"], cut=None, gone=[first])
    assert [one.version for one in archive.records()] == [2] and archive.size().pieces == 2
    archive.drop(archive.records())
    assert archive.size().pieces == 0


def test_cap(archives):
    """A full archive takes nothing new, says so, and loses nothing."""
    archive = archives(cap_bytes=90_000)
    put(archive, "/a", b"one")
    with pytest.raises(ArchiveFull) as caught:
        archive.keep({bytes([n]): archive.pack(os.urandom(30_000)) for n in range(9)})
    assert "archive_mb" in caught.value.hint
    assert list(archive.read(at("/a"))) == [b"ONE"] and archive.size().pieces == 1


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.lists(st.sampled_from([b"1", b"2", b"3", b"4"]), max_size=5)), max_size=12)
)
def test_any_sequence(steps):
    """Whatever is put and dropped: the file gives the same as the reference."""
    with tempfile.TemporaryDirectory() as folder:
        real, reference = SqliteArchive(Path(folder) / "archive.db"), MemoryArchive()
        for path, sources in steps:
            for archive in (real, reference):
                if sources:
                    archive.keep({source: archive.pack(source * 3) for source in sources})
                    archive.put(record(f"/{path}"), sources, cut=None, gone=())
                else:
                    archive.drop([at(f"/{path}")])
        assert real.records() == reference.records()
        assert real.stats() == reference.stats()
        assert all(list(real.read(one)) == list(reference.read(one)) for one in real.records())
        assert real.size().pieces == reference.size().pieces and real.check() == ()
        real.close()


def test_damage_is_found(tmp_path):
    """A piece that is not what was kept is never given back as if it were, and `check` names the transcript."""
    archive = SqliteArchive(tmp_path / "archive.db")
    put(archive, "/a", b"one", b"two")
    put(archive, "/b", b"two")
    archive.close()
    base = apsw.Connection(str(tmp_path / "archive.db"))
    base.execute("UPDATE piece SET body = (SELECT body FROM piece WHERE source = ?) WHERE source = ?", (b"two", b"one"))
    base.close()
    assert [problem.path for problem in archive.check()] == ["/a"]
    with pytest.raises(ArchiveDamaged):
        list(archive.read(at("/a")))
    assert list(archive.read(at("/b"))) == [b"TWO"]
    archive.close()


def test_not_a_database(tmp_path):
    """A file that is no archive is said to be none, and not touched."""
    (tmp_path / "archive.db").write_bytes(b"x" * 8192)
    archive = SqliteArchive(tmp_path / "archive.db")
    with pytest.raises(ArchiveDamaged):
        archive.records()
    assert (tmp_path / "archive.db").read_bytes() == b"x" * 8192


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from vademecum.adapters.stores.archive import SqliteArchive
from vademecum.domain.archive import Archived
archive = SqliteArchive(Path(sys.argv[1]))
for number in range(100000):
    sources = [f"{number // 3}".encode(), f"{number}-own".encode()]
    archive.keep({source: archive.pack(source * 50) for source in sources})
    archive.put(Archived(f"/{number}", "session://codex/a", "1:1", datetime(2026, 3, 2, tzinfo=UTC)), sources, cut=None, gone=())
    print(number, flush=True)
"""


@pytest.mark.parametrize("after", [1, 9, 31])
def test_killed_writer(tmp_path, after):
    """X-42: what was archived is whole after kill -9, whenever that came."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "archive.db")], stdout=subprocess.PIPE, text=True)
    told = [process.stdout.readline() for _ in range(after)]
    os.kill(process.pid, signal.SIGKILL)
    told += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    archive = SqliteArchive(tmp_path / "archive.db")
    assert archive.check() == ()
    for number in (int(line) for line in told if line.endswith("\n")):
        assert b"".join(archive.read(at(f"/{number}"))) == f"{number // 3}".encode() * 50 + f"{number}-own".encode() * 50
    archive.close()


def test_either_packing_is_read(tmp_path, monkeypatch):
    """Pieces packed without Zstandard are read beside those packed with it; without its package the latter say what is missing."""
    archive = SqliteArchive(tmp_path / "archive.db")
    put(archive, "/new.jsonl", b"with\n" * 50)
    monkeypatch.setattr("vademecum.adapters.stores.archive.zstd", None)
    put(archive, "/old.jsonl", b"without\n" * 50)
    assert b"".join(archive.read(at("/old.jsonl"))) == b"WITHOUT\n" * 50
    with pytest.raises(NotFound, match="Zstandard"):
        list(archive.read(at("/new.jsonl")))
    monkeypatch.undo()
    assert b"".join(archive.read(at("/old.jsonl"))) == b"WITHOUT\n" * 50
    assert b"".join(archive.read(at("/new.jsonl"))) == b"WITH\n" * 50
    assert archive.check() == ()
    archive.close()
