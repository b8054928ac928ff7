"""A transcript with a line of a gigabyte: what stands around it is read, in bounded memory."""

import os
import resource
import subprocess
import sys

import pytest

pytestmark = pytest.mark.soak

MOST_KB = 600 << 10


def test_line_of_a_gigabyte(tmp_path):
    """The line is counted as one that could not be read; the turns before and behind it are found; the process stays below 600 MB."""
    transcript = tmp_path / "talk.jsonl"
    with transcript.open("w") as file:
        file.write(
            '{"type": "session", "id": "talk-1", "host": "plain"}\n{"role": "user", "text": "How is the kettle descaled?"}\n'
        )
        file.write('{"role": "assistant", "text": "')
        for _ in range(1024):
            file.write("x" * (1 << 20))
        file.write('"}\n{"role": "assistant", "text": "With vinegar."}\n')
    environment = {**os.environ, "VADEMECUM_EMBEDDER": "none", "VADEMECUM_QUICK_EMBEDDER": "none"}
    environment |= {f"VADEMECUM_{name}": str(tmp_path / name.lower()) for name in ("CONFIG", "DATA_DIR", "CACHE_DIR")}

    def vade(*words):
        command = [sys.executable, "-m", "vademecum", *words]
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    vade("init", "memory")
    assert "1 lines could not be read" in vade("capture", str(transcript))
    assert "With vinegar" in vade("sessions", "search", "vinegar")
    print(f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10} MB")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MOST_KB
