"""`vade uninstall --all`: removes everything that was installed, except the notes, and checks that it is gone.

Only files with our names in our folders are deleted; other files there stay and are named. Notes, journals and tombstones belong to
the person and are never touched.
"""

import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import click
from msgspec import Struct

from vademecum.domain.errors import InvalidInput, WriteFailed
from vademecum.domain.installing import FileChange, Plan
from vademecum.entrypoints.caller import current_config
from vademecum.entrypoints.cli.output import Printer
from vademecum.entrypoints.daemon.call import START_S, stop
from vademecum.entrypoints.text import counted
from vademecum.settings import OTHERS, OWNER_NAME, Settings, config_path, device_folder, socket_path
from vademecum.wiring import install_targets, installation, installer

#: Patterns of our file names in the data folder and in the cache.
DATA = (
    "*.db", "*.db-wal", "*.db-shm", "*.db.*", "*.damaged*", "addresses.txt", "backup.json", "browsers.json", "canary.json",
    "checkpoints", "conversations", "device-before", "device-id", "doctor", "forgotten.json", "hash.key", "hook", "hosts",
    "index.behind", "locks", "log", "pauses.jsonl", "pending-conversations", "queue", "ready", "recall_shadow.jsonl",
    "repositories.json", "restoring.json", "run", "STOP", "token", "work.lock", OWNER_NAME,
)  # fmt: skip
#: Files of the data folder that stay, because there may be no other copy -> what they hold.
STAYS = {"teams": "the notes of your team"}
CACHE = ("run", "vectors.db*", "weights.json", "weights-*")  # the last is written by who builds the package


class _InHosts(Struct, frozen=True):
    """Our entries in files of hosts: the changes that remove them, and a sentence for each file that cannot be parsed."""

    plans: tuple[Plan, ...]
    unreadable: tuple[str, ...]

    @property
    def changes(self) -> list[FileChange]:
        """All changes of files."""
        return [change for plan in self.plans for change in plan.changes if change.changes]


def uninstall_all(settings: Settings, project: str, tell: Printer, *, yes: bool, dry_run: bool) -> None:
    """Remove hooks and servers from all hosts, and our data, caches and settings; print what stays.

    It works without a configuration file or a memory: what is missing is named, and all the rest is removed.

    Raises:
        InvalidInput: nobody consented. WriteFailed: some of our files are still there.
    """
    homes = _homes(settings)
    _tell_missing(settings, tell)
    if dry_run or not yes:
        in_hosts = _in_hosts(settings, project)
        _tell_plan(tell, in_hosts.changes, [*_ours(settings)], homes)
        for fault in in_hosts.unreadable:
            tell(f"Would stay as it is: {fault}")
        if dry_run or not _consented():
            return
    with _without_helpers(settings):
        _remove(settings, project)
    _prove(settings, project, homes, tell)


def _tell_missing(settings: Settings, tell: Printer) -> None:
    """Print what is missing: the configuration file, the data, the memory."""
    config, data = current_config() or config_path(), device_folder(settings.data_dir)
    if not config.is_file():
        tell(f"Not found: the configuration file {config}. If it named a data folder elsewhere, remove that folder by hand.")
    if not data.is_dir():
        tell(f"Not found: the data folder {data}. Files of hosts lose our entries, but not every byte is as before.")
    if settings.home and not Path(settings.home).is_dir():
        tell(f"Not found: the folder of your memory, {settings.home}.")
    tell(not_found=[str(path) for path in (config, data, Path(settings.home)) if not path.exists()])


@contextmanager
def _without_helpers(settings: Settings) -> Iterator[None]:
    """Stop the helper of every memory, wait until each has ended, and hold their locks so that none starts meanwhile.

    Raises:
        Locked: one was started meanwhile.
    """
    from vademecum.entrypoints.daemon.lock import only_one

    each = [replace(settings, data_dir=str(folder)) for folder in _data_folders(settings)]
    for one in each:
        stop(one)
    with ExitStack() as locks:
        for one in each:
            locks.enter_context(only_one(one, START_S))
        if sys.platform != "win32":
            yield
    if sys.platform == "win32":  # Windows deletes no open file, so the lock file itself would stay
        yield


def _remove(settings: Settings, project: str) -> None:
    worker = installer(settings)
    for plan in _in_hosts(settings, project).plans:
        worker.apply(plan)
    to_delete = list(_ours(settings))
    for path in to_delete:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for folder in sorted({path.parent for path in to_delete}, key=lambda parent: -len(parent.parts)):
        _drop_if_empty(folder)


