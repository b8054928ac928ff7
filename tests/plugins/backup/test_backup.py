"""Backups, as a person makes them and needs them."""

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from vademecum.adapters.backups import sealed
from vademecum.entrypoints.cli import removal
from vademecum.plugins.backup import backup as station

WORDS = "correct horse"
SAID = [
    ("user", "Where did we put the spare bearings of the mill?"),
    ("agent", "In the green drawer under the lathe."),
    ("user", "Right. We decided to grease them every March."),
    ("agent", "Noted: grease the bearings every March."),
]


@pytest.fixture(autouse=True)
def quick_keys(monkeypatch):
    """A passphrase costs a second; here next to nothing."""
    monkeypatch.setattr(sealed, "WORK", 4)
    monkeypatch.setenv("VADEMECUM_BACKUP_PASSPHRASE", WORDS)


@pytest.fixture
def person(person, monkeypatch):
    """Somebody with a passphrase; the fixture that settles them in clears the environment."""
    monkeypatch.setenv("VADEMECUM_BACKUP_PASSPHRASE", WORDS)
    return person


@pytest.fixture
def lived_in(person, vade, tmp_path):
    """A memory with history, a forgotten text, a conversation whose host deleted it, and a setting."""
    person("save", "fact", "Kiln", "--body", "The kiln is fired at 1200 degrees.")
    person("edit", "Kiln", "--body", "The kiln is fired at 1240 degrees.")
    person("save", "fact", "Zeppelin", "--body", "Barnaby owns a zeppelin.")
    person("forget", "Zeppelin", "--yes")
    talk = tmp_path / "talk.jsonl"
    talk.write_text("".join(json.dumps({"role": role, "text": text}) + "\n" for role, text in SAID), encoding="utf-8")
    person("capture", str(talk))
    talk.unlink()
    config = tmp_path / "config.toml"
    config.write_text(config.read_text(encoding="utf-8") + 'log_level = "debug"\nllm_key = "sk-of-mine"\n', encoding="utf-8")
    person("save", "fact", "Loom", "--body", "The loom has forty heddles.")
    return vade


@pytest.fixture
def another_machine(monkeypatch, tmp_path):
    """From now on the command line runs on an empty machine, whose files lie in `there`."""

    def moved():
        there = tmp_path / "there"
        there.mkdir()
        for name, value in {"CONFIG": "config.toml", "DATA_DIR": "data", "CACHE_DIR": "cache"}.items():
            monkeypatch.setenv(f"VADEMECUM_{name}", str(there / value))
        return there

    return moved


def told(vade):
    """What answers, history and the list of sessions say, without what differs from call to call."""
    history = [line.rsplit(maxsplit=1)[0] for line in vade("history", "Kiln")[1].splitlines()]
    found = json.loads(vade("recall", "at how many degrees is the kiln fired", "--json")[1])
    listed = [one["id"] for one in json.loads(vade("list", "--json")[1])["results"]]
    said = vade("sessions", "show", "talk")[1]
    return history, [hit["title"] for hit in found["hits"]], listed, said


def holding(folder, words):
    return [path for path in folder.rglob("*") if path.is_file() and words in path.read_bytes()]


def test_round_trip_to_an_empty_machine(lived_in, tmp_path, another_machine):
    """Answers, history, conversations, settings, undo and what was forgotten are on the new machine as they were on the old."""
    vade = lived_in
    before = told(vade)
    code, said, _ = vade("backup", "all.age")
    assert (code, "read back" in said) == (0, True)
    assert not holding(tmp_path / "all.age", b"x") and b"kiln" not in (tmp_path / "all.age").read_bytes()

    there = another_machine()
    code, said, error = vade("backup", "restore", "all.age", "--to", str(there / "Mem"))
    assert (code, error) == (0, "")
    assert told(vade) == before
    assert "green drawer" in before[3]
    settings = vade("settings")[1]
    assert "debug" in settings and str(there / "Mem") in settings and str(tmp_path / "notes") not in settings
    assert "zeppelin" not in vade("recall", "who owns a zeppelin")[1]
    assert not holding(there, b"arnaby")
    assert vade("save", "fact", "Zeppelin", "--body", "Barnaby owns a zeppelin.")[0] == 0  # their own word counts again
    vade("undo")
    assert vade("undo", "Loom")[0] == 0
    assert [path.name for path in (tmp_path / "notes").rglob("loom.md")] == ["loom.md"]


