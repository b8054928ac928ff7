"""How a helper ends by itself: nobody came, it grew too large, or its settings changed. Run in this process, with short waits."""

import asyncio
import contextlib
import gc
import json
import socket
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.entrypoints.hooks.conftest import ABOUT_KETTLE

from vademecum.actions.call_rules import KnownRules
from vademecum.adapters.device.log import KEPT_DAYS, HookLog
from vademecum.domain.errors import InvalidInput
from vademecum.domain.query import Query
from vademecum.entrypoints.daemon import helper as helper_module
from vademecum.entrypoints.daemon.call import call, ensure, stop
from vademecum.entrypoints.daemon.executor import Desk
from vademecum.entrypoints.daemon.helper import AGAIN, STOPPED, Helper
from vademecum.entrypoints.daemon.lazy_apps import LateDoors
from vademecum.entrypoints.daemon.lock import only_one
from vademecum.entrypoints.daemon.memory_usage import files_mb, give_back, memory_mb, own_mb
from vademecum.entrypoints.daemon.scheduler import Work
from vademecum.entrypoints.hooks.carrier import starting_mark
from vademecum.entrypoints.hooks.place import client_files
from vademecum.entrypoints.http import silence
from vademecum.inject.context import RecallContext
from vademecum.settings import socket_path
from vademecum.vault.evidence import Fact
from vademecum.wiring import load_settings, open_memory


@pytest.fixture
def soon(monkeypatch):
    """It looks after itself all the time."""
    monkeypatch.setattr(helper_module, "LOOK_EVERY_S", 0.01)


def ended(installed, meanwhile=lambda: None) -> str:
    async def live():
        one = Helper(installed.settings, installed.config, lambda: None)
        running = asyncio.create_task(one.run(started=False))
        while not Path(one.status()["socket"]).exists() and not running.done():
            await asyncio.sleep(0.01)
        meanwhile()
        return await asyncio.wait_for(running, 60)

    with only_one(installed.settings):
        return asyncio.run(live())


def test_hooks_get_the_settings_of_the_helper(installed):
    """After a change of the settings by hand the helper that started anew writes what hooks run, as a command would."""
    files = client_files(installed.settings, installed.config)
    known = next(path for path in files if path.name == "alone.json")
    known.write_text("{}", encoding="utf-8")
    Work(installed.settings, installed.config)._renew_client()
    assert {path.name: path.read_text(encoding="utf-8") == text for path, text in files.items()} == {
        path.name: True for path in files
    }


def test_nobody_came(installed, soon, monkeypatch):
    """X-31: after the idle time it is gone, and its socket too."""
    monkeypatch.setattr(helper_module, "IDLE_S", 0.001)
    assert ended(installed) == STOPPED
    assert not list((installed.data / "run").glob("*.sock"))


def test_collects_once_open(installed, soon, monkeypatch):
    """It is loaded without the garbage collector, which is on again from the moment that the memory is open."""
    monkeypatch.setattr(helper_module, "IDLE_S", 0.001)
    gc.disable()
    try:
        assert ended(installed) == STOPPED
        assert gc.isenabled()
    finally:
        gc.enable()


def test_gives_back(installed, soon, monkeypatch):
    """What it holds only to be fast it gives back when it is open, and once when nobody comes; answers stay the same."""
    monkeypatch.setattr(helper_module, "IDLE_S", 6.0)
    asked, let_go = [], Desk.let_go

    async def counted(desk):
        before = await desk(lambda memory: memory.recall.ask(Query(ABOUT_KETTLE)))
        await let_go(desk)
        after = await desk(lambda memory: memory.recall.ask(Query(ABOUT_KETTLE)))
        asked.append(
            [(hit.item.title, hit.score) for hit in before.hits] == [(hit.item.title, hit.score) for hit in after.hits]
        )
        assert before.hits

    monkeypatch.setattr(Desk, "let_go", counted)
    assert ended(installed) == STOPPED
    assert asked == [True, True]


def test_keeps_nothing_that_grows(installed):
    """At rest it holds neither views of folders nor what it read of the journals, however many folders and memories it met."""
    notes = installed.folder / "home" / "personal" / "lesson"
    notes.mkdir(parents=True)
    for number in range(20):
        (notes / f"lesson-{number}.md").write_text(f"---\ntitle: Lesson {number}\n---\n\nRun `make {number}` first.\n")
    with open_memory(installed.settings) as memory:
        memory.maintenance.sync(quick=True)

    def held(kind):
        gc.collect()
        return sum(type(one) is kind for one in gc.get_objects())

    async def rest():
        desk = Desk(installed.settings)
        await desk.open()
        for folder in ("", *(str(installed.folder / name) for name in "abc")):
            await desk.recall(lambda recall: KnownRules().all(recall.context), cwd=folder)
        before = held(RecallContext), held(Fact)
        await desk.let_go()
        after = held(RecallContext), held(Fact)
        await asyncio.to_thread(desk.close)
        return before, after

    others = held(RecallContext), held(Fact)
    before, after = asyncio.run(rest())
    assert before > (others[0] + 3, others[1] + 20)
    assert after == (others[0] + 1, others[1])


