"""`vade bench pages`: response times of each page from a real helper on a generated memory, and of hooks at the same time."""

import contextlib
import http.client
import shutil
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from vademecum.entrypoints.daemon.call import call
from vademecum.settings import Settings
from vademecum.wiring import open_memory
from vademecum_bench.hooks import AT_ONCE, HookCaller, Progress, generated, helper, logged, shares
from vademecum_bench.metrics import percentile


def bench_pages(
    settings: Settings, folder: Path, *, memories: int, turns: int, calls: int, progress: Progress
) -> dict[str, Any]:
    """Return all figures as one JSON object; times in milliseconds from request to last byte.

    Args:
        folder: of the generated memory; an existing one is reused.
        calls: requests for each page; also prompts alone, simultaneous, and beside a busy browser.
    """
    made = generated(settings, folder, memories, turns, progress)
    addresses = _addresses(made)
    caller = HookCaller(made, folder)
    with helper(made, folder) as idle_mb:
        caller.call("SessionStart")
        progress("pages", 0, len(addresses))
        begun = time.perf_counter()
        browser = _Browser(made)
        browser.ask(addresses["Home"])
        first_ms = (time.perf_counter() - begun) * 1000
        pages = dict[str, dict[str, Any]]()
        for number, (name, address) in enumerate(addresses.items()):
            progress("pages", number, len(addresses))
            pages[name] = _timed(browser, address, calls)
        for name, took in _changed(made, browser, addresses).items():
            pages[name]["changed_ms"] = took
        progress("prompts", 0, 1)
        prompts = _prompts(made, caller, browser, list(addresses.values()), calls)
        checks_ms = browser.ask("/checks")[0]
        for name, took in browser.painted(addresses).items():
            pages[name]["paint_ms"] = took
    slowest = [figures["p95"] for figures in pages.values()]
    return {
        "memories": memories, "turns": turns, "calls": calls, "first_of_all_ms": round(first_ms, 1), "pages": pages,
        "slowest_p95_ms": max(slowest), "largest_bytes": max(figures["bytes"] for figures in pages.values()),
        "first_checks_ms": round(checks_ms), "helper_opened_mb": idle_mb, **prompts, "unanswered": caller.unanswered,
    }  # fmt: skip


def _timed(browser: "_Browser", address: str, calls: int) -> dict[str, Any]:
    """Return the figures of one page, with the CPU time of helper and reading process if the system reports it."""
    first_ms, size = browser.ask(address)
    before = browser.worked_ms()
    took = [browser.ask(address)[0] for _ in range(max(calls - 1, 1))]
    cpu = {name: round((ms - before[name]) / len(took), 1) for name, ms in browser.worked_ms().items() if name in before}
    return {"first_ms": round(first_ms, 1), **shares(took), "cpu_ms": cpu, "bytes": size}


def _changed(settings: Settings, browser: "_Browser", addresses: Mapping[str, str]) -> dict[str, float]:
    """Return the milliseconds of each page right after a memory was confirmed."""
    took = {}
    with open_memory(settings) as memory:
        ref = memory.notes.list(1, kind=("decision",))[0].key.removeprefix("memory://")
        for name, address in addresses.items():
            memory.notes.confirm(ref)
            took[name] = round(browser.ask(address)[0], 1)
    return took


