"""Prints the prepared briefing, or sends the hook's standard input to the helper and prints its answer.

`client.py`, in the same folder, calls :func:`carry`. To start fast, only `sys`, `os`, `time`, `_thread` and `_socket` are imported.
:mod:`vademecum.adapters.device.ready_briefings` writes the prepared briefings and documents their format. On Windows the folder also holds
`named_pipe.py`, a copy of :mod:`vademecum.adapters.line.named_pipe`, which replaces the socket.
"""

import _socket
import _thread
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK = 65536
_ENOUGH_TRIES = 8
#: Session starts with larger payloads are left to the helper. Bytes.
_START_MAX = 16384
#: Longest session id that is used as a file name, in characters.
_SESSION_MAX = 100
#: Least time to wait for the input: on a busy machine an event must not be lost to a short deadline.
_INPUT_S = 0.5
#: Poll interval while a helper starts.
_LOOK_S = 0.01
#: The deadline is so many times longer while the helper starts; otherwise the first prompt on a busy machine gets no answer.
_STARTING_TIMES = 3
#: A helper started less than this long ago may still be starting.
STARTING_S = 15


def carry(folder: str) -> None:
    """Answer one hook call; `folder` holds `hook.conf`. It may raise any error, but the event is queued first."""
    payload, answered = b"", False
    conf: dict[str, str] = {}
    try:
        conf = read_conf(folder)
        if is_off(conf):
            return
        began, deadline_s = elapsed_s(), float(conf.get("deadline_ms", "500")) / 1000
        until = began + deadline_s
        payload = read_payload(0, max(until, elapsed_s() + _INPUT_S))
        if answered := answer_call(conf, payload):
            return
        if print_ready(conf, payload):
            answered = True
            if not send(conf, b"printed 1\n"):
                start_helper(conf)
            return
        answer = ask_helper(conf, payload, until)
        if answer is None and (answered := print_by_words(conf, payload, began + _STARTING_TIMES * deadline_s)):
            start_helper(conf)
            return
        if answer is None and is_heard(conf, payload):
            answer = ask_new_helper(conf, payload, began + _STARTING_TIMES * deadline_s)
        elif answer is None:
            start_helper(conf)  # it will find the event in the queue
        if answer is not None:
            answered = True
            write_all(1, answer)
    finally:
        if payload and not answered:
            keep(conf, payload)


def answer_call(conf: dict[str, str], payload: bytes) -> bool:
    """Answer a hook at a tool call; False if it is another event. On any error the call runs."""
    if not any(b'"' + name.encode() + b'"' in payload for name in conf.get("acting", "").split()):
        return False
    from acting import quick_answer  # type: ignore[import-not-found]

    result = quick_answer(conf, payload, *host_and_folder())
    if result:
        write_all(1, result)
    return result is not None


def read_conf(folder: str) -> dict[str, str]:
    """Return the `name=value` lines of `hook.conf`."""
    conf: dict[str, str] = {}
    with open(folder + "/hook.conf", encoding="utf-8") as file:
        for line in file:
            name, sign, value = line.rstrip("\r\n").partition("=")
            if sign:
                conf[name] = value
    return conf


def is_off(conf: dict[str, str]) -> bool:
    """Return whether memory is switched off: by the environment, or by a file STOP in the data folder, in the memory folder, or in the
    `.harness` folder of the project."""
    if os.environ.get("VADEMECUM_DISABLED", "") not in ("", "0"):
        return True
    places, folder = [conf["data"], conf.get("home", "")], host_and_folder()[1].replace(os.sep, "/")
    while folder:
        places.append(folder + "/.harness")
        folder = folder.rpartition("/")[0]
    return any(os.path.exists(place + "/STOP") for place in places)


def host_and_folder() -> tuple[str, str]:
    """Return (name of the host, working directory), without characters that would break the header line."""
    host = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        folder = os.getcwd()
    except OSError:
        folder = ""
    return host.split("\n")[0].split(" ")[0], folder.replace("\n", " ")


# ---------------------------------------------------------------------- the prepared briefing


