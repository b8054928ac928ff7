"""Write everything that a memory needs into one file: the folder of memories, and device data that cannot be rebuilt.

Derived data (index, vectors, briefings) are left out and rebuilt. So are data that belong to the machine alone: keys of
interfaces, records of installations, and the device name, because two devices that write to one memory must never share it.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from vademecum.domain.backup import Backup, Contents
from vademecum.domain.errors import FileUnusable, InvalidInput, WriteFailed
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import COPY_SUFFIX, note_backup, regular_files
from vademecum.plugin_api.vault import files as vault_files
from vademecum.ports.backups import BackupFiles, Writer
from vademecum.ports.progress import Progress

#: Parts of the data folder: databases, which are copied as snapshots; files and folders.
DATABASES = ("device.db", "archive.db", "actions.db")
FILES = ("conversations", "pending-conversations", "checkpoints", "queue", "log", "pauses.jsonl", "addresses.txt", "STOP")
#: Names in a backup: settings, folder of memories, folder of data.
SETTINGS, MEMORY, DATA = "config.toml", "memory", "data"


class Source(Struct, frozen=True):
    """The parts of a backup that come from the machine's configuration.

    Attributes:
        settings: text of the configuration file.
        device: its name in journals.
    """

    settings: str
    device: str


def back_up(context: Context, files: BackupFiles, file: Path, passphrase: str, source: Source) -> Backup:
    """Write everything into a new file, read it back to verify it, and record the time.

    Args:
        passphrase: encrypts the file; "" leaves it readable to everybody.

    Raises:
        InvalidInput: the file would lie in a folder that it backs up.
        AlreadyExists: the file exists.
        FileUnusable: something cannot be read.
        WriteFailed: the disk did not store it.
        Locked: another process keeps writing.
    """
    home, data = Path(context.vault.spaces[0].root), Path(context.storage.data_dir)
    for folder in (home, data):
        if Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder)):
            raise InvalidInput(f"{file} would lie among what it holds.", f"Name a file outside of {folder}, on another disk.")
    made = context.clock.now()
    try:
        with files.writing(file, passphrase) as writer:
            writer.add_text(SETTINGS, source.settings)
            # First: recorded transcript positions must not be newer than the memories, or text would be skipped after a restore.
            _add_data(writer, files, data)
            with context.vault.still("backup"):
                left_out = _add_memory(writer, home, context.progress)
            left_out += _not_ours(context)
            contents = Contents(made, source.device, str(home), tuple(writer.members), left_out)
            writer.finish(contents)
    except OSError as error:
        if error.filename:
            raise FileUnusable(f"{error.filename} cannot be read: {error.strerror}. No backup was made.") from error
        raise WriteFailed(f"{file} cannot be written: {error.strerror}. No backup was made.", "Look at the disk.") from error
    done = Backup(str(file), made, file.stat().st_size, contents.notes(), bool(passphrase), left_out)
    note_backup(context, done)
    return done


def _add_data(writer: Writer, files: BackupFiles, data: Path) -> None:
    for name in DATABASES:
        copy = data / f"{name}{COPY_SUFFIX}"
        copy.unlink(missing_ok=True)  # left by a backup that was killed
        if (data / name).exists():
            try:
                files.snapshot(data / name, copy)
                writer.add(f"{DATA}/{name}", copy)
            finally:
                copy.unlink(missing_ok=True)
    for path in (path for name in FILES for path in _all_of(data / name)):
        with suppress(FileNotFoundError):  # an event that was processed meanwhile
            writer.add(f"{DATA}/{path.relative_to(data).as_posix()}", path)


def _all_of(place: Path) -> Iterator[Path]:
    yield from [place] if place.is_file() else regular_files(str(place))


def _add_memory(writer: Writer, home: Path, progress: Progress) -> tuple[str, ...]:
    """Add the folder of memories byte by byte; return sentences about parts that are left out."""
    paths, links = [], []
    for folder, folders, names in os.walk(home, onerror=_raise):
        for name in sorted([*names, *(name for name in folders if (Path(folder) / name).is_symlink())]):
            path = Path(folder, name)
            if path.is_symlink() or not path.is_file():
                links.append(str(path.relative_to(home)))
            elif not (name.startswith(vault_files.TEMPORARY_PREFIX) and name.endswith(vault_files.TEMPORARY_SUFFIX)):
                paths.append(path)
    for number, path in enumerate(sorted(paths), 1):
        writer.add(f"{MEMORY}/{path.relative_to(home).as_posix()}", path)
        progress("files", number, len(paths))
    return (f"{len(links)} links and the like, {links[0]} for one: they are not followed",) if links else ()


def _raise(error: OSError) -> None:
    raise error


def _not_ours(context: Context) -> tuple[str, ...]:
    personal, *others = context.vault.spaces
    around = personal.documents_root
    notes = [f"your own notes in {around}: back that folder up yourself"] if around else []
    return (*notes, *(f"memories of a project in {space.root}: they are kept with its repository" for space in others))
