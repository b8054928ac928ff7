"""What happens to the person's files when they are forgotten, come back, are copied by a sync tool, or cannot be read."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from vademecum.entrypoints.cli import cli


@pytest.fixture
def vade(tmp_path, monkeypatch, capfd):
    """Runs a command line over the vault `Notes`: (exit code, everything printed)."""
    for name in [name for name in os.environ if name.startswith("VADEMECUM_")]:
        monkeypatch.delenv(name)
    for name, value in {"CONFIG": "config.toml", "DATA_DIR": "data", "CACHE_DIR": "cache"}.items():
        monkeypatch.setenv(f"VADEMECUM_{name}", str(tmp_path / value))
    monkeypatch.setenv("VADEMECUM_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)

    def typed(*words):
        code = cli.run(list(words))
        said = capfd.readouterr()
        return code, said.out + said.err

    assert typed("init", "Notes")[0] == 0
    return typed


def note(notes: Path, name: str) -> Path:
    """The one note of that name."""
    return next(notes.rglob(name))


def git(folder, *words):
    """Runs git as somebody; its output."""
    who = ["-c", "user.name=user", "-c", "user.email=user@example.org"]
    return subprocess.run(["git", *who, "-C", str(folder), *words], check=True, capture_output=True, text=True).stdout


def test_forget_leaves_folders_of_others(vade, tmp_path):
    """Forgetting removes the folder that its note leaves empty, and no other: git and Syncthing go on working."""
    notes = tmp_path / "Notes"
    git(tmp_path, "init", "-q", str(notes))
    for name in (".stfolder", "Empty"):
        (notes / name).mkdir()
    vade("save", "fact", "Lantern", "--body", "alpha beta gamma")
    vade("save", "decision", "Colour", "--body", "The door is blue.")
    git(notes, "add", "-A")
    git(notes, "commit", "-qm", "notes")
    git(notes, "gc", "-q")
    left = note(notes, "lantern.md").parent
    assert vade("forget", "--subject", "alpha beta gamma", "--yes")[0] == 0
    assert "lantern.md" in git(notes, "status", "--short")
    assert [name for name in (".git/refs", ".stfolder", "Empty") if not (notes / name).is_dir()] == []
    assert not left.exists()
    assert note(notes, "colour.md").exists()


def identity(path: Path) -> str:
    """The id in a note's frontmatter."""
    return re.search(r"^id: (\S+)$", path.read_text("utf-8"), re.MULTILINE)[1]


def holding(words: bytes, *folders: Path) -> list[Path]:
    """Files whose bytes hold the words."""
    return [path for folder in folders for path in folder.rglob("*") if path.is_file() and words in path.read_bytes()]


@pytest.fixture
def came_back(vade, tmp_path):
    """A note that was forgotten and that a backup put back: its path."""
    notes = tmp_path / "Notes"
    vade("save", "fact", "Kettle", "--body", "The kettle whistles at noon.")
    vade("save", "fact", "Secret", "--body", "The word is zanzibarqueen")
    path = note(notes, "secret.md")
    kept = path.read_bytes()
    assert vade("forget", "secret", "--yes")[0] == 0
    assert holding(b"zanzibarqueen", notes, tmp_path / "data") == []
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(kept)
    return path


def test_forgotten_note_comes_back(vade, tmp_path, came_back):
    """X-36: a forgotten note that comes back is in no file of ours, whatever is tried; the next sync removes it again and says so."""
    notes, data, name = tmp_path / "Notes", tmp_path / "data", identity(came_back)
    assert f"vade forget {name}" in vade("doctor")[1]
    for words in (
        ("tag", name, "--add", "x"),
        ("edit", "Secret", "--body", "It was zanzibarqueen all along"),
        ("evolve", "secret", "again", "--body", "zanzibarqueen"),
        ("move", str(came_back.relative_to(notes)), "--kind", "lesson"),
        ("confirm", name),
        ("show", name),
    ):
        code, said = vade(*words)
        assert (code != 0, "came back" in said) == (True, True), words
    assert "zanzibarqueen" not in "".join(
        vade(*words)[1] for words in (("recall", "what is the word"), ("list",), ("briefing",))
    )
    assert holding(b"zanzibarqueen", notes, data) == [came_back]
    code, said = vade("sync")
    assert (code, "removed again" in said, "0 new" in said) == (0, True, True)
    assert holding(b"zanzibarqueen", notes, data) == []
    assert "removed again" not in vade("sync")[1]