def print_ready(conf: dict[str, str], payload: bytes) -> bool:
    """Print the prepared briefing for this session start; False if there is none.

    The event is queued for the helper. A note named for the session records what was printed. Only the process that creates the note
    prints, so a session is briefed once even if two hooks run for its start, or its first prompt comes at the same time.
    """
    host, folder = host_and_folder()
    by_key = members(payload)
    if not by_key:
        return False
    place = conf["data"] + "/ready"
    ready = read_ready(place, key_of(host, folder_in(by_key) or folder), by_key)
    if ready is None:
        return False
    text, note, session, until = ready
    fresh = f"{place}/told/{session.hex()}.{os.getpid()}"
    with open(fresh, "xb") as file:
        file.write(note)
        now = os.fstat(file.fileno()).st_mtime
    try:
        if now >= until:
            return False
        os.link(fresh, f"{place}/told/{session.hex()}")
    except OSError:  # the session was briefed already, or the file system has no hard links
        return False
    finally:
        os.unlink(fresh)
    keep(conf, payload)
    write_all(1, text)
    return True


def read_ready(place: str, key: str, by_key: dict[bytes, bytes]) -> tuple[bytes, bytes, bytes, float] | None:
    """Return (text, note, session, expiry in seconds since the epoch) of the prepared briefing.

    None if there is none, if its sources changed, or if it was made for another kind of start.
    """
    try:
        with open(f"{place}/{key}.ready", "rb") as file:
            head, _, text = file.read().partition(b"\n\n")
        with open(place + "/mark", "rb") as file:
            mark = file.read()
    except OSError:
        return None
    session, until, note = b"", 0.0, b""
    for line in head.split(b"\n"):
        word, _, rest = line.partition(b" ")
        name, _, value = rest.partition(b" ")
        if (
            (word == b"mark" and rest != mark)
            or (word == b"same" and by_key.get(name, b"") != value)
            or (word == b"but" and rest == session)
            or (word == b"file" and stamp_of(os.fsdecode(value)) != name.decode())
        ):
            return None
        if word == b"session":
            session = by_key.get(rest, b"").strip(b'"')
        elif word == b"until":
            until = float(rest)
        elif word == b"note":
            note = rest
    return (text, note, session, until) if 0 < len(session) <= _SESSION_MAX else None


def members(payload: bytes) -> dict[bytes, bytes]:
    """Return name -> raw text of the top-level members of a JSON object; {} if it is large or contains a backslash.

    A small parser for session starts: importing `json` would take longer than the rest. The helper parses all other payloads.
    """
    if len(payload) > _START_MAX or b"\\" in payload:
        return {}
    by_key: dict[bytes, bytes] = {}
    name, text, depth = b"", b"", 0
    for number, part in enumerate(payload.split(b'"')):
        if number % 2:
            text += b'"' + part + b'"'
            continue
        for sign in part.decode("latin-1"):
            depth -= sign in "]}"
            if depth == 1 and sign == ":":
                name, text = text.strip(b'"'), b""
            elif (depth == 1 and sign == ",") or (not depth and sign == "}"):
                by_key[name] = text
                name, text = b"", b""
            elif depth and sign > " ":
                text += sign.encode("latin-1")
            depth += sign in "[{"
            if depth == 1 and sign == "{":
                text = b""
    return by_key if not depth else {}


def folder_in(by_key: dict[bytes, bytes]) -> str:
    """Return the folder that a payload names, which need not be the working directory of the hook: a worktree; "" if it names none."""
    return os.fsdecode(by_key.get(b"cwd", b"").strip(b'"'))


