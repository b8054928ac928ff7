"""A note that a person deleted by hand stays deleted on all devices, and one that is written back nevertheless is named.

Each test is one reason for which random orders brought a deleted note back, in as few steps as show it.
"""

from datetime import timedelta

import pytest
from tests.convergence.simulator import Clock, Device, Sync, World

from vademecum.domain.memory import Draft


class Devices:
    """Two devices whose clocks are right, and a sync that carries everything at once."""

    def __init__(self, folder):
        self.world = World(0)
        self.sync = Sync(self.world)
        self.laptop, self.desktop = (
            Device(name, folder / name, Clock(self.world, timedelta())) for name in ("laptop", "desktop")
        )

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
    other = Device("tablet", devices.laptop.folder.parent / "tablet", Clock(devices.world, timedelta()))
    devices.do(other, lambda vault: vault.save(Draft("fact", note.title, "It is another one.\n")))
    source = other.root / "_journal" / "tablet"
    target = devices.desktop.root / "_journal" / "tablet"
    target.mkdir(parents=True)
    for file in source.glob("*.md"):
        (target / file.name).write_bytes(file.read_bytes())


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