@pytest.mark.parametrize(
    "place", ["_archive/conflicts/personal/fact/secret 2.md", "personal/fact/secret 2.md", "_archive/secret.md"]
)
def test_forgotten_copy_comes_back(vade, tmp_path, came_back, place):
    """X-36: wherever a copy of a forgotten note comes back, the next sync removes it again; a copy of another note stays."""
    notes = tmp_path / "Notes"
    root = came_back.parents[2]
    other = root / "_archive" / "conflicts" / "kettle 2.md"
    for target, source in ((root / place, came_back), (other, note(notes, "kettle.md"))):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    came_back.unlink()
    assert "removed again" in vade("sync")[1]
    assert holding(b"zanzibarqueen", notes, tmp_path / "data") == []
    assert other.exists()


def test_forgotten_note_is_not_undone(vade, tmp_path, came_back):
    """X-36: undo brings no forgotten text back, though the file was there and was deleted again."""
    vade("sync")
    vade("undo")
    assert holding(b"zanzibarqueen", tmp_path / "Notes", tmp_path / "data") == []


def test_forgotten_note_is_forgotten_again(vade, tmp_path, came_back):
    """X-36: what the advice names works: forgotten once more it is gone, and then the person may say it again."""
    assert vade("forget", identity(came_back), "--yes")[0] == 0
    assert holding(b"zanzibarqueen", tmp_path / "Notes", tmp_path / "data") == []
    assert vade("save", "fact", "Secret", "--body", "The word is zanzibarqueen")[0] == 0
    vade("sync")
    assert "zanzibarqueen" in vade("recall", "what is the word")[1]


def test_forgotten_text_under_another_id(vade, tmp_path, came_back):
    """X-36: a copy whose id was lost is known by what it says."""
    kept = came_back.read_text("utf-8")
    came_back.unlink()
    other = tmp_path / "Notes" / "from backup.md"
    other.write_text(kept.split("---\n")[2], "utf-8")
    for verb in ("sync", "rebuild", "sync"):
        vade(verb)
    assert "came back" in vade("doctor")[1]
    assert holding(b"zanzibarqueen", tmp_path / "Notes", tmp_path / "data") == [other]


def test_forgotten_text_in_a_journal(vade, tmp_path):
    """X-36: a journal that a sync tool brings back with the text loses it again, and doctor names it until then."""
    notes = tmp_path / "Notes"
    vade("save", "fact", "Secret", "--body", "The word is zanzibarqueen")
    journal = next(notes.rglob("_journal/*/*.md"))
    kept = journal.read_bytes()
    vade("forget", "secret", "--yes")
    copy = journal.with_name("2026-11-001.sync-conflict-20261122-215200-ABC1234.md")
    copy.write_bytes(kept)
    assert str(copy) in vade("doctor")[1]
    vade("sync")
    assert holding(b"zanzibarqueen", notes, tmp_path / "data") == []
    assert "sync-conflict" not in vade("doctor")[1]


@pytest.mark.parametrize(
    "name",
    [
        "room.sync-conflict-20261122-215200-ABC1234.md",
        "room (Conflicted copy phone 202611222152).md",
        "room (phone's conflicted copy 2026-11-22).md",
        "room (conflicted copy 2026-11-22 215200).md",
        "room 2.md",
        "room (1).md",
        "room-DESKTOP7.md",
    ],
)
def test_conflict_copy(vade, tmp_path, name):
    """X-38: what Syncthing, Obsidian Sync, Dropbox, Nextcloud, iCloud, Drive and OneDrive leave beside a note is put into it once, the
    copy is put away, an edit goes into the note, and recall stays what it is, sync after sync."""
    vade("save", "preference", "Room", "--body", "The room shall have 75 degrees.")
    main = note(tmp_path / "Notes", "room.md")
    copy = main.with_name(name)
    copy.write_text(main.read_text("utf-8").replace("75 degrees", "85 degrees"), "utf-8")
    assert "merged" in vade("sync")[1]
    assert (copy.exists(), note(tmp_path / "Notes", name).parent.parts[-4:-2]) == (False, ("_archive", "conflicts"))
    for count in range(3):
        assert "0 new, 0 changed" in vade("sync")[1], count
        told = vade("recall", "degrees of the room")[1]
        assert ("75 degrees" in told, "85 degrees" in told) == (True, True), count
    assert "Room" in vade("edit", identity(main), "--body", "The room shall have 70 degrees.")[1]
    for verb in ("sync", "sync", "rebuild"):
        assert name not in vade(verb)[1]
        told = vade("recall", "degrees of the room")[1]
        assert ("70 degrees" in told, "75 degrees" in told, "85 degrees" in told) == (True, False, False)
    assert vade("forget", "Room", "--yes")[0] == 0
    assert holding(b"85 degrees", tmp_path / "Notes", tmp_path / "data") == []