def test_prompts_starve_nobody(installed):
    """Prompts go first, but after each four of them one of the others that wait is served."""
    done, go = [], threading.Event()

    async def crowd():
        desk = Desk(installed.settings)
        await desk.open()
        begun = threading.Event()
        held = asyncio.create_task(desk.recall(lambda recall: (begun.set(), go.wait())))
        while not begun.is_set():
            await asyncio.sleep(0)
        others = [asyncio.create_task(desk.recall(lambda recall, one=one: done.append(one))) for one in "abc"]
        prompts = [asyncio.create_task(desk.recall(lambda recall: done.append("p"), first=True)) for _ in range(10)]
        while desk.waiting() != 13:
            await asyncio.sleep(0)
        go.set()
        await asyncio.gather(held, *others, *prompts)
        await asyncio.to_thread(desk.close)

    asyncio.run(crowd())
    assert "".join(done) == "ppppappppbppc"


def test_sizes():
    """Pages of files and the rest are all that is resident; giving back harms nobody."""
    give_back()
    assert 0 < own_mb() <= memory_mb()
    assert files_mb() >= 0


def test_too_large(installed, soon, monkeypatch):
    """X-31: over its ceiling it starts anew, when nobody is being served."""
    monkeypatch.setattr(helper_module, "QUIET_S", 0.0)
    monkeypatch.setattr(helper_module, "MEMORY_MB", 1)
    assert ended(installed) == AGAIN


def test_settings_changed(installed, soon):
    """Settings are read when it starts, so it starts anew when they change."""
    assert ended(installed, lambda: installed.configure(prompt_limit="7")) == AGAIN


@pytest.mark.parametrize("passes", range(5))
def test_preparing_briefings_ends(installed, passes):
    """It ends when it is told to, also if a briefing is wanted at the same moment."""

    async def live():
        briefer = Helper(installed.settings, installed.config, lambda: None)._briefer
        running = asyncio.create_task(briefer.run())
        for _ in range(10):
            await asyncio.sleep(0)
        briefer._wanted.set()
        for _ in range(passes):
            await asyncio.sleep(0)
        running.cancel()
        for _ in range(10):
            await asyncio.sleep(0)
        return running.cancelled()

    assert asyncio.run(live())


@pytest.mark.parametrize(("asked", "why"), [((AGAIN,), AGAIN), ((AGAIN, STOPPED), STOPPED)])
def test_stop_outdoes_a_restart(installed, asked, why):
    """Asked to stop while it begins to restart, it ends; while it restarts, its marker tells who wants to stop it."""
    begun = []

    async def live():
        one = Helper(installed.settings, installed.config, lambda: begun.append(1))
        running = asyncio.create_task(one.run(started=False))
        await one._open.wait()
        for each in asked:
            one._end(each)
        return await running

    with only_one(installed.settings):
        assert asyncio.run(live()) == why
    assert len(begun) == 1
    assert Path(starting_mark(str(socket_path(installed.settings)))).exists() is (why == AGAIN)


def test_no_marker_no_service(installed):
    """One that was started by a hook does not open the memory if its marker is gone: somebody stopped it, or another one listened."""

    async def live():
        return await Helper(installed.settings, installed.config, lambda: None).run(started=True)

    with only_one(installed.settings):
        assert asyncio.run(live()) == STOPPED
    assert not socket_path(installed.settings).exists()


def test_surely_ends(installed):
    """Asked to stop while one of its threads waits for something that never comes, it says in its log where, and ends."""
    code = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from vademecum.entrypoints.daemon import executor, start\n"
        "from vademecum.wiring import load_settings\n"
        "def never_closed(opened): threading.Event().wait()\n"
        "executor.Opened.close = never_closed\n"
        "start.END_WITHIN_S = 0.5\n"
        "start.serve(load_settings(config=Path(sys.argv[1])), Path(sys.argv[1]))"
    )
    program = subprocess.Popen([sys.executable, "-c", code, str(installed.config)], env=installed.environment())
    while program.poll() is None and not call(installed.settings, "status"):
        time.sleep(0.05)
    assert stop(installed.settings) == {"stopping": program.pid}
    assert program.wait(60) == 1
    assert " in never_closed" in (installed.data / "log" / "helper.log").read_text("utf-8")


