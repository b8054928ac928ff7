"""A file that SQLite holds open is not read beside it: closing it would take SQLite's locks of the whole process away.

Then the next program that closes the database takes itself for the last one and removes the log that we still write to, and what we
write later is lost, or written over what others wrote.
"""

import subprocess
import sys

import apsw
import pytest

CLOSED_BY_ANOTHER = """
import apsw, sys
base = apsw.Connection(sys.argv[1])
base.execute("SELECT * FROM sqlite_schema").fetchall()
base.close()
"""


def logs(data):
    """Write-ahead logs of the databases in use -> which files they are."""
    return {path.name: path.stat().st_ino for path in data.glob("*-wal")}


@pytest.fixture
def used(memory, tmp_path):
    """A memory whose databases were written to, and the folder that they are in."""
    memory.notes.save("fact", "Boathouse key", "The spare key of the boathouse hangs behind the third lantern.")
    memory.notes.save("fact", "Bicycle", "The bicycle stands behind the house.")
    assert {"index.db-wal", "device.db-wal"} <= logs(tmp_path / "data").keys()
    return memory


@pytest.mark.parametrize(
    "read",
    [
        lambda memory: memory.notes.forget("Boathouse key", yes=True),
        lambda memory: memory.notes.forget("third lantern", "subject", yes=True),
        lambda memory: memory.maintenance.guard_scan(),
        lambda memory: memory.maintenance.sync(),
        lambda memory: memory.maintenance.compact(),
    ],
    ids=["forget", "forget words", "guard scan", "sync", "compact"],
)
def test_locks_stay(used, tmp_path, read):
    read(used)
    used.notes.save("fact", "Garden", "The garden gate is green.")
    before = logs(tmp_path / "data")
    for name in before:
        subprocess.run([sys.executable, "-c", CLOSED_BY_ANOTHER, tmp_path / "data" / name.removesuffix("-wal")], check=True)
    assert logs(tmp_path / "data") == before
    used.notes.save("fact", "Roof", "The roof was mended in May.")
    with apsw.Connection(str(tmp_path / "data" / "index.db")) as other:
        assert other.execute("SELECT count(*) FROM items WHERE key LIKE '%roof%' OR path LIKE '%roof%'").get == 1


def test_second_connection(used, tmp_path, opened):
    """One more memory over the same files in this process takes no lock away."""
    opened().notes.list()
    before = logs(tmp_path / "data")
    subprocess.run([sys.executable, "-c", CLOSED_BY_ANOTHER, tmp_path / "data" / "index.db"], check=True)
    assert logs(tmp_path / "data") == before