def test_edit_of_an_archived_note(vade, tmp_path, monkeypatch):
    """X-38: what one device archived and another edited is archived with the edit, on every device, whatever its index held before."""
    vade("save", "preference", "Room", "--body", "The room shall have 75 degrees.")
    main = note(tmp_path / "Notes", "room.md")
    kept = main.read_text("utf-8")
    vade("archive", identity(main))
    main.parent.mkdir(parents=True, exist_ok=True)
    vade("sync")
    main.write_text(kept.replace("75 degrees", "85 degrees"), "utf-8")
    for data in ("data", "elsewhere"):
        monkeypatch.setenv("VADEMECUM_DATA_DIR", str(tmp_path / data))
        vade("sync")
        assert [path.parts[-4] for path in holding(b"85 degrees", tmp_path / "Notes") if "_journal" not in path.parts] == [
            "_archive"
        ], data


def test_half_merged_note(vade, tmp_path):
    """A note with the marks of a merge is neither told so nor taken for the person's edit; merged, it is."""
    vade("save", "preference", "Room", "--body", "The room shall have 75 degrees.")
    vade("save", "fact", "Marks", "--body", "Git writes\n\n```\n<<<<<<< A\n=======\n>>>>>>> B\n```\n")
    path = note(tmp_path / "Notes", "room.md")
    merged = path.read_text("utf-8")
    ours, theirs = merged.splitlines()[-1], "The room shall have 85 degrees."
    path.write_text(merged.replace(ours, f"<<<<<<< A\n{ours}\n=======\n{theirs}\n>>>>>>> B"), "utf-8")
    for _ in range(2):
        said = vade("sync")[1]
        assert "unfinished merge" in said
        assert "0 new, 0 changed" in said
    told = vade("recall", "degrees of the room")[1]
    assert ("75 degrees" in told, "85 degrees" in told, "<<<<<<<" in told) == (True, False, False)
    assert holding(b"\\n<<<<<<< A\\n" + ours.encode(), tmp_path / "Notes" / "_journal") == []
    for words in (["confirm", "Room"], ["edit", "Room", "--set", "tags=house"], ["archive", "Room"], ["restore", "Room"]):
        vade(*words)
        told = vade("recall", "degrees of the room")[1] + vade("briefing")[1]
        assert ("85 degrees" in told, "<<<<<<<" in told) == (False, False), words
    assert "75 degrees" in told
    assert "room.md: It contains the markers of an unfinished merge" in vade("doctor")[1]
    path.write_text(merged.replace(ours, theirs), "utf-8")
    assert "1 changed" in vade("sync")[1]
    assert "85 degrees" in vade("recall", "degrees of the room")[1]


@pytest.mark.parametrize("line", ["created: 2026-11-22T21:5051:52Z", "id: 01M83XW101M83X1FCTEW86VZ9BVK20S5G"])
def test_value_that_a_merge_spoilt(vade, tmp_path, line):
    """A value that only a merge by characters makes is neither journaled nor told; doctor names it until it is whole again."""
    vade("save", "preference", "Room", "--body", "The room shall have 75 degrees.")
    path = note(tmp_path / "Notes", "room.md")
    sound = path.read_text("utf-8")
    name = line.partition(":")[0]
    path.write_text(re.sub(f"^{name}: .*$", line, sound, flags=re.MULTILINE).replace("75", "7585"), "utf-8")
    for _ in range(2):
        assert "0 new, 0 changed" in vade("sync")[1]
        told = vade("recall", "degrees of the room")[1]
        assert ("75 degrees" in told, "7585 degrees" in told) == (True, False)
    assert holding(line.partition(" ")[2].encode(), tmp_path / "Notes" / "_journal") == []
    assert f"room.md: {name} is" in vade("doctor")[1]
    path.write_text(sound.replace("75", "85"), "utf-8")
    assert "1 changed" in vade("sync")[1]
    assert "85 degrees" in vade("recall", "degrees of the room")[1]


def test_undo_is_of_this_device(vade, tmp_path, monkeypatch):
    """Undo takes back the last deed of this device, though another one of the same name did something later."""

    def device(name):
        monkeypatch.setenv("VADEMECUM_DATA_DIR", str(tmp_path / name))

    monkeypatch.setenv("VADEMECUM_DEVICE", "laptop")
    vade("save", "fact", "Car key", "--body", "The car key lies in the blue bowl.")
    device("other")
    vade("sync")
    vade("save", "fact", "Spare key", "--body", "The spare key lies at the neighbours.")
    device("data")
    vade("sync")
    assert "car-key" in vade("undo")[1]
    listed = vade("list")[1]
    assert ("Car key" in listed, "Spare key" in listed) == (False, True)
