"""Damaged, foreign, read-only or full: what a device keeps of its own work stops no question, and is named by status and doctor."""

import contextlib
import errno
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys

import apsw
import pytest

from vademecum.adapters.stores.device_file import DeviceFile
from vademecum.adapters.stores.extractions import SqliteLedger
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.errors import WriteFailed
from vademecum.domain.llm import Usage

QUESTION = ("recall", "what is the deploy box called?")
#: Takes root the right to pass over permissions.
AS_OTHERS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.fixture
def noted(vade, tmp_path):
    """A memory with one note that was asked for; gives its data folder."""
    vade("init", "memory")
    vade("save", "fact", "Deploy box", "--body", "The deploy box is called heron.")
    assert "heron" in vade(*QUESTION)[1]
    return tmp_path / "data"


def scramble(path, start):
    """Overwrite the rest of a file with random bytes."""
    data = path.read_bytes()
    path.write_bytes(data[:start] + random.Random(1).randbytes(len(data) - start))


def rows(data, statement):
    """Rows of the database in a data folder."""
    with contextlib.closing(sqlite3.connect(data / "device.db")) as base:
        return base.execute(statement).fetchall()


def foreign(path):
    """Put a database of others, with tables that are called as ours, in the place of a file."""
    path.unlink()
    base = sqlite3.connect(path)
    base.executescript("CREATE TABLE cursor(a); CREATE TABLE marker(b)")
    base.close()


def folder(path):
    """Put a folder in the place of a file."""
    path.unlink(missing_ok=True)
    path.mkdir()


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: scramble(path, 4096),
        lambda path: scramble(path, 0),
        lambda path: path.write_text("hello\n" * 2000),
        foreign,
    ],
    ids=["pages", "header", "text", "other tables"],
)
def test_damaged_notes(noted, vade, damage):
    """X-51: every verb goes on; the file is set aside, and status and doctor name it until it is deleted."""
    damage(noted / "device.db")
    for words in (
        QUESTION,
        ("list",),
        ("briefing",),
        ("sessions", "list"),
        ("process",),
        ("save", "fact", "B", "--body", "C d."),
    ):
        code, out, err = vade(*words)
        assert code == 0, (words, out, err)
    aside = noted / "device.damaged"
    for verb in ("status", "doctor"):
        assert f"{aside} was damaged" in " ".join(vade(verb)[1].split())
    aside.unlink()
    assert "device.damaged" not in vade("status")[1]


def test_readable_rows_are_kept(noted, vade):
    """What can be read of a damaged file is taken over, table by table; what is damaged twice lies there twice."""
    with contextlib.closing(DeviceFile(noted / "device.db")) as base:
        base.execute("INSERT INTO outcome VALUES('a', 'told', '', 1, 0)")
    page = rows(noted, "SELECT rootpage FROM sqlite_schema WHERE name = 'trace'")[0][0]
    data = bytearray((noted / "device.db").read_bytes())
    data[(page - 1) * 4096 : page * 4096] = random.Random(1).randbytes(4096)
    (noted / "device.db").write_bytes(data)
    assert vade("why")[0] == 4
    assert rows(noted, "SELECT count(*) FROM outcome WHERE what = 'told'") == [(1,)]
    scramble(noted / "device.db", 4096)
    assert vade("why")[0] == 4
    assert {path.name for path in noted.glob("*.damaged")} == {"device.damaged", "device-2.damaged"}


def test_another_process_replaced_it(tmp_path):
    """Who has the file open that another process set aside goes over to the new one, and sets nothing aside."""
    ours, theirs = DeviceFile(tmp_path / "device.db"), DeviceFile(tmp_path / "device.db")
    for one in (ours, theirs):
        one.execute("INSERT OR REPLACE INTO outcome VALUES('a', 'told', '', 1, 0)")
    for ending in ("-shm", "-wal", ""):
        path = tmp_path / f"device.db{ending}"
        path.replace(path.with_name(f"device.damaged{ending}"))
    theirs.execute("INSERT INTO outcome VALUES('b', 'told', '', 1, 0)")
    assert [row[0] for row in ours.execute("SELECT key FROM outcome ORDER BY key")] == ["b"]
    assert [path.name for path in tmp_path.glob("*.damaged")] == ["device.damaged"]


