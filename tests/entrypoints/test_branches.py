"""N07: what is learnt on a branch of a repository that is not merged is told there only, joins when it is merged, is offered when not."""

import itertools
import json
import os
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from vademecum.adapters.clock import SystemClock
from vademecum.domain.host import HookEvent
from vademecum.domain.memory import By
from vademecum.wiring import load_settings, open_memory

PAY = ("decision", "Retry limit", "--body", "Payments are retried five times, then they wait for a person.")
ASKED = "How often are payments retried?"


def git(folder, *words, **more):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **more}
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false")
    done = subprocess.run(["git", *identity, *words], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", f"write {name}")


@pytest.fixture
def shop(person, tmp_path, monkeypatch):
    """A repository with one commit on main, where a person works."""
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root, "pay.py", "".join(f"line {number}\n" for number in range(20)))
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def learnt(shop, vade):
    """A decision that was learnt on `feature/pay`, which has two commits of its own; that branch is checked out."""
    git(shop, "checkout", "-qb", "feature/pay")
    write(shop, "retry.py", "limit = 5\n")
    code, said, error = vade("save", *PAY)
    assert code == 0, error
    assert "feature/pay" in said
    write(shop, "pay.py", "".join(f"line {number}\n" for number in range(19)) + "retry\n")
    return shop


@pytest.fixture
def told(person, shop, monkeypatch):
    """Whether what the doors say in the repository holds the decision; all must agree."""
    monkeypatch.setenv("VADEMECUM_PROMPT_DEADLINE_MS", "60000")
    monkeypatch.setattr("vademecum.inject.ask.SCOPE_AT_PROMPT_S", 60)
    monkeypatch.setattr("vademecum.inject.briefing.AT_START_S", 60)
    sessions = itertools.count()

    def at_every_door():
        said = {
            "list": person("list"),
            "recall": person("recall", ASKED),
            "briefing": person("briefing"),
            "facets": person("list", "--count"),
        }
        with open_memory(load_settings(), clock=SystemClock(), folder=shop) as memory:
            event = HookEvent("claude-code", "prompt", "Prompt", f"s{next(sessions)}", prompt=ASKED)
            said["prompt"] = memory.recall.deliver(event).text
            said["agent"] = " ".join(one.title for one in memory.notes.list(by=By("agent", "mcp")))
        found = {door: "Retry limit" in text or ("decision" in text and door == "facets") for door, text in said.items()}
        assert len(set(found.values())) == 1, found
        return found["list"]

    return at_every_door


def waits(person):
    return "Retry limit" in person("inbox")


def test_told_there_only(learnt, told, person):
    """On the branch every door tells it; on main, on another branch and outside of the repository none does, and nothing is lost."""
    assert told()
    git(learnt, "checkout", "-q", "main")
    assert not told()
    git(learnt, "checkout", "-qb", "feature/other")
    assert not told()
    assert person("jobs", "run", "branches") and not waits(person)
    assert "Retry limit" in person("list", "--branch", "any")
    assert "branch" in person("show", "Retry limit")
    git(learnt, "checkout", "-q", "feature/pay")
    assert told()


def test_the_person_is_shown_all(learnt, person):
    """What is held for a branch stands in the log wherever the person is, and in what the pages list, and in an export that comes back."""
    git(learnt, "checkout", "-q", "main")
    assert "Retry limit" not in person("list")
    assert "Retry limit" in person("log")
    assert "Retry limit" in person("export", "--to", "vademecum")
    assert "Retry limit" not in person("export", "--to", "markdown")
    with open_memory(load_settings(), clock=SystemClock()) as memory:
        assert [one.title for one in memory.notes.list()] == ["Retry limit"]
        assert not memory.notes.list(by=By("agent", "mcp"))


def test_withheld_on_its_branch(learnt, person):
    """What is kept from agents by its tag is kept from them on the branch that it is held for, too."""
    person("tag", "Retry limit", "--add", "visibility/internal")
    with open_memory(load_settings(), clock=SystemClock(), folder=learnt) as memory:
        assert [one.title for one in memory.notes.list()] == ["Retry limit"]
        assert not memory.notes.list(by=By("agent", "mcp"))


def test_told_on_what_came_from_it(learnt, told, person, monkeypatch, tmp_path):
    """A branch made from it, the same commit without a branch, and a worktree of it have it too."""
    git(learnt, "checkout", "-qb", "feature/more")
    assert told()
    git(learnt, "checkout", "-q", "--detach", "feature/pay")
    assert told()
    git(learnt, "checkout", "-q", "main")
    git(learnt, "worktree", "add", "-q", str(tmp_path / "beside"), "feature/pay")
    assert not told()
    monkeypatch.chdir(tmp_path / "beside")
    assert "Retry limit" in person("list")


