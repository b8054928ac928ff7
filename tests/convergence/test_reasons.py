"""Reasons for which random orders of devices failed, each in as few steps as show it.

A note that a person deleted by hand stays deleted on all devices, or is named; what a tool mixed takes no line away; what was
forgotten is removed again.
"""

import os
from datetime import timedelta

import pytest
from tests.convergence.simulator import Clock, Device, Sync, World, put

from vademecum.domain.forgotten import Tombstone
from vademecum.domain.memory import Draft


class Devices:
    """Two devices whose clocks are right, and a sync that carries everything at once."""

    def __init__(self, folder):
        self.world = World(0)
        self.sync = Sync(self.world)
        self.laptop, self.desktop = (
            Device(name, folder / name, Clock(self.world, timedelta())) for name in ("laptop", "desktop")
        )

    def third(self):
        """A device that no sync reaches."""
        return Device("tablet", self.laptop.folder.parent / "tablet", Clock(self.world, timedelta()))

    def carry(self):
        """Carry everything in both directions and follow it, without telling what was noticed."""
        for _ in range(2):
            for device in (self.laptop, self.desktop):
                self.bring(device)
                device.follow()

    def bring(self, device):
        """Carry everything between one device and the service; the device does not look."""
        self.world.time += timedelta(minutes=1)
        self.sync.carry(device, all_of_it=True)

    def do(self, device, deed):
        """Do something on a device, as a verb does."""
        self.world.time += timedelta(minutes=1)
        device.vault._writer.placed.clear()
        done = deed(device.vault)
        device.stamp_all()
        device.note_written()
        return done

    def save(self, device, title):
        return self.do(device, lambda vault: vault.save(Draft("fact", title, f"The {title.lower()} is in use.\n")))

    def delete(self, device, path):
        """Delete a file by hand."""
        self.world.time += timedelta(minutes=1)
        (device.root / path).unlink()

    def titles(self):
        """Titles of the active memories, which are the same on both."""
        found = [
            sorted(one.title for one in device.vault.list() if one.status == "active") for device in (self.laptop, self.desktop)
        ]
        assert found[0] == found[1]
        return found[0]


@pytest.fixture
def devices(tmp_path):
    return Devices(tmp_path)


def messages(noticed):
    return [problem.message for problem in noticed.problems]


def test_deleted_where_another_note_was_put_away_before(devices):
    """A note at a place that another device had cleared, which its writer had heard of, was deleted by its person."""
    before = devices.save(devices.laptop, "Kettle")
    devices.carry()
    devices.do(devices.desktop, lambda vault: vault.archive(before.id))
    devices.carry()
    note = devices.save(devices.laptop, "Kettle")
    devices.carry()
    devices.delete(devices.laptop, note.path)
    devices.carry()
    assert devices.titles() == []


def test_deleted_after_a_rename_by_hand_that_only_a_verb_saw(devices):
    """A note renamed by hand and changed by a verb before anybody looked is at its new place, so its deletion there is believed."""
    note = devices.save(devices.laptop, "Kettle")
    devices.carry()
    (devices.laptop.root / note.path).rename(devices.laptop.root / "personal" / "pot.md")
    devices.do(devices.laptop, lambda vault: vault.tag(note.id, add=["red"]))
    devices.delete(devices.laptop, "personal/pot.md")
    devices.carry()
    assert devices.titles() == []


def test_written_back_by_a_device_that_had_not_read_of_the_deletion(devices):
    """A device that misses the file and has not read of its deletion may write it back; whoever has read of both removes it again."""
    note = devices.save(devices.laptop, "Kettle")
    devices.carry()
    devices.delete(devices.laptop, note.path)
    devices.laptop.follow()
    there = (devices.desktop.root / note.path).read_bytes()
    (devices.desktop.root / note.path).unlink()
    put_elsewhere(devices, note)
    told = messages(devices.desktop.follow())
    assert (devices.desktop.root / note.path).read_bytes() == there
    assert any("delete it once more" in one for one in told)
    devices.carry()
    assert devices.titles() == []


def put_elsewhere(devices, note):
    """A third device, which had heard of nothing, put a note of its own at that place; only its journal has come to the desktop."""
    other = devices.third()
    devices.do(other, lambda vault: vault.save(Draft("fact", note.title, "It is another one.\n")))
    bring_journal(other, devices.desktop)


def bring_journal(source, target):
    """Carry the journal of one device to another, and none of its notes."""
    folder = target.root / "_journal" / source.name
    folder.mkdir(parents=True, exist_ok=True)
    for file in (source.root / "_journal" / source.name).glob("*.md"):
        (folder / file.name).write_bytes(file.read_bytes())