def test_folder_in_its_place(noted, vade):
    """What cannot be opened is done without; nothing is asked of a model while nobody can count what it takes."""
    folder(noted / "device.db")
    assert "heron" in vade(*QUESTION)[1]
    assert vade("list")[0] == vade("save", "fact", "B", "--body", "C d.")[0] == 0
    for verb in ("status", "doctor"):
        assert f"{noted / 'device.db'} cannot be written" in " ".join(vade(verb)[1].split())
    with pytest.raises(WriteFailed, match=r"device\.db"):
        SqliteLedger(noted / "device.db").spend("2026-01-01", "m", Usage(1, 1), 0.0)


@pytest.mark.parametrize("name", ["archive.db", "queue", "locks", "ready", "log", "pauses.jsonl", "home", "index.db"])
def test_something_else_in_its_place(noted, vade, name):
    """Where a folder or file of ours should be lies something else: a verb works, or names it with what to do; no traceback."""
    place = noted / name
    if place.is_dir():
        shutil.rmtree(place)
    (folder if "." in name or name == "home" else lambda path: path.write_text("no folder"))(place)
    for words in (
        QUESTION,
        ("list",),
        ("status",),
        ("save", "fact", "B", "--body", "C d."),
        ("process",),
        ("sessions", "list"),
    ):
        code, out, err = vade(*words)
        assert code == 0 or (str(place) in err and code in (12, 13, 20)), (words, code, out, err)


def test_damaged_archive(noted, vade, tmp_path):
    """Conversations are read and searchable while their archive is damaged; what is wrong with it is told."""
    talk = tmp_path / "talk.jsonl"
    said = [("user", "How is the kettle descaled?"), ("assistant", "With vinegar."), ("user", "Good."), ("assistant", "Yes.")]
    lines = ['{"type": "session", "id": "talk-1", "host": "plain"}']
    talk.write_text("\n".join(lines + [f'{{"role": "{role}", "text": "{text}"}}' for role, text in said]) + "\n")
    (noted / "archive.db").write_text("no database\n" * 500)
    code, out, err = vade("capture", str(talk))
    assert code == 0 and "archive.db" in out + err
    assert "talk-1" in vade("sessions", "list")[1]
    assert "archive: The archive of transcripts is damaged" in vade("status")[1]


def typed(tmp_path, words, *, before=None, start=()):
    """(exit code, standard output, standard error) of a command line in a process of its own."""
    command = [*start, sys.executable, "-m", "vademecum", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, preexec_fn=before)
    return done.returncode, done.stdout, done.stderr


def goes_on(tmp_path, **how):
    """What may be asked is answered, and nothing is half saved."""
    for words in (QUESTION, ("list",), ("briefing",), ("sessions", "list")):
        code, out, err = typed(tmp_path, words, **how)
        assert code == 0 and "Traceback" not in err, (words, out, err)
    assert "heron" in typed(tmp_path, QUESTION, **how)[1]
    code, out, err = typed(tmp_path, ("save", "fact", "Kettle", "--body", "Descale it."), **how)
    assert code in (12, 13, 20) and "Nothing was" in err, (out, err)
    assert not list((tmp_path / "memory").rglob("kettle.md"))
    return typed(tmp_path, ("status",), **how)[1], typed(tmp_path, ("doctor",), **how)[1]


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root passes over permissions")
def test_read_only_data(noted, tmp_path):
    """X-51: of a data folder that may not be written everything is read; saving says why not."""
    for path in (*noted.rglob("*"), noted):
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        told = goes_on(tmp_path, start=AS_OTHERS if os.geteuid() == 0 else ())
    finally:
        for path in (noted, *noted.rglob("*")):
            path.chmod(0o700)
    assert all(f"{noted / 'device.db'} cannot be written" in " ".join(text.split()) for text in told)


