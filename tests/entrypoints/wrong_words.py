"""What is typed wrong and what is wrong around a command, and what must hold whatever comes of it."""

import contextlib
import ctypes
import hashlib
import io
import json
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.entrypoints.every_verb import EVERY

from vademecum.domain import errors
from vademecum.entrypoints.cli import cli
from vademecum.entrypoints.verbs.verb import REQUIRED, Verb

#: Codes that docs/commands.md lists; 1 is also the verdict of a verb that checks something.
CODES = {0, 1, cli.EXIT_USAGE} | {
    kind.exit_code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.VademecumError)
}
#: What no argument means: paths that are not there or closed, ids of nothing, odd characters, halves of characters, numbers out of range.
WRONG = (
    "", " ", "-", "--", "@", "@/nowhere/x", "@.", "/proc/x", "/dev/null/x", "/root/closed/x", "../../../etc", "~nobody/x", "*", "**/*",
    "\x00", "a\x00b", "\ud800", "\udcff", "\ufeff", "\u202e", "שלום עולם", "é" * 300, "x" * 5000, "/" * 3000, "[[", "]]", "[[Kettle]]",
    "memory://", "memory://x", "memory://\u202e", "session://", "session://x/y", "document://../x", "01M8DTXX6TPQ5KF3BEM23Z64GT", "01M8DT",
    "-1", "0", "99999999999999999999", "1e309", "nan", "0x10", "2026-13-45", "0000-00-00", "9999-12-31", "true", "null", "{}", "[]",
    '[{"role": 1}]', "{", "key=value", "=", "a=b=c", "'", '"', "; DROP TABLE items", "%s%n", "{0}", "SELECT * FROM", "fact", "Kettle",
    "closed", "closed/x", "binary.bin", "latin1.txt", "file/x", ".", "home.md", "/dev/full", "/dev/stdin", "/proc/self/mem", "line\nbreak",
    "\r", "\x1b[31m", "😀", "<script>", "https://nowhere.invalid/x", "file:///etc/passwd",
)  # fmt: skip
#: Version of the call, and the rights of root to open what is closed (CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH).
_CAPABILITIES_VERSION, _OVERRIDE = 0x20080522, 0b110
_MEMORY = "memory"

#: Runs a command line: (exit code, standard output, standard error).
Typed = Callable[..., tuple[int, str, str]]


def prepare(vade: Typed, folder: Path) -> None:
    """Make a small memory in `folder`, where the process stands, and beside it files that cannot be read."""
    (folder / "person").mkdir()
    (folder / "binary.bin").write_bytes(bytes(range(256)))
    (folder / "latin1.txt").write_bytes("Grüße".encode("latin-1"))
    (folder / "file").write_text("no folder")
    (folder / "closed").mkdir()
    (folder / "closed" / "x").write_text("{}")
    (folder / "closed").chmod(0)
    vade("init", _MEMORY)
    vade("save", "fact", "Kettle", "--body", "The kettle is red.")
    (folder / _MEMORY / "Own note.md").write_text("Somebody's own note about the [[Kettle]].\n")
    vade("sync")


def must_tell(vade: Typed, words: Sequence[str]) -> None:
    """Carry a command line out twice, for a person and for a program: a documented code, and what it says.

    A program gets one JSON object; that of a failure names the error.
    """
    for line in (list(words), [*words, "--json"]):
        sys.stdin = io.TextIOWrapper(io.BytesIO())
        try:
            code, out, err = vade(*line)
        except BaseException as error:
            raise AssertionError(f"vade {line!r} ended with {error!r}") from error
        assert code in CODES, (line, code, err)
        assert "Traceback" not in out + err, (line, out + err)
        if code:
            assert out or err, line
        if line[-1] == "--json" and "--" not in words:
            answer = json.loads(out)
            assert isinstance(answer, dict), line
            assert "error" not in answer or code, line
            assert code in (0, 1) or {"error", "message"} <= set(answer), (line, code, answer)


def tried(verb: Verb, draw: Callable[[Sequence[str]], str], chance: Callable[[], float]) -> list[str]:
    """Return a command line of a verb with wrong values for its arguments."""
    words = verb.typed.split()
    for param in verb.params:
        value = draw(WRONG)
        if param.place and (param.default is REQUIRED or chance() < 0.7):
            words.append(value)
        elif not param.place and (param.default is REQUIRED or chance() < 0.25):
            name = "--" + param.name.replace("_", "-")
            words += [name] if param.type == "flag" else [name, value]
    return words


def only_reads(verb: Verb, words: Sequence[str]) -> bool:
    """Return whether a verb changes nothing when it is called so."""
    flags = {"--" + name.replace("_", "-") for name in verb.writes_with}
    return not verb.writes and not flags & set(words) and verb.name not in WRITES_WHERE_IT_IS_TOLD


#: Verbs that write a file whose name they are given, and nothing else.
WRITES_WHERE_IT_IS_TOLD = {"export", "sessions export", "sessions restore"}


