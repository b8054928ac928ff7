"""Named pipes of Windows in memory, behind the functions of Python's `_winapi`, as Microsoft documents them.

One object is the machine: pipes by name, their instances, what each side sent and the other has not read, who may open what. A write
that has no room, a read of nothing and a wait for a caller are pending until another thread changes that. What it does not know raises.
"""

# ruff: noqa: N802 -- the names are those of Windows
import importlib
import re
import sys
import threading
import types

NAMED_PIPE = "vademecum.adapters.line.named_pipe"
ERRORS = {2: FileNotFoundError, 5: PermissionError, 109: BrokenPipeError, 232: BrokenPipeError}
FREE, TALKING, LEFT = "free", "talking", "left"
#: Who opens the pipe may ask for these of its bits and no others.
CLIENT_FLAGS = 0x40000000 | 0x100000 | 0x10000
FIRST, OVERLAPPED, DUPLEX, LOCAL_ONLY = 0x80000, 0x40000000, 3, 8


class WindowsError(Exception):
    """A call that Windows has, but nothing here asks for."""


def failure(number):
    error = ERRORS.get(number, OSError)(22, f"Windows error {number}")
    error.winerror = number
    return error


class Instance:
    """One pair of ends; `sent` holds what each end sent and the other has not read."""

    def __init__(self, name, owner, allowed, size):
        self.name, self.owner, self.allowed, self.size = name, owner, allowed, size
        self.state, self.heard = FREE, False
        self.sent = {"server": bytearray(), "client": bytearray()}
        self.closed = set()


class Overlapped:
    """An operation: `step` gives None while it cannot go on, else (bytes, what was read); it may raise."""

    def __init__(self, machine, step):
        self._machine, self._step = machine, step
        self.event = self
        self.state, self.result, self.data, self.error = 997, 0, None, None
        self.try_now()

    def try_now(self):
        if self.state != 997:
            return
        try:
            done = self._step()
        except OSError as error:
            self.state, self.error = 0, error
        else:
            if done is not None:
                self.state, (self.result, self.data) = 0, done

    def cancel(self):
        with self._machine.change:
            if self.state == 997:
                self.state = 995
            self._machine.moved()

    def GetOverlappedResult(self, wait):
        with self._machine.change:
            while self.state == 997 and wait:
                self._machine.change.wait()
            if self.error is not None:
                raise self.error
            return self.result, self.state

    def getbuffer(self):
        return self.data


