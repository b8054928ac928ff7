"""Two clones of a memory's folder, merged by git itself with what `vade install git` set up."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from vademecum.entrypoints.cli import cli

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def on(tmp_path, monkeypatch, capfd):
    """Runs a command line on a computer whose memories are the folder `Notes`: `vade` and what follows, or `git` there."""
    for name in [name for name in os.environ if name.startswith(("VADEMECUM_", "GIT_"))]:
        monkeypatch.delenv(name)
    settings = {"EMBEDDER": "none", "QUICK_EMBEDDER": "none"}
    for name, value in settings.items():
        monkeypatch.setenv(f"VADEMECUM_{name}", value)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a person")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "person@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)

    def typed(computer, *words):
        folder = tmp_path / computer
        folder.mkdir(exist_ok=True)
        if words[0] == "git":
            done = subprocess.run(["git", *words[1:]], cwd=folder / "Notes", capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout
        monkeypatch.chdir(folder)
        monkeypatch.setenv("VADEMECUM_DEVICE", computer)
        for name, value in {"CONFIG": "config.toml", "DATA_DIR": "data", "CACHE_DIR": "cache"}.items():
            monkeypatch.setenv(f"VADEMECUM_{name}", str(folder / value))
        code = cli.run(list(words))
        said = capfd.readouterr()
        assert code == 0, said.err
        return said.out

    return typed


@pytest.fixture
def clones(on, tmp_path):
    """A laptop and a desktop that share a repository, each with the merge driver; on both stands the note Tea."""
    on("laptop", "init", "Notes")
    on("laptop", "git", "init", "-q", "-b", "main")
    on("laptop", "install", "git")
    on("laptop", "save", "fact", "Tea", "--tags", "hot", "--body", "Green tea takes 75 degrees.\nBlack tea takes 95.\n")
    commit(on, "laptop")
    subprocess.run(["git", "clone", "-q", tmp_path / "laptop/Notes", tmp_path / "desktop/Notes"], check=True)
    on("desktop", "init", "Notes")
    on("desktop", "install", "git")
    commit(on, "desktop")
    return on


def commit(on, computer):
    """Everything goes into a commit, if there is anything."""
    on(computer, "git", "add", "-A")
    on(computer, "git", "commit", "-q", "--allow-empty", "-m", "notes")


def meet(on, tmp_path):
    """The desktop takes in what the laptop has, then the laptop takes that; each looks at its notes. Returns the notes, when equal."""
    for computer in ("laptop", "desktop"):
        commit(on, computer)
    on("desktop", "git", "pull", "-q", "--no-rebase", "--no-edit", str(tmp_path / "laptop/Notes"), "main")
    on("desktop", "sync")
    commit(on, "desktop")
    on("laptop", "git", "pull", "-q", "--no-rebase", "--no-edit", str(tmp_path / "desktop/Notes"), "main")
    on("laptop", "sync")
    found = [
        {path.name: path.read_text("utf-8") for path in sorted((tmp_path / computer / "Notes/personal").rglob("*.md"))}
        for computer in ("laptop", "desktop")
    ]
    assert found[0] == found[1]
    assert not [name for name, text in found[0].items() if "<<<<<<<" in text or "=======" in text]
    return found[0]


def test_lines_side_by_side(clones, tmp_path):
    """X-38: git itself would leave marks where neighbouring lines changed; here both stand, and properties are merged one by one."""
    clones("laptop", "edit", "Tea", "--body", "Green tea takes 80 degrees.\nBlack tea takes 95.\n")
    clones("laptop", "tag", "Tea", "--add", "green")
    clones("desktop", "edit", "Tea", "--body", "Green tea takes 75 degrees.\nBlack tea takes 90.\n")
    clones("desktop", "tag", "Tea", "--add", "black")
    text = meet(clones, tmp_path)["tea.md"]
    words = ("80 degrees", "takes 90", "green", "black", "hot")
    assert [word for word in words if word not in text] == []


def test_one_line_twice(clones, tmp_path):
    """Both computers change one line by hand: both stand, the later one in a box, once."""
    for computer, degrees in (("laptop", "80"), ("desktop", "70")):
        note = next((tmp_path / computer / "Notes/personal").rglob("tea.md"))
        note.write_text(note.read_text("utf-8").replace("takes 75", f"takes {degrees}"), "utf-8")
        clones(computer, "sync")
    text = meet(clones, tmp_path)["tea.md"]
    assert [text.count(words) for words in ("80 degrees", "70 degrees", "[!conflict]")] == [1, 1, 1]


def test_two_notes_of_one_name(clones, tmp_path):
    """Both computers made a note of one name: both stand, one with a number."""
    clones("laptop", "save", "fact", "Lamp", "--body", "The lamp is in the cellar.")
    clones("desktop", "save", "fact", "Lamp", "--body", "The lamp is on the roof.")
    texts = meet(clones, tmp_path)
    assert sorted(texts) == ["lamp-2.md", "lamp.md", "tea.md"]
    assert "cellar" in texts["lamp.md"] + texts["lamp-2.md"]
    assert "roof" in texts["lamp.md"] + texts["lamp-2.md"]


def test_without_sync_in_between(clones, tmp_path):
    """Edits by hand that `vade` has not looked at are merged as well."""
    for computer, before, after in (("laptop", "takes 75", "takes 80"), ("desktop", "takes 95", "takes 90")):
        note = next((tmp_path / computer / "Notes/personal").rglob("tea.md"))
        note.write_text(note.read_text("utf-8").replace(before, after), "utf-8")
    text = meet(clones, tmp_path)["tea.md"]
    assert "80 degrees" in text
    assert "takes 90" in text


def test_taken_back(clones, tmp_path):
    """`vade uninstall git` leaves both files as they were before."""
    config = tmp_path / "laptop/Notes/.git/config"
    assert 'merge "vademecum"' in config.read_text("utf-8")
    assert "git  " in clones("laptop", "install")
    clones("laptop", "uninstall", "git")
    assert "vademecum" not in config.read_text("utf-8")
    assert not (tmp_path / "laptop/Notes/.gitattributes").exists()
    assert Path(config).read_text("utf-8").startswith("[core]")


def test_no_repository(on):
    """Where there is no repository, that is said, and what to do."""
    on("laptop", "init", "Notes")
    with pytest.raises(AssertionError, match="no git repository here"):
        on("laptop", "install", "git")
