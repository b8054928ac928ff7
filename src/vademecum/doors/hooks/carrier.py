"""Carries a hook's standard input to the helper and its answer back. Nothing else.

client.py, beside it, calls :func:`carry`. It imports `sys`, `os` and `_socket` only, and prints what the helper answers or nothing.
"""

import _socket
import os
import sys

_CHUNK = 65536
_ENOUGH_TRIES = 8


def carry(folder: str) -> None:
    """One hook; `folder` holds `hook.conf`. May raise anything: what the hook tells of was kept first."""
    payload, answered = b"", False
    conf: dict[str, str] = {}
    try:
        conf = read_conf(folder)
        if is_off(conf):
            return
        payload = read_all(0)
        answer = ask_helper(conf, payload)
        if answer is None:
            answer_alone(conf, payload)
        else:
            write_all(1, answer)
        answered = True
    finally:
        if payload and not answered:
            keep(conf, payload)


def read_conf(folder: str) -> dict[str, str]:
    """`name=value` lines; a name given several times joins its values with newlines."""
    conf: dict[str, str] = {}
    with open(folder + "/hook.conf", encoding="utf-8") as file:
        for line in file:
            name, sign, value = line.rstrip("\r\n").partition("=")
            if sign:
                conf[name] = conf[name] + "\n" + value if name in conf else value
    return conf


def is_off(conf: dict[str, str]) -> bool:
    """Whether the person switched memory off: by the environment, or by a file STOP among the data or the memories."""
    if os.environ.get("VADEMECUM_DISABLED", "") not in ("", "0"):
        return True
    return os.path.exists(conf["data"] + "/STOP") or os.path.exists(conf.get("home", "") + "/STOP")


def host_and_folder() -> tuple[str, str]:
    """(name of the host, working folder), without anything that would break the head line."""
    host = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        folder = os.getcwd()
    except OSError:
        folder = ""
    return host.split("\n")[0].split(" ")[0], folder.replace("\n", " ")


def ask_helper(conf: dict[str, str], payload: bytes) -> bytes | None:
    """The helper's answer; None when there is no helper; b"" when it takes longer than the deadline."""
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    until = _elapsed_s() + float(conf.get("deadline_ms", "500")) / 1000
    line.settimeout(until - _elapsed_s())
    try:
        line.connect(conf["socket"])
    except OSError:
        return None
    try:
        line.sendall("hook 1 {} {}\n".format(*host_and_folder()).encode("utf-8", "surrogateescape") + payload)
        line.shutdown(_socket.SHUT_WR)
        parts = []
        while True:
            line.settimeout(max(until - _elapsed_s(), 0.001))  # for all parts together: an answer may come in drops
            part = line.recv(_CHUNK)
            if not part:
                break
            parts.append(part)
    except TimeoutError:
        return b""
    except OSError:
        return None  # it died in between
    return b"".join(parts)


def _elapsed_s() -> float:
    """Seconds since some fixed moment, without loading `time`."""
    return os.times()[4]


def answer_alone(conf: dict[str, str], payload: bytes) -> None:
    """Answer in this process, from the index, and start a helper for the next time."""
    import gc

    gc.disable()  # this process is gone before garbage matters
    sys.path[:0] = conf["path"].split("\n")
    from vademecum.doors.hooks.cold import answer

    host, folder = host_and_folder()
    answer(conf, host, folder, payload, lambda text: write_all(1, text))


def keep(conf: dict[str, str], payload: bytes) -> None:
    """Put the event where the helper looks when it starts."""
    host, folder = host_and_folder()
    os.makedirs(conf["data"] + "/queue", 0o700, exist_ok=True)
    name = f"{conf['data']}/queue/{os.getpid()}-{os.urandom(6).hex()}"
    head = f'{{"host":{quoted(host)},"cwd":{quoted(folder)},"payload":'
    with open(name + ".new", "xb") as file:
        file.write(head.encode("utf-8", "replace") + payload + b"}")
    os.rename(name + ".new", name + ".json")


def quoted(text: str) -> str:
    """A JSON string."""
    plain = "".join(c if c >= " " and c not in '"\\' else f"\\u{ord(c):04x}" for c in text)
    return '"' + plain + '"'


def read_all(descriptor: int) -> bytes:
    """Everything until the end."""
    parts: list[bytes] = []
    while True:
        part = os.read(descriptor, _CHUNK)
        if not part:
            return b"".join(parts)
        parts.append(part)


def write_all(descriptor: int, data: bytes) -> None:
    """Everything, or an error after a few tries without progress."""
    tries = 0
    while data and tries < _ENOUGH_TRIES:
        written = os.write(descriptor, data)
        tries = 0 if written else tries + 1
        data = data[written:]
