"""`vade bench pages`: what a browser waits for at each page of a real helper on a generated memory, and what hooks wait beside it."""

import http.client
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from vademecum.entrypoints.daemon.call import call
from vademecum.settings import Settings
from vademecum.wiring import open_memory
from vademecum_bench.hooks import AT_ONCE, HookCaller, Progress, generated, helper, shares
from vademecum_bench.metrics import percentile


def bench_pages(
    settings: Settings, folder: Path, *, memories: int, turns: int, calls: int, progress: Progress
) -> dict[str, Any]:
    """All figures as one JSON object; times in milliseconds from request to last byte.

    Args:
        folder: where the generated memory lies; one that is there already is used as it is.
        calls: requests for each page, and prompts alone and beside a busy browser.
    """
    made = generated(settings, folder, memories, turns, progress)
    addresses = _addresses(made)
    caller = HookCaller(made, folder)
    with helper(made, folder):
        caller.call("SessionStart")
        progress("pages", 0, len(addresses))
        begun = time.perf_counter()
        browser = _Browser(made)
        browser.ask(addresses["today"])
        first_ms = (time.perf_counter() - begun) * 1000
        pages = {}
        for number, (name, address) in enumerate(addresses.items()):
            progress("pages", number, len(addresses))
            asked = [browser.ask(address) for _ in range(calls)]
            pages[name] = {"first_ms": round(asked[0][0], 1), **shares([took for took, _ in asked[1:]]), "bytes": asked[0][1]}
        alone, beside, looked = _beside(browser, caller, list(addresses.values()), calls)
    took = [figures["p95"] for figures in pages.values()]
    return {
        "memories": memories, "turns": turns, "calls": calls, "first_of_all_ms": round(first_ms, 1), "pages": pages,
        "slowest_p95_ms": max(took), "largest_bytes": max(figures["bytes"] for figures in pages.values()),
        "prompt_alone_ms": shares(alone), "prompt_beside_ms": shares(beside), "looked_beside": looked,
        "beside_ratio_p50": round(percentile(beside, 0.5) / percentile(alone, 0.5), 2), "unanswered": caller.unanswered,
    }  # fmt: skip


def _addresses(settings: Settings) -> Mapping[str, str]:
    with open_memory(settings) as memory:
        item = memory.notes.list(1, kind=("decision",))[0]
        day = f"{item.updated:%Y-%m-%d}" if item.updated else ""
        session = next(iter(memory.notes.list(1, source=("session",))), None)
    one = f"/m/{item.key.removeprefix('memory://')}"
    talk = f"/s/{session.key.removeprefix('session://')}" if session else "/s"
    return {
        "today": "/", "inbox": "/inbox", "find": "/find", "find by kind": "/find?kind=fact",
        "find by day": f"/find?since={day}", "find by a question": f"/find?q={quote(item.title)}",
        "memory": one, "history": f"{one}/history", "around": f"{one}/around", "conversations": "/s", "conversation": talk,
        "its second page": f"{talk}?start=150", "why": "/why", "time": "/time", "health": "/health", "settings": "/settings",
    }  # fmt: skip


class _Browser:
    """A browser that was let in; keeps its connection."""

    def __init__(self, settings: Settings) -> None:
        told = call(settings, "web") or {}
        self.port = int(told["port"])
        self._line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        self._line.request("GET", f"/web/enter?ticket={told['ticket']}")
        answer = self._line.getresponse()
        answer.read()
        self._cookie = answer.headers["set-cookie"].partition(";")[0]

    def ask(self, address: str) -> tuple[float, int]:
        """Milliseconds and bytes of a page."""
        start = time.perf_counter()
        self._line.request("GET", f"/web{address}", headers={"Cookie": self._cookie})
        answer = self._line.getresponse()
        text = answer.read()
        took = (time.perf_counter() - start) * 1000
        if answer.status != 200:
            raise RuntimeError(f"{address}: {answer.status}")
        return took, len(text)


def _beside(browser: _Browser, caller: HookCaller, addresses: list[str], calls: int) -> tuple[list[float], list[float], int]:
    """Milliseconds of prompts alone and while somebody turns pages without a pause, by turns; and how many pages that was."""
    alone, beside, looked = list[float](), list[float](), 0
    over = threading.Event()

    def look() -> None:
        nonlocal looked
        while not over.is_set():
            browser.ask(addresses[looked % len(addresses)])
            looked += 1

    for _ in range(-(-calls // AT_ONCE)):
        alone += [caller.call("UserPromptSubmit") for _ in range(AT_ONCE)]
        over.clear()
        turning = threading.Thread(target=look, daemon=True)
        turning.start()
        beside += [caller.call("UserPromptSubmit") for _ in range(AT_ONCE)]
        over.set()
        turning.join()
    return alone, beside, looked
