"""Tombstones: records of forgotten memories in append-only files of each device beside the memories, so that they sync along.

Each is a line in a Markdown file below the journals, which every sync tool copies. The first version of the format had them in
`_forgotten/<device>.jsonl`, which is still read.
"""

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import to_builtins

from vademecum.domain.forgotten import Tombstone
from vademecum.vault.places import JOURNAL
from vademecum.vault.segments import Segments, lines_of

FOLDER = "_forgotten"
FORMAT = 1
_HEAD = b"---\ntombstones: 1\n---\n```json\n"

#: Tombstones -> predicate: whether a text consists only of forgotten content.
Recogniser = Callable[[tuple[Tombstone, ...]], Callable[[str], bool]]


class Tombstones:
    """The tombstones of some spaces, reloaded when their files change, and the test for notes that they cover.

    Args:
        is_journaled: memory id -> whether a journal has it; asked only for a note with forgotten content.
    """

    def __init__(self, roots: Sequence[Path], recogniser: Recogniser, is_journaled: Callable[[str], bool]) -> None:
        self._roots = tuple(roots)
        self._recogniser = recogniser
        self._is_journaled = is_journaled
        self._marks: tuple[tuple[str, int, int], ...] = ()
        self._load(())

    def _load(self, stones: tuple[Tombstone, ...]) -> None:
        self._stones = stones
        self._ids = frozenset(identity for stone in stones for identity in stone.memories)
        self._says_forgotten = self._recogniser(stones)

    def all(self) -> tuple[Tombstone, ...]:
        """Return the tombstones of all devices, without duplicates, oldest first."""
        stats = [(path, path.stat()) for root in self._roots for path in tombstone_files(root)]
        marks = tuple(sorted((str(path), stat.st_size, stat.st_mtime_ns) for path, stat in stats))
        if marks != self._marks:
            self._load(read_tombstones(self._roots))
            self._marks = marks
        return self._stones

    def memories(self) -> frozenset[str]:
        """Return the ids of forgotten memories."""
        self.all()
        return self._ids

    def before(self, moment: datetime) -> frozenset[str]:
        """Return the ids of memories forgotten before a moment."""
        stones = (stone for stone in self.all() if datetime.fromisoformat(stone.time) < moment)
        return frozenset(identity for stone in stones for identity in stone.memories)

    def stand_for(self, identity: str, body: str) -> bool:
        """Return whether a note is a forgotten one that came back: by its id, or, if no journal has the id, by its text.

        A note that the person saved again after the forgetting is in a journal, so it stays.
        """
        if not self.all():
            return False
        return identity in self._ids or (self._says_forgotten(body) and not self._is_journaled(identity))


def tombstone_files(root: Path) -> list[Path]:
    """Return the tombstone files of a space, of all devices."""
    devices = (f"{root}/{JOURNAL}/{name}/{FOLDER}" for name in names_in(f"{root}/{JOURNAL}"))
    places = ((f"{root}/{FOLDER}", ".jsonl"), *((folder, ".md") for folder in devices))
    return sorted(Path(folder, name) for folder, end in places for name in names_in(folder) if name.endswith(end))


def names_in(folder: str) -> list[str]:
    """Return the names in a folder, empty if it does not exist. Called for each note that is read: a glob takes ten times as long."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    except (FileNotFoundError, NotADirectoryError):
        return []


def read_tombstones(roots: Iterable[Path]) -> tuple[Tombstone, ...]:
    """Return the tombstones of all devices in these spaces, without duplicates, oldest first; torn or unknown lines are skipped."""
    tombstones: dict[str, Tombstone] = {}
    for path in (path for root in roots for path in tombstone_files(root)):
        for line in lines_of(path):
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):
                stone = msgspec.json.decode(line, type=Tombstone)
                tombstones.setdefault(stone.id, stone)
    return tuple(tombstones[identity] for identity in sorted(tombstones))


def append_tombstone(root: Path, device: str, stone: Tombstone) -> None:
    """Append a tombstone to this device's file and flush it to disk."""
    line = json.dumps({"v": FORMAT, **to_builtins(stone)}, separators=(",", ":")).encode() + b"\n"
    Segments(root / JOURNAL / device / FOLDER, _HEAD).append(stone.time[:7], [line])
