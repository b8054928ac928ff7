"""The pass through everything: dry at first, in batches, and a run that was cut short goes on where it was."""

import json
import os

import pytest

from vademecum.domain.errors import Refused
from vademecum.plugins.corpus import corpus as job

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
    report = memory.sessions.corpus((corpus,))
    assert set(statuses(report).values()) == {"new"} and report.left == 9 and not report.executed
    assert handoffs(memory) == [] and memory.sessions.list() == ()


def test_in_batches(memory, corpus):
    """Batch by batch, each session once; what is done is seen from what stands."""
    first = memory.sessions.corpus((corpus,), execute=True, batch_size=2, max_batches=2)
    assert first.left == 5 and len(handoffs(memory)) <= 4
    last = memory.sessions.corpus((corpus,), execute=True)
    assert statuses(last) == {f"s{n}": "reflected" for n in range(1, 8)} | {"s0": "short", "notes": "unreadable"}
    assert handoffs(memory) == [f"session://plain/s{n}" for n in range(1, 8)]
    again = memory.sessions.corpus((corpus,), execute=True)
    assert handoffs(memory) == [f"session://plain/s{n}" for n in range(1, 8)]
    assert statuses(again)["s0"] == "short"
    asked = memory.sessions.corpus((corpus,))
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
            memory.sessions.corpus((corpus,), execute=True)
    assert 0 < len(handoffs(memory)) < 7
    memory.sessions.corpus((corpus,), execute=True)
    assert handoffs(memory) == [f"session://plain/s{n}" for n in range(1, 8)]


def test_switched_off(opened, corpus):
    """Switched off, it still tells, and does nothing."""
    memory = opened(enabled=False)
    assert memory.sessions.corpus((corpus,)).left == 9
    with pytest.raises(Refused):
        memory.sessions.corpus((corpus,), execute=True)