def test_deleted_note_that_is_put_back_stays_and_is_named(devices):
    """A deleted file that is there again as it was is the person's, or a tool's that carries no deletions: it stays, and is named."""
    note = devices.save(devices.laptop, "Kettle")
    devices.carry()
    kept = (devices.laptop.root / note.path).read_bytes()
    devices.delete(devices.laptop, note.path)
    devices.carry()
    assert devices.titles() == []
    (devices.laptop.root / note.path).parent.mkdir(parents=True, exist_ok=True)
    (devices.laptop.root / note.path).write_bytes(kept)
    devices.laptop.stamp(devices.laptop.root / note.path)
    assert any("is there again" in one for one in messages(devices.laptop.follow()))
    devices.carry()
    assert devices.titles() == ["Kettle"]


def test_mixed_into_the_place_of_another_note(devices):
    """X-38: what a tool put in the place of another note, mixed by characters, takes no line away: nobody edited that note there."""
    ours = devices.do(devices.laptop, lambda vault: vault.save(Draft("fact", "Lamp", "It is green.\nIt is bright.\n")))
    theirs = devices.do(devices.desktop, lambda vault: vault.save(Draft("fact", "Lamp", "It is 4 years old.\n")))
    tablet = devices.third()
    put(tablet.root, theirs.path, (devices.desktop.root / theirs.path).read_bytes(), 0)
    bring_journal(devices.desktop, tablet)
    tablet.follow()
    devices.do(tablet, lambda vault: vault.relocate(theirs.id, title="Torch"))
    bring_journal(tablet, devices.desktop)
    text = (devices.laptop.root / ours.path).read_text()
    bring_journal(devices.laptop, devices.desktop)
    (devices.desktop.root / ours.path).write_text(text.replace("bright", "4 yebright"))
    devices.desktop.stamp(devices.desktop.root / ours.path)
    devices.desktop.follow()
    devices.carry()
    assert "It is bright." in devices.laptop.vault.get(ours.id).body


def test_a_journal_that_was_erased_is_newer_than_before(devices):
    """What was forgotten is taken out of a journal, and the file is newer by two seconds, whatever the clock says: rsync would bring the
    older one back. A record that is written when the clock was set back makes it no older.
    """
    note = devices.save(devices.laptop, "Kettle")
    journal = next((devices.laptop.root / "_journal" / "laptop").glob("*.md"))
    ahead = journal.stat().st_mtime_ns + 3600 * 10**9
    os.utime(journal, ns=(ahead, ahead))
    stone = Tombstone(devices.laptop.clock.new_id(), devices.laptop.clock.now().isoformat(), "salt", (note.id,), (), (), False)
    devices.laptop.vault.erasure.record_tombstone(stone)
    devices.laptop.vault.erasure.erase([note.id], lambda text: text, everywhere=False)
    erased = journal.stat().st_mtime_ns
    assert erased >= ahead + 2 * 10**9
    assert b"kettle is in use" not in journal.read_bytes()
    devices.laptop.vault.save(Draft("fact", "Pot", "It is in use.\n"))
    assert journal.stat().st_mtime_ns > erased


def test_forgotten_text_that_comes_back_is_removed_and_named(devices):
    """A forgotten file that a tool brings back, and an older file in the place of the own journal, lose it again; each is named."""
    note = devices.save(devices.laptop, "Kettle")
    devices.laptop.follow()
    journal = next((devices.laptop.root / "_journal" / "laptop").glob("*.md"))
    kept = {path: path.read_bytes() for path in (journal, devices.laptop.root / note.path)}
    stone = Tombstone(devices.laptop.clock.new_id(), devices.laptop.clock.now().isoformat(), "salt", (note.id,), (), (), False)
    devices.laptop.vault.erasure.record_tombstone(stone)
    devices.laptop.follow()
    for path, data in kept.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    told = messages(devices.laptop.vault.reconcile(devices.laptop.indexed()))
    assert [any(words in one for one in told) for words in ("it was removed again", "which was taken out again")] == [
        True,
        True,
    ]
    assert not any(b"kettle is in use" in path.read_bytes() for path in devices.laptop.root.rglob("*.md"))


def test_a_file_that_a_tool_brings_back_each_time_is_recorded_once(devices):
    """A file that was left where a note stood before goes again each time a tool brings it back, and the journal does not grow."""
    note = devices.save(devices.laptop, "Kettle")
    devices.laptop.follow()
    old = devices.laptop.root / note.path
    kept = old.read_bytes()
    devices.do(devices.laptop, lambda vault: vault.archive(note.id))
    journal = next((devices.laptop.root / "_journal" / "laptop").glob("*.md"))
    sizes = []
    for _ in range(3):
        old.parent.mkdir(parents=True, exist_ok=True)
        old.write_bytes(kept)
        devices.laptop.stamp(old)
        devices.laptop.follow()
        assert not old.exists()
        sizes.append(journal.stat().st_size)
    assert sizes[1:] == sizes[:-1]
