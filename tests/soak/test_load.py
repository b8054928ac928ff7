"""A helper under the load of many agents at once, for minutes: nobody starves, nothing is lost or doubled, nothing grows.

Figures are printed (`make soak` shows them with `-s`) and recorded in docs/measurements/.
"""

import http.client
import itertools
import json
import random
import socket
import statistics
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.entrypoints.hooks.conftest import ABOUT_KETTLE, Installed

from vademecum.entrypoints.daemon.call import call, ensure
from vademecum.settings import socket_path

pytestmark = pytest.mark.soak

WRITERS, SAVES_EACH = 32, 20
HOOK_THREADS, HTTP_THREADS = 4, 4
HOOKS_A_SECOND = 64
MANY_THREADS = 8
NOTES = 400
LONG_S, CALLS = 600, 30_000


class Served(Installed):
    """An installation with a helper that serves HTTP."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        with socket.create_server(("127.0.0.1", 0)) as one:
            self.port = one.getsockname()[1]
        self.configure(port=str(self.port))
        there = ensure(self.settings, self.config)
        assert there
        self.pid = there["pid"]
        self.token = ""
        assert self.asked("status")[1] == 401  # answered, it has made the token
        self.token = (self.data / "token").read_text().strip()

    def asked(self, verb: str, **body: object) -> tuple[float, int, dict]:
        """Seconds, status and answer of one request on a connection of its own. Who asks too often waits as long as they are told."""
        while True:
            start = time.perf_counter()
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            head = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
            connection.request("POST", f"/v1/{verb}", json.dumps(body), head)
            answer = connection.getresponse()
            said = json.loads(answer.read())
            connection.close()
            if answer.status != http.HTTPStatus.TOO_MANY_REQUESTS:
                return time.perf_counter() - start, answer.status, said
            time.sleep(float(answer.headers["Retry-After"]))

    def prompted_raw(self, session: str, prompt: str) -> float:
        """Seconds that a prompt's hook waits, its client's start left out."""
        event = {"hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": str(self.folder), "prompt": prompt}
        start = time.perf_counter()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(30)
            line.connect(str(socket_path(self.settings)))
            line.sendall(f"hook 2 500 claude-code {self.folder}\n".encode() + json.dumps(event).encode())
            line.shutdown(socket.SHUT_WR)
            while line.recv(65536):
                pass
        return time.perf_counter() - start

    def held(self) -> tuple[float, int, int]:
        """Megabytes, descriptors and threads of the helper."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        rows = dict(row.split(":\t", 1) for row in status.splitlines() if ":\t" in row)
        return int(rows["RssAnon"].split()[0]) / 1024, len(list(Path(f"/proc/{self.pid}/fd").iterdir())), int(rows["Threads"])


@pytest.fixture
def served(tmp_path):
    one = Served(tmp_path)
    for number in range(NOTES):
        assert (
            one.asked("save", kind="fact", title=f"Part {number}", body=f"Part {number} lies in drawer {number * 7}.")[1] == 200
        )
    yield one
    call(one.settings, "stop")


def told(name: str, seconds: list[float]) -> float:
    """The 95th percentile, after printing it."""
    cuts = statistics.quantiles(seconds, n=100)
    print(
        f"{name}: {len(seconds)} calls, p50 {cuts[49] * 1000:.0f} ms, p95 {cuts[94] * 1000:.0f} ms, worst {max(seconds):.2f} s"
    )
    return cuts[94]


def during(seconds: float, *works, is_done=lambda: True) -> None:
    """Run each work again and again in a thread of its own, for so long and until it is done; what one raises is raised."""
    until = time.monotonic() + seconds

    def again(work) -> None:
        while time.monotonic() < until or not is_done():
            work()

    with ThreadPoolExecutor(len(works)) as crowd:
        for done in [crowd.submit(again, work) for work in works]:
            done.result()


def hooks(served: Served, took: list[float], a_second: float):
    """One thread's hooks, so many a second."""
    due = [time.monotonic()]

    def one() -> None:
        time.sleep(max(0.0, due[0] - time.monotonic()))
        due[0] += 1 / a_second
        took.append(
            served.prompted_raw(f"s{random.randrange(40)}", f"In which drawer does part {random.randrange(NOTES)} lie?")
        )

    return one