def files_in(folder: Path) -> dict[str, str]:
    """Return path -> digest of the notes in a memory, however they are closed to the person; what begins with `_` is ours."""
    found = {}
    for path in sorted(folder.rglob("*")):
        with contextlib.suppress(OSError):
            if path.is_file() and not path.relative_to(folder).parts[0].startswith("_"):
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


class _Capabilities(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextlib.contextmanager
def as_somebody() -> Iterator[None]:
    """Be a person whom closed files are closed to. Root is none, so this thread and those it starts do without that right meanwhile."""
    if sys.platform != "linux" or os.geteuid() != 0:
        yield
        return
    system = ctypes.CDLL(None, use_errno=True)
    head = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    sets = (_Capabilities * 2)()
    assert system.capget(head, sets) == 0
    before = sets[0].effective
    sets[0].effective = before & ~_OVERRIDE
    assert system.capset(head, sets) == 0
    try:
        yield
    finally:
        sets[0].effective = before
        assert system.capset(head, sets) == 0


def _closed(folder: Path, mode: int, file_mode: int) -> None:
    places = [folder, *folder.rglob("*")]
    for place in reversed(places):
        place.chmod(mode if place.is_dir() else file_mode)


def _opened(folder: Path) -> None:
    for place in (folder, *folder.rglob("*")):
        if not place.is_symlink() and place.exists():
            place.chmod(stat.S_IRWXU)


def _instead(place: Path, text: bytes | None) -> None:
    """Put a file in the place of what lies there; None: a folder."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
    if text is None:
        place.mkdir()
    else:
        place.write_bytes(text)


def _damaged(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(b"\x00\xff no database\n" * 40)


def _link(place: Path, to: str) -> None:
    _instead(place, b"")
    place.unlink()
    place.symlink_to(to)


#: What is wrong around a command -> how it comes about, in the folder of :func:`prepare`.
AROUND: dict[str, Callable[[Path], object]] = {
    "nothing": lambda folder: None,
    "the memory is read-only": lambda folder: _closed(folder / _MEMORY, 0o500, 0o400),
    "the memory is closed": lambda folder: _closed(folder / _MEMORY, 0, 0),
    "files of the memory are closed": lambda folder: _closed(folder / _MEMORY, 0o700, 0),
    "the data are read-only": lambda folder: _closed(folder / "data", 0o500, 0o400),
    "the data are closed": lambda folder: _closed(folder / "data", 0, 0),
    "the memory is gone": lambda folder: shutil.rmtree(folder / _MEMORY),
    "the memory is empty": lambda folder: _instead(folder / _MEMORY, None),
    "the memory is a file": lambda folder: _instead(folder / _MEMORY, b"x"),
    "the memory is a link to nowhere": lambda folder: _link(folder / _MEMORY, "/nowhere/x"),
    "the memory is a link in a circle": lambda folder: _link(folder / _MEMORY, _MEMORY),
    "the data are a file": lambda folder: _instead(folder / "data", b"x"),
    "the cache is a file": lambda folder: _instead(folder / "cache", b"x"),
    "the data lie in /proc": lambda folder: _link(folder / "data", "/proc/x"),
    "the databases are damaged": lambda folder: _damaged(folder / "data"),
    "notes are no text": lambda folder: _damaged(folder / _MEMORY),
    "the configuration is no TOML": lambda folder: (folder / "config.toml").write_text("home = [\n"),
    "the configuration is no text": lambda folder: (folder / "config.toml").write_bytes(bytes(range(256))),
    "the configuration has wrong types": lambda folder: (folder / "config.toml").write_text("home = 7\nport = 'x'\nllm = []\n"),
    "the configuration names nothing": lambda folder: (folder / "config.toml").write_text("home = '/proc/x'\nshape = 1\n"),
    "the configuration is a folder": lambda folder: _instead(folder / "config.toml", None),
    "the configuration is closed": lambda folder: (folder / "config.toml").chmod(0),
    "the configuration is a full disk": lambda folder: _link(folder / "config.toml", "/dev/full"),
    "the home folder is gone": lambda folder: shutil.rmtree(folder / "person"),
}
#: As above, of the process.
FULL_DISK, FULL_OUTPUT = "the disk is full", "the output is a full disk"


@contextlib.contextmanager
def wrong_around(name: str, folder: Path) -> Iterator[None]:
    """Let something be wrong in `folder` meanwhile; afterwards everything in it can be read and removed."""
    if name in AROUND:
        AROUND[name](folder)
    try:
        with as_somebody(), _full_disk() if name == FULL_DISK else contextlib.nullcontext():
            yield
    finally:
        _opened(folder)


@contextlib.contextmanager
def _full_disk() -> Iterator[None]:
    """Let no file grow: what the system says then is close to what it says of a full disk."""
    import resource  # noqa: PLC0415 -- Unix has it only

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


#: Verbs that would go on for long.
LEFT_OUT = {"reflect corpus", "idea research", "reader queue --run", "reader try", "skills discover"}
FUZZED = [verb for verb in EVERY if verb.name not in LEFT_OUT and not verb.name.startswith("team ")]
