"""Last record of each journal seen here, so that a truncated journal is noticed."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from vademecum.vault.files import read_own, write_own
from vademecum.vault.journal import END_IS_MISSING, Journal


class Heads:
    """Last record of each journal that was ever here.

    Args:
        file: where the record ids are saved, outside of synced folders. journals: by space.
    """

    def __init__(self, file: Path, journals: Mapping[str, Journal]) -> None:
        self._file, self._journals = file, journals

    def note(self) -> None:
        """Save the last record of each journal if it is later than the saved one."""
        noted = read_own(self._file, dict[str, str], {})
        fresh = dict(noted)
        for key, last in self._there().items():
            fresh[key] = max(fresh.get(key, ""), last)
        self._keep(noted, fresh)

    def wrote(self, space: str, device: str, record_id: str) -> None:
        """Save that a record is the last one of a journal."""
        noted = read_own(self._file, dict[str, str], {})
        self._keep(noted, {**noted, f"{space}/{device}": record_id})

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Yield the folders of journals that end before a record seen here, with a message for each.

        A missing folder is not reported: the person removed it.
        """
        there = self._there()
        for key, last in read_own(self._file, dict[str, str], {}).items():
            space, _, device = key.partition("/")
            if key in there and there[key] < last:
                yield self._journals[space].folder_of(device), END_IS_MISSING.format(last=last)

    def _there(self) -> dict[str, str]:
        return {f"{space}/{name}": last for space, journal in self._journals.items() for name, last in journal.ends().items()}

    def _keep(self, noted: Mapping[str, str], fresh: Mapping[str, str]) -> None:
        if fresh != noted:
            with contextlib.suppress(OSError):  # then truncation is noticed later or not at all
                write_own(self._file, fresh)
