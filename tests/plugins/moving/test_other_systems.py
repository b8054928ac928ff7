"""What Windows and macOS do to files, done here: names that differ only to us, line ends, files that another program holds."""

import builtins
import contextlib
import functools
import os
import unicodedata
from pathlib import Path

import pytest

from vademecum.vault import files

QUESTION = ("recall", "what is the deploy box called?")


@pytest.fixture
def folder(vade, tmp_path):
    """A memory with one note that is found; gives the folder that it lies in."""
    vade("init", "memory")
    vade("save", "fact", "Deploy box", "--body", "The deploy box is called heron.")
    return tmp_path / "memory" / "personal" / "fact"


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def plain(name):
    return unicodedata.normalize("NFC", name).casefold()


def on_disk(root, path):
    """The path as its names stand on the disk, where upper and lower case and the forms of Unicode are one."""
    if not isinstance(path, str | os.PathLike) or not Path(path).is_relative_to(root):
        return path
    found = str(root)
    for name in Path(path).relative_to(root).parts:
        try:
            names = LISTDIR(found)
        except OSError:
            names = []
        found += "/" + (name if name in names else next((one for one in names if plain(one) == plain(name)), name))
    return found


LINK, LISTDIR = os.link, os.listdir


@pytest.fixture
def folded(monkeypatch, folder):
    """The disk of a Mac or of Windows below the memory's folder."""
    root = folder.parents[1]

    def one(act, path, *more, **named):
        return act(on_disk(root, path), *more, **named)

    def two(act, source, target, *more, **named):
        source, place = on_disk(root, source), on_disk(root, target)
        renamed = act is not LINK and source == place
        return act(source, target if renamed else place, *more, **named)

    for name in ("open", "stat", "lstat", "unlink", "remove", "mkdir", "rmdir", "scandir", "listdir", "utime", "chmod"):
        monkeypatch.setattr(os, name, functools.partial(one, getattr(os, name)))
    for name in ("link", "replace", "rename"):
        monkeypatch.setattr(os, name, functools.partial(two, getattr(os, name)))
    monkeypatch.setattr(builtins, "open", functools.partial(one, open))
    monkeypatch.setattr("io.open", functools.partial(one, open))
    return root


def test_overlay(folded):
    """The overlay does what it is there for."""
    note = folded / "personal" / "fact" / "DEPLOY-BOX.md"
    assert note.exists() and "heron" in note.read_text()
    assert not (folded / "personal" / "fact" / "other.md").exists()


def test_renamed_by_case(folder, folded, vade):
    """A note whose name changes by case alone stays one memory, and every verb reaches it."""
    (folder / "deploy-box.md").rename(folder / "Deploy-Box.md")
    assert names_in(folder) == ["Deploy-Box.md"]
    assert "problem" not in vade("sync")[1]
    assert "0 new, 0 changed, 0 gone" in vade("sync")[1]
    assert vade("edit", "deploy box", "--body", "The deploy box is called stork.")[0] == 0
    assert vade(*QUESTION)[1].count("stork") == 1
    assert vade("undo")[0] == 0
    assert "heron" in vade(*QUESTION)[1]
    assert vade("list")[1].count("Deploy box") == 1


def test_place_taken_by_another_case(folder, folded, vade):
    """A memory that would stand where a note of another case stands gets another name; the note stays byte for byte."""
    (folder / "KETTLE.md").write_text("# By hand\n\nThe urn is green.\n")
    before = (folder / "KETTLE.md").read_bytes()
    for _ in range(2):
        code, out, error = vade("save", "fact", "Kettle", "--body", "Descale it.")
        assert code in (0, 6) and (folder / "KETTLE.md").read_bytes() == before, (out, error)
    assert vade("sync")[0] == 0
    assert "green" in vade("recall", "what colour is the urn?")[1]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_of_a_mac(folder, vade, form):
    """A name written with its accents apart is a memory like any other: found, changed, put away, and nothing is noticed twice."""
    note = folder / unicodedata.normalize(form, "crêpe pan.md")
    note.write_text("# Crêpe\n\nThe crêpe pan is of iron.\n")
    assert "1 new" in vade("sync")[1]
    assert "0 new, 0 changed, 0 gone" in vade("sync")[1]
    assert vade("edit", "personal/fact/crêpe pan", "--body", "The crêpe pan is of steel.")[0] == 0
    assert names_in(folder).count(note.name) == 1 and "steel" in note.read_text()
    assert "steel" in vade("recall", "what is the crêpe pan made of?")[1]
    assert vade("archive", "crêpe pan", "sold")[0] == 0 and not note.exists()
    assert vade("undo")[0] == 0 and "steel" in note.read_text()


@pytest.mark.parametrize("name", ["CON.md", "aux.md", "NUL.txt.md", "COM1.md", "a:b.md", "what?.md"])
def test_names_that_windows_refuses(folder, vade, name):
    """A note whose name another system cannot have is told, is not touched, and the rest goes on; no name of ours is such a one."""
    (folder / name).write_text("# Odd\n\nThe odd lamp is green.\n")
    assert name in vade("sync")[1]
    assert (folder / name).read_text() == "# Odd\n\nThe odd lamp is green.\n"
    assert vade("save", "fact", name.removesuffix(".md"), "--body", "It has a name of its own.")[0] == 0
    assert all(one == name or not set(':?*"<>|\\') & set(one) for one in names_in(folder))
    assert "heron" in vade(*QUESTION)[1]


