"""The line between helper and callers: a Unix socket and a named pipe of Windows keep the same promises."""

import asyncio
import importlib
import os
import socket
import sys
import threading
from pathlib import Path

import pytest
from tests.adapters.fake_windows import put_in

LIMIT = 1 << 25
#: Which of them this system can try, and how.
WAYS = ["pipe"] if sys.platform == "win32" else ["socket", "pipe"]


@pytest.fixture
def machine(monkeypatch):
    """Windows: the one that this runs on (then None), else one in memory."""
    return None if sys.platform == "win32" else put_in(monkeypatch)


def modules(way):
    """What listens and what calls, in this way; to be asked for once the machine is there."""
    server = importlib.import_module("vademecum.adapters.line." + {"pipe": "pipe_server", "socket": "unix_socket"}[way])
    return server, importlib.import_module("vademecum.adapters.line")


class Helper:
    """One that listens in a loop of its own; each call is answered by `meet`, here with what it said, backwards."""

    def __init__(self, listen, connect, place):
        self.listen, self.place = listen, str(place)
        self.connect = lambda within_s=30.0: connect(self.place, within_s)
        self.loop = asyncio.new_event_loop()
        self.silent, self.gone = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.listening = self.up()

    def up(self, limit=LIMIT):
        return asyncio.run_coroutine_threadsafe(self.listen(self.place, self.meet, limit), self.loop).result(30)

    async def meet(self, reader, writer):
        try:
            data = await reader.read()
            if data == b"silence":
                self.silent.set()
                await asyncio.to_thread(self.gone.wait, 30)
            if data != b"death":
                writer.write(data[::-1])
                await writer.drain()
        except ConnectionError:
            self.gone.set()
        finally:
            writer.close()

    def down(self, listening):
        async def close():
            listening.close()

        asyncio.run_coroutine_threadsafe(close(), self.loop).result(30)

    async def finish(self):
        self.listening.close()
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)
        await self.loop.shutdown_default_executor()

    def close(self):
        self.gone.set()
        asyncio.run_coroutine_threadsafe(self.finish(), self.loop).result(60)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(30)
        self.loop.close()


@pytest.fixture(params=WAYS)
def helper(request, short):
    """A helper by each way."""
    if request.param == "pipe":
        request.getfixturevalue("machine")
    server, client = modules(request.param)
    one = Helper(server.listen, client.connect, short / "helper.sock")
    yield one
    one.close()


@pytest.fixture
def short(tmp_path_factory):
    """A folder whose path is short enough for a socket."""
    return tmp_path_factory.mktemp("l")


def told(line, data):
    """What is answered to `data`."""
    with line:
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: line.recv(65536), b""))


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 3_000_001])
def test_round_trip(helper, size):
    """What is sent arrives whole, however large, and so does the answer; what was read is known to be all."""
    data = os.urandom(size)
    assert told(helper.connect(), data) == data[::-1]


def test_many_at_once(helper):
    """Forty callers at the same moment are all answered, each with its own."""
    answers, start = {}, threading.Barrier(40)

    def call(number):
        start.wait()
        answers[number] = told(helper.connect(), b"caller %d" % number * 999)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert answers == {number: (b"caller %d" % number * 999)[::-1] for number in range(40)}


def test_both_ways_at_once(helper):
    """One thread sends while another reads, as a connection of MCP does, and parts arrive before the end is said."""
    heard = threading.Event()

    async def echo(reader, writer):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    helper.meet = echo
    helper.place += "2"
    other = helper.up()
    with helper.connect() as line:
        reading = threading.Thread(target=lambda: line.recv(5) == b"first" and heard.set(), daemon=True)
        reading.start()
        line.sendall(b"first")
        assert heard.wait(30)
        line.sendall(b"second")
        line.shutdown(socket.SHUT_WR)
        assert b"".join(iter(lambda: line.recv(2), b"")) == b"second"
    helper.down(other)


def test_answered_before_the_end(helper):
    """A helper that answers and hangs up before its caller has said the end is heard all the same."""
    closed = threading.Event()

    async def hasty(reader, writer):
        writer.write(await reader.readline())
        writer.close()
        await writer.wait_closed()
        closed.set()

    helper.meet, helper.place = hasty, helper.place + "2"
    other = helper.up()
    with helper.connect() as line:
        line.sendall(b"stop 1\n")
        assert closed.wait(30)
        line.shutdown(socket.SHUT_WR)
        assert b"".join(iter(lambda: line.recv(99), b"")) == b"stop 1\n"
    helper.down(other)


def test_silent_helper(helper):
    """A helper that does not answer holds nobody up for longer than was agreed; others are served meanwhile."""
    with helper.connect() as line:
        line.sendall(b"silence")
        line.shutdown(socket.SHUT_WR)
        line.settimeout(0.01)
        with pytest.raises(TimeoutError):
            line.recv(1)
        assert told(helper.connect(), b"ab") == b"ba"


def test_nobody_reads(helper):
    """Who cannot get rid of what it says, because nobody reads it, is let go too."""
    never = threading.Event()

    async def deaf(reader, writer):
        await asyncio.to_thread(never.wait, 30)
        writer.close()

    helper.meet, helper.place = deaf, helper.place + "2"
    other = helper.up(limit=1000)
    with helper.connect() as line:
        line.settimeout(0.05)
        with pytest.raises(OSError):
            for _ in range(100):
                line.sendall(bytes(1 << 20))
    never.set()
    helper.down(other)


def test_helper_dies_without_a_word(helper):
    """A helper that ends a call without an answer leaves its caller with nothing, at once."""
    assert told(helper.connect(), b"death") == b""


