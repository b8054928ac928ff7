"""A compared memory in a separate process, with CPU time, memory and disk of it and its child processes."""

import contextlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from vademecum_bench.peers.table import PeerFailed

#: Seconds between two samples of processes and their memory.
LOOK_S = 0.2
MB = 1024 * 1024


class Done(NamedTuple):
    """One answer, with its CPU and wall-clock seconds."""

    answer: dict[str, Any]
    cpu_s: float
    wall_s: float


class PeerProcess:
    """Runs a command that reads requests and writes answers, one JSON object per line (`adapters/peer.py`)."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path, timeout_s: float) -> None:
        """Start the command; its other output goes to the file `log`."""
        self._log, self._timeout_s, self._is_over = log, timeout_s, threading.Event()
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=dict(environment), text=True
            )
        self._children: list[psutil.Process] = []
        self.peak_mb = 0.0
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def do(self, **request: Any) -> Done:
        """Send a request and wait for its answer.

        Raises:
            PeerFailed: the process ended or exceeded the time limit; the message ends with the last line of its output.
        """
        cpu_s, began = self._others_cpu_s(), time.perf_counter()
        timer = threading.Timer(self._timeout_s, self._process.kill)
        timer.start()
        try:
            assert self._process.stdin and self._process.stdout
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        took = time.perf_counter() - began
        if not line:
            self._process.wait()
            last = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            why = "took too long" if took >= self._timeout_s else "ended"
            raise PeerFailed(f"{why} at {request['do']}: {' '.join(last)}")
        answer = json.loads(line)
        return Done(answer, answer["cpu_s"] + max(self._others_cpu_s() - cpu_s, 0.0), took)

    def close(self) -> None:
        """Ask it to close."""
        self.do(do="close")

    def end(self) -> None:
        """Kill it and its child processes."""
        self._is_over.set()
        self._watcher.join()
        for process in self._children:
            with contextlib.suppress(psutil.Error):
                process.kill()
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()

    def _others_cpu_s(self) -> float:
        """Return the CPU seconds of its running child processes; it counts the others itself."""
        total = 0.0
        for process in self._children:
            try:
                times = process.cpu_times()
            except psutil.Error:
                continue
            total += times.user + times.system + times.children_user + times.children_system
        return total

    def _watch(self) -> None:
        own = psutil.Process(self._process.pid)
        while not self._is_over.wait(LOOK_S):
            in_use = 0
            with contextlib.suppress(psutil.Error):
                self._children = own.children(recursive=True)
                for process in (own, *self._children):
                    in_use += process.memory_info().rss
            self.peak_mb = max(self.peak_mb, in_use / MB)


def environment(home: Path, programs: str, cached: Path) -> dict[str, str]:
    """Return the environment variables: an empty home, a cache that is reused, and no telemetry."""
    home.mkdir(parents=True)
    cached.mkdir(parents=True, exist_ok=True)
    (home / ".cache").symlink_to(cached, target_is_directory=True)
    quiet = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "DO_NOT_TRACK", "MEMPALACE_NO_TELEMETRY")
    off = ("ANONYMIZED_TELEMETRY", "MEM0_TELEMETRY", "BASIC_MEMORY_LOGFIRE_ENABLED")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("VADEMECUM_", "XDG_"))},
        **dict.fromkeys(quiet, "1"),
        **dict.fromkeys(off, "False"),
        "HOME": str(home),
        "USERPROFILE": str(home),
        "PATH": os.pathsep.join([programs, os.environ.get("PATH", "")]),
        "PYTHONIOENCODING": "utf-8",
    }


def disk_mb(folder: Path) -> float:
    """Return the size of all files in a folder in MB."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink()) / MB