def _consented() -> bool:
    """Ask the person.

    Raises:
        InvalidInput: nobody is there to ask.
    """
    if not sys.stdin.isatty():
        raise InvalidInput("Nothing was removed: this cannot be undone.", "To do it, add: --yes")
    return click.confirm("Remove all this? The archive of conversations cannot be made again.", default=False)


def _homes(settings: Settings) -> tuple[str, ...]:
    """Return the folders of memories known on this machine; they stay."""
    marks = [folder / OWNER_NAME for folder in _data_folders(settings)]
    named = [mark.read_text(encoding="utf-8", errors="replace").strip() for mark in marks if mark.is_file()]
    return tuple(dict.fromkeys(home for home in (settings.home, *named) if home and Path(home).is_dir()))


def _data_folders(settings: Settings) -> Iterator[Path]:
    """Yield the data folder of the device and those of its other memories."""
    base = device_folder(settings.data_dir)
    others = base.with_name(base.name + OTHERS)
    yield base
    yield from (folder for folder in sorted(others.glob("*")) if (folder / OWNER_NAME).is_file())


def _ours(settings: Settings) -> Iterator[Path]:
    """Yield each of our files and folders outside the vault that exists."""
    places = [(folder, DATA) for folder in _data_folders(settings)] + [(Path(settings.cache_dir), CACHE)]
    for folder, names in places:
        yield from sorted({path for name in names for path in folder.glob(name)})
    if (path := current_config() or config_path()).is_file():
        yield path
    if (folder := socket_path(settings).parent).is_dir() and not folder.is_relative_to(settings.data_dir):
        yield folder  # in the temporary folder, because the path of a socket must be short


def _in_hosts(settings: Settings, project: str) -> _InHosts:
    """Return our entries in files of hosts. A file that cannot be parsed does not stop the others."""
    worker = installer(settings)
    possible = [worker.plan_possible_removal(name, project) for name in install_targets()]
    errors = [error for _, unreadable in possible for error in unreadable]
    return _InHosts(tuple(plan for plan, _ in possible), tuple(error.message for error in errors))


def _tell_plan(tell: Printer, changes: list[FileChange], to_delete: list[Path], homes: tuple[str, ...]) -> None:
    paths = list(dict.fromkeys([*(change.path for change in changes), *map(str, to_delete)]))
    in_hosts = dict.fromkeys(change.path for change in changes)
    for path in in_hosts:
        tell(f"The entries of Vademecum would be removed from: {path}")
    for folder, count in Counter(str(path.parent) for path in to_delete).items():
        tell(f"Would be deleted: {counted(count, 'entry')} in {folder}")
    tell(dry_run=True, would_go=paths)
    _tell_homes(tell, homes)


def _tell_homes(tell: Printer, homes: tuple[str, ...]) -> None:
    for home in homes:
        notes = sum(1 for _ in Path(home).rglob("*.md"))
        tell(f"Your memories stay: {home} ({notes} notes, with their journal)")
    tell(memories=list(homes))


def _drop_if_empty(folder: Path) -> None:
    """Remove an empty folder of ours, and its parent if that is empty then."""
    for place in (folder, folder.parent):
        if place.is_dir() and place.name.startswith("vademecum") and not any(place.iterdir()):
            place.rmdir()


def _prove(settings: Settings, project: str, homes: tuple[str, ...], tell: Printer) -> None:
    """Search again for all our files, and print what stays.

    Raises:
        WriteFailed: something is still there.
    """
    left = [str(path) for path in _ours(settings)]
    in_hosts = _in_hosts(settings, project)
    left += [*(change.path for change in in_hosts.changes), *in_hosts.unreadable]
    if left:
        raise WriteFailed("Still there: " + ", ".join(left), "Remove it by hand, or try again.")
    tell("Checked: no host calls Vademecum, and nothing of it is left outside your notes.", dry_run=False)
    folders = [folder for folder in (device_folder(settings.data_dir), Path(settings.cache_dir)) if folder.is_dir()]
    others = [str(other) for folder in folders for other in sorted(folder.glob("*"))]
    for other in others:
        holds = STAYS.get(Path(other).name)
        tell(f"It holds {holds}, so it stays: {other}" if holds else f"Not ours, so it stays: {other}")
    tell(not_ours=others)
    _tell_homes(tell, homes)
    tell(f"Remove the program itself with: {installation().removing()}")