def test_full_disk(noted, tmp_path):
    """X-51: no byte more can be written anywhere; what was known is told all the same."""
    goes_on(tmp_path, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    assert typed(tmp_path, ("save", "fact", "Kettle", "--body", "Descale it."))[0] == 0


def test_held_index(noted, vade, monkeypatch):
    """X-54: while another process holds the index, what is written stands and says that it is found later; then the first question does."""
    monkeypatch.setattr(SqliteIndex.__init__, "__kwdefaults__", {"busy_timeout_s": 0.01})
    with contextlib.closing(apsw.Connection(str(noted / "index.db"))) as holder:
        holder.execute("BEGIN IMMEDIATE")
        for words in (
            ("save", "fact", "Zebra", "--body", "The zebra crossing is repainted in May."),
            ("evolve", "deploy-box", "--body", "The deploy box is called stork."),
            ("edit", "zebra", "--body", "The zebra crossing is repainted in May, at night."),
            ("tag", "zebra", "--add", "street"),
            ("undo",),
        ):
            code, out, _ = vade(*words)
            assert code == 0 and out.count("The index is updated later") == 1, words
        assert "heron" in vade(*QUESTION)[1]
        holder.execute("ROLLBACK")
    assert "repainted in May" in vade("recall", "when is the zebra crossing repainted?")[1]
    assert "stork" in vade(*QUESTION)[1]
    assert not (noted / "index.behind").exists()
    assert vade("save", "fact", "Lamp", "--body", "The lamp is green.")[1].count("The index is updated later") == 0


def identity(data):
    """What tells an index from one that was built again."""
    with contextlib.closing(sqlite3.connect(data / "index.db")) as base:
        return base.execute("SELECT value FROM meta WHERE name = 'identity'").fetchone()


def test_wrong_statement_is_no_damage(noted, vade, monkeypatch):
    """A statement of ours that is wrong is told as what it is: nothing is rebuilt or set aside, and the next version answers."""
    before = identity(noted)
    with monkeypatch.context() as wrong:
        wrong.setattr(
            "vademecum.adapters.stores.sqlite.opened.Opened.size", lambda self: self.db.execute("SELECT nothing FROM items").get
        )
        with pytest.raises(apsw.SQLError):
            vade("status")
    with contextlib.closing(DeviceFile(noted / "device.db")) as base, pytest.raises(apsw.SQLError):
        base.execute("SELECT nothing FROM told")
    assert "heron" in vade(*QUESTION)[1]
    assert identity(noted) == before
    assert not list(noted.glob("*.damaged"))


def test_other_tables_are_damage(noted, vade):
    """An index that has lost a table of ours is built again by whoever asks it."""
    before = identity(noted)
    with contextlib.closing(sqlite3.connect(noted / "index.db")) as base:
        base.execute("DROP TABLE texts")
        base.commit()
    assert "heron" in vade(*QUESTION)[1]
    assert identity(noted) != before


def test_full_disk_under_forget(noted, vade, monkeypatch):
    """X-36, X-51: where the disk takes no byte more, forgetting says so and nothing is half forgotten; with room it is done."""

    def refuses(handle, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "write", refuses)
        code, _, error = vade("forget", "deploy-box", "--yes")
    assert (
        code == WriteFailed.exit_code
        and "No space left" in error
        and "Nothing was forgotten" in error
        and "Free some space" in error
    )
    assert "heron" in vade(*QUESTION)[1]
    assert vade("forget", "deploy-box", "--yes")[0] == 0
    assert "heron" not in vade(*QUESTION)[1]
