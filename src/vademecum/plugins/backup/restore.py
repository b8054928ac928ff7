"""Restore a backup into an empty place: completely or not at all, and erase again what was forgotten since.

Everything is read, verified and written under temporary names before anything gets its final name. The folder of memories comes
last, in one rename. Leftovers of a killed restore are removed by the next one.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from vademecum.domain.backup import BEFORE_NAME, DEVICE_NAME, Contents
from vademecum.domain.errors import AlreadyExists, BackupUnusable, WriteFailed
from vademecum.domain.memory import BY_PERSON
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import SyncReport, complete, missing_stones, rebuild, remember
from vademecum.plugin_api.vault import JOURNAL, SpaceLock, read_tombstones
from vademecum.plugins.backup.backup import DATA, DATABASES, FILES, MEMORY, SETTINGS
from vademecum.ports.backups import BackupFiles

#: File in a data folder: names of the entries that a restore has put there so far.
UNDER_WAY_NAME = "restoring.json"


class Place(Struct, frozen=True):
    """Target of a restore.

    Attributes:
        home: new folder of the memories.
        data: data folder of the device, for that home.
        known: other data folders of this device.
    """

    home: Path
    data: Path
    known: Sequence[Path] = ()


class Restored(Struct, frozen=True):
    """Result of a restore.

    Attributes:
        contents: of the backup.
        settings: text of its configuration.
        data_kept: the device already had data of that home; they were not replaced.
        writers: data folders of this device that have written to that memory before.
    """

    contents: Contents
    settings: str
    data_kept: bool
    writers: tuple[Path, ...]


class _UnderWay(Struct):
    home: str
    names: list[str]


def restore(files: BackupFiles, file: Path, passphrase: str, place: Place) -> Restored:
    """Restore memories and data. Nothing counts as restored until the folder of memories exists.

    Raises:
        AlreadyExists: the folder is not empty.
        BackupUnusable: wrong passphrase, or a file that is damaged or truncated.
        WriteFailed: the disk did not store it.
        Locked: another process restores to the same place.
    """
    if os.path.lexists(place.home) and not _is_empty(place.home):
        raise AlreadyExists(f"{place.home} is not empty, and nothing is written over.", "Name a new folder.")
    with _failures(place.home), _staging(place) as staged:
        contents = files.unpack(file, passphrase, staged)
        if contents.space:
            raise BackupUnusable(f"{file} holds the space {contents.space} of a team.", "vade team restore FILE")
        memory, text = staged / MEMORY, (staged / SETTINGS).read_text(encoding="utf-8", errors="surrogateescape")
        memory.mkdir(exist_ok=True)
        data_kept = any((place.data / name).exists() for name in (*DATABASES, *FILES))
        writers = tuple(data for data in (place.data, *place.known) if _devices_of(data) & _devices_in(memory))
        if not data_kept:
            _put_data(staged / DATA, place, contents.device)
        for data in writers:
            if data != place.data:
                remember(place.data, missing_stones(data, read_tombstones([memory])))
        if place.home.is_dir():
            place.home.rmdir()
        shutil.rmtree(staged / DATA, ignore_errors=True)
        (
            staged / SETTINGS
        ).unlink()  # it may hold secrets, and nothing removes the folder if this process is killed after the next step
        memory.rename(place.home)
        (place.data / UNDER_WAY_NAME).unlink(missing_ok=True)
    return Restored(contents, text, data_kept, writers)


def read_in(context: Context) -> tuple[SyncReport, tuple[str, ...]]:
    """Rebuild derived data and erase again what was forgotten. Return the report, and the tombstones carried out."""
    report = rebuild(context, quick=True)
    return report, complete(context, by=BY_PERSON, all_devices=True)


@contextmanager
def _staging(place: Place) -> Iterator[Path]:
    """Yield an empty folder beside the new one, removed afterwards. Leftovers of a killed restore are removed first.

    Raises:
        AlreadyExists: its name is taken by another program.
        Locked: another process is restoring.
    """
    staged = place.home.with_name(f".{place.home.name}.restoring")
    with SpaceLock(place.home, place.data / "locks").held("restore", wait=False):
        if staged.exists() and {path.name for path in staged.iterdir()} - {MEMORY, DATA, SETTINGS}:
            raise AlreadyExists(f"{staged} is not ours.", "Name another folder.")
        shutil.rmtree(staged, ignore_errors=True)
        _take_back(place.data)
        staged.mkdir(parents=True)
        try:
            yield staged
        finally:
            shutil.rmtree(staged, ignore_errors=True)


def _take_back(data: Path) -> None:
    """Remove files that a killed restore had put into the data folder, unless its memories exist."""
    note = data / UNDER_WAY_NAME
    with suppress(OSError, msgspec.DecodeError):
        begun = msgspec.json.decode(note.read_bytes(), type=_UnderWay)
        if not Path(begun.home).exists() or _is_empty(Path(begun.home)):
            for name in begun.names:
                shutil.rmtree(data / name, ignore_errors=True)
                (data / name).unlink(missing_ok=True)
    note.unlink(missing_ok=True)


def _put_data(staged: Path, place: Place, device: str) -> None:
    names = sorted(path.name for path in staged.iterdir()) if staged.is_dir() else []
    kept = [name for name in names if name in (*DATABASES, *FILES)]
    note = place.data / UNDER_WAY_NAME
    note.write_bytes(msgspec.json.encode(_UnderWay(str(place.home), [*kept, BEFORE_NAME])))
    for name in kept:
        shutil.move(staged / name, place.data / name)
    (place.data / BEFORE_NAME).write_text(device, encoding="utf-8")


def _devices_of(data: Path) -> set[str]:
    """Return the present and former names of this device in the journals of the memory to which these data belong."""
    names = set()
    for name in (DEVICE_NAME, BEFORE_NAME):
        with suppress(OSError):
            names.add((data / name).read_bytes().decode(errors="replace").strip())
    return names - {""}


def _devices_in(memory: Path) -> set[str]:
    with suppress(OSError):
        return {path.name for path in (memory / JOURNAL).iterdir() if path.is_dir()}
    return set()


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


@contextmanager
def _failures(home: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WriteFailed(
            f"{home} cannot be restored: {error}. Nothing was restored.", "Look at the disk, then try again."
        ) from error
