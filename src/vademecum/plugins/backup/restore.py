"""Put a backup where nothing is: whole or not at all, with what was forgotten since forgotten again.

Everything is read, checked and on disk under another name before anything gets its own. The folder of memories comes last, at once;
what a killed restore left is cleared by the next.
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

#: In a data folder: what a restore has put there so far.
UNDER_WAY_NAME = "restoring.json"


class Place(Struct, frozen=True):
    """Where a backup is restored to.

    Attributes:
        home: new folder of the memories. data: of the device, for that home. known: other data folders of this device.
    """

    home: Path
    data: Path
    known: Sequence[Path] = ()


class Restored(Struct, frozen=True):
    """What was restored.

    Attributes:
        contents: what was in the backup. settings: text of its configuration. data_kept: the device had data of that home, which stayed.
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
    """Put memories and data into their places. Until the folder of memories is there, nothing was restored.

    Raises:
        AlreadyExists: something lies there. BackupUnusable: another passphrase, or a file that is damaged or cut.
        WriteFailed: the disk did not keep it. Locked: another process restores to the same place.
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
        ).unlink()  # it may hold secrets, and nothing clears the folder when this is killed behind the next step
        memory.rename(place.home)
        (place.data / UNDER_WAY_NAME).unlink(missing_ok=True)
    return Restored(contents, text, data_kept, writers)


def read_in(context: Context) -> tuple[SyncReport, tuple[str, ...]]:
    """Erase again what was forgotten, and build what is derived; the report, and the tombstones that were carried out."""
    report = rebuild(context, quick=True)
    return report, complete(context, by=BY_PERSON, all_devices=True)


@contextmanager
def _staging(place: Place) -> Iterator[Path]:
    """Give an empty folder beside the new one, gone afterwards; what a killed restore left is taken away first.

    Raises:
        AlreadyExists: something of others has its name. Locked: another process is doing it.
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
    """Take away what a killed restore had put among the data, unless its memories are there."""
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
    """Return what this device is and was called in the journals of the memory whose data lie there."""
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
