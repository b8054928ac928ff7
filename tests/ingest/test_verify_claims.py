"""SW-38: what an agent says it did is looked for in a real repository before it is remembered as done."""

import json
import shutil
import subprocess

import pytest

from vademecum.adapters.repositories.git import GitRepository
from vademecum.domain.session import Candidate
from vademecum.extract.claims import claim_in
from vademecum.ingest.verify_claims import verified


@pytest.fixture
def repository(tmp_path):
    """One commit with `src/queue.py` and a function `retry_later`; one file that is not committed."""
    if shutil.which("git") is None:
        pytest.skip("git is not on this machine")
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "queue.py").write_text("def retry_later():\n    pass\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Make the queue forget parked messages"]):
        who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=folder, check=True)
    (folder / "notes.md").write_text("new\n")
    return folder


def candidate(text, trust="agent"):
    return Candidate("decision", text, text, "medium", 0.7, "session://codex/a", ("1", "1"), "x: y", text, trust=trust)


def judged(memory, text, folder, trust="agent"):
    (one,) = verified(memory.context, [candidate(text, trust)], str(folder))
    return one


@pytest.mark.parametrize(
    "text",
    [
        "Implemented the retry in queue.py.",
        "Implemented the retry in src/queue.py.",
        "Added `retry_later()` for messages that fail.",
        "Implemented retry_later for messages.",
        "Fixed the queue: it forgets parked messages now.",
    ],
)
def test_seen(memory, repository, text):
    """SW-41: what is found is told with its file and its commit."""
    commit = GitRepository(repository).subjects[0][0]
    one = judged(memory, text, repository)
    assert one.text.startswith(text)
    assert one.text.splitlines()[-1] in (f"Detail: src/queue.py, commit {commit}", f"Detail: commit {commit}")
    assert one.confidence == "medium"


def test_seen_but_not_committed(memory, repository):
    assert judged(memory, "Created notes.md.", repository).text.endswith("Detail: notes.md, not committed")


@pytest.mark.parametrize(
    "text", ["Implemented the cache in store.py.", "Added `retry_never()`.", "Implemented OAuth login with refresh."]
)
def test_not_seen(memory, repository, text):
    """What nothing shows is marked, and waits in the inbox."""
    one = judged(memory, text, repository)
    assert one.text == f"[UNVERIFIED] {text}"
    assert one.confidence == "low"


def test_no_repository(memory, tmp_path):
    """Without git, or a folder, nothing can be shown."""
    assert judged(memory, "Implemented the retry in queue.py.", tmp_path).text.startswith("[UNVERIFIED]")
    assert judged(memory, "Implemented the retry in queue.py.", tmp_path / "gone").text.startswith("[UNVERIFIED]")
    assert judged(memory, "Implemented the retry in queue.py.", "").text.startswith("[UNVERIFIED]")


def test_only_claims_of_agents(memory, repository):
    """The person is believed, and a decision is no deed."""
    said = "Implemented the cache in store.py."
    assert judged(memory, said, repository, "user") == candidate(said, "user")
    assert claim_in("We decided to use SQLite for the index because it needs no server.") is None


def test_through_capture(memory, tmp_path, repository):
    """On the way of every session: an agent's claim that no file shows is not kept as done."""
    lines = [
        {"type": "session", "id": "a", "cwd": str(repository), "time": "2026-03-01T09:00:00Z"},
        {"id": "1", "role": "user", "text": "Go on."},
        {"id": "2", "role": "assistant", "text": "We implemented the cache in store.py. We decided to use store.py for the cache, "
                                                 "which I created, because it is fast."},
        {"id": "3", "role": "user", "text": "Fine."},
        {"id": "4", "role": "assistant", "text": "Good."},
    ]  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    kept = [one.memory for one in memory.maintenance.capture((str(path),)).sessions[0].saved if one.memory]
    assert kept
    assert all("[UNVERIFIED]" in one.body and one.status == "inbox" for one in kept)
