"""Which project a folder belongs to, asked of repositories that git itself made."""

import shutil
import subprocess

import pytest

from vademecum.adapters.projects import folder_slug, project_at


def git(folder, *words):
    options = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *options, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """A repository called `shop` with one commit."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    return folder


def test_worktrees_share(repository, tmp_path):
    """X-43: a worktree belongs to the project it was made from, however its folder is called."""
    git(repository, "worktree", "add", str(tmp_path / "fix-the-till"))
    assert project_at(tmp_path / "fix-the-till").slug == project_at(repository).slug == "shop"


@pytest.mark.parametrize("address", [
    "https://example.org/ana/till.git", "git@example.org:ana/till.git", "https://example.org/ana/till/", "../till",
])  # fmt: skip
def test_clones_share(repository, tmp_path, address):
    """X-43: clones of one remote are one project, wherever they lie and however the remote is written."""
    git(repository, "remote", "add", "backup", "https://example.org/other.git")
    git(repository, "remote", "add", "origin", address)
    git(repository, "worktree", "add", str(tmp_path / "elsewhere"))
    assert project_at(repository).slug == project_at(tmp_path / "elsewhere").slug == "till"


def test_from_below(repository):
    """A folder deep in a project belongs to it, and the project's own memories are found."""
    deep = repository / "src" / "pages"
    deep.mkdir(parents=True)
    assert (project_at(deep).root, project_at(deep).memories) == (repository, None)
    (repository / ".vademecum").mkdir()
    assert project_at(deep).memories == repository / ".vademecum"


def test_without_git(tmp_path):
    """A folder with memories of its own is a project without any repository; one without belongs to none."""
    assert project_at(tmp_path) is None
    (tmp_path / "My Shop" / ".vademecum").mkdir(parents=True)
    assert project_at(tmp_path / "My Shop").slug == "my-shop"
    assert project_at(tmp_path / "gone" / "for" / "good") is None


@pytest.mark.parametrize("config", [b"", b"\xff\xfe", b"[remote", b'[remote "origin"]\nurl\n', b"nonsense"])
def test_odd_settings(repository, config):
    """A repository whose settings cannot be read is known by its folder."""
    (repository / ".git" / "config").write_bytes(config)
    assert project_at(repository).slug == "shop"


def test_worktree_named_by_number(repository, tmp_path):
    """A worktree called 1 is no project of that name: not beside a bare repository, nor when the repository or itself is gone."""
    git(tmp_path, "clone", "--bare", str(repository), "shop.git")
    git(tmp_path / "shop.git", "remote", "remove", "origin")
    (tmp_path / "trees").mkdir()
    git(tmp_path / "shop.git", "worktree", "add", str(tmp_path / "trees" / "1"), "main")
    git(repository, "worktree", "add", str(tmp_path / "trees" / "2"))
    assert project_at(tmp_path / "trees" / "1").slug == project_at(tmp_path / "trees" / "2").slug == "shop"
    shutil.rmtree(repository)
    assert project_at(tmp_path / "trees" / "2").slug == "shop"
    assert (folder_slug("/work/shop-trees/1"), folder_slug("C:\\work\\Shop\\23"), folder_slug("/7")) == (
        "shop-trees",
        "shop",
        "7",
    )
