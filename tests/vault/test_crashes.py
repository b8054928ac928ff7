"""Whatever moment a process dies or a disk refuses at, nothing is lost and the next one carries on."""

import errno
import itertools
import os
import shutil

import pytest

from tests.vault.killed import DIED, EFFECTS, VERBS, Killed, no_wait, note_day, vault_of
from vademecum.domain.errors import VademecumError
from vademecum.domain.memory import Draft


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(os, "fsync", no_wait)


@pytest.fixture(scope="module")
def killed():
    with Killed() as process:
        yield process


@pytest.fixture
def prepare(tmp_path):
    """Folders with the same two memories every time."""
    first = tmp_path / "first"
    note_day(vault_of(first, 1), "aaaa1111", "- Boiled.")
    vault_of(first, 1).save(Draft("fact", "Kettle", "Descale monthly.\n"))
    vault_of(first, 2).save(Draft("fact", "Other", "Other text.\n"))
    counter = itertools.count()

    def prepared():
        folder = tmp_path / f"copy{next(counter)}"
        shutil.copytree(first, folder)
        return folder

    return prepared


def _notes(folder):
    files = [*(path for path in folder.rglob("*.md") if "_journal" not in path.parts), *folder.glob("home/_daily/*.jsonl")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _must_be_whole(folder, before, after):
    """The vault is as before or as after, the journal explains it, and it can be written."""
    vault = vault_of(folder, 9)
    notes = _notes(folder)
    assert notes in (before, after)
    assert not [path for path in folder.rglob("*") if path.suffix in (".tmp", ".intent")]
    result = vault.reconcile()
    assert (result.records, result.problems, vault.problems()) == ((), (), ())
    assert vault.save(Draft("fact", "Afterwards", "x")).title == "Afterwards"
    return notes == after


#: How far apart the touches of the disk are at which something goes wrong: `make soak` tries every one.
APART = pytest.mark.parametrize("apart", [3, pytest.param(1, marks=pytest.mark.soak)])


@pytest.mark.slow
@APART
@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("verb", VERBS)
def test_killed_anywhere(prepare, killed, verb, effect, apart):
    """X-35, X-54: killed before any touch of the disk, or half way through a write, a verb happens whole or not at all."""
    folder = prepare()
    before = _notes(folder)
    VERBS[verb](vault_of(folder))
    after = _notes(folder)
    assert after != before
    finished = []
    for nth in itertools.count(1, apart):
        folder = prepare()
        status = killed.status_of(verb, folder, nth, effect)
        assert status in (DIED, 0)
        finished.append(_must_be_whole(folder, before, after))
        if status == 0:
            break
    assert finished == sorted(finished)
    assert finished[-1]
    assert len(finished) * apart > (10 if effect == "die" else 3)


@pytest.mark.slow
@APART
def test_killed_twice(prepare, killed, apart):
    """A process that dies while finishing what a dead one began loses nothing either."""
    folder = prepare()
    before = _notes(folder)
    VERBS["evolve"](vault_of(folder))
    after = _notes(folder)
    for nth, again in itertools.product(range(8, 56, 8 * apart), range(1, 40, 4 * apart)):
        folder = prepare()
        first = killed.status_of("evolve", folder, nth)
        second = killed.status_of("", folder, again)
        assert {first, second} <= {DIED, 0}
        _must_be_whole(folder, before, after)


@pytest.mark.slow
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("verb", VERBS)
@APART
def test_disk_refuses_anywhere(prepare, monkeypatch, verb, lasting, apart):
    """X-35: a full or read-only disk, at any touch: an error that says so, the old text stays, the next write works."""
    folder = prepare()
    before = _notes(folder)
    VERBS[verb](vault_of(folder))
    after = _notes(folder)
    for nth in itertools.count(1, apart):
        folder = prepare()
        vault = vault_of(folder)
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


def test_hand_edit_in_between(prepare, killed):
    """A file that the person changed between a crash and the next start keeps the person's text."""
    for nth in itertools.count(1):
        folder = prepare()
        if killed.status_of("evolve", folder, nth) == 0:
            break
        live = folder / "home/personal/fact/kettle.md"
        live.write_text(live.read_text() + "By hand.\n")
        vault = vault_of(folder, 9)
        assert live.read_text().endswith("By hand.\n")
        assert [memory.title for memory in vault.list() if "Descale monthly." in memory.body]
        vault.reconcile()
        assert vault.problems() == ()


def test_hand_edit_of_a_day(prepare, killed):
    """A day's note that the person changed between a crash and the next start keeps their text, and the session's block comes later."""
    for nth in itertools.count(1):
        folder = prepare()
        if killed.status_of("grown block", folder, nth) == 0:
            break
        note = folder / "home/_daily/2026-03-02.md"
        note.write_text(note.read_text() + "\nBy hand.\n")
        vault = vault_of(folder, 9)
        assert note.read_text().endswith("\nBy hand.\n")
        VERBS["grown block"](vault)
        assert "- Boiled.\n- Poured.\n\nBy hand.\n" in note.read_text()


def test_torn_journal_line(prepare):
    """A torn last line costs that line only; the next record does not stick to it."""
    folder = prepare()
    journal = next(folder.glob("home/_journal/laptop/*.md"))
    journal.write_bytes(journal.read_bytes() + b'{"v":2,"id":"01')
    vault = vault_of(folder)
    memory = vault.save(Draft("fact", "Next", "x"))
    assert [record.op for record in vault.history.of(memory.id)] == ["save"]
    assert [record.op for record in vault.history.of("Kettle")] == ["save"]