def key_of(host: str, folder: str) -> str:
    """Return the file name of the briefing for starts of this host in this folder (an FNV-1a hash)."""
    number = 0xCBF29CE484222325
    for byte in os.fsencode(host + "\n" + folder):
        number = (number ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{number:016x}"


def stamp_of(path: str) -> str:
    """Return a stamp that changes with a file. Of a folder: its inode alone or, if the path ends with a slash, also its list of files."""
    try:
        stat = os.stat(path)
    except OSError:
        return "0"
    is_folder = stat.st_mode & 0o40000 and not path.endswith("/")
    return f"{stat.st_ino}" if is_folder else f"{stat.st_ino}.{stat.st_size}.{stat.st_mtime_ns}"


# ---------------------------------------------------------------------- the helper


def is_heard(conf: dict[str, str], payload: bytes) -> bool:
    """Return whether the host may use an answer: the payload names an event that takes one, or no known event."""
    is_known, silent = (
        any(b'"' + name.encode() + b'"' in payload for name in conf.get(key, "").split()) for key in ("heard", "unheard")
    )
    return is_known or not silent


def print_by_words(conf: dict[str, str], payload: bytes, until: float) -> bool:
    """Search by words in this process and print certain matches; False if there are none, or it is no prompt."""
    if not any(b'"' + name.encode() + b'"' in payload for name in conf.get("prompts", "").split()):
        return False
    from alone import print_alone  # type: ignore[import-not-found]

    return bool(print_alone(conf, payload, until))


def ask_helper(conf: dict[str, str], payload: bytes, until: float) -> bytes | None:
    """Return the answer of the helper; None if no helper runs, b"" after a timeout."""
    try:
        line = connect(conf["socket"], max(until - elapsed_s(), 0.001))
    except OSError:
        return None
    left_ms = max(0, int((until - elapsed_s()) * 1000))
    try:
        line.sendall("hook 2 {} {} {}\n".format(left_ms, *host_and_folder()).encode("utf-8", "surrogateescape") + payload)
        line.shutdown(_socket.SHUT_WR)
        parts = []
        while True:
            line.settimeout(max(until - elapsed_s(), 0.001))  # the deadline holds for all parts together
            part = line.recv(_CHUNK)
            if not part:
                break
            parts.append(part)
    except TimeoutError:
        return b""
    except OSError:
        return None  # it died meanwhile
    return b"".join(parts)


def send(conf: dict[str, str], text: bytes) -> bool:
    """Send the helper a message without waiting for an answer; False if no helper runs."""
    try:
        line = connect(conf["socket"], 0.1)
        line.sendall(text)
        line.shutdown(_socket.SHUT_WR)
    except OSError:
        return False
    return True


def connect(place: str, within_s: float) -> _socket.socket:
    """Connect to the helper, with a timeout for each operation. Raises OSError if no helper runs."""
    if sys.platform == "win32":
        import named_pipe  # type: ignore[import-not-found]

        return named_pipe.connect(place, within_s)  # type: ignore[no-any-return]
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    line.settimeout(within_s)
    line.connect(place)
    return line


def ask_new_helper(conf: dict[str, str], payload: bytes, until: float) -> bytes | None:
    """Start a helper, unless one is starting, and return its answer; None if it does not answer in time."""
    has_ended = start_helper(conf)
    while elapsed_s() < until:
        time.sleep(_LOOK_S)
        answer = ask_helper(conf, payload, until)
        if answer is not None:
            return answer
        if has_ended and has_ended():
            remove_mark(conf["socket"])  # it failed, so another may start at once
            return None
    return None


def start_helper(conf: dict[str, str], *, orphan: bool = False) -> "Callable[[], bool] | None":
    """Start a helper that outlives this process, and return a function that says whether it has ended; None if one is already starting.

    Args:
        orphan: detach it through a shell that exits. A long-running caller such as an MCP server needs that: some hosts (the Copilot
            command line) kill a server together with all its descendants.
    """
    if not _first_to_start(starting_mark(conf["socket"])):
        return None
    config = ["--config", conf["config"]] if conf.get("config") else []
    arguments = [conf["python"], "-P", "-m", "vademecum", *config, "serve"]
    if sys.platform == "win32":
        return _start_hidden(arguments, _environment(conf, by_host=orphan), os.path.dirname(conf["socket"]))
    if orphan:
        arguments = ["/bin/sh", "-c", '"$@" &', "sh", *arguments]
    null = os.open(os.devnull, os.O_RDWR)
    started = os.posix_spawn(
        arguments[0],
        arguments,
        _environment(conf, by_host=orphan),
        file_actions=[(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)],
        setsid=True,
    )
    os.close(null)
    if orphan:
        os.waitpid(started, 0)
        return None
    return lambda: os.waitpid(started, os.WNOHANG)[0] != 0


def _start_hidden(arguments: list[str], environment: dict[str, str], folder: str) -> "Callable[[], bool]":
    """Start a program with a hidden console, on Windows.

    Its child processes share that console. Without one (pythonw.exe, DETACHED_PROCESS) each git that it runs would open a window, and
    so would the python.exe that the one of a virtual environment starts.

    Args:
        folder: its working directory. It must not be in a project, because Windows would not let that folder be removed.
    """
    import subprocess  # it quotes arguments for Windows, and passes on no handle that the host waits for

    nothing, hidden = subprocess.DEVNULL, subprocess.CREATE_NO_WINDOW  # type: ignore[attr-defined,unused-ignore]
    program = subprocess.Popen(
        arguments, env=environment, cwd=folder, stdin=nothing, stdout=nothing, stderr=nothing, creationflags=hidden
    )
    return lambda: program.poll() is not None


def _environment(conf: dict[str, str], *, by_host: bool) -> dict[str, str]:
    """Return the environment of a helper: that of this process, with the data folder and the memory folder that belongs to it.

    VADEMECUM_STARTED says that the marker of its start was made, see :func:`starting_mark`.

    Args:
        by_host: the MCP entry of a host starts it. What the environment of that host restricts must not hold for others.
    """
    kept = {name: value for name, value in os.environ.items() if not by_host or name != "VADEMECUM_STRICT_INTERFACES"}
    kept |= {"VADEMECUM_DATA_DIR": conf["data"], "VADEMECUM_STARTED": "1"}
    return {**kept, "VADEMECUM_HOME": conf["pinned"]} if conf.get("pinned") else kept


def starting_mark(socket: str) -> str:
    """Return the path of the marker of a starting helper, which removes it once it listens.

    One that finds it gone ends: another helper listened first, or `vade stop` took the marker away.
    """
    return os.path.splitext(socket)[0] + ".starting"


def remove_mark(socket: str) -> bool:
    """Remove the marker; False if there is none."""
    try:
        os.unlink(starting_mark(socket))
    except FileNotFoundError:
        return False
    return True


def _first_to_start(mark: str) -> bool:
    """Create the marker; False if another process did recently. So many hooks at once start one helper."""
    os.makedirs(os.path.dirname(mark), 0o700, exist_ok=True)
    own = f"{mark}.{os.getpid()}"
    with open(own, "xb") as file:
        now = os.fstat(file.fileno()).st_mtime  # by the clock of the file system, like the time of the marker
    try:
        os.link(own, mark)
    except FileExistsError:
        if 0 <= now - os.stat(mark).st_mtime < STARTING_S:
            return False
        os.utime(mark)
    finally:
        os.unlink(own)
    return True


def elapsed_s() -> float:
    """Return seconds of the monotonic clock."""
    return time.monotonic()


# ---------------------------------------------------------------------- bytes


def keep(conf: dict[str, str], payload: bytes) -> None:
    """Queue the event for the helper."""
    host, folder = host_and_folder()
    os.makedirs(conf["data"] + "/queue", 0o700, exist_ok=True)
    name = f"{conf['data']}/queue/{os.getpid()}-{os.urandom(6).hex()}"
    head = f'{{"host":{quoted(host)},"cwd":{quoted(folder)}}}\n'
    with open(name + ".new", "xb") as file:
        file.write(head.encode("utf-8", "replace") + payload)
    os.rename(name + ".new", name + ".json")


def quoted(text: str) -> str:
    """Return a JSON string."""
    plain = "".join(c if c >= " " and c not in '"\\' else f"\\u{ord(c):04x}" for c in text)
    return '"' + plain + '"'


def read_payload(descriptor: int, until: float) -> bytes:
    """Read the input up to the end of its JSON object, the end of the input or the deadline, whichever comes first.

    Some hosts never close the input. A thread reads, because a blocking read cannot be interrupted on every system; it ends with the
    process.
    """
    parts: list[bytes] = []
    done = _thread.allocate_lock()
    done.acquire()

    def read() -> None:
        try:
            while part := os.read(descriptor, _CHUNK):
                parts.append(part)
                if is_whole(parts):
                    break
        finally:
            done.release()

    _thread.start_new_thread(read, ())
    done.acquire(timeout=max(until - elapsed_s(), 0.001))
    return b"".join(parts)


def is_whole(parts: "list[bytes]") -> bool:
    """Return whether these bytes, UTF-8 or UTF-16, end with a complete JSON object."""
    if not parts[-1].rstrip(b" \t\r\n\0").endswith(b"}"):
        return False
    data = b"".join(parts).replace(b"\0", b"").replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = data.split(b'"')[::2]
    return data.count(b'"') % 2 == 0 and sum(text.count(b"{") - text.count(b"}") for text in outside) == 0


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes; give up after a few writes without progress."""
    tries = 0
    while data and tries < _ENOUGH_TRIES:
        written = os.write(descriptor, data)
        tries = 0 if written else tries + 1
        data = data[written:]
