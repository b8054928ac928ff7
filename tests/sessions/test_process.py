"""Reading all transcripts once, and following them, as a person runs it."""

import json
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

from vademecum.entrypoints.verbs.jobs import processed_text
from vademecum.wiring import open_memory


def said(*texts: str) -> str:
    roles = ("user", "agent")
    return "".join(json.dumps({"role": roles[n % 2], "text": text, "id": f"t{n}"}) + "\n" for n, text in enumerate(texts))


def test_counts(opened, tmp_path, clock):
    """IN-47: one round tells what each session brought, which of them have ended, and how many are up to date."""
    for name, ago in (("old", timedelta(minutes=6)), ("new", timedelta(minutes=4))):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(said(f"{name} parrot", "two", "three"), encoding="utf-8")
        moment = (clock.now() - ago).timestamp()
        os.utime(path, (moment, moment))
    memory = opened()
    report = memory.maintenance.process((str(tmp_path / "old.jsonl"), str(tmp_path / "new.jsonl")))
    assert {found.session: dict(found.turns) for found in report.capture.sessions} == {
        "session://plain/old": {"user": 2, "agent": 1},
        "session://plain/new": {"user": 2, "agent": 1},
    }
    assert report.silent == ("session://plain/old",)
    assert "2 user, 1 agent; ended" in processed_text(report)
    again = memory.maintenance.process((str(tmp_path / "old.jsonl"), str(tmp_path / "new.jsonl")), threshold=1)
    assert (again.capture.unchanged, again.silent) == (2, ())


def test_attended_to(memory, tmp_path, clock):
    """IN-47: what has ended is handed over and noted in the same round, and a second round finds nothing to do."""
    path = tmp_path / "talk.jsonl"
    path.write_text(
        said("Move the shop to SQLite please.", "Moved the shop to SQLite.", "Add a test too.", "Added it."), encoding="utf-8"
    )
    moment = (clock.now() - timedelta(minutes=6)).timestamp()
    os.utime(path, (moment, moment))
    report = memory.maintenance.process((str(path),))
    (done,) = report.tended.sessions
    assert (done.session, done.stage, done.turns) == ("session://plain/talk", "processed", 4)
    assert "Moved the shop" in memory.notes.get(done.handoff).body and len(done.days) == 1
    assert f"processed  4 turns  handoff {done.handoff}  noted in {done.days[0]}" in processed_text(report)
    assert memory.maintenance.process((str(path),)).tended.sessions == ()


def test_problems(memory, tmp_path):
    """IN-47: a file that cannot be read is told with its name, and the others are read."""
    (tmp_path / "good.jsonl").write_text(said("a parrot"), encoding="utf-8")
    report = memory.maintenance.process((str(tmp_path / "good.jsonl"), str(tmp_path / "gone.jsonl")))
    assert len(report.capture.sessions) == 1
    assert [problem.path for problem in report.capture.problems] == [str(tmp_path / "gone.jsonl")]
    assert "1 errors" in processed_text(report)


def test_lost_state(settings, clock, tmp_path):
    """IN-49: when the journal of reading is damaged, all is read anew, and neither a turn nor a memory stands twice."""
    path = tmp_path / "talk.jsonl"
    path.write_text(said("We decided to keep parrots, because they are quiet.", "two", "three", "four"), encoding="utf-8")
    chosen = settings()
    memory = open_memory(chosen, clock=clock)
    memory.maintenance.process((str(path),))
    before, kept = memory.maintenance.status(), memory.notes.list()
    memory.close()
    (tmp_path / "data" / "device.db").write_bytes(b"not a database" * 400)
    again = open_memory(chosen, clock=clock)
    again.maintenance.process((str(path),))
    after, still = again.maintenance.status(), again.notes.list()
    again.close()
    assert kept and [one.confirmations for one in still] == [0] * len(kept)
    assert (after.sessions, after.passages, after.memories) == (before.sessions, before.passages, before.memories)


def test_watch(tmp_path):
    """IN-48: `vade watch` waits for transcripts, reads what a host writes meanwhile, and stops when told."""
    (tmp_path / "memory" / "V").mkdir(parents=True)
    transcripts = tmp_path / "talk"
    transcripts.mkdir()
    environment = {
        **os.environ, "HOME": str(tmp_path), "VADEMECUM_CONFIG": str(tmp_path / "config.toml"), "VADEMECUM_EMBEDDER": "none",
        "VADEMECUM_HOME": str(tmp_path / "memory" / "V"), "VADEMECUM_DATA_DIR": str(tmp_path / "d"),
        "VADEMECUM_CACHE_DIR": str(tmp_path / "c"), "VADEMECUM_TRANSCRIPTS": str(transcripts),
    }  # fmt: skip
    command = [sys.executable, "-u", "-m", "vademecum", "watch", "--debounce", "0", "--every", "1", "--wait-for-transcripts"]
    log = tmp_path / "log"
    with log.open("wb") as output, subprocess.Popen(command, env=environment, stdout=output, stderr=output) as process:
        try:
            assert waited(log, "Watching 1 places")
            (transcripts / "t.jsonl").write_text(said("a parrot", "noted"), encoding="utf-8")
            assert waited(log, "1 user, 1 agent")
        finally:
            process.terminate()


def waited(log: Path, text: str) -> bool:
    """Whether the text appears; it is waited for as long as any machine may need."""
    for _ in range(600):
        if text in log.read_text(encoding="utf-8"):
            return True
        time.sleep(0.1)
    return False
