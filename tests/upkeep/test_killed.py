"""X-52 and the like: a reading that is killed at any moment is gone on with, and loses and doubles nothing."""

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from vademecum.settings import Settings
from vademecum.wiring import open_memory

PROGRAM = Path(__file__).with_name("ingest_killed.py")
SESSIONS, TURNS = 30, 60


def written(folder: Path, share: float = 1.0) -> None:
    """Conversations of three hosts, each with one thing worth remembering that no other has; so much of them, to the byte."""
    folder.mkdir(exist_ok=True)
    for number in range(SESSIONS):
        lines = []
        for turn in range(TURNS):
            words = (
                f"We decided to use engine{number} for shop{number}, because it is quiet." if turn == 4 else f"s{number}t{turn}"
            )
            if number % 3 == 0:
                role = "user" if turn % 2 == 0 else "assistant"
                lines.append({"role": role, "text": words, "id": f"{number}-{turn}", "time": f"2026-03-01T09:{turn:02d}:00Z"})
            elif number % 3 == 1:
                kind = "user_message" if turn % 2 == 0 else "agent_message"
                payload = {"type": kind, "message": words}
                lines.append({"timestamp": f"2026-03-01T10:{turn:02d}:00Z", "type": "event_msg", "payload": payload})
            else:
                kind = "user" if turn % 2 == 0 else "assistant"
                uuid = f"{number:08d}-0000-4000-8000-{turn:012d}"
                message = {"role": kind, "content": words if turn % 2 == 0 else [{"type": "text", "text": words}]}
                line = {"type": kind, "uuid": uuid, "sessionId": f"s{number}", "isSidechain": False, "message": message}
                lines.append({**line, "timestamp": f"2026-03-01T11:{turn:02d}:00Z"})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"talk{number}.jsonl").write_text(text[: int(len(text) * share)], encoding="utf-8")


def killed_at_moments(tmp_path: Path, times: int, seed: int) -> None:
    """Ingest growing conversations with `times` kills at random moments, then to the end, and compare with what was written."""
    folder, home, data = tmp_path / "talk", tmp_path / "Vademecum", tmp_path / "data"
    chance = random.Random(seed)
    longest = 0.3
    for number in range(1, times + 1):
        written(folder, number / times)
        with subprocess.Popen(
            [sys.executable, str(PROGRAM), str(home), str(data), str(folder)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            try:
                process.wait(chance.uniform(0, longest))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            process.wait()
    chosen = Settings(
        home=str(home), data_dir=str(data), cache_dir=str(data), device="laptop", embedder="none", quick_embedder="none"
    )
    with open_memory(chosen) as memory:
        memory.capture((str(folder),))
        memory.sync(quick=True)
        status = memory.status()
        assert (status.sessions, status.passages) == (SESSIONS, SESSIONS * TURNS + sum(status.memories.values()))
        said = {
            stored.passage.text
            for item in memory.parts.index.fingerprints("sessions")
            for stored in memory.parts.index.passages_of(item)
        }
        assert len(said) == SESSIONS * TURNS
        bodies = [memory.get(item.key).body for item in memory.list()]
        for number in range(SESSIONS):
            assert sum(f"engine{number} " in body for body in bodies) == 1
        assert memory.capture((str(folder),)).unchanged == SESSIONS


@pytest.mark.slow
def test_killed_at_twenty_moments(tmp_path):
    """kill -9 at 20 random moments of the first ingest: every turn stands once, every memory exists once."""
    killed_at_moments(tmp_path, 20, seed=4)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_killed_at_many_moments(tmp_path, seed):
    """The same 200 times in all."""
    killed_at_moments(tmp_path, 20, seed=seed)
