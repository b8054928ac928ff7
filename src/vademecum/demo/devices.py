"""`vade demo --devices 3`: computers that share a folder by a plain sync tool diverge, and agree again."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from vademecum.demo.script import TODAY
from vademecum.domain.memory import Draft, Space
from vademecum.vault.store import Vault
from vademecum.vault.writer import Device
from vademecum.wiring import clock_at

Say = Callable[[str], object]

_NOTE = "Green tea takes 75 degrees.\nThe kettle is descaled monthly.\n"
_WARMER, _COOLER = ("75 degrees", "80 degrees"), ("75 degrees", "70 degrees")


class _Computer:
    """A device with its own folder and vault."""

    def __init__(self, folder: Path, number: int) -> None:
        self.name, self.root = f"computer-{number}", folder / str(number) / "Notes"
        self.root.mkdir(parents=True)
        self._locks = folder / str(number) / "locks"
        self.vault = Vault(
            [Space("personal", str(self.root), "")], Device(name=self.name, lock_dir=self._locks, clock=clock_at(TODAY))
        )

    def note(self) -> str:
        """Return the text of the one memory."""
        return self.vault.get("Tea").body


def run_devices(count: int, say: Say) -> None:
    """Run the demo in a temporary folder, which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="vade-demo-") as name:
        computers = [_Computer(Path(name), number) for number in range(1, count + 1)]
        first, *others, last = computers
        first.vault.save(Draft("fact", "Tea", _NOTE))
        say(f"computer-1 has a memory, and a sync tool copies it to {count - 1} others:\n")
        _carry(computers)
        _show([first], say)
        say("\nWhile disconnected, each of them writes something different into it:\n")
        first.vault.edit("Tea", body=_NOTE.replace(*_WARMER))
        for number, computer in enumerate(others, 2):
            computer.vault.edit("Tea", body=f"{_NOTE}Cup {number} stands in the cupboard.\n")
        last.vault.edit("Tea", body=_NOTE.replace(*_COOLER))
        _show(computers, say)
        say("\nThe sync tool overwrites one file with the other and copies the journals too. Each computer reads its folder:\n")
        _carry(computers)
        for computer in computers:
            for record in computer.vault.reconcile().records:
                say(f"  {computer.name}: {record.op}")
        _show(computers, say)
        agree = len({computer.note() for computer in computers}) == 1
        say(
            f"\nAll {count} hold the same note: {agree}. No line is lost; where two changed one line, the note has both versions."
        )


def _carry(computers: list[_Computer]) -> None:
    """Copy everything from each to the next, going round twice; the newer of two files wins, as with `rsync -u`."""
    for source, target in zip(computers * 2, (computers * 2)[1:], strict=False):
        shutil.copytree(source.root, target.root, dirs_exist_ok=True, copy_function=_copy_newer)


def _copy_newer(source: str, target: str) -> None:
    there = Path(target)
    if not there.exists() or there.stat().st_mtime_ns < Path(source).stat().st_mtime_ns:
        shutil.copy2(source, target)


def _show(computers: list[_Computer], say: Say) -> None:
    for computer in computers:
        lines = computer.note().splitlines()
        say("\n".join([f"  {computer.name}", *(f"    | {line}" for line in lines)]))
