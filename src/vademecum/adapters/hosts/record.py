"""Record of our changes to hosts' files with their original content, in the data folder, so that all changes can be undone."""

import json
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, to_builtins

from vademecum.adapters.hosts.files import digest, place, read
from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import Reach


class Entry(Struct, frozen=True):
    """Record of a file that we changed.

    Attributes:
        target: host or piece for which it was changed. role: purpose of the file in the host.
        backup: name of the file with the original content; "" when the file did not exist.
        folders: folders created for it, outermost first. written: digest of the content we wrote.
    """

    target: str
    reach: Reach
    project: str
    role: str
    backup: str
    folders: tuple[str, ...]
    written: str


class Record:
    """The entries by path, and the backups beside them.

    Raises:
        InvalidInput: the file of the record is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "installed.json"
        try:
            known = json.loads(read(self._path) or b'{"files": {}}')["files"]
            self._entries = {path: Entry(**{**entry, "folders": tuple(entry["folders"])}) for path, entry in known.items()}
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(
                f"{self._path} is damaged.", "Move it away; then only the entries of Vademecum can be removed."
            ) from error

    def get(self, path: str) -> Entry | None:
        """Return the record of a file."""
        return self._entries.get(path)

    def of(self, target: str) -> Iterator[tuple[str, Entry]]:
        """Return files that were changed for a target."""
        return ((path, entry) for path, entry in list(self._entries.items()) if entry.target == target)

    def made_above(self, path: str) -> tuple[str, ...]:
        """Return folders above a file that were created for any file of ours, outermost first."""
        made = {folder for entry in self._entries.values() for folder in entry.folders}
        return tuple(sorted((folder for folder in made if Path(path).is_relative_to(folder)), key=len))

    def original(self, path: str) -> bytes | None:
        """Return a file's original content; None when it did not exist."""
        entry = self._entries.get(path)
        return read(self._folder / "backup" / entry.backup) if entry and entry.backup else None

    def keep(self, path: str, entry: Entry, original: bytes | None) -> None:
        """Record a file that is about to be changed, with its original content."""
        name = "" if original is None else f"{digest(path.encode())[:16]}-{Path(path).name}"
        if name:
            place(self._folder / "backup" / name, original)
        self._entries[path] = Entry(**{**to_builtins(entry), "backup": name})
        self._save()

    def forget(self, path: str) -> None:
        """Delete the record of a file and its backup."""
        entry = self._entries.pop(path, None)
        if entry is None:
            return
        self._save()
        if entry.backup:
            place(self._folder / "backup" / entry.backup, None)

    def _save(self) -> None:
        whole = {"version": 1, "files": {path: to_builtins(entry) for path, entry in self._entries.items()}}
        place(self._path, json.dumps(whole, indent=1, ensure_ascii=False).encode("utf-8") + b"\n")