def test_caller_leaves(helper):
    """A caller that goes in the middle of a word does no harm: the next one is answered."""
    for said in (b"", b"half a word"):
        with helper.connect() as line:
            if said:
                line.sendall(said)
    assert told(helper.connect(), b"ab") == b"ba"


def test_nobody_listens(helper, short):
    """Where no helper is there is none: said at once."""
    helper.place = str(short / "nobody.sock")
    with pytest.raises(OSError):
        helper.connect(1.0)


def test_left_by_a_killed_helper(helper):
    """What one that was killed left at the place keeps nobody from calling the next, and nobody is answered before."""
    helper.down(helper.listening)
    Path(helper.place).touch()
    with pytest.raises(OSError):
        told(helper.connect(1.0), b"ab")
    helper.listening = helper.up()
    assert told(helper.connect(), b"ab") == b"ba"


def test_place_tells(helper):
    """A file at the place says that somebody listens."""
    assert Path(helper.place).exists()


@pytest.mark.parametrize("helper", WAYS[:-1], indirect=True)
def test_only_the_owner(helper):
    """A socket is closed to other accounts, whatever its folder is; who is let in at a pipe is tested below."""
    assert Path(helper.place).stat().st_mode & 0o177 == 0


# ---------------------------------------------------------------------- what only the pipe of Windows does

OTHER = "S-1-5-21-2"


@pytest.fixture
def pipe(machine):
    """The module, on a machine in memory."""
    if machine is None:
        pytest.skip("a real Windows has one account here, and nobody can be stopped between two steps")
    return importlib.import_module("vademecum.adapters.line.named_pipe")


@pytest.fixture
def at_pipe(pipe, tmp_path):
    """A helper at a pipe of the machine in memory."""
    server, client = modules("pipe")
    one = Helper(server.listen, client.connect, tmp_path / "helper.sock")
    yield one
    one.close()


def test_another_account_is_refused(at_pipe, machine, pipe):
    """No other account of the machine can open the pipe, nor add one of that name; for its own it finds no helper."""
    name = pipe.pipe_name(at_pipe.place, machine.user)
    machine.user = OTHER
    with pytest.raises(PermissionError):
        pipe._opened(name, 1.0)
    for first in (True, False):
        with pytest.raises(PermissionError):
            pipe.create(name, OTHER, first=first)
    with pytest.raises(FileNotFoundError):
        at_pipe.connect()


def test_squatter(pipe, machine, tmp_path):
    """Another account that took the name first, and lets everybody in, hears nothing: caller and helper see whose it is."""
    place, person = str(tmp_path / "helper.sock"), machine.user
    name = pipe.pipe_name(place, person)
    machine.user = OTHER
    trap = pipe.create(name, OTHER, first=True)
    machine.pipes[name][0].allowed, machine.user = person, person
    with pytest.raises(PermissionError, match="Another account"):
        pipe.connect(place, 1.0)
    trap.accept()
    with pytest.raises(OSError):
        trap.recv(1)
    server, client = modules("pipe")
    with pytest.raises(PermissionError):
        Helper(server.listen, client.connect, place)
    assert not Path(place).exists()


def test_second_helper_is_refused(at_pipe):
    """One pipe of a name, one helper: Windows refuses the second, whatever the lock says."""
    with pytest.raises(PermissionError):
        at_pipe.up()
    assert told(at_pipe.connect(), b"ab") == b"ba"


def test_killed_helper(at_pipe, machine):
    """A helper that is killed while it answers: its caller hears so at once, and the next helper can come up at once."""
    with at_pipe.connect() as line:
        line.sendall(b"silence")
        line.shutdown(socket.SHUT_WR)
        assert at_pipe.silent.wait(30)
        at_pipe.down(at_pipe.listening)  # its threads live on here, and must not take the next caller
        machine.kill()
        with pytest.raises(OSError):
            line.recv(1)
    with pytest.raises(FileNotFoundError):
        at_pipe.connect()
    assert Path(at_pipe.place).exists()
    at_pipe.gone.set()
    at_pipe.listening = at_pipe.up()
    assert told(at_pipe.connect(), b"ab") == b"ba"


def test_cut_in_a_frame(at_pipe):
    """What is cut within a frame is not taken for all that was said."""
    with at_pipe.connect() as line:
        line._send((99).to_bytes(4, "big") + b"no ninety-nine bytes")
    assert at_pipe.gone.wait(30)


def test_busy(pipe, tmp_path):
    """Who comes while every pipe is taken waits for the next one, not longer than agreed."""
    place, user = str(tmp_path / "p"), pipe.user_sid()
    first = pipe.create(pipe.pipe_name(place, user), user, first=True)
    pipe.connect(place)
    with pytest.raises(OSError):
        pipe.connect(place, 0.01)
    heard = []
    waiting = threading.Thread(target=lambda: heard.append(pipe.connect(place, 30.0)))
    waiting.start()
    second = pipe.create(pipe.pipe_name(place, user), user, first=False)
    waiting.join(30)
    heard[0].sendall(b"late")
    assert second.recv(9) == b"late" and first.handle


def test_gone_before_it_was_met(pipe, tmp_path):
    """What somebody said who went again before the helper looked is heard."""
    place, user = str(tmp_path / "p"), pipe.user_sid()
    end = pipe.create(pipe.pipe_name(place, user), user, first=True)
    with pipe.connect(place) as line:
        line.sendall(b"printed 1\n")
        line.shutdown(socket.SHUT_WR)
    end.accept()
    assert (end.recv(99), end.recv(99)) == (b"printed 1\n", b"")
