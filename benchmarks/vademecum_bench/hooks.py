"""`vade bench hook`: how long a host waits at each of its events, for complete processes, on a generated memory.

Each figure is compared with an empty Python process in the same run, the minimum for any client in Python.
"""

import contextlib
import dataclasses
import json
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from vademecum.domain.errors import VademecumError
from vademecum.entrypoints.daemon.call import call, ensure, stop
from vademecum.entrypoints.hooks.place import write_client
from vademecum.settings import Settings, socket_path
from vademecum.wiring import open_memory, store_settings
from vademecum_bench.generate import Generator, question_about, write_conversations, write_notes
from vademecum_bench.latency import fill_vectors
from vademecum_bench.metrics import percentile

Progress = Callable[[str, int, int], None]

#: Number of simultaneous calls, as from that many terminals.
AT_ONCE = 20
SHARES = (0.5, 0.95, 0.99)
#: The minimum that a client in Python takes.
_NOTHING = (sys.executable, "-I", "-S", "-c", "pass")
#: Hooks that need no helper: (name in the figures, event).
_ALONE = (("session_start", "SessionStart"), ("stop", "Stop"))
#: Slow requests of a program: two states of the past alternately, and a long page of memories.
_LONG_READS = ("list?as_of=2098-01-01&limit=200", "list?limit=5000", "recall?question=kettle&as_of=2099-01-01")
#: Prompts that each start a helper.
FIRST_PROMPTS = 20
#: Seconds without background work after which the state counts as settled.
QUIET_S = 5.0
#: Most texts used for prompts.
_ASKED_ABOUT = 2000


def bench_hook(
    settings: Settings, folder: Path, *, memories: int, turns: int, calls: int, progress: Progress
) -> dict[str, Any]:
    """Return all figures as one JSON object; times in milliseconds, memory in MB.

    Args:
        folder: of the generated memory; an existing one is reused.
        calls: number of hooks of each kind.
    """
    made = generated(settings, folder, memories, turns, progress)
    caller = HookCaller(made, folder)
    late_before = logged(made, "too late")
    rounds = calls // AT_ONCE + 1
    bare = [caller.timed(_NOTHING, b"") for _ in range(calls)]
    bare_together = caller.together(rounds, lambda: caller.timed(_NOTHING, b""))
    progress("hooks with a helper", 0, 1)
    with helper(made, folder) as idle_mb:
        _sorts(caller, 10)
        warm = _sorts(caller, calls)
        alone = logged(made, "skipped")
        together = caller.together(rounds, lambda: caller.call("UserPromptSubmit"))
        status = call(made, "status") or {}
        progress("prompts beside a program that reads", 0, 1)
        late_at_once, alone_at_once = logged(made, "too late"), logged(made, "skipped")
        beside = _beside_a_reader(made, caller, calls)
        beside["late_or_by_words_alone_beside"] = (
            logged(made, "too late") + logged(made, "skipped") - late_at_once - alone_at_once
        )
        _briefing_ready(made, caller)
    progress("hooks without a helper", 0, 1)
    with _no_helper(made):
        cold = {name: [caller.call(event) for _ in range(min(calls, 50))] for name, event in _ALONE}
    answered = logged(made, "prompt")
    cold["prompt"] = [_first_prompt(made, caller) for _ in range(min(calls, FIRST_PROMPTS))]
    given_up = len(cold["prompt"]) - (logged(made, "prompt") - answered)
    stop(made)
    return {
        "memories": memories,
        "turns": turns,
        "python_alone_ms": shares(bare),
        "python_at_once_ms": shares(bare_together),
        "with_helper_ms": {name: shares(took) for name, took in warm.items()},
        "without_helper_ms": {name: shares(took) for name, took in cold.items()},
        **beside,
        "at_once": AT_ONCE,
        "at_once_ms": shares(together),
        "unanswered": caller.unanswered,
        "first_prompts_given_up": given_up,
        "at_once_by_words_alone": alone_at_once - alone,
        "too_late": late_at_once - late_before,
        "helper_opened_mb": idle_mb,
        "helper_loaded_mb": status.get("memory_mb", 0),
        "helper_own_mb": status.get("own_mb", 0),
    }