@pytest.mark.parametrize(
    ("how", "deleted", "early"),
    [
        ("merge", False, False), ("merge", True, True), ("fast forward", False, True), ("fast forward", True, False),
        ("squash", False, True), ("squash", True, False), ("rebase", False, True), ("rebase", True, False),
    ],
)  # fmt: skip
def test_joins(shop, vade, person, how, deleted, early):
    """Merged, squashed or rebased: it joins, with the branch deleted or not, learnt before its first commit or after."""
    git(shop, "checkout", "-qb", "feature/pay")
    if early:
        vade("save", *PAY)
    write(shop, "retry.py", "limit = 5\n")
    if not early:
        vade("save", *PAY)
    write(shop, "pay.py", "retry\n" + "".join(f"line {number}\n" for number in range(20)))
    git(shop, "checkout", "-q", "main")
    if how != "fast forward":
        write(shop, "stock.py", "stock\n")
    if how == "rebase":
        git(shop, "checkout", "-q", "feature/pay")
        git(shop, "rebase", "-q", "main")
        git(shop, "checkout", "-q", "main")
    assert "Retry limit" not in person("list")
    if how == "squash":
        git(shop, "merge", "-q", "--squash", "feature/pay")
        git(shop, "commit", "-qm", "pay")
    else:
        git(shop, "merge", "-q", *(["--no-ff", "-m", "pay"] if how == "merge" else []), "feature/pay")
    if deleted:
        git(shop, "branch", "-qD", "feature/pay")
    person("jobs", "run", "branches")
    assert "Retry limit" in person("list")
    assert "feature/pay" not in person("show", "Retry limit")
    assert not waits(person)


def test_merged_is_told_at_once(learnt, told):
    """What came in by its commits is told on main before any round ran."""
    git(learnt, "checkout", "-q", "main")
    git(learnt, "merge", "-q", "feature/pay")
    assert told()


def test_dropped_is_offered(learnt, told, person):
    """The branch is deleted unmerged: told nowhere, it waits for the person, who keeps it or throws it out."""
    git(learnt, "checkout", "-q", "main")
    git(learnt, "branch", "-qD", "feature/pay")
    person("jobs", "run", "branches")
    assert waits(person)
    assert not told()
    git(learnt, "checkout", "-qb", "feature/pay")
    assert not told()
    git(learnt, "checkout", "-q", "main")
    person("review", "Retry limit", "approve")
    assert told()


def test_deleted_where_it_was_pushed_to(learnt, told, person, tmp_path):
    """A host deletes the branch of a request that was closed; here it still stands, merged in a way that git does not see, or dropped."""
    git(tmp_path, "init", "-q", "--bare", "far/shop.git")
    git(learnt, "remote", "add", "origin", str(tmp_path / "far/shop.git"))
    git(learnt, "push", "-q", "-u", "origin", "feature/pay", "main")
    git(learnt, "checkout", "-q", "main")
    person("jobs", "run", "branches")
    assert not waits(person)
    git(learnt, "push", "-q", "origin", "--delete", "feature/pay")
    git(learnt, "fetch", "-q", "--prune")
    person("jobs", "run", "branches")
    assert waits(person)
    assert not told()


def test_left_for_long(learnt, told, person, monkeypatch):
    """A branch that nobody works on while main goes on for a month holds nothing for ever: what it taught is offered."""
    git(learnt, "checkout", "-q", "main")
    later = (datetime.now(UTC) + timedelta(days=31)).isoformat()
    git(learnt, "commit", "-q", "--allow-empty", "-m", "later", GIT_COMMITTER_DATE=later)
    person("jobs", "run", "branches")
    assert not waits(person)
    monkeypatch.setattr("vademecum.maintenance.release_held._UNKNOWN_FOR", timedelta())
    person("jobs", "run", "branches")
    assert waits(person)


def test_no_commit_of_its_own(shop, vade, told, person):
    """A branch without a commit of its own is not merged, though main holds its commit; deleted, what it taught is offered."""
    git(shop, "checkout", "-qb", "feature/pay")
    vade("save", *PAY)
    git(shop, "checkout", "-q", "main")
    person("jobs", "run", "branches")
    assert not told()
    write(shop, "stock.py", "stock\n")
    git(shop, "checkout", "-q", "feature/pay")
    git(shop, "merge", "-q", "main")
    git(shop, "checkout", "-q", "main")
    person("jobs", "run", "branches")
    assert not told()
    git(shop, "branch", "-qd", "feature/pay")
    person("jobs", "run", "branches")
    assert waits(person)


def test_renamed(shop, vade, told, person):
    """A branch that was given another name keeps what it taught."""
    git(shop, "checkout", "-qb", "feature/pay")
    vade("save", *PAY)
    git(shop, "branch", "-qm", "feature/retries")
    assert told()
    git(shop, "checkout", "-q", "main")
    person("jobs", "run", "branches")
    assert "feature/retries" in person("show", "Retry limit")
    assert not told()


