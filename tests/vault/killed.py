"""A vault's deeds in processes that die: `python -m tests.vault.killed` forks one for each line that it reads.

It is a process of its own because a fork costs what the forking process holds, and one that runs tests holds much.
"""

import contextlib
import itertools
import json
import os
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

from tests.vault.conftest import Ticking
from vademecum.domain.daily import Block
from vademecum.domain.memory import Draft, Space
from vademecum.domain.relations import Joining
from vademecum.vault.change import Placing
from vademecum.vault.daily import merged, note_path, sidecar_path
from vademecum.vault.store import Vault
from vademecum.vault.writer import Device

#: Every way in which the vault touches the disk.
CALLS = ("open", "write", "fsync", "replace", "link", "unlink", "mkdir", "rmdir", "truncate", "ftruncate", "fchmod", "close")
DIED = 77

DAY = date(2026, 3, 2)


def note_day(vault, session, body):
    """Put a block into the note of a day, as the end of a session does."""
    block = Block(f"session://plain/{session}", "09:00", "Tea", body, {"title": "Tea"})
    vault.pages.revise((note_path(DAY), sidecar_path(DAY)), lambda texts: merged(*texts, DAY, [block]), op="daily")


VERBS = {
    "new block": lambda vault: note_day(vault, "bbbb2222", "- Poured."),
    "grown block": lambda vault: note_day(vault, "aaaa1111", "- Boiled.\n- Poured."),
    "save": lambda vault: vault.save(Draft("lesson", "New", "New text.\n")),
    "edit": lambda vault: vault.edit("Kettle", body="Edited.\n"),
    "evolve": lambda vault: vault.evolve("Kettle", "Evolved.\n", "better"),
    "archive": lambda vault: vault.archive("Kettle", "done"),
    "move": lambda vault: vault.place_together("move", [Placing("Kettle", {}, "projects/tea/fact/kettle.md")]),
    "between spaces": lambda vault: vault.relocate("Kettle", space="tea"),
    "rename": lambda vault: vault.relocate("Kettle", title="Pot"),
    "save in place of": lambda vault: vault.save(
        Draft("fact", "Pot", "Kettle is gone.\n"), joining=Joining(replaces=("Kettle",))
    ),
    "save against": lambda vault: vault.save(Draft("fact", "Pot", "No.\n"), joining=Joining(contradicts=("Kettle",))),
    "save between spaces": lambda vault: vault.save(
        Draft("fact", "Pot", "Tea pot.\n", space="tea"), joining=Joining(replaces=("Kettle", "Other"))
    ),
    "confirm in place of": lambda vault: vault.confirm("Other", replaces=("Kettle",)),
    "supersede": lambda vault: vault.supersede("Kettle", "Other", "newer"),
    "undo": lambda vault: vault.history.undo(),
}


def vault_of(folder, hours=5):
    for name in ("home", "tea"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    spaces = [Space("personal", str(folder / "home")), Space("tea", str(folder / "tea"), project="tea")]
    clock = Ticking()
    clock.count += hours * 60
    clock.time += timedelta(hours=hours)
    return Vault(spaces, Device(name="laptop", lock_dir=folder / "locks", clock=clock))


class Killed:
    """A process that does each verb in a child of its own."""

    def __enter__(self):
        command = [sys.executable, "-m", "tests.vault.killed"]
        root = Path(__file__).resolve().parents[2]
        self.process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_failure):
        self.process.communicate()

    def status_of(self, verb, folder, nth, effect="die"):
        """Open the vault in `folder` and do a verb, if any, where the `nth` touch of the disk has an `effect`; the exit status."""
        self.process.stdin.write(json.dumps([verb, str(folder), nth, effect]) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


def _in_child(verb, folder, nth, effect):
    """Do a verb in a child, which dies at the touch with this number among those that the effect is about."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(BaseException):
        counter = itertools.count(1)
        for name in ABOUT.get(effect, CALLS):
            setattr(os, name, _touched(getattr(os, name), counter, nth, EFFECTS[effect]))
        vault = vault_of(Path(folder))
        if verb:
            VERBS[verb](vault)
        os._exit(0)
    os._exit(1)


def _touched(call, counter, nth, effect):
    def touched(*args, **more):
        if next(counter) == nth:
            effect(call, args)
        return call(*args, **more)

    return touched


def _die(call, args):
    os._exit(DIED)


def _die_half_written(call, args):
    call(args[0], bytes(args[1])[: len(args[1]) // 2])
    os._exit(DIED)


EFFECTS = {"die": _die, "die half written": _die_half_written}
#: Effects that are those of "die" at every other touch: they are tried at these alone.
ABOUT = {"die half written": ("write",)}


def no_wait(handle):
    """Stand in for fsync: a killed process loses nothing that the system has, so no test here need wait for the disk."""
    os.fstat(handle)


if __name__ == "__main__":
    os.fsync = no_wait
    for line in sys.stdin:
        print(_in_child(*json.loads(line)), flush=True)
