"""Whatever is typed, the command line ends with a documented code and a sentence: no traceback, no silence, one JSON object.

The quick part tries every verb with wrong inputs once, and a few in each circumstance; tests/soak/test_fuzz_verbs.py all in all.
"""

import errno
import io
import os
import random
import stat
import sys

import pytest
from tests.entrypoints.wrong_words import FULL_DISK, FUZZED, files_in, must_tell, prepare, tried, wrong_around

from vademecum.domain.errors import WriteFailed
from vademecum.entrypoints.cli import cli

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
    ["capture", "/dev/zero"], ["import", "/dev/zero"], ["backup", "check", "/dev/zero"],
    ["pause", "--session", "\x00"], ["resume", "--session", "\ud800"], ["completion", "\x00"], ["reader", "use", "\x00"],
    ["reader", "exclude", "\ud800"], ["reader", "include", ""], ["nonsense"], ["\x00"], ["\ud800"], [""], ["--", "--"],
)  # fmt: skip


#: Of what can be wrong around a command; all of it is tried by `make soak`.
SAMPLE = (
    "the memory is read-only", "files of the memory are closed", "the data lie in /proc", "the databases are damaged",
    "the configuration is a full disk", FULL_DISK,
)  # fmt: skip


class FullDisk(io.TextIOBase):
    """A stream whose disk has no room."""

    def write(self, text):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def kitchen(vade, tmp_path, monkeypatch):
    """A small memory, and beside it files that cannot be read; nothing of the real machine is in reach."""
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("VADEMECUM_TRANSCRIPTS", str(tmp_path / "none"))
    monkeypatch.setenv("VADEMECUM_PORT", "0")
    monkeypatch.setattr("sys.stdin", sys.stdin)
    prepare(vade, tmp_path)
    yield vade
    (tmp_path / "closed").chmod(stat.S_IRWXU)


def test_each_verb_with_wrong_words(kitchen):
    """Every verb, once with wrong values of its arguments."""
    chance = random.Random(7)
    for verb in FUZZED:
        must_tell(kitchen, tried(verb, chance.choice, chance.random))


def test_other_commands_with_wrong_words(kitchen):
    """What is no verb: folders that cannot be made, files that cannot be read, names of nothing."""
    for words in OTHERS:
        must_tell(kitchen, words)


@pytest.mark.parametrize("name", SAMPLE)
def test_something_wrong_around(kitchen, tmp_path, name):
    """A memory that cannot be read or written, a file in the place of a folder, broken settings, a full disk: a sentence each."""
    lines = (["save", "fact", "Pot"], ["recall", "kettle"])
    with wrong_around(name, tmp_path):
        before = files_in(tmp_path / "memory")
        must_tell(kitchen, lines[1])
        assert files_in(tmp_path / "memory") == before
        must_tell(kitchen, lines[0])


def test_answer_that_cannot_be_printed(kitchen, monkeypatch):
    """Standard output on a full disk: the code of a file that could not be written, also where the answer is an error for a program."""
    for words in (["list"], ["list", "--json"], ["nonsense", "--json"], ["show", "nothing", "--json"]):
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdout", FullDisk())
            code = cli.run(words)
        assert code == WriteFailed.exit_code, words
