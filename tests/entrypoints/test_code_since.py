"""N8: what a memory names of a repository is looked for there before it is told."""

import os
import subprocess

import pytest

from vademecum.adapters.clock import SystemClock
from vademecum.domain.host import HookEvent
from vademecum.wiring import load_settings, open_memory

BEFORE, AFTER = "2020-05-01T12:00:00Z", "2099-05-01T12:00:00Z"
LOADER = "".join(f"def load_part_{number}():\n    return {number}\n\n" for number in range(30))


def git(folder, *words, date=BEFORE):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
    identity = (
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        "-c",
        "commit.gpgSign=false",
        "-c",
        "init.defaultBranch=main",
    )
    done = subprocess.run(["git", *identity, *words], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def shop(tmp_path):
    """A repository with some files, the last commit long before any memory."""
    root = tmp_path / "shop"
    (root / "src" / "jobs").mkdir(parents=True)
    for name in ("pay.py", "stock.py", "ledger.py", "tax.py", "jobs/queue.py"):
        (root / "src" / name).write_text(f"# {name}\n{LOADER}", encoding="utf-8")
    (root / "src" / "cart.py").write_text("def fold_cart_rows():\n    return 1\n", encoding="utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "begin")
    return root


def change(shop):
    """What happens in the repository after the memories were saved: one file goes, one moves, one is rewritten, a name goes."""
    git(shop, "rm", "-q", "src/pay.py")
    git(shop, "mv", "src/stock.py", "src/jobs/warehouse.py")
    (shop / "src" / "ledger.py").write_text("".join(f"# {number * 7919}\n" for number in range(90)), encoding="utf-8")
    (shop / "src" / "tax.py").write_text(f"# tax.py\n{LOADER}# one more line\n", encoding="utf-8")
    (shop / "src" / "cart.py").write_text("def fold_lines():\n    return 1\n", encoding="utf-8")
    git(shop, "add", "-A")
    git(shop, "commit", "-qm", "later", date=AFTER)


@pytest.fixture
def at_work(person, vade, shop, monkeypatch):
    """A person who works in the repository: `at_work(title, body)` saves a memory of the project."""
    monkeypatch.chdir(shop)

    def save(title, body, *more):
        code, _, error = vade("save", "lesson", title, "--body", body, *(more or ("--project", "shop")))
        assert code == 0, error

    return save


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("Payments are retried in src/pay.py only.", "since then src/pay.py is gone"),
        ("Payments are retried in pay.py only.", "since then pay.py is gone"),
        ("Payments are counted by src/stock.py at night.", "since then src/stock.py moved to src/jobs/warehouse.py"),
        ("Payments are written by src/ledger.py at night.", "since then src/ledger.py was rewritten"),
        ("Payments go through `fold_cart_rows()` first.", "since then fold_cart_rows is no longer in the code"),
        ("Payments are taxed in src/tax.py at night.", ""),
        ("Payments wait in src/jobs/queue.py and queue.py.", ""),
        ("Payments are in /home/other/src/gone.py and lib/never.py, see example.com and `never_there()`.", ""),
        ("Payments go through load_part_3, which nobody marked as code.", ""),
    ],
)
def test_what_became_of_it(at_work, vade, shop, body, told):
    """Gone, moved, rewritten: said beside the memory. What is there, changed a little, or was never there is not marked."""
    at_work("Payments at night", body)
    assert "since then" not in vade("recall", "payments at night")[1]
    change(shop)
    for said in (vade("recall", "payments at night")[1], vade("why")[1], vade("briefing")[1]):
        assert "Payments at night" in said
        assert told in said
        assert ("since then" in said) == bool(told)


def test_at_a_prompt(at_work, vade, shop):
    """The hook of a prompt tells it as well."""
    at_work("Payments at night", "Payments are retried in src/pay.py only.")
    change(shop)
    with open_memory(load_settings(), clock=SystemClock(), folder=shop) as memory:
        event = HookEvent("claude-code", "prompt", "UserPromptSubmit", "s1", prompt="Where are payments retried at night?")
        assert "since then src/pay.py is gone" in memory.recall.deliver(event).text


def test_a_dropped_commit(at_work, vade, shop):
    """A commit that was on a branch and is on none any more is named; one that is on a branch, or was never fetched, is not."""
    first = git(shop, "rev-parse", "HEAD")
    git(shop, "checkout", "-qb", "side")
    git(shop, "commit", "-qm", "lost", "--allow-empty")
    lost = git(shop, "rev-parse", "HEAD")
    git(shop, "checkout", "-q", "main")
    git(shop, "branch", "-qD", "side")
    at_work("Payments at night", f"Payments were mended in commit {lost[:9]}, begun in commit {first[:9]}.")
    at_work("Parcels", "Delivery was mended in commit 0badcafe1.")
    change(shop)
    said = vade("recall", "payments at night")[1]
    assert f"commit {lost[:9]} is no longer on any branch" in said
    assert f"{first[:9]} is on" not in said
    assert "0badcafe1 is on" not in vade("recall", "parcels delivery mended")[1]


def test_confirmed_since(at_work, vade, shop):
    """What the person confirmed after the change is known to hold, so nothing is said against it."""
    change(shop)
    git(shop, "commit", "-q", "--amend", "--allow-empty", "-m", "later", date="2021-01-01T00:00:00Z")
    at_work("Payments at night", "Payments were retried in src/pay.py only.")
    assert "since then" not in vade("recall", "payments at night")[1]


def test_never_the_persons_own(at_work, vade, shop, tmp_path, monkeypatch):
    """Memories of no project or of another one are not held against this repository; outside of one nothing is."""
    at_work("Payments at night", "Payments are retried in src/pay.py only.", "--project", "bakery")
    at_work("Payments by day", "Payments are retried in src/pay.py only.", "--tags", "own")
    at_work("Payments at noon", "Payments are retried in src/pay.py only.")
    change(shop)
    said = vade("recall", "payments retried")[1]
    assert said.count("since then") == 1
    monkeypatch.chdir(tmp_path)
    assert "since then" not in vade("recall", "payments retried")[1]


def test_without_git(at_work, vade, shop, monkeypatch):
    """Where git is missing, memory answers as ever."""
    at_work("Payments at night", "Payments are retried in src/pay.py only.")
    change(shop)
    monkeypatch.setenv("PATH", "/nowhere")
    said = vade("recall", "payments at night")[1]
    assert "Payments at night" in said
    assert "since then" not in said