def programs(served: Served, recalls: list[float], saves: list[float], numbers):
    """One thread's requests over HTTP: recall, recall, save."""

    def one() -> None:
        for _ in range(2):
            seconds, status, _said = served.asked("recall", question=f"Where does part {random.randrange(NOTES)} lie?")
            assert status == 200
            recalls.append(seconds)
        number = next(numbers)
        seconds, status, _said = served.asked(
            "save", kind="fact", title=f"New {number}", body=f"New part {number} came in box {number}."
        )
        assert status == 200
        saves.append(seconds)

    return one


def test_hooks_starve_nobody(served):
    """64 hooks a second beside four programs over HTTP: 95 of 100 questions are answered within a second."""
    took, recalls, saves, numbers = [], [], [], itertools.count()
    during(
        60,
        *(hooks(served, took, HOOKS_A_SECOND / HOOK_THREADS) for _ in range(HOOK_THREADS)),
        *(programs(served, recalls, saves, numbers) for _ in range(HTTP_THREADS)),
    )
    told("hooks", took)
    told("saves", saves)
    assert told("recalls", recalls) <= 1.0


def test_many_writers(served):
    """32 writers over HTTP beside somebody who edits by hand: nothing is lost or doubled, 95 of 100 saves take a second at most."""
    notes = sorted((served.folder / "home").rglob("part-1?.md"))
    added: list[tuple[Path, str]] = []
    done = threading.Event()

    def edit() -> None:
        while not done.is_set():
            note = random.choice(notes)
            line = f"By hand {len(added)}."
            text = note.read_text()
            note.with_suffix(".new").write_text(f"{text}{line}\n")
            note.with_suffix(".new").replace(note)
            added.append((note, line))
            time.sleep(0.05)

    def write(writer: int) -> list[float]:
        found = []
        for number in range(SAVES_EACH):
            title = f"Deed {writer}-{number}"
            seconds, status, said = served.asked("save", kind="fact", title=title, body=f"Writer {writer} did deed {number}.")
            assert status == 200, said
            found.append(seconds)
        return found

    editor = threading.Thread(target=edit)
    editor.start()
    with ThreadPoolExecutor(WRITERS) as crowd:
        seconds = [one for row in crowd.map(write, range(WRITERS)) for one in row]
    done.set()
    editor.join()
    p95 = told("saves of 32 writers", seconds)
    files = sorted(path.stem for path in (served.folder / "home").rglob("deed-*.md"))
    assert files == sorted(f"deed-{writer}-{number}" for writer in range(WRITERS) for number in range(SAVES_EACH))
    assert all(line in note.read_text() for note, line in added)
    assert p95 <= 1.0


def test_ten_minutes(served):
    """Ten minutes of hooks, questions and writes and 30,000 calls: memory, files and threads stay as they were after the first minute."""
    took, recalls, saves, numbers, seen = [], [], [], itertools.count(), []
    began = time.monotonic()

    def look() -> None:
        time.sleep(5)
        seen.append((time.monotonic() - began, *served.held()))

    during(
        LONG_S,
        look,
        *(hooks(served, took, CALLS / LONG_S / MANY_THREADS) for _ in range(MANY_THREADS)),
        *(programs(served, recalls, saves, numbers) for _ in range(2)),
        is_done=lambda: len(took) + len(recalls) + len(saves) >= CALLS,
    )
    for name, seconds in (("hooks", took), ("recalls", recalls), ("saves", saves)):
        told(name, seconds)
    settled = [row for row in seen if row[0] > 60]
    for row in (settled[0], settled[len(settled) // 2], settled[-1]):
        print("after {:.0f} s: {:.0f} MB, {} descriptors, {} threads".format(*row))
    assert served.asked("recall", question=ABOUT_KETTLE)[1] == 200
    half = len(settled) // 2
    for column, room in ((1, 40), (2, 8), (3, 2)):
        first, last = (statistics.median(row[column] for row in part) for part in (settled[:half], settled[half:]))
        assert last <= first + room
