"""Two processes that read the same conversations at once add no turn twice and confirm nothing (capture-38)."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from vademecum.domain.errors import Locked
from vademecum.domain.query import Scope
from vademecum.ingest.transcripts import absorb
from vademecum.settings import Settings
from vademecum.wiring import open_memory

PROGRAM = Path(__file__).with_name("reads_rounds.py")
CONVERSATIONS = 4


class Place:
    """A memory, and conversations that grow by two turns a round: of Claude Code, whose turns have ids, and of plain lines without."""

    def __init__(self, folder):
        self.talk, self.home, self.data = folder / "talk", folder / "Vademecum", folder / "data"
        self.talk.mkdir()
        self.home.mkdir()

    def grow(self, number):
        for talk in range(CONVERSATIONS):
            rule = f"Remember: engine{number}x{talk} drives shop{number}x{talk}."
            said = [("user", rule), ("assistant", f"Noted round {number} of {talk}.")]
            lines = [self.line(talk, number, order, role, text) for order, (role, text) in enumerate(said)]
            with (self.talk / f"talk{talk}.jsonl").open("a") as file:
                file.write("".join(json.dumps(line) + "\n" for line in lines))

    def line(self, talk, number, order, role, text):
        if talk % 2:
            return {"role": role, "text": text, "time": f"2026-03-01T09:{number:02d}:0{order}Z"}
        uuid = f"{talk:08d}-0000-4000-8000-{number:011d}{order}"
        message = {"role": role, "content": text if role == "user" else [{"type": "text", "text": text}]}
        line = {"type": role, "uuid": uuid, "sessionId": f"s{talk}", "isSidechain": False, "message": message}
        return {**line, "timestamp": f"2026-03-01T09:{number:02d}:0{order}Z"}

    def readers(self, count):
        command = [sys.executable, str(PROGRAM), str(self.home), str(self.data), str(self.talk)]
        started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(count)]
        for reader in started:
            assert reader.stdout.readline() == "ready\n"
        return started

    def opened(self):
        return open_memory(
            Settings(home=str(self.home), data_dir=str(self.data), cache_dir=str(self.data), device="laptop", embedder="none")
        )


def ask(readers):
    for reader in readers:
        reader.stdin.write("\n")
        reader.stdin.flush()


def wait(readers):
    for reader in readers:
        assert reader.stdout.readline() == "done\n"


def end(readers):
    for reader in readers:
        reader.stdin.close()
        assert reader.wait(60) == 0
        reader.stdout.close()


def check(place, rounds):
    """Every turn stands once, and each thing to remember was saved once and confirmed by nobody."""
    with place.opened() as memory:
        index = memory.context.index
        keys = [item.key for item in index.select(Scope(sources=("session",), statuses=None))]
        assert len(keys) == CONVERSATIONS
        for key in keys:
            texts = [stored.passage.text for stored in index.passages_of(key)]
            assert len(texts) == len(set(texts)) == 2 * rounds
        saved = index.select(Scope(sources=("memory",), statuses=None), limit=1000)
        assert len(saved) == rounds * CONVERSATIONS
        assert {item.confirmations for item in saved} == {0}


def two_at_once(place, rounds):
    readers = place.readers(2)
    for number in range(rounds):
        place.grow(number)
        ask(readers)
        wait(readers)
    end(readers)
    check(place, rounds)


def test_two_readers_at_once(tmp_path):
    two_at_once(Place(tmp_path), 4)


@pytest.mark.soak
def test_two_readers_at_once_often(tmp_path):
    two_at_once(Place(tmp_path), 40)


def test_reader_beside_a_writer(tmp_path):
    """A conversation that grows while it is read holds every turn once."""
    place, rounds = Place(tmp_path), 12
    readers = place.readers(2)
    writer = threading.Thread(target=lambda: [place.grow(number) for number in range(rounds)])
    writer.start()
    while writer.is_alive():
        ask(readers)
        wait(readers)
    ask(readers)
    wait(readers)
    end(readers)
    check(place, rounds)


def test_a_killed_reader_holds_nobody_up(tmp_path):
    """The lock is the operating system's: it ends with its owner, also by kill -9; until then the other says so and reads nothing."""
    place = Place(tmp_path)
    place.grow(0)
    holds = (
        "import sys; from pathlib import Path; from vademecum.adapters.stores.state import SqliteState\n"
        "with SqliteState(Path(sys.argv[1])).jobs.lease('capture') as free: print(free, flush=True); sys.stdin.read()"
    )
    with place.opened() as memory:
        memory.maintenance.capture((str(place.talk),))
        place.grow(1)
        command = [sys.executable, "-c", holds, str(place.data / "device.db")]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout.readline() == "True\n"
            with pytest.raises(Locked, match="Another process is reading"):
                absorb(memory.context, (str(place.talk),), wait_s=0)
            holder.kill()
            holder.wait()
        assert len(memory.maintenance.capture((str(place.talk),)).sessions) == CONVERSATIONS
    check(place, 2)
