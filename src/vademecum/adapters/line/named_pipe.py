"""A named pipe of Windows as a connection to the helper, the equivalent of a Unix socket.

Data is sent in frames with a length prefix, because a pipe cannot be closed in one direction: an empty frame is the end. Only
the account that created a pipe may open it; a client checks the pipe's owner before it sends anything, and does not allow
impersonation.

The pipes of `multiprocessing` and `asyncio` let every account of the machine read, and their security cannot be set; so the
low-level calls of `_winapi` are used, and ctypes for calls that it lacks. Nothing of ours is imported: `vade install` copies
this file beside the hook client.
"""

import _thread
import _winapi
import ctypes
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

assert sys.platform == "win32"

#: From winbase.h; `_winapi` does not define it.
PIPE_REJECT_REMOTE_CLIENTS = 0x8
#: The server may identify the client, but not impersonate it.
SECURITY_SQOS_PRESENT, SECURITY_IDENTIFICATION = 0x100000, 0x10000

_HEAD_BYTES = 4
#: Bytes that one side may send before the other reads.
_BUFFER_BYTES = 1 << 16
#: Attempts of a client that waits for a free pipe and is overtaken by another client.
_TRIES = 100


class Pipe:
    """One end of a pipe; implements the Line port."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._time_ms = _winapi.INFINITE
        self._left, self._is_over = 0, False
        self._guard = _thread.allocate_lock()
        self._begun: list[_winapi.Overlapped] = []
        self._is_cut = False

    def settimeout(self, seconds: float | None) -> None:
        """Set the timeout of each later operation in seconds; None: no timeout."""
        self._time_ms = _winapi.INFINITE if seconds is None else max(1, int(seconds * 1000))

    def sendall(self, data: bytes) -> None:
        """Send all of it as one frame."""
        if data:
            self._send(len(data).to_bytes(_HEAD_BYTES, "big") + data)

    def shutdown(self, _how: int) -> None:
        """Send the end-of-stream frame."""
        try:
            self._send(bytes(_HEAD_BYTES))
        except BrokenPipeError:
            return  # the other side has closed; its earlier data can still be read

    def recv(self, most: int) -> bytes:
        """Return the available bytes, at least one and at most `most`; empty at the end."""
        if not self._left and not self._is_over:
            head = b""
            while len(head) < _HEAD_BYTES:
                head += self._read(_HEAD_BYTES - len(head))
            self._left = int.from_bytes(head, "big")
            self._is_over = not self._left
        if self._is_over:
            return b""
        data = self._read(min(most, self._left))
        self._left -= len(data)
        return data

    def accept(self) -> None:
        """Wait for a client."""
        try:
            self._done(lambda: (_winapi.ConnectNamedPipe(self.handle, overlapped=True), _winapi.ERROR_IO_PENDING))
        except BrokenPipeError as error:
            if error.winerror != _winapi.ERROR_NO_DATA:  # a client that sent data and closed; its data can still be read
                raise

    def cut(self) -> None:
        """Cancel every operation of other threads, and allow no new ones."""
        with self._guard:
            self._is_cut = True
            for entry in self._begun:
                entry.cancel()

    def close(self) -> None:
        """Release it; the other side can still read the data that was sent."""
        self.cut()
        handle, self.handle = self.handle, _winapi.NULL
        if handle:
            _winapi.CloseHandle(handle)

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()

    def _send(self, frame: bytes) -> None:
        self._done(lambda: _winapi.WriteFile(self.handle, frame, overlapped=True))

    def _read(self, most: int) -> bytes:
        return self._done(lambda: _winapi.ReadFile(self.handle, most, overlapped=True)).getbuffer() or b""

    def _done(self, begin: "Callable[[], tuple[_winapi.Overlapped, int]]") -> "_winapi.Overlapped":
        """Begin an operation and return it when it is done.

        Raises:
            TimeoutError: it took too long, and may be partly done. OSError: the other side is gone, or this one was closed.
        """
        with self._guard:
            if self._is_cut:
                raise ConnectionAbortedError("This side of the pipe is closed.")
            entry, state = begin()
            self._begun.append(entry)
        try:
            if state == _winapi.ERROR_IO_PENDING:
                _winapi.WaitForMultipleObjects([entry.event], False, self._time_ms)
        finally:
            with self._guard:
                self._begun.remove(entry)
                entry.cancel()  # no effect on a completed operation
            _, state = entry.GetOverlappedResult(True)
        if state == _winapi.ERROR_OPERATION_ABORTED:
            raise ConnectionAbortedError("This side was closed.") if self._is_cut else TimeoutError("timed out")
        return entry


def connect(place: str, within_s: float | None = None) -> Pipe:
    """Return a connection to the helper at a place; each send and receive has the timeout `within_s`, None: no timeout.

    Raises:
        OSError: nobody listens there, or another account does, or all pipes stayed busy.
    """
    user = user_sid()
    pipe = Pipe(_opened(pipe_name(place, user), within_s))
    try:
        if owner_sid(pipe.handle) != user:
            raise PermissionError("Another account listens at the address of the helper.")
    except BaseException:
        pipe.close()
        raise
    pipe.settimeout(within_s)
    return pipe


def _opened(name: str, within_s: float | None) -> int:
    flags = _winapi.FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION
    access = _winapi.GENERIC_READ | _winapi.GENERIC_WRITE
    wait_ms = _winapi.NMPWAIT_WAIT_FOREVER if within_s is None else max(1, int(within_s * 1000))
    for _ in range(_TRIES):
        try:
            return _winapi.CreateFile(name, access, 0, _winapi.NULL, _winapi.OPEN_EXISTING, flags, _winapi.NULL)
        except OSError as error:
            if error.winerror != _winapi.ERROR_PIPE_BUSY:
                raise
        _winapi.WaitNamedPipe(name, wait_ms)
    raise TimeoutError("The helper's pipes stayed busy.")


def create(name: str, user: str, *, first: bool) -> Pipe:
    """Return another server end of a pipe that only one account may open. `first`: the pipe must not exist yet.

    Raises:
        OSError: another process has created it, or Windows is out of resources.
    """
    flags = _winapi.PIPE_ACCESS_DUPLEX | _winapi.FILE_FLAG_OVERLAPPED
    return Pipe(
        _winapi.CreateNamedPipe(
            name,
            flags | _winapi.FILE_FLAG_FIRST_PIPE_INSTANCE if first else flags,
            _winapi.PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS,  # byte mode, which is 0
            _winapi.PIPE_UNLIMITED_INSTANCES,
            _BUFFER_BYTES,
            _BUFFER_BYTES,
            0,
            security_attributes(f"O:{user}D:P(A;;GA;;;{user})"),
        )
    )


def pipe_name(place: str, user: str) -> str:
    """Return the name of an account's pipe for a place (FNV-1a, 64 bits)."""
    number = 0xCBF29CE484222325
    for byte in place.replace("\\", "/").lower().encode("utf-8", "surrogatepass"):
        number = (number ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return rf"\\.\pipe\vademecum-{user}-{number:016x}"


# ---------------------------------------------------------------------- calls by ctypes

_TOKEN_QUERY, _TOKEN_USER = 0x8, 1
_SE_KERNEL_OBJECT, _OWNER_SECURITY_INFORMATION = 6, 1
_SDDL_REVISION_1 = 1


class _Attributes(ctypes.Structure):
    """The structure SECURITY_ATTRIBUTES."""

    _fields_ = (("size", ctypes.c_uint32), ("descriptor", ctypes.c_void_p), ("inherit", ctypes.c_int32))


def user_sid() -> str:
    """Return the account of this process, as S-1-5-21-..."""
    security = ctypes.WinDLL("advapi32", use_last_error=True)
    token, size = ctypes.c_void_p(), ctypes.c_uint32()
    process = ctypes.c_void_p(_winapi.GetCurrentProcess())
    _check(security.OpenProcessToken(process, _TOKEN_QUERY, ctypes.byref(token)))
    try:
        security.GetTokenInformation(token, _TOKEN_USER, None, 0, ctypes.byref(size))  # fails, but returns the size
        create_string_buffer = ctypes.create_string_buffer(size.value)
        _check(security.GetTokenInformation(token, _TOKEN_USER, create_string_buffer, size, ctypes.byref(size)))
        return _sid_text(ctypes.c_void_p.from_buffer(create_string_buffer))  # TOKEN_USER begins with a pointer to the SID
    finally:
        _winapi.CloseHandle(token.value or 0)


def owner_sid(handle: int) -> str:
    """Return the account that owns a pipe, given a handle of one end."""
    security = ctypes.WinDLL("advapi32", use_last_error=True)
    owner, descriptor = ctypes.c_void_p(), ctypes.c_void_p()
    asked = (ctypes.c_void_p(handle), _SE_KERNEL_OBJECT, _OWNER_SECURITY_INFORMATION)
    if error := security.GetSecurityInfo(*asked, ctypes.byref(owner), None, None, None, ctypes.byref(descriptor)):
        raise ctypes.WinError(error)
    try:
        return _sid_text(owner)
    finally:
        ctypes.WinDLL("kernel32").LocalFree(descriptor)


def security_attributes(sddl: str) -> int:
    """Return the address of the security attributes described in SDDL. They are never freed."""
    security = ctypes.WinDLL("advapi32", use_last_error=True)
    descriptor = ctypes.c_void_p()
    convert = security.ConvertStringSecurityDescriptorToSecurityDescriptorW
    _check(convert(ctypes.c_wchar_p(sddl), _SDDL_REVISION_1, ctypes.byref(descriptor), None))
    made = _Attributes(ctypes.sizeof(_Attributes), descriptor, 0)
    _KEPT.append(made)
    return ctypes.addressof(made)


_KEPT: list[_Attributes] = []


def _sid_text(sid: ctypes.c_void_p) -> str:
    text = ctypes.c_wchar_p()
    _check(ctypes.WinDLL("advapi32", use_last_error=True).ConvertSidToStringSidW(sid, ctypes.byref(text)))
    try:
        return text.value or ""
    finally:
        ctypes.WinDLL("kernel32").LocalFree(text)


def _check(succeeded: int) -> None:
    if not succeeded:
        raise ctypes.WinError(ctypes.get_last_error())
