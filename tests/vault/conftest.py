"""A vault in a temporary folder, with time and ids that tests decide."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from vademecum.domain.ids import make_id
from vademecum.domain.memory import Draft, Space
from vademecum.vault.store import Vault, VaultIndex
from vademecum.vault.writer import Device


class Ticking:
    """A clock that goes on by a minute whenever it is asked."""

    def __init__(self, start=datetime(2026, 3, 1, 12, tzinfo=UTC)):
        self.time = start
        self.count = 0

    def now(self):
        self.time += timedelta(minutes=1)
        return self.time

    def elapsed_s(self):
        return self.time.timestamp()

    def new_id(self):
        self.count += 1
        return make_id(int(self.now().timestamp() * 1000), self.count.to_bytes(10, "big"))


#: What tests call a part of a device -> its field.
OF_DEVICE = {name: name for name in Device.__struct_fields__ if name not in ("name", "former", "new_name")} | {
    "device": "name", "former_device": "former", "new_device": "new_name",
}  # fmt: skip


@pytest.fixture
def clock():
    return Ticking()


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "Vault" / "Vademecum"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def space(root):
    return Space("personal", str(root), str(root.parent))


@pytest.fixture
def open_vault(space, tmp_path, clock):
    """Opens the vault, as another process would."""

    def opened(**more):
        given = {"device": "laptop", "lock_dir": tmp_path / "locks", "clock": clock} | more
        of_device = {field: given.pop(name) for name, field in OF_DEVICE.items() if name in given}
        of_index = {name: given.pop(name) for name in ("lookup", "linking") if name in given}
        return Vault(given.pop("spaces", [space]), Device(**of_device), index=VaultIndex(**of_index), **given)

    return opened


@pytest.fixture
def vault(open_vault):
    return open_vault()


@pytest.fixture
def draft():
    """A draft with sensible values for what is not said."""

    def made(title="Kettle", body="Descale monthly.\n", kind="fact", **more):
        return Draft(kind, title, body, **more)

    return made


def text_of(root, memory):
    """The memory's file, byte for byte."""
    return (Path(root) / memory.path).read_bytes().decode()
