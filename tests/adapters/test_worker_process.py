"""The Worker port: one suite for a second process and for the reference."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from operator import truediv
from pathlib import Path

import pytest

from vademecum.adapters.worker_process import OwnWorker, SecondProcess, worker_for


@pytest.fixture(params=[OwnWorker, SecondProcess])
def worker(request):
    made = request.param()
    yield made
    made.close()


def test_results(worker):
    """Each piece of work gives its own result, in whatever order they are asked for."""
    begun = [worker.begin(divmod, number, 7, soon=number % 3 == 0) for number in range(60)]
    assert [take() for take in reversed(begun)] == [divmod(number, 7) for number in reversed(range(60))]


def test_large_and_many(worker):
    """Texts of megabytes travel both ways while more is asked for than anybody takes."""
    begun = [worker.begin(bytes.upper, b"a" * 3_000_000) for _ in range(20)]
    assert all(take() == b"A" * 3_000_000 for take in begun)


def test_error(worker):
    """What work raises is raised where its result is wanted, and nothing else suffers."""
    wrong, right = worker.begin(truediv, 1, 0), worker.begin(truediv, 6, 3)
    assert right() == 2
    with pytest.raises(ZeroDivisionError):
        wrong()


def test_what_cannot_be_sent(worker):
    """A function that only this process knows is called here."""
    seen = []
    assert worker.begin(lambda: seen.append(1) or "here")() == "here"
    assert seen == [1]


def test_none_is_a_result(worker):
    """Nothing is a result like any other."""
    assert worker.begin(list.sort, [2, 1])() is None


def test_left(worker):
    """What nobody takes keeps nobody from closing."""
    for _ in range(50):
        worker.begin(bytes.upper, b"a" * 100_000)


def test_other_process_is_at_it():
    """The work is really done elsewhere, while this process does something else."""
    worker = SecondProcess()
    try:
        assert worker.spare
        begun = worker.begin(os.getpid)
        deadline = time.monotonic() + 60
        while worker._given or worker._waiting:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert begun() == worker._process.pid
    finally:
        worker.close()


def test_dead_process():
    """When the other process is killed, everything is done here."""
    worker = SecondProcess()
    try:
        begun = [worker.begin(divmod, number, 7) for number in range(40)]
        worker._process.kill()
        begun += [worker.begin(divmod, number, 7) for number in range(40, 80)]
        assert [take() for take in begun] == [divmod(number, 7) for number in range(80)]
    finally:
        worker.close()


def test_ends_with_its_parent(tmp_path):
    """kill -9 of the process that started it: it does not stay."""
    note = tmp_path / "pid"
    program = f"""
        import time
        from pathlib import Path
        from vademecum.adapters.worker_process import SecondProcess
        worker = SecondProcess()
        work = [worker.begin(bytes.upper, b"a" * 9_000_000) for _ in range(30)]
        Path({str(note)!r}).write_text(str(worker._process.pid))
        print("ready", flush=True)
        time.sleep(60)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "ready\n"
        parent.send_signal(signal.SIGKILL)
    child, deadline = int(note.read_text()), time.monotonic() + 30
    while is_running(child):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        said = Path(f"/proc/{pid}/stat").read_text()
        return said.rpartition(")")[2].split()[0] != "Z"  # a zombie has ended; nobody in a container may reap it
    except FileNotFoundError:
        return False


def test_when(monkeypatch):
    """A second process only for much work, only with a second processor, and never when the person says so."""
    monkeypatch.setattr("vademecum.adapters.worker_process._processors", lambda: 2)
    assert isinstance(worker_for(19, 20), OwnWorker)
    assert isinstance(worker_for(99, 0), OwnWorker)
    large = worker_for(20, 20)
    assert isinstance(large, SecondProcess)
    large.close()
    monkeypatch.setattr("vademecum.adapters.worker_process._processors", lambda: 1)
    assert isinstance(worker_for(20, 20), OwnWorker)
