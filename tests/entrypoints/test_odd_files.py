"""Files that nobody can read or should: each is told with what to do, the rest works, and none of them changes."""

import os

import pytest

from vademecum.vault import files
from vademecum.vault.files import NOTE_MAX_BYTES

QUESTION = ("recall", "what is the deploy box called?")


@pytest.fixture
def folder(vade, tmp_path):
    """A memory with one note that is found; gives the folder that it lies in."""
    vade("init", "memory")
    vade("save", "fact", "Deploy box", "--body", "The deploy box is called heron.")
    return tmp_path / "memory" / "personal" / "fact"


def _twin(path):
    path.write_bytes((path.parent / "deploy-box.md").read_bytes())


def _far_down(path):
    below = path.with_suffix("").joinpath(*"x" * 60)
    below.mkdir(parents=True)
    (below / "note.md").write_text("# Far down\n\nThe far lamp is green.\n")


def _long(path, size):
    path.write_text("# Odd\n\n")
    os.truncate(path, size)


ODD = {
    "utf-16": (lambda path: path.write_text("# Odd\n\nwords", "utf-16"), "UTF-8"),
    "not utf-8": (lambda path: path.write_bytes(b"# Odd\n\nwords \xff\xfe"), "UTF-8"),
    "same id": (_twin, "same id"),
    "merge": (lambda path: path.write_text("# Odd\n\n<<<<<<< HEAD\nred\n=======\nblue\n>>>>>>> x\n"), "unfinished merge"),
    "100 MB": (lambda path: _long(path, 100 << 20), "It has 100 MB"),
    "fifo": (getattr(os, "mkfifo", None), ""),
    "loop": (lambda path: path.with_suffix("").symlink_to(path.parent), ""),
    "link to itself": (lambda path: path.symlink_to(path.name), ""),
    "link to what never ends": (lambda path: path.symlink_to("/dev/zero"), ""),
    "far down": (_far_down, ""),
}


@pytest.mark.parametrize(("make", "told"), ODD.values(), ids=ODD)
def test_odd_files(folder, vade, make, told):
    """Each verb goes on; sync and doctor say what is wrong and what to do, and sync has nothing left to do; the file stays as it is."""
    path = folder / "odd.md"
    make(path)
    before = os.lstat(path) if os.path.lexists(path) else None
    vade("sync")
    synced, doctor = vade("sync"), vade("doctor")
    assert "0 new, 0 changed, 0 gone" in synced[1] and told in synced[1]
    assert told in doctor[1] and "vade sync" not in doctor[1]
    assert "heron" in vade(*QUESTION)[1]
    assert vade("save", "fact", "Kettle", "--body", "Descale it.")[0] == 0
    assert vade("show", "personal/fact/odd")[0] in (0, 3, 4, 20)
    after = os.lstat(path) if before else None
    assert (before and (before.st_ino, before.st_size, before.st_mtime_ns)) == (
        after and (after.st_ino, after.st_size, after.st_mtime_ns)
    )


def test_too_long_to_keep(folder, vade):
    """A note that grew too long by hand is told as it was; until then it is not changed."""
    note = folder / "deploy-box.md"
    before = note.read_bytes()
    note.write_bytes(before + b"x" * NOTE_MAX_BYTES)
    assert "It has 8 MB" in vade("sync")[1]
    assert "heron" in vade(*QUESTION)[1]
    assert vade("edit", "deploy-box", "--body", "The deploy box is called stork.")[0] == 4
    assert note.stat().st_size == len(before) + NOTE_MAX_BYTES
    note.write_bytes(before)
    assert vade("sync")[0] == vade("edit", "deploy-box", "--body", "The deploy box is called stork.")[0] == 0


def test_editor_that_cuts_first(folder, vade, monkeypatch):
    """An editor that has cut a note and not written it yet loses nothing to who replaces it: that waits, and is told to read again."""
    note = folder / "deploy-box.md"
    head, said = note.read_text(), "By hand: it stands in Oslo.\n"
    note.write_text(head[:-12])
    monkeypatch.setattr(files, "LEFT_ALONE_S", 3600)
    monkeypatch.setattr(files.time, "sleep", lambda seconds: note.write_text(head + said))
    assert vade("evolve", "deploy-box", "--body", "The deploy box is called stork.")[0] == 7
    assert note.read_text().endswith(said)
    monkeypatch.setattr(files, "LEFT_ALONE_S", 0)
    assert vade("evolve", "deploy-box", "--body", "The deploy box is called stork.")[0] == 0
    assert said in next((folder.parents[1] / "_archive").rglob("*.md")).read_text()