def _prompts(settings: Settings, caller: HookCaller, browser: "_Browser", addresses: list[str], calls: int) -> dict[str, Any]:
    """Measure prompts alone, beside a busy browser, and simultaneous; count late answers and those by words only."""
    for _ in range(AT_ONCE):
        caller.call("UserPromptSubmit")  # warm-up
    late, words = logged(settings, "too late"), logged(settings, "skipped")
    alone, beside, looked = _beside(browser, caller, addresses, calls)
    late_beside, words_beside = logged(settings, "too late"), logged(settings, "skipped")
    together = caller.together(calls // AT_ONCE + 1, lambda: caller.call("UserPromptSubmit"))
    status = call(settings, "status") or {}
    return {
        "prompt_alone_ms": shares(alone), "prompt_beside_ms": shares(beside), "looked_beside": looked,
        **{f"beside_ratio_p{share * 100:.0f}": round(percentile(beside, share) / percentile(alone, share), 2) for share in (0.5, 0.95)},
        "late_beside": late_beside - late, "by_words_alone_beside": words_beside - words,
        "at_once": AT_ONCE, "at_once_ms": shares(together), "late_at_once": logged(settings, "too late") - late_beside,
        "by_words_alone_at_once": logged(settings, "skipped") - words_beside,
        "helper_loaded_mb": status.get("memory_mb", 0), "helper_own_mb": status.get("own_mb", 0),
    }  # fmt: skip


def _addresses(settings: Settings) -> Mapping[str, str]:
    with open_memory(settings) as memory:
        item = memory.notes.list(1, kind=("decision",))[0]
        day = f"{item.updated:%Y-%m-%d}" if item.updated else ""
        session = next(iter(memory.notes.list(1, source=("session",))), None)
    one = f"/m/{item.key.removeprefix('memory://')}"
    talk = f"/s/{session.key.removeprefix('session://')}" if session else "/s"
    return {
        "Home": "/", "what needs a look": "/alarms", "Inbox": "/inbox", "Search": "/find", "Search by kind": "/find?kind=fact",
        "Search by day": f"/find?since={day}", "Search by a question": f"/find?q={quote(item.title)}",
        "a memory": one, "its history": f"{one}/history", "around it": f"{one}/around", "to edit it": f"{one}/edit", "Conversations": "/s",
        "one of them": talk, "its second page": f"{talk}?start=150", "Answers": "/why", "Timeline": "/time", "Health": "/health",
        "Settings": "/settings",
    }  # fmt: skip


_LARGEST_PAINT = """() => new Promise(done => {
  new PerformanceObserver(list => done(list.getEntries().at(-1).startTime)).observe({type: "largest-contentful-paint", buffered: true})
})"""


class _Browser:
    """An admitted browser with a persistent connection."""

    def __init__(self, settings: Settings) -> None:
        served = call(settings, "web") or {}
        self.port = int(served["port"])
        self._line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        self._line.request("GET", f"/web/enter?ticket={served['ticket']}")
        answer = self._line.getresponse()
        answer.read()
        self._cookie = answer.headers["set-cookie"].partition(";")[0]
        self._helper = int((call(settings, "status") or {}).get("pid", 0))

    def ask(self, address: str) -> tuple[float, int]:
        """Return the milliseconds and bytes of a page."""
        start = time.perf_counter()
        self._line.request("GET", f"/web{address}", headers={"Cookie": self._cookie})
        answer = self._line.getresponse()
        text = answer.read()
        took = (time.perf_counter() - start) * 1000
        if answer.status != 200:
            raise RuntimeError(f"{address}: {answer.status}")
        return took, len(text)

    def painted(self, addresses: Mapping[str, str]) -> dict[str, float]:
        """Return the milliseconds to the largest paint of each page in Chromium, the slowest of three; empty without Chromium."""
        command = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        try:
            from playwright.sync_api import sync_playwright  # noqa: PLC0415 -- a machine without it leaves this out
        except ImportError:
            return {}
        if command is None:
            return {}
        base, (name, _, value) = f"http://127.0.0.1:{self.port}/web", self._cookie.partition("=")
        with sync_playwright() as driver:
            opened = driver.chromium.launch(
                executable_path=command, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
            )
            context = opened.new_context(viewport={"width": 1280, "height": 800})
            context.add_cookies([{"name": name, "value": value, "url": base}])
            page = context.new_page()
            page.goto(f"{base}/")  # warm-up: whatever the browser loads with its first page
            took = {name: max(_paint_ms(page, f"{base}{address}") for _ in range(3)) for name, address in addresses.items()}
            opened.close()
        return took

    def worked_ms(self) -> dict[str, float]:
        """Return the CPU time so far of the helper and of its reading process; empty if the system does not report it."""
        pids = {"helper": self._helper, "reader": _reader_of(self._helper)}
        return {name: _cpu_ms(pid) for name, pid in pids.items() if pid and Path(f"/proc/{pid}/task").is_dir()}


def _paint_ms(page: Any, address: str) -> float:
    page.goto(address)
    return round(float(page.evaluate(_LARGEST_PAINT)), 1)


def _reader_of(helper: int) -> int:
    """Return the process id of a helper's reading process; 0 if there is none."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            if parent == helper and stat.with_name("cmdline").read_bytes().rstrip(b"\0").endswith(b"reads"):
                return int(stat.parent.name)
    return 0


def _cpu_ms(pid: int) -> float:
    """Return the CPU milliseconds of all threads of a process."""
    spent = 0.0
    for one in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            spent += int(one.read_text().split()[0]) / 1e6
    return spent


def _beside(browser: _Browser, caller: HookCaller, addresses: list[str], calls: int) -> tuple[list[float], list[float], int]:
    """Return milliseconds of prompts, alternately alone and beside a busy browser; and the number of pages it loaded."""
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
