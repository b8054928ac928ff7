"""Every verb, typed wrong, while something is wrong around it: a documented code and a sentence, and what is only read stays as it is."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests.entrypoints.conftest import settle_in
from tests.entrypoints.wrong_words import (
    AROUND,
    FULL_DISK,
    FUZZED,
    files_in,
    must_tell,
    only_reads,
    prepare,
    tried,
    wrong_around,
)

from vademecum.entrypoints.cli import cli

pytestmark = pytest.mark.soak

#: Command lines of each verb in each circumstance; each is carried out for a person and for a program.
LINES = int(os.environ.get("VADEMECUM_FUZZ_LINES", "3"))


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A folder for a memory, with this process at home in it."""
    settle_in(tmp_path, monkeypatch, PORT="0", TRANSCRIPTS=str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setattr("sys.stdin", sys.stdin)
    return tmp_path


@pytest.fixture
def vade(capsys):
    """Runs a command line: (exit code, standard output, standard error)."""

    def typed(*words):
        code = cli.run(list(words))
        said = capsys.readouterr()
        return code, said.out, said.err

    return typed


@pytest.mark.parametrize("name", [*AROUND, FULL_DISK])
@pytest.mark.parametrize("seed", range(2))
def test_every_verb(folder, vade, name, seed):
    """Wrong paths, ids, encodings and numbers for each argument; the files of the person are the same after a verb that only reads."""
    draw = random.Random(f"{name}{seed}")
    prepare(vade, folder)
    failures = []
    with wrong_around(name, folder):
        for verb in FUZZED:
            for _ in range(LINES):
                words = tried(verb, draw.choice, draw.random)
                before = files_in(folder / "memory") if only_reads(verb, words) else None
                try:
                    must_tell(vade, words)
                    assert before is None or files_in(folder / "memory") == before, f"{words} changed a file"
                except AssertionError as error:
                    failures.append(f"{words!r}: {str(error)[:2000]}")
    assert not failures, f"{len(failures)} in {name}:\n" + "\n".join(failures[:40])


#: What is printed to a disk that is full.
PRINTED = (
    ["list"],
    ["list", "--json"],
    ["--help"],
    ["status", "--json"],
    ["nonsense"],
    ["nonsense", "--json"],
    ["show", "x", "--json"],
)


@pytest.mark.parametrize("words", PRINTED, ids=" ".join)
def test_output_to_a_full_disk(folder, vade, words):
    """What cannot be printed ends with the code of a file that could not be written, in a process of its own, without a traceback."""
    prepare(vade, folder)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-m", "vademecum", *words], stdout=full, stderr=subprocess.PIPE, check=False)
    assert b"Traceback" not in done.stderr
    assert done.returncode in (13, 64)
