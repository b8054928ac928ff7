"""Reasons for which random orders of devices failed, each in as few steps as show it.

A note that a person deleted by hand stays deleted on all devices, or is named; what a tool mixed takes no line away; what was
forgotten is removed again.
"""

from datetime import timedelta

import pytest
from tests.convergence.simulator import Clock, Device, Sync, World, put

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
