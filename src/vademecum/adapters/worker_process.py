"""A second process for CPU-bound work: it gets texts, returns results, and uses no files.

Python runs one thread at a time, so a second processor would be idle while thousands of transcripts are read. The process opens
no file of ours; requests and results pass through two pipes, and the caller does all writing. So killing either process at any
moment has the same effect as killing a single one: the child ends when the pipe from its parent is closed.

The caller never waits for work that was not started: it does that work itself, and all work if the process cannot be started or
dies.
"""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import IO, Any, Generic, TypeVar

from vademecum.ports.worker import Worker

T = TypeVar("T")

#: Most unanswered requests to the process, so that the next one is available when one is done.
_AHEAD = 2
_PICKLE = 5
#: On Windows the helper has no console, and the subprocess must not open one.
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)


def worker_for(size: int, least: int) -> Worker:
    """Return a second process if the work is large and a second processor is available, else an in-process worker.

    Args:
        size: bytes to be read. least: minimum size for a second process; 0: never use one.
    """
    return SecondProcess() if 0 < least <= size and _processors() > 1 else OwnWorker()


def _processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class OwnWorker:
    """The Worker port without a second process: work is done when its result is requested. The reference."""

    spare = False

    def begin(self, work: Callable[..., T], *given: object, soon: bool = False) -> Callable[[], T]:
        return _Job(work, given).result

    def close(self) -> None: ...


class _Job(Generic[T]):
    """A piece of work and its result."""

    def __init__(self, work: Callable[..., T], given: tuple[object, ...]) -> None:
        self.work, self.given = work, given
        self.is_done = False
        self._value: T | None = None

    def do(self) -> None:
        """Do the work in this process."""
        self.settle(self.work(*self.given))

    def settle(self, value: T) -> None:
        """Store the result."""
        self._value, self.given, self.is_done = value, (), True

    def result(self) -> T:
        """Return the result; do the work now if it was not done."""
        if not self.is_done:
            self.do()
        return self._value  # type: ignore[return-value]  # None only when that is the result


class SecondProcess:
    """The Worker port with one additional process."""

    def __init__(self) -> None:
        self._waiting: deque[_Job[Any]] = deque()
        self._given: deque[_Job[Any]] = deque()
        self._change = threading.Condition()
        self._over = False
        self._process: subprocess.Popen[bytes] | None = None
        self._threads: list[threading.Thread] = []
        try:
            command = (sys.executable, "-P", "-m", "vademecum.adapters.worker_process")
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, creationflags=_NO_WINDOW
            )
        except OSError:
            self._over = True
            return
        self._process = process
        self._threads = [
            threading.Thread(target=step, args=(stream,), daemon=True)
            for step, stream in ((self._give, process.stdin), (self._take, process.stdout))
        ]
        for thread in self._threads:
            thread.start()

    @property
    def spare(self) -> bool:
        return not self._over

    def begin(self, work: Callable[..., T], *given: object, soon: bool = False) -> Callable[[], T]:
        job = _Job(work, given)
        with self._change:
            if not self._over:
                self._waiting.appendleft(job) if soon else self._waiting.append(job)
                self._change.notify_all()
        return lambda: self._result(job)

    def _result(self, job: _Job[T]) -> T:
        """Return the result; while the other process works on it, do other waiting work here."""
        while not job.is_done:
            with self._change:
                if job not in self._given:
                    with contextlib.suppress(ValueError):
                        self._waiting.remove(job)
                    break
                other = self._waiting.popleft() if self._waiting else None
                if other is None:
                    self._change.wait()
                    continue
            with contextlib.suppress(Exception):  # it is done again, and fails, when its own result is requested
                other.do()
        return job.result()

    def close(self) -> None:
        with self._change:
            self._over = True
            self._waiting.clear()
            self._change.notify_all()
            if self._given and self._process is not None:
                self._process.kill()  # its current work is no longer needed
        for thread in self._threads:
            thread.join()
        if self._process is not None:
            self._process.wait()

    def _give(self, stream: IO[bytes]) -> None:
        """Send waiting work to the process until the end; runs in a thread of its own."""
        with contextlib.suppress(OSError), stream:
            while (job := self._next()) is not None:
                try:
                    data = pickle.dumps((job.work, job.given), _PICKLE)
                except (pickle.PicklingError, AttributeError, TypeError):
                    self._leave(job)
                    continue
                stream.write(data)
                stream.flush()

    def _next(self) -> _Job[Any] | None:
        with self._change:
            while not self._over and (not self._waiting or len(self._given) >= _AHEAD):
                self._change.wait()
            if self._over:
                return None
            self._given.append(self._waiting.popleft())
            return self._given[-1]

    def _leave(self, job: _Job[Any]) -> None:
        """Leave work that cannot be sent to the caller."""
        with self._change:
            with contextlib.suppress(ValueError):
                self._given.remove(job)
            self._change.notify_all()

    def _take(self, stream: IO[bytes]) -> None:
        """Receive results until the process ends; runs in a thread of its own."""
        with stream, contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
            while True:
                is_done, value = pickle.load(stream)
                with self._change:
                    job = self._given.popleft()
                    if is_done:
                        job.settle(value)
                    self._change.notify_all()
        with self._change:
            self._over = True
            self._given.clear()
            self._change.notify_all()


def main() -> None:
    """Do the received work in order, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the person interrupts the parent, which ends this process
    asked, result = sys.stdin.buffer, sys.stdout.buffer
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            work, given = pickle.load(asked)
            try:
                answer = pickle.dumps((True, work(*given)), _PICKLE)
            except Exception:  # noqa: BLE001 -- the parent repeats the work and gets the exception
                answer = pickle.dumps((False, None), _PICKLE)
            result.write(answer)
            result.flush()


if __name__ == "__main__":
    main()