def test_log_is_kept_for_30_days(tmp_path):
    """MV-46: one JSON object a line, one file a day, the old ones gone."""
    log, day = HookLog(tmp_path / "log"), datetime(2026, 3, 1, 12, tzinfo=UTC)
    for number in range(KEPT_DAYS + 5):
        log.write({"moment": "prompt", "verdict": "told"}, day + timedelta(days=number))
    files = sorted(path.name for path in (tmp_path / "log").iterdir())
    last = day + timedelta(days=KEPT_DAYS + 4)
    assert files[-1] == f"hooks-{last:%Y-%m-%d}.jsonl"
    assert files[0] == f"hooks-{last - timedelta(days=KEPT_DAYS):%Y-%m-%d}.jsonl"
    assert json.loads((tmp_path / "log" / files[-1]).read_text()) == {
        "at": last.isoformat(timespec="milliseconds"), "moment": "prompt", "verdict": "told"
    }  # fmt: skip


def test_log_level(installed):
    """MV-45: the helper's own log tells as much as it is asked to; commands refuse a level that does not exist with those that do."""
    log = installed.data / "log" / "helper.log"
    for level, told in (("info", False), ("debug", True)):
        installed.configure(log_level=f'"{level}"')
        assert ensure(installed.settings, installed.config)
        stop(installed.settings)
        assert (" DEBUG " in log.read_text("utf-8")) is told
    installed.configure(log_level='"loud"')
    listing = [sys.executable, "-m", "vademecum", "--config", str(installed.config), "list"]
    done = subprocess.run(listing, env=installed.environment(), capture_output=True, text=True, check=False)
    assert done.returncode == InvalidInput.exit_code
    assert "debug, info, warning, error" in done.stderr


def test_wrong_settings(installed):
    """With wrong settings the helper comes up all the same, answers, and its log of hooks says what is wrong."""
    installed.configure(profile='"nope"', log_level='"loud"', embedder='"nope"')
    wrong = load_settings(config=installed.config, forgiving=True)
    assert ensure(wrong, installed.config)
    installed.patient()
    assert "4417" in installed.prompted(ABOUT_KETTLE)
    assert all(f"Setting {name} is " in installed.log()[-1]["settings"] for name in ("profile", "log_level", "embedder"))


def test_silent_connections_end(installed, monkeypatch):
    """Who opens connections and says nothing, or half a request, is hung up on; who says something whole is answered."""
    monkeypatch.setattr(silence, "LOOK_EVERY_S", 0)
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
    installed.configure(port=str(port))
    half = b"POST /v1/save HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    said = (b"", half, half + b"Content-Length: 9\r\n\r\n{", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)

    async def heard(words):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(words)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while line := await reader.readline():
                answer += line
        writer.close()
        return answer[:12]

    async def talk():
        doors = LateDoors(Desk(installed.settings), installed.settings, installed.config)
        serving = asyncio.create_task(doors.serve_http())
        while not doors.port:
            await asyncio.sleep(0)
        answers = await asyncio.gather(*map(heard, said))
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        return answers

    assert asyncio.run(asyncio.wait_for(talk(), 120)) == [b"", b"", b"HTTP/1.1 401", b"HTTP/1.1 200"]


def test_prompts_need_no_writing(installed):
    """A new helper answers its first prompt without loading what only writing, following files, other machines, commands and plugins'
    pages take, nor the parts of NumPy that it does without: on a busy machine the prompt would not be answered in time.
    """
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from vademecum.domain.host import HookEvent\n"
        "from vademecum.entrypoints.daemon.helper import Helper\n"
        "from vademecum.entrypoints.daemon.opened import Opened\n"
        "from vademecum.inject.deliver import deliver\n"
        "from vademecum.wiring import load_settings\n"
        "config = Path(sys.argv[1])\n"
        "settings = load_settings(config=config)\n"
        "Helper(settings, config, lambda: None)\n"
        f"event = HookEvent('plain', 'prompt', 'prompt', 's1', prompt={ABOUT_KETTLE!r})\n"
        "told = deliver(Opened(settings).recall_at(''), event)\n"
        "print(told.verdict, *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(installed.config)],
        capture_output=True,
        text=True,
        check=True,
        env=installed.environment(),
    )
    verdict, *loaded = done.stdout.split()
    assert verdict == "told"
    writing = {"yaml", "filelock", "watchfiles", "vademecum.vault.writer", "vademecum.sync.index"}
    assert not {*writing, "http.client", "click", "vademecum.api", "vademecum.entrypoints.caller", "numpy.ma"} & {*loaded}
