"""Forgetting on a full disk: refused as a whole with what to do, or begun and finished by the next call; never half done in silence."""

import contextlib
import errno
import itertools
import os
import shutil
import subprocess
from collections import namedtuple
from pathlib import Path

import pytest

from vademecum.adapters.stores.device_file import DeviceFile
from vademecum.domain.errors import WriteFailed
from vademecum.domain.query import Query
from vademecum.settings import Settings
from vademecum.vault import files
from vademecum.wiring import open_memory

SECRET = "The spare key of the boathouse hangs behind the third lantern."
WORDS = b"behind the third lantern"
#: What the system says of a disk's room.
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def kept(memory):
    memory.notes.save("fact", "Boathouse key", SECRET)
    memory.notes.save("fact", "Boat", "The boat is blue.")
    return memory


def holding(*folders):
    return [path for folder in folders for path in folder.rglob("*") if path.is_file() and WORDS in path.read_bytes()]


def vectors(tmp_path, size=100):
    cache = tmp_path / "cache" / "vectors.db"
    cache.parent.mkdir(exist_ok=True)
    cache.write_bytes(b"x" * size)
    return cache


def test_refused_as_a_whole(kept, tmp_path, home, monkeypatch, told):
    """Where there is too little room nothing is touched: the error says how much is needed and where, and recall goes on."""
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda folder: Usage(10**9, 10**9, 20_000))
        with pytest.raises(WriteFailed, match=r"needs \d+\.\d MB on the disk of .*Nothing was forgotten") as refused:
            kept.notes.forget("Boathouse key", yes=True)
    assert "Free some space" in refused.value.hint
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    assert told(kept, "spare key of the boathouse")[0] == "Boathouse key"
    kept.notes.forget("Boathouse key", yes=True)
    assert not holding(home, tmp_path / "data")


def test_what_can_be_made_again_makes_room(kept, tmp_path, home, monkeypatch):
    """Cached vectors go first; where that is enough, forgetting succeeds."""
    cache = vectors(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(10**9, 10**9, 0 if cache.exists() else 10**9))
    assert kept.notes.forget("Boathouse key", yes=True).done
    assert not cache.exists()
    assert not holding(home, tmp_path / "data")


def refusing(call, allowed):
    def refuses(*args, **more):
        if next(allowed) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return call(*args, **more)

    return refuses


@pytest.mark.parametrize("writes", range(8))
def test_begun_is_finished(kept, tmp_path, home, monkeypatch, writes):
    """The disk takes no byte more after some writes: the error says whether forgetting has begun, and the next sync finishes it."""
    allowed = itertools.chain(range(writes), itertools.repeat(None))
    with monkeypatch.context() as full:
        for name in ("write", "replace", "rename"):
            full.setattr(os, name, refusing(getattr(os, name), allowed))
        try:
            kept.notes.forget("Boathouse key", yes=True)
            state = "was started"
        except WriteFailed as error:
            state = error.message
            assert "No space left" in error.message and "Free some space" in error.hint
    assert "was started" in state or "Nothing was forgotten" in state
    if "was started" in state:
        kept.maintenance.sync()
    else:
        assert holding(home)
        kept.notes.forget("Boathouse key", yes=True)
    assert not holding(home, tmp_path / "data")
    assert [one.title for one in kept.notes.list()] == ["Boat"]


def test_journal_in_place(kept, tmp_path, home, monkeypatch):
    """A journal is rewritten within its file where there is no room for a copy: the text goes, other records stay as they are."""
    replace = files.replace

    def refuses(root, path, data, *, etag):
        if "_journal" in path.parts:
            raise WriteFailed("No room.")
        replace(root, path, data, etag=etag)

    monkeypatch.setattr(files, "replace", refuses)
    kept.notes.forget("Boathouse key", yes=True)
    assert not holding(home, tmp_path / "data")
    assert kept.maintenance.sync().problems == ()
    assert [one.op for one in kept.notes.history("Boat")] == ["save"]


def test_state_that_is_not_written_is_told(tmp_path):
    """What this device notes and cannot write is not said to be erased."""
    state = DeviceFile(tmp_path / "device.db")
    state.execute("INSERT INTO job VALUES('x', '{}')")
    state._replace(OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(WriteFailed, match="cannot be written"):
        state.compact()
    state.compact()  # with room it is
    assert state.execute("SELECT name FROM job") == [("x",)]
    state.close()


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 8 MB; skipped where none may be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(file):
    """Take all room that is left."""
    with contextlib.suppress(OSError), file.open("wb", buffering=0) as open_file:
        while True:
            open_file.write(b"\0" * 4096)


def test_a_disk_that_is_really_full(small_disk, clock):
    """Without a byte left: refused as a whole, done where cached vectors made room for it, and done with room."""
    settings = Settings(
        home=str(small_disk / "Vademecum"), data_dir=str(small_disk / "data"), cache_dir=str(small_disk / "cache"),
        device="laptop", embedder="none",
    )  # fmt: skip
    Path(settings.home).mkdir()
    memory = open_memory(settings, clock=clock)
    memory.notes.save("fact", "Boathouse key", SECRET)
    memory.notes.save("fact", "Paddle", "The second paddle lies behind the third lantern, too.")
    memory.recall.ask(Query("spare key"))
    fill(small_disk / "filled")
    with pytest.raises(WriteFailed, match="Nothing was forgotten"):
        memory.notes.forget("Boathouse key", yes=True)
    assert len(memory.notes.list()) == 2
    (small_disk / "filled").unlink()
    vectors(small_disk, 4_000_000)
    fill(small_disk / "filled")
    assert memory.notes.forget("Boathouse key", yes=True).done
    (small_disk / "filled").unlink()
    memory.notes.forget("Paddle", yes=True)
    assert not holding(small_disk / "Vademecum", small_disk / "data")
    memory.close()