def test_another_clone(learnt, told, person, tmp_path, monkeypatch):
    """A clone that never had the branch knows nothing of it, so nothing is offered there, and nothing told."""
    git(tmp_path, "clone", "-q", "-b", "main", "--single-branch", learnt.as_uri(), "elsewhere/shop")
    (tmp_path / "shop").rename(tmp_path / "away")
    monkeypatch.chdir(tmp_path / "elsewhere" / "shop")
    assert "Retry limit" not in person("list")
    person("jobs", "run", "branches")
    assert not waits(person)


@pytest.mark.parametrize(
    "words",
    [
        ("preference", "Short answers", "--body", "Answer in one sentence."),
        ("identity", "Trade", "--body", "They are a baker."),
        ("fact", "Landlord", "--body", "The landlord is called Ito.", "--personal"),
        ("correction", "Never force", "--body", "Never push with force."),
        ("decision", "Other work", "--body", "The bakery opens at six.", "--project", "bakery"),
        ("procedure", "Always there", "--body", "Run the tests first.", "--always-load"),
    ],
)
def test_never_held(shop, vade, person, words):
    """The person, their standing orders, what they corrected, and other projects are of no branch."""
    git(shop, "checkout", "-qb", "feature/pay")
    vade("save", *words)
    git(shop, "checkout", "-q", "main")
    assert words[1] in person("list")


@pytest.mark.parametrize(
    ("branch", "set_up"),
    [
        ("main", ()),
        ("master", ()),
        ("trunk", ("config", "init.defaultBranch", "trunk")),
        ("stable", ("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/stable")),
    ],
)
def test_default_branch(shop, vade, person, branch, set_up):
    """The default branch is what origin names, else what git is set to, else main or master: there nothing is held."""
    if branch != "main":
        git(shop, "branch", "-qm", branch)
        git(shop, "branch", "develop")
    if set_up:
        git(shop, *set_up)
    vade("save", *PAY)
    assert "branch" not in person("show", "Retry limit")
    git(shop, "checkout", "-qb", "feature/pay")
    vade("save", "lesson", "Queue first", "--body", "Payments go to the queue first.")
    assert "shop:feature/pay" in person("show", "Queue first")


def test_nothing_known_is_touched(shop, vade, person):
    """What a branch decided otherwise replaces nothing until it comes in; then it does what was said."""
    vade("save", "decision", "Retries", "--body", "Payments are retried three times.")
    git(shop, "checkout", "-qb", "feature/pay")
    write(shop, "retry.py", "limit = 5\n")
    vade("save", *PAY, "--supersedes", "Retries")
    git(shop, "checkout", "-q", "main")
    assert "decision    Retries" in person("list")
    git(shop, "merge", "-q", "feature/pay")
    person("jobs", "run", "branches")
    said = person("list")
    assert "Retry limit" in said and "[superseded] Retries" in said
    person("jobs", "undo", "branches")
    assert "decision    Retries" in person("list")


def test_conversations(shop, vade, person):
    """What was said in a conversation is held for the branch that was checked out then, whatever is when it is read."""
    at = int(datetime(2026, 3, 1, 9, tzinfo=UTC).timestamp())
    for name, moment in (("feature/pay", at - 3600), ("main", at + 3600)):
        new = ("-b",) if name != "main" else ()
        git(shop, "checkout", "-q", *new, name, GIT_COMMITTER_DATE=f"{moment} +0000")
    rows = [{"type": "session", "id": "s1", "cwd": str(shop), "time": "2026-03-01T09:00:00+00:00"}]
    said = ("Where do we stand?", "Nearly done.", "We decided to use zstd for the archive, because it is fast.", "Noted.")
    rows += [
        {"id": f"t{n}", "speaker": ("user", "assistant")[n % 2], "text": text, "time": f"2026-03-01T09:0{n}:00+00:00"}
        for n, text in enumerate(said)
    ]
    (shop / "talk.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    vade("capture", str(shop / "talk.jsonl"), "--mine")
    person("review-all", "approve")
    assert "zstd" not in person("list")
    git(shop, "checkout", "-q", "feature/pay")
    assert "zstd" in person("list")


def test_freed(shop, vade, person):
    """A memory is shown everywhere when its branch is taken away."""
    git(shop, "checkout", "-qb", "feature/pay")
    vade("save", "lesson", "Queue first", "--body", "Payments go to the queue first.")
    vade("edit", "Queue first", "--set", "branch=")
    git(shop, "checkout", "-q", "main")
    assert "Queue first" in person("list")


def test_without_git(learnt, person, monkeypatch):
    """Where git cannot be asked, what is held for a branch is not told, everything else as ever."""
    person("save", "preference", "Short answers", "--body", "Answer in one sentence.")
    monkeypatch.setenv("PATH", "/nowhere")
    said = person("list")
    assert "Short answers" in said and "Retry limit" not in said