def test_undo_goes_on(lived_in, another_machine):
    """The last deed before the backup is the one that the new machine takes back, under a name of its own in journals."""
    lived_in("backup", "all.age")
    there = another_machine()
    lived_in("backup", "restore", "all.age", "--to", str(there / "Mem"))
    assert "loom.md" in lived_in("undo")[1]
    devices = {path.name for path in (there / "Mem" / "_journal").iterdir()}
    assert len(devices) == 2


def test_looks_whether_a_file_is_whole(lived_in, tmp_path):
    """Without a folder nothing is restored, and the file is read to its end."""
    lived_in("backup", "all.age")
    code, said, _ = lived_in("backup", "check", "all.age")
    assert code == 0
    assert "is whole" in said
    assert str(tmp_path / "notes") in said


def test_what_cannot_be_used(lived_in, tmp_path, monkeypatch):
    """A file that is cut, damaged, of another passphrase or none of ours is told, and nothing is restored."""
    lived_in("backup", "all.age")
    data = (tmp_path / "all.age").read_bytes()
    changed = {
        "cut": data[: len(data) // 2],
        "damaged": data[:-200] + bytes([data[-200] ^ 1]) + data[-199:],
        "none": b"something else entirely",
        "head": data.replace(b"-> scrypt", b"-> script"),
        "other": data,
    }
    for name, bad in changed.items():
        (tmp_path / f"{name}.age").write_bytes(bad)
        monkeypatch.setenv("VADEMECUM_BACKUP_PASSPHRASE", "another" if name == "other" else WORDS)
        code, said, error = lived_in("backup", "restore", f"{name}.age", "--to", "New")
        assert (code, said) == (22, "")
        assert f"{name}.age cannot be used" in error
        assert not [path for path in tmp_path.iterdir() if path.name == "New" or "restoring" in path.name]


def test_cut_without_passphrase(lived_in, tmp_path):
    """A file that was not encrypted is known to be cut or damaged as well, at every place."""
    lived_in("backup", "all.tar.gz", "--unencrypted")
    file = tmp_path / "all.tar.gz"
    data = file.read_bytes()
    for size in (10, len(data) // 3, len(data) - 1000, len(data) - 1):
        file.write_bytes(data[:size])
        assert lived_in("backup", "check", "all.tar.gz")[0] == 22
    for place in (40, len(data) // 2, len(data) - 5):
        file.write_bytes(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])
        assert lived_in("backup", "check", "all.tar.gz")[0] == 22


def test_plain_only_when_asked(lived_in, tmp_path, monkeypatch):
    """Nobody makes a readable backup by accident, and one that is readable has no key of the settings in it."""
    monkeypatch.delenv("VADEMECUM_BACKUP_PASSPHRASE")
    code, _, error = lived_in("backup", "all.age")
    assert (code, "--passphrase-file" in error) == (3, True)
    assert lived_in("backup", "all.tar.gz", "--unencrypted")[0] == 0
    with tarfile.open(tmp_path / "all.tar.gz") as tar:
        settings = tar.extractfile("config.toml").read().decode()
    assert "debug" in settings
    assert "sk-of-mine" not in settings


def test_passphrase_of_a_file(lived_in, tmp_path, monkeypatch):
    """The first line of a file may be the passphrase."""
    monkeypatch.delenv("VADEMECUM_BACKUP_PASSPHRASE")
    (tmp_path / "words").write_text("from a file\nand more\n", encoding="utf-8")
    assert lived_in("backup", "all.age", "--passphrase-file", "words")[0] == 0
    assert lived_in("backup", "check", "all.age", "--passphrase-file", "words")[0] == 0


def test_nothing_is_written_over(lived_in, tmp_path):
    """Neither a file by a backup nor a folder by a restore; and a backup never lies among what it holds."""
    (tmp_path / "all.age").write_text("mine", encoding="utf-8")
    assert lived_in("backup", "all.age")[0] == 6
    assert (tmp_path / "all.age").read_text(encoding="utf-8") == "mine"
    assert lived_in("backup", str(tmp_path / "notes" / "all.age"))[0] == 3
    assert lived_in("backup", str(tmp_path / "data" / "all.age"))[0] == 3
    lived_in("backup", "good.age")
    (tmp_path / "Mine").mkdir()
    (tmp_path / "Mine" / "page.md").write_text("mine", encoding="utf-8")
    assert lived_in("backup", "restore", "good.age", "--to", "Mine")[0] == 6
    assert [path.name for path in (tmp_path / "Mine").iterdir()] == ["page.md"]
    (tmp_path / "Empty").mkdir()
    assert lived_in("backup", "restore", "good.age", "--to", "Empty")[0] == 0


def test_beside_the_memory_that_is_there(lived_in, tmp_path):
    """Restored beside a memory that is used, it changes nothing of that one, and says how to ask the other."""
    lived_in("backup", "all.age")
    lived_in("edit", "Kiln", "--body", "The kiln was sold.")
    code, said, _ = lived_in("backup", "restore", "all.age", "--to", "Old")
    assert code == 0
    assert f"Your memory stays {tmp_path / 'notes'}" in said
    assert "1240" in lived_in("--home", str(tmp_path / "Old"), "show", "Kiln")[1]
    assert "sold" in lived_in("show", "Kiln")[1]


@pytest.mark.parametrize("to", ["notes", "Elsewhere"])
def test_forgotten_since_the_backup(lived_in, tmp_path, to):
    """The folder is lost and comes back from a backup older than a forgetting: that text is erased again, and stays so."""
    lived_in("save", "fact", "Parrot", "--body", "The parrot of Clothilde speaks Frisian.")
    lived_in("backup", "all.age")
    said = lived_in("forget", "Parrot", "--yes")[1]
    assert "all.age: make a new one" in said
    for path in sorted((tmp_path / "notes").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (tmp_path / "notes").rmdir()
    code, said, _ = lived_in("backup", "restore", "all.age", "--to", to)
    assert code == 0
    assert "1 forgettings" in said
    (tmp_path / "all.age").unlink()
    assert holding(tmp_path, b"Clothilde") == []
    assert "Clothilde" not in lived_in("recall", "which language does the parrot speak")[1]
    assert "1240" in lived_in("show", "Kiln")[1]


def test_forgotten_since_beside(lived_in, tmp_path):
    """Restored beside the memory that forgot it, an older backup gives nothing back either."""
    lived_in("save", "fact", "Parrot", "--body", "The parrot of Clothilde speaks Frisian.")
    lived_in("backup", "all.age")
    lived_in("forget", "Parrot", "--yes")
    lived_in("backup", "restore", "all.age", "--to", "Old")
    assert holding(tmp_path / "Old", b"Clothilde") == []


def test_an_older_copy_by_hand(lived_in, tmp_path):
    """Whoever puts an older copy of the folder back without us does not get back what was forgotten."""
    lived_in("save", "fact", "Parrot", "--body", "The parrot of Clothilde speaks Frisian.")
    copy = {path.relative_to(tmp_path): path.read_bytes() for path in (tmp_path / "notes").rglob("*") if path.is_file()}
    lived_in("forget", "Parrot", "--yes")
    for path in (tmp_path / "notes").rglob("*"):
        if path.is_file():
            path.unlink()
    for path, data in copy.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    lived_in("sync", "--confirm-loss")
    assert holding(tmp_path / "notes", b"Clothilde") == []


def test_strange_files_in_the_folder(lived_in, tmp_path):
    """Every file of the folder is kept byte by byte, hidden ones too; links and pipes are named and neither followed nor waited for."""
    home = tmp_path / "notes"
    (home / ".hidden").write_bytes(b"\x00\xff")
    (home / "personal" / "Bild ä.png").write_bytes(bytes(range(256)) * 1000)
    (tmp_path / "outside.md").write_text("not mine", encoding="utf-8")
    (home / "away.md").symlink_to(tmp_path / "outside.md")
    os.mkfifo(home / "pipe")
    (home / ".vademecum-7-0.tmp").write_text("half", encoding="utf-8")
    assert "2 links and the like" in lived_in("backup", "all.age")[1]
    lived_in("backup", "restore", "all.age", "--to", "New")
    new = tmp_path / "New"
    for name in (".hidden", "personal/Bild ä.png"):
        assert (new / name).read_bytes() == (home / name).read_bytes()
    assert not any((new / name).exists() for name in ("away.md", "pipe", ".vademecum-7-0.tmp"))


def test_status_tells_the_last(lived_in):
    """Status says when a backup was made last, and nothing where none was."""
    assert "backup" not in lived_in("status")[1]
    lived_in("backup", "all.age")
    assert "all.age" in lived_in("status")[1]
    assert json.loads(lived_in("status", "--json")[1])["backup"]["sealed"] is True


def test_way_out_of_the_folder(lived_in, tmp_path):
    """A file made by somebody else that would write outside of the new folder is refused."""
    for name in ("../evil.md", "/tmp/evil.md", "memory/../../evil.md"):
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w") as tar:
            told = tarfile.TarInfo(name)
            told.size = 4
            tar.addfile(told, io.BytesIO(b"evil"))
        (tmp_path / "bad.tar.gz").write_bytes(gzip.compress(made.getvalue()))
        assert lived_in("backup", "restore", "bad.tar.gz", "--to", "New")[0] == 22
        assert not list(tmp_path.rglob("evil.md"))


def test_each_file_of_ours_was_thought_of():
    """A file of the data folder is in a backup, or is one that is made anew or belongs to the machine."""
    anew = {
        "*.db", "*.db-wal", "*.db-shm", "*.db.*", "*.damaged*", "backup.json", "browsers.json", "canary.json", "device-before", "device-id",
        "doctor", "forgotten.json", "hash.key", "home", "hook", "hosts", "index.behind", "locks", "ready", "recall_shadow.jsonl",
        "repositories.json", "restoring.json", "run", "token", "work.lock",
    }  # fmt: skip
    assert set(removal.DATA) - anew == set(station.FILES)


def killed_at(number, *words):
    script = Path(__file__).with_name("restore_killed.py")
    done = subprocess.run(
        [sys.executable, str(script), str(number), *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("verb", ["backup", "restore"])
@pytest.mark.parametrize("points", [3, pytest.param(60, marks=pytest.mark.soak)])
def test_killed_anywhere(lived_in, tmp_path, monkeypatch, verb, points):
    """Killed at any touch of a file: there is no backup or a whole one, no folder or a whole one, and the next try succeeds.
    Nothing but an empty folder is left over."""
    lived_in("backup", "all.age")
    original = {path.relative_to(tmp_path / "notes"): path.read_bytes() for path in (tmp_path / "notes").rglob("*.md")}

    def words(number):
        return ["backup", f"b{number}.age"] if verb == "backup" else ["backup", "restore", "all.age", "--to", f"R{number}/Mem"]

    def settle_in(number):
        if verb == "restore":
            for name in ("CONFIG", "DATA_DIR", "CACHE_DIR"):
                monkeypatch.setenv(f"VADEMECUM_{name}", str(tmp_path / f"machine{number}" / name))

    settle_in(0)
    code, said = killed_at(0, *words(0))
    assert code == 0
    touches = int(said.rpartition(" ")[2])
    for number in {touches * part // (points + 1) for part in range(1, points + 1)}:
        settle_in(number)
        assert killed_at(number, *words(number))[0] == 9
        made = tmp_path / words(number)[-1]
        if verb == "backup":
            code = lived_in("backup", *(["check"] if made.exists() else []), str(made))[0]
        elif made.exists():
            assert {path: (made / path).read_bytes() for path in original} == original
            code = lived_in("--home", str(made), "sync")[0]
        else:
            code = lived_in(*words(number))[0]
        assert code == 0
        assert not [
            path
            for path in tmp_path.rglob("*")
            if path.name.endswith((".part", ".copy", ".restoring", "restoring.json"))
            and not (path.is_dir() and not any(path.iterdir()))
        ]