@pytest.mark.parametrize(
    "words",
    [
        ("edit", "boiler", "--body", "Boil less.\nSave more.\n"),
        ("evolve", "boiler", "--body", "Boil less.\nSave more.\n"),
        ("tag", "boiler", "--add", "home"),
        ("confirm", "boiler"),
    ],
    ids=lambda words: " ".join(words[::2]),
)
def test_line_ends_of_windows(folder, vade, words):
    """Whatever changes a note with the line ends of Windows leaves none of another kind in it."""
    (folder / "boiler.md").write_bytes(b"---\r\nkind: fact\r\ntitle: Boiler\r\n---\r\nBoil more.\r\nSave less.\r\n")
    vade("sync")
    assert vade(*words)[0] == 0
    text = (folder / "boiler.md").read_bytes()
    assert text.count(b"\n") == text.count(b"\r\n") == text.count(b"\r") > 6


def held(monkeypatch, times, name="replace"):
    """Another program holds each note so many times; returns how often somebody waited."""
    waits, real = [], getattr(os, name)

    def refusing(path, *more, **named):
        target = str(more[0]) if more else str(path)
        if target.endswith(".md") and ".vademecum-" not in target and len(waits) < times:
            raise PermissionError(13, "Permission denied")
        return real(path, *more, **named)

    monkeypatch.setattr(os, name, refusing)
    monkeypatch.setattr(files.time, "sleep", waits.append)
    return waits


def test_held_for_a_moment(folder, vade, monkeypatch):
    """A note that a virus scanner or sync tool holds for a moment is written once it lets go."""
    waits = held(monkeypatch, 3)
    assert vade("edit", "deploy-box", "--body", "The deploy box is called stork.")[0] == 0
    assert len(waits) == 3 and "stork" in (folder / "deploy-box.md").read_text()


@pytest.mark.parametrize("words", [("edit", "deploy-box", "--body", "Stork."), ("tag", "deploy-box", "--add", "x")])
def test_held_for_long(folder, vade, monkeypatch, words):
    """A note that another program does not let go: that is said, the note stays as it is, and later it can be changed."""
    before = (folder / "deploy-box.md").read_bytes()
    with monkeypatch.context() as patched:
        held(patched, 10_000)
        code, _, error = vade(*words)
        assert code == 13 and "Another program may hold it open" in error
    assert names_in(folder) == ["deploy-box.md"] and (folder / "deploy-box.md").read_bytes() == before
    assert "heron" in vade(*QUESTION)[1]
    assert vade(*words)[0] == 0


#: Most characters of a path where Windows was not told to allow more.
PATH_MAX = 260


@contextlib.contextmanager
def short_paths(root, monkeypatch):
    """Windows without long paths below a folder: what a folder lists can be seen, and a longer path is not found."""

    def one(act, path, *more, **named):
        if isinstance(path, str | os.PathLike) and Path(path).is_relative_to(root) and len(str(path)) >= PATH_MAX:
            raise FileNotFoundError(2, "The system cannot find the path specified", str(path))
        return act(path, *more, **named)

    def two(act, source, target, *more, **named):
        return one(lambda path: one(lambda other: act(path, other, *more, **named), target), source)

    with monkeypatch.context() as patched:
        for name in ("open", "stat", "lstat", "unlink", "remove", "mkdir", "scandir", "listdir", "utime", "chmod"):
            patched.setattr(os, name, functools.partial(one, getattr(os, name)))
        for name in ("link", "replace", "rename"):
            patched.setattr(os, name, functools.partial(two, getattr(os, name)))
        patched.setattr(builtins, "open", functools.partial(one, open))
        patched.setattr("io.open", functools.partial(one, open))
        yield


def deep_in(folder, length):
    """A folder below this one whose path has so many characters."""
    deep = folder
    while len(str(deep)) < length - 1:
        deep /= "d" * min(80, length - len(str(deep)) - 1)
    deep.mkdir(parents=True)
    return deep


def test_path_longer_than_windows_takes(folder, vade, monkeypatch):
    """A note that cannot be reached is neither touched nor taken for deleted, a new one is named, and all else goes on."""
    deep = deep_in(folder, 240)
    known, new = (deep / f"{'long-' * 8}{name}.md" for name in ("lamp", "lantern"))
    known.write_text("# Lamp\n\nThe lamp is green.\n")
    assert "1 new" in vade("sync")[1]
    before = known.read_bytes()
    new.write_text("# Lantern\n\nThe lantern is red.\n")
    with short_paths(folder.parents[1], monkeypatch):
        said = vade("sync")[1]
        assert "0 gone" in said and new.name in said and known.name not in said
        assert "heron" in vade(*QUESTION)[1]
        assert vade("edit", "Lamp", "--body", "The lamp is blue.")[0] != 0
    assert known.read_bytes() == before
    assert "1 new, 0 changed, 0 gone" in vade("sync")[1]


def test_no_place_for_a_long_path(vade, tmp_path, monkeypatch):
    """A memory whose file would have too long a path is refused in words, and nothing half is left."""
    home = deep_in(tmp_path, 215)
    vade("init", str(home))
    with short_paths(home, monkeypatch):
        code, _, error = vade("save", "fact", "A title " + "that goes on " * 5, "--body", "The lamp is green.")
        assert code not in (0, 1) and error.strip()
        assert vade("save", "fact", "Lamp", "--body", "The lamp is green.")[0] == 0
    assert [path.name for path in home.rglob("*.md") if "_journal" not in path.parts] == ["lamp.md"]
    assert "nothing is wrong" in vade("lint")[1]
