"""kill -9 at random moments of every verb that writes, the whole program in a process of its own that is forked: nothing is lost."""

import itertools
import json
import os
import random
import resource
import shutil
import signal
import sys
import time

import pytest
from tests.entrypoints import every_verb
from tests.entrypoints.every_verb import WRITING

from vademecum.domain.errors import NotFound
from vademecum.domain.wiki import RAW
from vademecum.entrypoints.cli import cli

#: Deeds between two looks at what is there.
AT_ONCE = 10


def words_of(verb, token):
    """What is typed for a verb, with a word that no other has as its text where it takes one."""
    words = every_verb.words_for(verb, "w")
    if "--body" in words:
        words[words.index("--body") + 1] = f"New text {token}."
    return words


def deed(words, within_s, *, full=False):
    """Do this in a child that is killed after so many seconds, if any; its exit code, None when it was killed.

    Args:
        full: no disk takes a byte more.
    """
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        if full:
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 -- pytest's own lie on the disk
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        os._exit(run_as_a_program(words))
    if within_s is not None:
        time.sleep(within_s)
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    return None if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)


def run_as_a_program(words):
    """The exit code of a command line; 1 when it would end with a traceback."""
    try:
        return cli.run(words)
    except BaseException:  # noqa: BLE001 -- the child must not go on as a test
        return 1


def texts(folder):
    """All that the vault holds, journals included."""
    return "\n".join(path.read_text("utf-8") for path in sorted((folder / "Notes").rglob("*.md")))


def killed_at_moments(everything, capfd, kills, seed):
    """Do deeds until so many were killed; after every few, look at what is there."""
    chance, numbers, killed = random.Random(seed), itertools.count(), 0
    everything.anew()
    start = time.perf_counter()
    assert deed(["save", "fact", "Measured", "--body", "So long a verb takes here, as busy as it is."], None) == 0
    lasts_s = time.perf_counter() - start
    while killed < kills:
        everything.anew()
        before, kept, done = texts(everything.folder), [], []
        for _ in range(AT_ONCE):
            token = f"token{seed}x{next(numbers)}"
            words = words_of(chance.choice(WRITING), token)
            code = deed(words, chance.uniform(0, lasts_s))
            assert code in (None, 0) or 2 < code < 30, words
            done.append((words, code))
            killed += code is None
            if code == 0 and any(token in word for word in words):
                kept.append(token)
        assert wrong(everything.folder, capfd, before, kept) == {}, done
    return killed


def wrong(folder, capfd, before, kept):
    """What is not as it should be: all that was there or was acknowledged is there, journals and index can be read, nothing lies about."""
    capfd.readouterr()
    codes = [cli.run(words) for words in (["sync"], ["sync"], ["recall", "descale"])]
    told, now = capfd.readouterr(), texts(folder)
    journals = (folder / "Notes").rglob("_journal/*/*.md")
    records = [line for journal in journals for line in journal.read_text("utf-8").splitlines() if line.startswith("{")]
    found = {
        "codes": (codes, told.err) if any(codes) else "",
        "still new": "" if "0 new, 0 changed, 0 gone" in told.out else told.out,
        "acknowledged": [token for token in kept if token not in now],
        "lost": [line for line in before.splitlines() if line.startswith("Descale") and line not in now],
        "left over": [path for path in folder.rglob("*") if path.suffix in (".tmp", ".intent") and RAW not in path.parts],
        "no record": [line for line in records if not _is_object(line)],
    }
    return {name: what for name, what in found.items() if what}


def _is_object(line):
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


@pytest.fixture
def remade(everything, made_once):
    """A folder in which each verb finds something to do, made anew by `anew`."""
    base = made_once[0]

    def anew():
        shutil.rmtree(base / "now")
        shutil.copytree(base / "as-made", base / "now")
        os.chdir(base / "now")

    everything.anew = anew
    return everything


def test_half_written_source_goes(remade):
    """What a killed process left half-written among the sources, of which nothing tells, goes when the next one is taken."""
    remade.anew()
    dead = os.fork() or os._exit(0)
    os.waitpid(dead, 0)
    left = next((remade.folder / "Notes").rglob(RAW), remade.folder / "Notes/Vademecum" / RAW) / f".vademecum-{dead}-1.tmp"
    left.parent.mkdir(exist_ok=True)
    left.write_text("half")
    assert deed(["ingest", "t.jsonl"], None) == 0
    assert not left.exists()


@pytest.mark.soak
@pytest.mark.parametrize("verb", WRITING, ids=lambda verb: verb.name)
def test_full_disk_under_each_verb(remade, capfd, verb):
    """X-35, X-51: no disk takes a byte more: no verb ends with a traceback, what was known is there, and afterwards it works."""
    remade.anew()
    before, words = texts(remade.folder), words_of(verb, "token1")
    assert deed(words, None, full=True) != 1
    assert wrong(remade.folder, capfd, before, []) == {}
    assert deed(words, None) in (0, NotFound.exit_code)  # as for `undo`, there may be nothing to do


@pytest.mark.slow
def test_killed_at_twenty_moments(remade, capfd):
    """X-54: 20 kills at random moments over all verbs that write: what was said to be done is there, and nothing else is gone."""
    assert killed_at_moments(remade, capfd, 20, seed=1) >= 20


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_killed_at_many_moments(remade, capfd, seed):
    """X-54: the same 10,000 times in all."""
    assert killed_at_moments(remade, capfd, 1000, seed=seed) >= 1000
