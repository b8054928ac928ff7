"""The pass through everything: dry at first, in batches, and a run that was cut short goes on where it was."""

import json
import os

import pytest
from tests.ingest.test_libraries import opencode_database

from vademecum.domain.errors import Refused
from vademecum.plugins.corpus import corpus as job
from vademecum.plugins.daily.notes import daily

ASKED = ("Please move the shop to SQLite.", "I moved it.", "Now add a test.", "The test is added. Next step: deploy it.")


@pytest.fixture
def corpus(tmp_path):
    """A folder with seven long conversations, a short one and a file that is none, all of them old."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(8):
        texts = (f"Part {number}. {ASKED[0]}", *ASKED[1:]) if number else ("Hello.", "Hello!")
        lines = [{"type": "session", "id": f"s{number}", "time": f"2026-01-0{number + 1}T09:00:00Z"}]
        lines += [
            {"id": str(n), "speaker": "user" if n % 2 == 0 else "assistant", "text": text} for n, text in enumerate(texts)
        ]
        (folder / f"s{number}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "notes.jsonl").write_text("not json\n")
    for path in folder.iterdir():
        os.utime(path, (1767258000, 1767258000))
    return str(folder)


def statuses(report):
    return {one.path.rpartition("/")[2].removesuffix(".jsonl"): one.status for one in report.sessions}


def handoffs(memory):
    return sorted(one.source for one in memory.context.vault.list() if one.kind == "handoff")


def test_dry_at_first(memory, corpus):
    """Without --execute it says what it would do, and does nothing."""
    report = job.reflect_corpus(memory.context, (corpus,))
    assert set(statuses(report).values()) == {"new"} and report.left == 9 and not report.executed
    assert handoffs(memory) == [] and memory.sessions.list() == ()


def test_in_batches(memory, corpus):
    """Batch by batch, each session once; what is done is seen from what stands."""
    first = job.reflect_corpus(memory.context, (corpus,), execute=True, batch_size=2, max_batches=2)
    assert first.left == 5 and len(handoffs(memory)) <= 4
    last = job.reflect_corpus(memory.context, (corpus,), execute=True)
    assert statuses(last) == {f"s{n}": "reflected" for n in range(1, 8)} | {"s0": "short", "notes": "unreadable"}
    assert handoffs(memory) == [f"session://plain/s{n}" for n in range(1, 8)]
    again = job.reflect_corpus(memory.context, (corpus,), execute=True)
    assert handoffs(memory) == [f"session://plain/s{n}" for n in range(1, 8)]
    assert statuses(again)["s0"] == "short"
    asked = job.reflect_corpus(memory.context, (corpus,))
    assert statuses(asked)["s1"] == "reflected" and asked.left == 1, "only what cannot be read waits"


def test_cut_short(memory, corpus, monkeypatch):
    """A run that dies in the middle of a batch is gone on with, and hands nothing over twice."""
    real, calls = job.write_handoff, []

    def dying(*given):
        calls.append(given)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(*given)

    with monkeypatch.context() as patched:
        patched.setattr(job, "write_handoff", dying)
        with pytest.raises(KeyboardInterrupt):
            job.reflect_corpus(memory.context, (corpus,), execute=True)
    assert 0 < len(handoffs(memory)) < 7
    job.reflect_corpus(memory.context, (corpus,), execute=True)
    assert handoffs(memory) == [f"session://plain/s{n}" for n in range(1, 8)]


def test_switched_off(opened, corpus):
    """Switched off, it still tells, and does nothing."""
    memory = opened(enabled=False)
    assert job.reflect_corpus(memory.context, (corpus,)).left == 9
    with pytest.raises(Refused):
        job.reflect_corpus(memory.context, (corpus,), execute=True)


def test_opted_out(memory, tmp_path):
    """Of a conversation that was opted out neither a handoff nor the note of a day is made, whoever asks."""
    path = tmp_path / "talk" / "a.jsonl"
    path.parent.mkdir()
    texts = ("We decided to paint the greenhouse purple, because it is cheap.", "Noted.", "The roof is slate.", "Noted.")
    lines = [{"type": "session", "id": "a"}]
    lines += [{"id": str(n), "speaker": "user" if n % 2 else "assistant", "text": text} for n, text in enumerate(texts, 1)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    memory.sessions.exclude("session://plain/a")
    report = job.reflect_corpus(memory.context, (str(path.parent),), execute=True)
    assert [one.status for one in report.sessions] == ["short"]
    assert handoffs(memory) == [] and daily(memory.context, "2026-03-02").text == ""


def test_lists_conversations(memory, tmp_path):
    """A database's conversations are listed and worked through one by one, not as one file."""
    path = tmp_path / "opencode.db"
    base = opencode_database(path, "Please rename the parrot module to bird.", "Done, and the tests pass.")
    base.execute("INSERT INTO session VALUES('ses_2', 'p', NULL, '/home/user', 'Empty', 1790000000000, 1790000000000)")
    listed = job.reflect_corpus(memory.context, (str(path),))
    assert [(one.path, one.status) for one in listed.sessions] == [(f"{path}#ses_1", "new"), (f"{path}#ses_2", "new")]
    done = job.reflect_corpus(memory.context, (str(path),), execute=True)
    assert done.sessions[0].session == "session://opencode/ses_1"
    assert done.sessions[0].status in ("reflected", "short")
    assert done.problems == ()
    base.close()
