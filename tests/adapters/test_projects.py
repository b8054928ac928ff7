"""What tells which project a folder belongs to, asked of repositories that git itself made."""

import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from vademecum.adapters.clock import FixedClock
from vademecum.adapters.repositories.projects import Signs, place_of
from vademecum.domain.project import Project
from vademecum.vault.projects import text_of_project
from vademecum.wiring.projects import LOOK_AGAIN_S, FolderProjects

URL = "https://example.org/ana/till.git"


def git(folder, *words):
    options = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *options, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def made(folder, message="first"):
    """A repository of one commit."""
    folder.mkdir(parents=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", message)
    return folder


@pytest.fixture
def repository(tmp_path):
    """A repository called `shop` with one commit."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    return made(tmp_path / "shop")


@pytest.fixture
def of(tmp_path):
    """What tells the project of a folder; the person's home is `tmp_path`."""
    return lambda folder: Signs(str(tmp_path), lambda: "laptop", tmp_path / "roots.json").of(str(folder))


def test_worktrees_share(repository, tmp_path, of):
    """X-43: a worktree belongs to the repository it was made from, however its folder is called, also when that is gone."""
    git(repository, "worktree", "add", str(tmp_path / "fix-the-till"))
    own, tree = of(repository), of(tmp_path / "fix-the-till")
    assert (tree.name, tree.root, tree.folders[0]) == (own.name, own.root, own.folders[0]) == ("shop", own.root, "~/shop")
    assert tree.folders[1] == "~/fix-the-till"
    shutil.rmtree(repository)
    assert of(tmp_path / "fix-the-till").folders[0] == "~/shop"


@pytest.mark.parametrize("address", [
    URL, "https://example.org/ana/till", "git@example.org:ana/till.git", "ssh://git@example.org:2222/ana/till/", "ana@example.org:ana/till",
    "https://ana:secret@EXAMPLE.org:8443/Ana/Till.git", "git+ssh://git@example.org/ana/till.git",
])  # fmt: skip
def test_one_remote(repository, tmp_path, address, of):
    """X-43: clones of one remote have one identity, wherever they lie and however the remote is written; no password is kept."""
    git(repository, "remote", "add", "backup", "https://example.org/other.git")
    git(repository, "remote", "add", "origin", address)
    git(repository, "worktree", "add", str(tmp_path / "elsewhere"))
    assert of(repository).remote == of(tmp_path / "elsewhere").remote == "example.org/ana/till"


def test_ssh_alias(repository, tmp_path, of):
    """A host that goes by another name in the person's ssh configuration is that host."""
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Host work *.example.org\n  HostName example.org\n\nHost *\n  User ana\n")
    git(repository, "remote", "add", "origin", "git@work:ana/till.git")
    assert of(repository).remote == "example.org/ana/till"


@pytest.mark.parametrize("address", ["../till", "/srv/git/till.git", "file:///srv/git/till.git", "C:\\git\\till"])
def test_path_as_remote(repository, address, of):
    """A remote that is a path names the project, but no other computer knows it by that."""
    git(repository, "remote", "add", "origin", address)
    assert (of(repository).remote, of(repository).name) == ("", "till")


def test_first_commit(repository, tmp_path, of):
    """The first commit is found with and without git, also of packed and cloned repositories, and stays when the folder moves."""
    root = git(repository, "rev-list", "--max-parents=0", "HEAD")
    git(repository, "commit", "--allow-empty", "-m", "second")
    git(repository, "gc")
    assert of(repository).root == root
    git(tmp_path, "clone", str(repository), "copy")
    repository.rename(tmp_path / "moved")
    assert of(tmp_path / "copy").root == of(tmp_path / "moved").root == root


def test_first_commit_without_git(repository, monkeypatch, of):
    """Without git a repository that was made on this machine is known by its reflog; an amended first commit counts."""
    git(repository, "commit", "--allow-empty", "--amend", "-m", "better")
    root = git(repository, "rev-list", "--max-parents=0", "HEAD")
    monkeypatch.setenv("PATH", "/nowhere")
    assert of(repository).root == root


def test_first_commit_is_remembered(repository, tmp_path, monkeypatch, of):
    """The history is walked once; another repository in the same folder is not taken for it."""
    shutil.rmtree(repository / ".git" / "logs")
    root = of(repository).root
    monkeypatch.setenv("PATH", "/nowhere")
    assert of(repository).root == root
    shutil.rmtree(repository)
    monkeypatch.undo()
    made(repository, "another one")
    assert of(repository).root not in ("", root)


def test_cut_history(repository, tmp_path, of):
    """The commit at which a shallow clone is cut off is not its first."""
    git(repository, "commit", "--allow-empty", "-m", "second")
    git(tmp_path, "clone", "--depth=1", f"file://{repository}", "short")
    assert of(tmp_path / "short").root == ""


def test_nothing_committed(tmp_path, monkeypatch, of):
    """A repository without a commit is known by its folder, without a process of git, and by its first commit from then on."""
    new = tmp_path / "new"
    new.mkdir()
    git(new, "init")
    with monkeypatch.context() as without_processes:
        without_processes.setattr(subprocess, "run", None)
        sign = of(new)
    assert (sign.root, sign.folders, sign.repository) == ("", ("~/new",), True)
    git(new, "commit", "--allow-empty", "-m", "first")
    shutil.rmtree(new / ".git" / "logs")
    assert of(new).root == git(new, "rev-parse", "HEAD")


def test_nested(repository, tmp_path, of):
    """A repository within another one, and a submodule, are projects of their own."""
    inner = made(repository / "vendor" / "lib", "inner")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", str(inner), "modules/lib")
    assert of(inner).folders == ("~/shop/vendor/lib",)
    assert of(repository / "modules" / "lib").folders == ("~/shop/modules/lib",)
    assert len({of(repository).root, of(inner).root}) == 2


def test_bare(repository, tmp_path, of):
    """A bare repository and its worktrees are one: beside it, in it, and where it is hidden in the folder of its worktrees."""
    git(tmp_path, "clone", "--bare", str(repository), "shop.git")
    git(tmp_path / "shop.git", "remote", "remove", "origin")
    git(tmp_path / "shop.git", "worktree", "add", str(tmp_path / "trees" / "1"), "main")
    git(tmp_path / "shop.git", "worktree", "add", str(tmp_path / "shop.git" / "2"))
    signs = [of(tmp_path / "shop.git"), of(tmp_path / "trees" / "1"), of(tmp_path / "shop.git" / "2")]
    assert {(sign.name, sign.root, sign.folders[0]) for sign in signs} == {("shop", signs[0].root, "~/shop.git")}
    git(tmp_path, "clone", "--bare", str(repository), "desk/.bare")
    (tmp_path / "desk" / ".git").write_text("gitdir: ./.bare\n")
    git(tmp_path / "desk", "worktree", "add", "main-tree", "main")
    assert of(tmp_path / "desk" / "main-tree").folders[0] == of(tmp_path / "desk").folders[0] == "~/desk"


def test_link(repository, tmp_path, of):
    """A folder that is reached through a link is the one that it leads to."""
    (tmp_path / "link").symlink_to(repository)
    assert of(tmp_path / "link") == of(repository)


def test_from_below(repository, of):
    """A folder deep in a project belongs to it, there or gone, and the project's own memories are found."""
    deep = repository / "src" / "pages"
    deep.mkdir(parents=True)
    assert of(deep) == of(repository / "src" / "gone" / "for-good") == of(repository)
    assert (place_of(deep).root, place_of(deep).memories) == (repository, None)
    (repository / ".vademecum").mkdir()
    assert place_of(deep).memories == repository / ".vademecum"


def test_without_git(tmp_path, of):
    """A folder with memories of its own is a project without any repository; the person's home is none, any other is its path."""
    (tmp_path / "My Shop" / ".vademecum").mkdir(parents=True)
    assert (of(tmp_path / "My Shop").name, of(tmp_path / "My Shop").repository) == ("my-shop", True)
    plain = of(tmp_path / "notes")
    assert (plain.name, plain.folders, plain.repository, plain.gone) == ("notes", ("~/notes",), False, True)
    assert of(tmp_path) is None
    assert of("/") is None
    assert of("") is None
    assert of("/srv/gone/notes").folders == ("/srv/gone/notes @ laptop",)


@pytest.mark.parametrize("written", [
    "C:\\Users\\Ana\\code\\Shop", "c:/users/ana/code/shop/", "/mnt/c/Users/Ana/code/Shop", "/cygdrive/c/Users/ana/code/shop",
    "\\\\?\\C:\\Users\\Ana\\code\\Shop",
])  # fmt: skip
def test_one_windows_folder(written, of):
    """Windows, WSL and their tools spell one folder in several ways."""
    assert of(written).folders == ("c:/users/ana/code/shop @ laptop",)


@pytest.mark.parametrize(("gone", "folder"), [
    ("/x/code/larder/.worktrees/2", "/x/code/larder"), ("/x/code/larder/.worktrees/kettle/src", "/x/code/larder"),
    ("/x/code/larder/.claude/worktrees/fix-lid", "/x/code/larder"), ("/x/.cursor/worktrees/larder/a1b2", "/x/.cursor/worktrees/larder"),
    ("/x/.codex/worktrees/9f/larder", "/x/.codex/worktrees/9f/larder"), ("/x/code/larder__worktrees/fix-lid/src", "/x/code/larder"),
    ("/x/code/larder-worktrees/2", "/x/code/larder"), ("/x/code/larder.wt/fix-lid", "/x/code/larder"),
])  # fmt: skip
def test_worktrees_of_old(gone, folder, of):
    """A worktree that is gone, with its repository, is named by where tools put worktrees, never `worktrees` or a number."""
    sign = of(gone)
    assert (sign.name, sign.folders) == ("larder", (f"{folder} @ laptop",))
    assert sign.by_name == ("/code/" not in folder)


@pytest.mark.parametrize(
    "config", [b"", b"\xff\xfe", b"[remote", b'[remote "origin"]\nurl\n', b"nonsense", b'[remote "a"]\nurl = \n']
)
def test_odd_settings(repository, config, of):
    """A repository whose settings cannot be read is known by its folder and first commit."""
    (repository / ".git" / "config").write_bytes(config)
    assert (of(repository).name, of(repository).remote) == ("shop", "")


def test_known_projects(tmp_path):
    """A project note that is added is known at once, one that is written in place after a while; without a change none is looked at."""
    day = datetime(2026, 3, 2, tzinfo=UTC)
    notes = tmp_path / "_projects"
    notes.mkdir()

    def write(slug, file):
        (notes / file).write_text(text_of_project(Project(slug, day)), encoding="utf-8")
        os.utime(notes, (day.timestamp(), day.timestamp() + len(list(notes.iterdir()))))

    clock = FixedClock(day + timedelta(days=1))
    projects = FolderProjects(str(tmp_path), Signs(str(tmp_path), lambda: "laptop", tmp_path / "roots.json"), clock)
    assert projects.known() == ()
    write("tea", "tea.md")
    assert [project.slug for project in projects.known()] == ["tea"]
    write("coffee", "tea.md")
    assert [project.slug for project in projects.known()] == ["tea"]
    write("shop", "shop.md")
    assert {project.slug for project in projects.known()} == {"coffee", "shop"}
    write("mill", "tea.md")
    clock.advance(timedelta(seconds=LOOK_AGAIN_S))
    assert {project.slug for project in projects.known()} == {"mill", "shop"}


def test_fresh_folder_of_projects(tmp_path):
    """A folder that has just changed may change again and keep its time, so its notes are looked at each time."""
    day = datetime(2026, 3, 2, tzinfo=UTC)
    notes = tmp_path / "_projects"
    notes.mkdir()
    projects = FolderProjects(str(tmp_path), Signs(str(tmp_path), lambda: "laptop", tmp_path / "roots.json"), FixedClock(day))
    for slug in ("tea", "coffee"):
        (notes / "tea.md").write_text(text_of_project(Project(slug, day)), encoding="utf-8")
        os.utime(notes, (day.timestamp(), day.timestamp() - 1))
        assert [project.slug for project in projects.known()] == [slug]
