"""The memory folder is committed where it lies in a git repository, and nothing else is touched (SW-52)."""

import os
import subprocess
from datetime import timedelta

import pytest

DAY = timedelta(days=1)


@pytest.fixture
def git(tmp_path, monkeypatch, home):
    """A repository around the vault, with a file of the person's in it: `git(*words)` gives what git prints."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = P\n\temail = p@example.org\n[init]\n\tdefaultBranch = main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    vault = tmp_path / "Vault"
    vault.mkdir(exist_ok=True)

    def run(*words):
        return subprocess.run(["git", *words], cwd=vault, capture_output=True, text=True, check=True).stdout

    run("init")
    (vault / "diary.md").write_text("Dear diary\n")
    run("add", "diary.md")
    run("commit", "--message", "first")
    (vault / "diary.md").write_text("Dear diary, more\n")
    return run


def commit(memory):
    (done,) = memory.jobs.run(("commit",))
    return done.error or done.result


def subjects(git):
    return git("log", "--format=%s").splitlines()


def test_sw52_off(git, opened):
    """SW-52: nothing is committed unless the person chose it."""
    memory = opened()
    memory.notes.save("fact", "Kettle", "It is blue.")
    memory.jobs.run()
    assert subjects(git) == ["first"]


def test_sw52_after_sessions(git, opened, clock):
    """SW-52: after a session one commit of the memory folder alone, called by its handoff; the person's own changes stay as they are."""
    memory = opened(git_commit="session")
    memory.notes.save("fact", "Kettle", "It is blue.")
    assert commit(memory) == "", "no session ended"
    clock.advance(timedelta(minutes=1))
    memory.notes.save("handoff", "Descaled the kettle", "Done.")
    assert commit(memory).endswith(": memory: Descaled the kettle")
    assert subjects(git) == ["memory: Descaled the kettle", "first"]
    named = git("show", "--name-only", "--format=", "HEAD").splitlines()
    assert named and all(name.startswith("Vademecum/") for name in named)
    assert git("status", "--porcelain") == " M diary.md\n"
    clock.advance(timedelta(minutes=1))
    assert commit(memory) == "", "nothing ended since"


def test_sw52_once_a_day(git, opened, clock):
    """SW-52: by the day there is one commit a day, with everything until then."""
    memory = opened(git_commit="day")
    memory.notes.save("fact", "Kettle", "It is blue.")
    assert "memory of 2026-03-02" in commit(memory)
    memory.notes.save("fact", "Cup", "It is red.")
    assert commit(memory) == ""
    clock.advance(DAY)
    assert "memory of 2026-03-03" in commit(memory)
    assert git("status", "--porcelain") == " M diary.md\n"


@pytest.mark.parametrize("state", ["staged", "merging", "detached"])
def test_sw52_waits_for_the_person(git, opened, clock, tmp_path, state):
    """SW-52: while the person prepares a commit, merges or is on no branch, nothing is committed, the reason is told, and theirs is
    untouched.
    """
    memory = opened(git_commit="day")
    memory.notes.save("fact", "Kettle", "It is blue.")
    if state == "staged":
        git("add", "diary.md")
    elif state == "merging":
        (tmp_path / "Vault" / ".git" / "MERGE_HEAD").write_text(git("rev-parse", "HEAD"))
    else:
        git("checkout", "--quiet", "--detach")
    before = git("status", "--porcelain")
    assert "nothing was committed" in commit(memory)
    assert git("status", "--porcelain") == before
    assert subjects(git) == ["first"]


def test_sw52_no_repository(opened):
    """SW-52: where there is no repository there is nothing to do, and no error."""
    memory = opened(git_commit="day")
    memory.notes.save("fact", "Kettle", "It is blue.")
    assert commit(memory) == ""
