"""Several processes write at once, die, or wait."""

import os
import signal
import time

import pytest

from vademecum.domain.errors import Conflict, Locked, WriteFailed
from vademecum.domain.memory import Draft, Space
from vademecum.vault.lock import SpaceLock, key_of
from vademecum.vault.store import Vault
from vademecum.vault.writer import Device

from .conftest import Ticking

PROCESSES, WRITES = 12, 4


def _child(work):
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


@pytest.mark.slow
def test_twelve_writers(tmp_path):
    """X-35: twelve processes that save and edit at once lose nothing; every write is in the journal."""
    folder = tmp_path / "home"
    folder.mkdir()
    space = Space("personal", str(folder))

    def opened(number):
        clock = Ticking()
        clock.count = number * 1000
        return Vault([space], Device(name="laptop", lock_dir=tmp_path / "locks", clock=clock, lock_timeout_s=120))

    opened(99).save(Draft("fact", "Shared", ""))

    def work(number):
        vault = opened(number)
        for turn in range(WRITES):
            vault.save(Draft("fact", f"Note {number} {turn}", "x"))
            _append(vault, f"{number} {turn}\n")

    children = [_child(lambda number=number: work(number)) for number in range(PROCESSES)]
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * PROCESSES
    vault = opened(100)
    lines = sorted(f"{number} {turn}" for number in range(PROCESSES) for turn in range(WRITES))
    assert sorted(vault.get("Shared").body.splitlines()) == lines
    assert len(vault.list()) == 1 + len(lines)
    assert len(vault.history.of("Shared")) == 1 + len(lines)
    assert (vault.reconcile().records, vault.problems()) == ((), ())


def _append(vault, line):
    while True:
        memory = vault.get("Shared")
        try:
            vault.edit(memory.id, body=memory.body + line, etag=memory.etag)
            return
        except Conflict:
            continue


def test_dead_owner(tmp_path, open_vault, draft, root):
    """A lock whose owner was killed is free at once; one whose owner lives names it."""
    ready = tmp_path / "ready"

    def hold():
        with SpaceLock(root, tmp_path / "locks").held("evolve"):
            ready.write_text("")
            time.sleep(60)

    child = _child(hold)
    while not ready.exists():
        time.sleep(0.01)
    with pytest.raises(Locked, match=rf"process {child} on .* \(evolve\)"):
        open_vault(lock_timeout_s=0.05).save(draft())
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert open_vault(lock_timeout_s=0.05).save(draft()).title == "Kettle"


def test_reading_never_waits(tmp_path, open_vault, draft, root):
    """Opening and reading go on while another process is in the middle of a write."""
    memory = open_vault().save(draft())
    ready = tmp_path / "ready"

    def hold():
        with SpaceLock(root, tmp_path / "locks").held("evolve"):
            (tmp_path / "locks" / f"{key_of(root)}.intent").write_text("{")
            ready.write_text("")
            time.sleep(60)

    child = _child(hold)
    while not ready.exists():
        time.sleep(0.01)
    assert open_vault(lock_timeout_s=30).get(memory.id) == memory
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    open_vault()
    assert not list((tmp_path / "locks").glob("*.intent"))


def test_locks_that_cannot_be_made(tmp_path, open_vault, draft):
    """A lock folder that cannot be written is said plainly; reading goes on."""
    (tmp_path / "file").write_text("")
    vault = open_vault(lock_dir=tmp_path / "file" / "locks")
    assert vault.list() == ()
    with pytest.raises(WriteFailed, match="cannot be taken"):
        vault.save(draft())


def test_lock_outside(vault, draft, root):
    """Nothing but memories and the journal lies in the synced folder."""
    vault.save(draft())
    names = {path.name for path in root.rglob("*") if path.is_file()}
    assert names == {"kettle.md", "2026-03-001.md"}


#: What the running numbers of two records may grow by.
DIGITS = 8


def test_work_does_not_grow(vault, draft, root, monkeypatch):
    """X-55: a write costs the same however many memories and journal records there are."""

    def cost():
        before = (root / "_journal/laptop/2026-03-001.md").stat().st_size
        calls = []
        for name in ("open", "write", "read", "scandir", "fsync"):
            monkeypatch.setattr(os, name, _counted(getattr(os, name), calls))
        memory = vault.save(draft(f"Note {len(calls)}", body="x" * 100), unique=False)
        vault.edit(memory.path, body="y" * 100)
        monkeypatch.undo()
        return len(calls), (root / "_journal/laptop/2026-03-001.md").stat().st_size - before, vault.archive(memory.path)

    vault.save(draft())
    first = cost()
    for number in range(60):
        vault.save(draft(f"Other {number}"))
    calls, size, _ = cost()
    assert (calls, size - first[1] <= DIGITS) == (first[0], True)


def _counted(call, calls):
    def counted(*args, **more):
        calls.append(call.__name__)
        return call(*args, **more)

    return counted
