"""Whatever is typed, the command line ends with a documented code and a sentence: no traceback, no silence, one JSON object.

The quick part tries every verb with a few wrong inputs in this process; the long one (`make soak`) many, from a fixed seed.
"""

import io
import json
import random
import stat
from pathlib import Path

import pytest
from tests.entrypoints.every_verb import EVERY

from vademecum.domain import errors
from vademecum.entrypoints.cli import cli
from vademecum.entrypoints.verbs.table import REQUIRED

#: Codes that docs/commands.md lists; 1 is also the verdict of a verb that checks something.
CODES = {0, 1, cli.EXIT_USAGE} | {
    kind.exit_code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.VademecumError)
}
#: What no argument means: paths that are not there or closed, ids of nothing, odd characters, halves of characters, numbers out of range.
WRONG = (
    "", " ", "-", "--", "@", "@/nowhere/x", "@.", "/proc/x", "/dev/null/x", "/root/closed/x", "../../../etc", "~nobody/x", "*", "**/*",
    "\x00", "a\x00b", "\ud800", "\udcff", "\ufeff", "\u202e", "é" * 300, "x" * 5000, "[[", "]]", "[[Kettle]]", "memory://", "memory://x",
    "session://", "session://x/y", "01M8DTXX6TPQ5KF3BEM23Z64GT", "01M8DT", "-1", "0", "99999999999999999999", "1e309", "nan", "0x10",
    "2026-13-45", "true", "null", "{}", "[]", '[{"role": 1}]', "{", "key=value", "=", "a=b=c", "'", '"', "; DROP TABLE items", "%s%n",
    "SELECT * FROM", "fact", "Kettle", "closed", "closed/x", "binary.bin", "latin1.txt", ".", "home.md",
)  # fmt: skip
#: Commands that are no verbs, and end by themselves without leaving the folder of the test.
OTHERS = (
    ["init", "/proc/x"], ["init", "/dev/null/x"], ["init", "binary.bin"], ["init", "a\x00b"], ["init", "~nobody/x"],
    ["init", "closed/x"], ["settings", "explain", "\ud800"], ["settings", "set", "vault", "a\x00b"], ["settings", "unset", ""],
    ["sessions", "parse", "binary.bin"], ["sessions", "parse", "closed"], ["sessions", "parse", "latin1.txt"],
    ["backup", "check", "/proc/x"], ["backup", "check", "binary.bin"], ["backup", "make", "/proc/x", "--unencrypted"],
    ["backup", "restore", "binary.bin", "--to", "/proc/x"], ["backup", "make", "closed/x", "--unencrypted"],
    ["--config", "/proc/x/y", "list"], ["--config", "binary.bin", "list"], ["--config", "a\x00b", "list"], ["--config", ".", "list"],
    ["--home", "/proc/x", "list"], ["--home", "binary.bin", "list"], ["--home", "a\x00b", "list"], ["--home", "\ud800", "status"],
    ["install", "nobody"], ["install", "\x00"], ["uninstall", "nobody"], ["off", "/proc/x"], ["off", "a\x00b"], ["on", "binary.bin"],
    ["pause", "--session", "\x00"], ["resume", "--session", "\ud800"], ["completion", "show", "\x00"], ["reader", "use", "\x00"],
    ["reader", "exclude", "\ud800"], ["reader", "include", ""], ["nonsense"], ["\x00"], ["\ud800"], [""], ["--", "--"],
)  # fmt: skip
#: Verbs that would go on for long, or need a server, a model or the web.
LEFT_OUT = {"reflect corpus", "idea research", "queue list --run", "reader try", "skills discover"}


@pytest.fixture
def kitchen(vade, tmp_path, monkeypatch):
    """A small memory, and beside it files that cannot be read; nothing of the real machine is in reach."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("VADEMECUM_TRANSCRIPTS", str(tmp_path / "none"))
    monkeypatch.setenv("VADEMECUM_PORT", "0")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    (tmp_path / "person").mkdir()
    (tmp_path / "binary.bin").write_bytes(bytes(range(256)))
    (tmp_path / "latin1.txt").write_bytes("Grüße".encode("latin-1"))
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "x").write_text("{}")
    (tmp_path / "closed").chmod(0)
    vade("init", "memory")
    vade("save", "fact", "Kettle", "--body", "The kettle is red.")
    yield vade
    (tmp_path / "closed").chmod(stat.S_IRWXU)


def must_tell(vade, words):
    """Carry a command line out twice, for a person and for a program: nothing but a documented code, and what it says."""
    for line in (words, [*words, "--json"]):
        try:
            code, out, err = vade(*line)
        except BaseException as error:
            raise AssertionError(f"vade {line!r} ended with {error!r}") from error
        assert code in CODES, (line, code)
        assert "Traceback" not in out + err, line
        if code:
            assert out or err, line
        if line[-1] == "--json" and "--" not in words:
            answer = json.loads(out)
            assert isinstance(answer, dict), line
            assert "error" not in answer or code, line


def tried(verb, chance, count):
    """Yield command lines of a verb with wrong values for its arguments, drawn with `chance`."""
    for _ in range(count):
        words = verb.name.split()
        for param in verb.params:
            value = chance.choice(WRONG)
            if param.place and (param.default is REQUIRED or chance.random() < 0.7):
                words.append(value)
            elif not param.place and (param.default is REQUIRED or chance.random() < 0.25):
                name = "--" + param.name.replace("_", "-")
                words += [name] if param.type == "flag" else [name, value]
        yield words


FUZZED = [verb for verb in EVERY if verb.name not in LEFT_OUT and not verb.name.startswith("team ")]


def test_each_verb_with_wrong_words(kitchen):
    """Every verb, once with wrong values of its arguments."""
    chance = random.Random(7)
    for verb in FUZZED:
        for words in tried(verb, chance, 1):
            must_tell(kitchen, words)


@pytest.mark.parametrize("words", OTHERS, ids=repr)
def test_other_commands_with_wrong_words(kitchen, words):
    """What is no verb: folders that cannot be made, files that cannot be read, names of nothing."""
    must_tell(kitchen, words)


@pytest.mark.parametrize("verb", ["save", "archive", "list", "recall", "sync"])
def test_folder_that_cannot_be_written(kitchen, tmp_path, verb):
    """A memory on a disk that is read-only or closed: a sentence, not a traceback."""
    words = {"save": ["save", "fact", "Pot"], "archive": ["archive", "Kettle"], "recall": ["recall", "kettle"]}.get(
        verb, [verb]
    )
    places = [tmp_path / "memory", *(tmp_path / "memory").rglob("*")]
    for place in reversed(places):
        place.chmod(0o500 if place.is_dir() else 0o400)
    try:
        must_tell(kitchen, words)
    finally:
        for place in filter(Path.exists, places):
            place.chmod(0o700)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_fuzz(kitchen, seed):
    """Every verb, thirty times with wrong values of its arguments."""
    chance = random.Random(seed)
    for verb in FUZZED:
        for words in tried(verb, chance, 30):
            must_tell(kitchen, words)
            if not Path("memory").is_dir():
                kitchen("init", "memory")
