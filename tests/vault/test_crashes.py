"""Whatever moment a process dies or a disk refuses at, nothing is lost and the next one carries on."""

import contextlib
import errno
import itertools
import os
import shutil
from datetime import date

import pytest

from vademecum.domain.daily import Block
from vademecum.domain.errors import VademecumError
from vademecum.domain.memory import Draft, Space
from vademecum.domain.relations import Joining
from vademecum.vault.daily import merged, note_path, sidecar_path
from vademecum.vault.store import Vault

from .conftest import Ticking

#: Every way in which the vault touches the disk.
CALLS = ("open", "write", "fsync", "replace", "link", "unlink", "mkdir", "rmdir", "truncate", "ftruncate", "fchmod", "close")
DIED = 77

DAY = date(2026, 3, 2)


def _note_day(vault, session, body):
    """Put a block into the note of a day, as the end of a session does."""
    block = Block(f"session://plain/{session}", "09:00", "Tea", body, {"title": "Tea"})
    vault.pages.revise((note_path(DAY), sidecar_path(DAY)), lambda texts: merged(*texts, DAY, [block]), op="daily")


VERBS = {
    "new block": lambda vault: _note_day(vault, "bbbb2222", "- Poured."),
    "grown block": lambda vault: _note_day(vault, "aaaa1111", "- Boiled.\n- Poured."),
    "save": lambda vault: vault.save(Draft("lesson", "New", "New text.\n")),
    "edit": lambda vault: vault.edit("Kettle", body="Edited.\n"),
    "evolve": lambda vault: vault.evolve("Kettle", "Evolved.\n", "better"),
    "archive": lambda vault: vault.archive("Kettle", "done"),
    "move": lambda vault: vault.move("Kettle", group="projects/tea"),
    "between spaces": lambda vault: vault.move("Kettle", space="tea"),
    "rename": lambda vault: vault.rename("Kettle", "Pot"),
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


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """A killed process loses nothing that the system has, so these tests need not wait for the disk."""

    def fsync(handle):
        os.fstat(handle)

    monkeypatch.setattr(os, "fsync", fsync)


@pytest.fixture
def prepare(tmp_path):
    """Folders with the same two memories every time."""
    first = tmp_path / "first"
    _note_day(_open(first, 1), "aaaa1111", "- Boiled.")
    _open(first, 1).save(Draft("fact", "Kettle", "Descale monthly.\n"))
    _open(first, 2).save(Draft("fact", "Other", "Other text.\n"))
    counter = itertools.count()

    def prepared():
        folder = tmp_path / f"copy{next(counter)}"
        shutil.copytree(first, folder)
        return folder

    return prepared


def _open(folder, hours=5):
    for name in ("home", "tea"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    spaces = [Space("personal", str(folder / "home")), Space("tea", str(folder / "tea"), project="tea")]
    clock = Ticking()
    for _ in range(hours * 60):
        clock.new_id()
    return Vault(spaces, device="laptop", lock_dir=folder / "locks", clock=clock)


def _notes(folder):
    files = [*(path for path in folder.rglob("*.md") if "_journal" not in path.parts), *folder.glob("home/_daily/*.jsonl")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _in_child(work, nth, effect):
    """Run `work` in a process where the `nth` touch of the disk has an `effect`; its exit status."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(BaseException):
        counter = itertools.count(1)
        for name in CALLS:
            setattr(os, name, _touched(getattr(os, name), counter, nth, effect))
        work()
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
    if call.__name__ == "write":
        call(args[0], bytes(args[1])[: len(args[1]) // 2])
    os._exit(DIED)


def _must_be_whole(folder, before, after):
    """The vault is as before or as after, the journal explains it, and it can be written."""
    vault = _open(folder, 9)
    notes = _notes(folder)
    assert notes in (before, after)
    assert not [path for path in folder.rglob("*") if path.suffix in (".tmp", ".intent")]
    result = vault.reconcile()
    assert (result.records, result.problems, vault.problems()) == ((), (), ())
    assert vault.save(Draft("fact", "Afterwards", "x")).title == "Afterwards"
    return notes == after


@pytest.mark.slow
@pytest.mark.parametrize("effect", [_die, _die_half_written])
@pytest.mark.parametrize("verb", VERBS)
def test_killed_anywhere(prepare, verb, effect):
    """X-35, X-54: killed before any touch of the disk, or half way through a write, a verb happens whole or not at all."""
    folder = prepare()
    before = _notes(folder)
    VERBS[verb](_open(folder))
    after = _notes(folder)
    assert after != before
    finished = []
    for nth in itertools.count(1):
        folder = prepare()
        status = _in_child(lambda folder=folder: VERBS[verb](_open(folder)), nth, effect)
        assert status in (DIED, 0)
        finished.append(_must_be_whole(folder, before, after))
        if status == 0:
            break
    assert finished == sorted(finished)
    assert finished[-1]
    assert len(finished) > 10


@pytest.mark.slow
def test_killed_twice(prepare):
    """A process that dies while finishing what a dead one began loses nothing either."""
    folder = prepare()
    before = _notes(folder)
    VERBS["evolve"](_open(folder))
    after = _notes(folder)
    for nth, again in itertools.product(range(8, 56, 8), range(1, 40, 4)):
        folder = prepare()
        first = _in_child(lambda folder=folder: VERBS["evolve"](_open(folder)), nth, _die)
        second = _in_child(lambda folder=folder: _open(folder), again, _die)
        assert {first, second} <= {DIED, 0}
        _must_be_whole(folder, before, after)


@pytest.mark.slow
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("verb", VERBS)
def test_disk_refuses_anywhere(prepare, monkeypatch, verb, lasting):
    """X-35: a full or read-only disk, at any touch: an error that says so, the old text stays, the next write works."""
    folder = prepare()
    before = _notes(folder)
    VERBS[verb](_open(folder))
    after = _notes(folder)
    for nth in itertools.count(1):
        folder = prepare()
        vault = _open(folder)
        counter = itertools.count(1)
        with monkeypatch.context() as patched:
            for name in ("write", "fsync", "replace", "link", "mkdir", "ftruncate"):
                patched.setattr(os, name, _refusing(getattr(os, name), counter, nth, lasting))
            try:
                VERBS[verb](vault)
                worked = True
            except VademecumError as error:
                worked = False
                assert error.hint or error.message
        if not worked and not lasting:
            assert _notes(folder) in (before, after)
        assert _must_be_whole(folder, before, after) in (worked, True)
        if next(counter) <= nth:
            break


def _refusing(call, counter, nth, lasting):
    def refusing(*args, **more):
        count = next(counter)
        if count == nth or (lasting and count > nth):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return call(*args, **more)

    return refusing


def test_hand_edit_in_between(prepare):
    """A file that the person changed between a crash and the next start keeps the person's text."""
    for nth in itertools.count(1):
        folder = prepare()
        if _in_child(lambda folder=folder: VERBS["evolve"](_open(folder)), nth, _die) == 0:
            break
        live = folder / "home/personal/fact/kettle.md"
        live.write_text(live.read_text() + "By hand.\n")
        vault = _open(folder, 9)
        assert live.read_text().endswith("By hand.\n")
        assert [memory.title for memory in vault.list() if "Descale monthly." in memory.body]
        vault.reconcile()
        assert vault.problems() == ()


def test_hand_edit_of_a_day(prepare):
    """A day's note that the person changed between a crash and the next start keeps their text, and the session's block comes later."""
    for nth in itertools.count(1):
        folder = prepare()
        if _in_child(lambda folder=folder: VERBS["grown block"](_open(folder)), nth, _die) == 0:
            break
        note = folder / "home/_daily/2026-03-02.md"
        note.write_text(note.read_text() + "\nBy hand.\n")
        vault = _open(folder, 9)
        assert note.read_text().endswith("\nBy hand.\n")
        VERBS["grown block"](vault)
        assert "- Boiled.\n- Poured.\n\nBy hand.\n" in note.read_text()


def test_torn_journal_line(prepare):
    """A torn last line costs that line only; the next record does not stick to it."""
    folder = prepare()
    journal = next(folder.glob("home/_journal/laptop/*.md"))
    journal.write_bytes(journal.read_bytes() + b'{"v":2,"id":"01')
    vault = _open(folder)
    memory = vault.save(Draft("fact", "Next", "x"))
    assert [record.op for record in vault.history.of(memory.id)] == ["save"]
    assert [record.op for record in vault.history.of("Kettle")] == ["save"]