class HookCaller:
    """Runs the installed client as a host would, with prompts about content of the memory."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        self._client = str(write_client(settings, folder / "config.toml"))
        self._generator = Generator(7)
        notes = sorted((folder / "home").rglob("*.md"))
        chosen = random.Random(7).sample(notes, k=min(len(notes), _ASKED_ABOUT))
        self._texts = [path.read_text(encoding="utf-8").split("---\n", 2)[2] for path in chosen]
        self._number = 0
        self._sessions: list[str] = []
        self.unanswered = 0

    def call(self, event: str) -> float:
        """Return the milliseconds of one hook, from start to end of the process. A session is started before its other events."""
        self._number += 1
        starts = event == "SessionStart"
        if starts:
            self._sessions.append(f"bench-{time.monotonic_ns()}-{self._number}")
        payload = {
            "hook_event_name": event,
            "session_id": self._sessions[-1 - (0 if starts else self._number % min(len(self._sessions), AT_ONCE))],
            "source": "startup" if starts else "user",
            "prompt": question_about(self._texts[self._number % len(self._texts)], self._generator),
        }
        if starts:
            del payload["prompt"]
        return self.timed([sys.executable, "-I", "-S", self._client, "claude-code"], json.dumps(payload).encode())

    def timed(self, command: Sequence[str], data: bytes) -> float:
        """Return the milliseconds of one process."""
        start = time.perf_counter()
        done = subprocess.run(command, input=data, capture_output=True, check=False)
        took = (time.perf_counter() - start) * 1000
        self.unanswered += done.returncode != 0 or done.stderr != b""
        return took

    def together(self, rounds: int, one: Callable[[], float]) -> list[float]:
        """Return the milliseconds of processes that are started AT_ONCE at a time."""
        with ThreadPoolExecutor(AT_ONCE) as hosts:
            return [took for _ in range(rounds) for took in hosts.map(lambda _: one(), range(AT_ONCE))]


def _beside_a_reader(settings: Settings, caller: HookCaller, calls: int) -> dict[str, Any]:
    """Return milliseconds of prompts, alternately alone and beside a program that reads without a pause; and its reads.

    Empty if the helper serves no HTTP.
    """
    port = (call(settings, "status") or {}).get("port")
    if not port:
        return {}
    _Reader(settings, int(port)).read(len(_LONG_READS))  # warm-up: whatever is loaded with the first request
    alone, beside, reads = list[float](), list[float](), 0
    for _ in range(-(-calls // AT_ONCE)):
        alone += [caller.call("UserPromptSubmit") for _ in range(AT_ONCE)]
        reader = _Reader(settings, int(port))
        reader.start()
        beside += [caller.call("UserPromptSubmit") for _ in range(AT_ONCE)]
        reader.over.set()
        reader.join()
        reads += reader.done
    measured = {"prompt_alone_ms": shares(alone), "prompt_beside_reader_ms": shares(beside)}
    return {**measured, "reads_beside": reads, "reader_first_ms": round(reader.first_ms, 1)}


class _Reader(threading.Thread):
    """A program that sends slow HTTP requests one after the other until it is stopped."""

    def __init__(self, settings: Settings, port: int) -> None:
        super().__init__(daemon=True)
        self._token = (Path(settings.data_dir) / "token").read_text(encoding="utf-8").strip()
        self._at = f"http://127.0.0.1:{port}/v1/"
        self.over = threading.Event()
        self.done, self.first_ms = 0, 0.0

    def run(self) -> None:
        while not self.over.is_set():
            self.read(1)

    def read(self, times: int) -> None:
        """Send that many requests."""
        for _ in range(times):
            request = urllib.request.Request(self._at + _LONG_READS[self.done % len(_LONG_READS)])
            request.add_header("Authorization", f"Bearer {self._token}")
            start = time.perf_counter()
            with urllib.request.urlopen(request, timeout=600) as answer:
                answer.read()
            self.first_ms = self.first_ms or (time.perf_counter() - start) * 1000
            self.done += 1


def _first_prompt(settings: Settings, caller: HookCaller) -> float:
    """Return the milliseconds of a prompt without a running helper: the client starts one and waits for it."""
    stop(settings)
    return caller.call("UserPromptSubmit")


def _briefing_ready(settings: Settings, caller: HookCaller) -> None:
    """Wait until a prepared briefing is available for the next start."""
    caller.call("SessionStart")
    quiet_since = time.monotonic()
    while time.monotonic() - quiet_since < QUIET_S:
        time.sleep(0.1)
        status = call(settings, "status") or {}
        if status.get("working") or not list((Path(settings.data_dir) / "ready").glob("*.ready")):
            quiet_since = time.monotonic()


def _sorts(caller: HookCaller, calls: int) -> dict[str, list[float]]:
    return {
        name: [caller.call(event) for _ in range(calls)]
        for name, event in (("session_start", "SessionStart"), ("prompt", "UserPromptSubmit"), ("stop", "Stop"))
    }


def generated(settings: Settings, folder: Path, memories: int, turns: int, progress: Progress) -> Settings:
    made = dataclasses.replace(
        settings,
        home=str(folder / "home"),
        data_dir=str(folder / "data"),
        transcripts=(str(folder / "talk"),),
        vault="",
        projects=(),
        enabled=True,
    )
    if (folder / "config.toml").exists():
        return made
    (folder / "home").mkdir(parents=True)
    generator = Generator()
    for number, _ in enumerate(write_notes(folder / "home", memories, generator)):
        progress("writing notes", number, memories)
    for number, _ in enumerate(write_conversations(folder / "talk", turns, generator)):
        progress("writing conversations", number, turns // 200)
    with open_memory(made, progress=progress) as memory:
        memory.maintenance.sync(quick=True)
        memory.maintenance.capture((str(folder / "talk"),), mine=False)
        fill_vectors(memory)
    kept = ("home", "data_dir", "cache_dir", "embedder")
    store_settings(
        folder / "config.toml",
        {name: getattr(made, name) for name in kept} | {"transcripts": [str(folder / "talk")], "port": _free_port()},
    )
    return made


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@contextlib.contextmanager
def _no_helper(settings: Settings) -> Iterator[None]:
    """Stop the helper, and replace the program that hooks would start by one that does nothing, so that nothing else runs."""
    stop(settings)
    conf = Path(settings.data_dir) / "hook" / "hook.conf"
    kept = conf.read_text(encoding="utf-8")
    conf.write_text(kept.replace(f"python={sys.executable}\n", "python=/bin/true\n"), encoding="utf-8")
    try:
        yield
    finally:
        conf.write_text(kept, encoding="utf-8")
        socket_path(settings).with_suffix(".starting").unlink(missing_ok=True)  # left by the program that did nothing


@contextlib.contextmanager
def helper(settings: Settings, folder: Path) -> Iterator[float]:
    """Start a helper and wait until it is idle; yield its memory in MB before the first answer."""
    status = ensure(settings, folder / "config.toml")
    while status and (status["working"] or not status["work_runs"]):
        time.sleep(0.2)
        status = call(settings, "status")
    if not status:
        raise VademecumError("No helper came up.", f"See {settings.data_dir}/log/helper.log")
    try:
        yield status.get("memory_mb", 0)
    finally:
        call(settings, "stop")


def logged(settings: Settings, word: str) -> int:
    """Return the number of hooks whose log line contains a word.

    "too late": no answer in time. "skipped": an arm of the search was left out for lack of time.
    """
    files = (Path(settings.data_dir) / "log").glob("hooks-*.jsonl")
    return sum(f'"{word}"' in line for path in files for line in path.read_text(encoding="utf-8").splitlines())


def shares(took: Sequence[float]) -> dict[str, float]:
    return {f"p{share * 100:.0f}": round(percentile(list(took), share), 1) for share in SHARES}