class Machine(types.ModuleType):
    """Stands for `_winapi`; `user` is who runs the calling process, `pipes` what there is by name."""

    ERROR_PIPE_BUSY, ERROR_PIPE_CONNECTED, ERROR_NO_DATA, ERROR_BROKEN_PIPE = 231, 535, 232, 109
    ERROR_IO_PENDING, ERROR_OPERATION_ABORTED = 997, 995
    FILE_FLAG_FIRST_PIPE_INSTANCE, FILE_FLAG_OVERLAPPED, PIPE_ACCESS_DUPLEX = FIRST, OVERLAPPED, DUPLEX
    GENERIC_READ, GENERIC_WRITE, OPEN_EXISTING, NULL, PIPE_WAIT = 0x80000000, 0x40000000, 3, 0, 0
    INFINITE = NMPWAIT_WAIT_FOREVER = 0xFFFFFFFF
    PIPE_UNLIMITED_INSTANCES, WAIT_OBJECT_0, WAIT_TIMEOUT = 255, 0, 258

    def __init__(self):
        super().__init__("_winapi")
        self.Overlapped = Overlapped
        self.change = threading.Condition()
        self.user = "S-1-5-21-1"
        self.pipes, self.handles, self.pending = {}, {}, []
        self._sddl, self._last = {}, 100

    # ------------------------------------------------------------------ in the place of ctypes

    def user_sid(self):
        return self.user

    def security_attributes(self, sddl):
        self._sddl[self._number()] = sddl
        return self._last

    def owner_sid(self, handle):
        return self.handles[handle][0].owner

    # ------------------------------------------------------------------ _winapi

    def CreateNamedPipe(self, name, flags, mode, most, out_size, in_size, wait_ms, security):
        owner, allowed = self._read_sddl(self._sddl[security])
        if flags & ~FIRST != OVERLAPPED | DUPLEX or mode != LOCAL_ONLY or most != 255 or out_size != in_size:
            raise WindowsError
        with self.change:
            others = self.pipes.setdefault(name, [])
            if others and (flags & FIRST or self.user != others[0].allowed):
                raise failure(5)
            others.append(Instance(name, owner, allowed, in_size))
            self.moved()
            return self._handle(others[-1], "server")

    def ConnectNamedPipe(self, handle, overlapped):
        with self.change:
            instance, _ = self.handles[handle]
            if instance.state == LEFT:
                raise failure(232)
            instance.heard = True
            return self._begun(lambda: (0, None) if instance.state != FREE else None)

    def CreateFile(self, name, access, share, security, disposition, flags, template):
        if (access, share, security, disposition, template) != (0xC0000000, 0, 0, 3, 0) or flags != CLIENT_FLAGS:
            raise WindowsError
        with self.change:
            if not self.pipes.get(name):
                raise failure(2)
            if self.user != self.pipes[name][0].allowed:
                raise failure(5)
            free = [one for one in self.pipes[name] if one.state == FREE]
            if not free:
                raise failure(231)
            free[0].state = TALKING
            handle = self._handle(free[0], "client")
            self.moved()
            return handle

    def WaitNamedPipe(self, name, wait_ms):
        with self.change:
            if name not in self.pipes:
                raise failure(2)
            if not self.change.wait_for(lambda: any(one.state == FREE for one in self.pipes.get(name, ())), _seconds(wait_ms)):
                raise failure(121)

    def ReadFile(self, handle, most, overlapped):
        def step():
            instance, side = self.handles[handle]
            waiting = instance.sent[_other(side)]
            if waiting:
                data = bytes(waiting[:most])
                del waiting[:most]
                return len(data), data
            if instance.closed:
                raise failure(109)
            return None

        return self._begun_or_raised(step)

    def WriteFile(self, handle, data, overlapped):
        left = bytearray(data)

        def step():
            instance, side = self.handles[handle]
            if instance.closed:
                raise failure(232)
            room = max(0, instance.size - len(instance.sent[side]))
            instance.sent[side] += left[:room]
            del left[:room]
            return None if left else (len(data), None)

        return self._begun_or_raised(step)

    def WaitForMultipleObjects(self, events, all_of_them, wait_ms):
        with self.change:
            done = self.change.wait_for(lambda: events[0].state != 997, _seconds(wait_ms))
            return self.WAIT_OBJECT_0 if done else self.WAIT_TIMEOUT

    def CloseHandle(self, handle):
        with self.change:
            instance, side = self.handles.pop(handle)
            self._left(instance, side)

    def _left(self, instance, side):
        if side not in instance.closed:
            instance.closed.add(side)
            instance.state = LEFT
            if side == "server":
                self.pipes[instance.name].remove(instance)
                if not self.pipes[instance.name]:
                    del self.pipes[instance.name]
            self.moved()

    # ------------------------------------------------------------------ within

    def kill(self):
        """End the process that serves: Windows closes what it held. Its threads, which are ours, find their ends broken."""
        with self.change:
            for instance, side in self.handles.values():
                if side == "server":
                    self._left(instance, side)

    def moved(self):
        """Go on with what was waiting for something, until nothing more can."""
        before = None
        while before != (before := [(one.state, len(self.pending)) for one in self.pending]):
            for one in self.pending:
                one.try_now()
        self.pending = [one for one in self.pending if one.state == 997]
        self.change.notify_all()

    def _begun(self, step):
        one = Overlapped(self, step)
        self.pending.append(one)
        self.moved()
        return one

    def _begun_or_raised(self, step):
        with self.change:
            one = self._begun(step)
            if one.error is not None:
                raise one.error
            return one, one.state

    def _handle(self, instance, side):
        self.handles[self._number()] = instance, side
        return self._last

    def _number(self):
        self._last += 4
        return self._last

    def _read_sddl(self, sddl):
        """Who owns it, and who alone may do everything with it: nothing else is understood here."""
        found = re.fullmatch(r"O:(S-[\d-]+)D:P\(A;;GA;;;(S-[\d-]+)\)", sddl)
        if not found:
            raise WindowsError(sddl)
        if found[1] != self.user:
            raise failure(1307)  # ERROR_INVALID_OWNER
        return found[1], found[2]


def _other(side):
    return "client" if side == "server" else "server"


def _seconds(wait_ms):
    return None if wait_ms == 0xFFFFFFFF else wait_ms / 1000


def put_in(monkeypatch):
    """Make this process one of Windows as far as lines go, and return the machine that it runs on."""
    machine = Machine()
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "_winapi", machine)
    for name in (NAMED_PIPE, "vademecum.adapters.line.pipe_server", "vademecum.adapters.line"):
        monkeypatch.setitem(sys.modules, name, None)  # so that what is there now, or nothing, is there again afterwards
        del sys.modules[name]
    pipe = importlib.import_module(NAMED_PIPE)
    monkeypatch.setitem(sys.modules, "named_pipe", pipe)  # the copy beside the hook client
    for name in ("user_sid", "owner_sid", "security_attributes"):
        monkeypatch.setattr(pipe, name, getattr(machine, name))
    return machine
