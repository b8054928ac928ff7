"""Tombstones: what must not come back, in append-only files of each device beside the memories, so that they travel along.

Each is a line of a note below the journals, which every sync tool carries. The first version of the format had them in
`_forgotten/<device>.jsonl`, where they are read as ever.
"""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import to_builtins

from vademecum.domain.forgotten import Digest, Tombstone
from vademecum.vault.places import JOURNAL
from vademecum.vault.segments import Segments, lines_of

FOLDER = "_forgotten"
FORMAT = 1
_HEAD = b"---\ntombstones: 1\n---\n```json\n"

#: Tombstones -> whether a text says nothing but what they stand for.
Recogniser = Callable[[tuple[Tombstone, ...]], Callable[[str], bool]]


class Tombstones:
    """The tombstones of some spaces, read anew when their files change, and the notes that they stand for.

    Args:
        is_journaled: memory id -> whether a journal knows it; asked only for a note that says what was forgotten.
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
        """Return those of all devices, each once, oldest first."""
        stats = [(path, path.stat()) for root in self._roots for path in tombstone_files(root)]
        marks = tuple(sorted((str(path), stat.st_size, stat.st_mtime_ns) for path, stat in stats))
        if marks != self._marks:
            self._load(read_tombstones(self._roots))
            self._marks = marks
        return self._stones

    def memories(self) -> frozenset[str]:
        """Return the ids of memories that were forgotten."""
        self.all()
        return self._ids

    def before(self, moment: datetime) -> frozenset[str]:
        """Return the ids of memories that were forgotten before a moment."""
        stones = (stone for stone in self.all() if datetime.fromisoformat(stone.time) < moment)
        return frozenset(identity for stone in stones for identity in stone.memories)

    def stand_for(self, identity: str, body: str) -> bool:
        """Tell whether a note is a forgotten one that came back: by its id, or, when no journal knows it, by what it says.

        What the person saved again after the forgetting is in a journal, so it is theirs to keep.
        """
        if not self.all():
            return False
        return identity in self._ids or (self._says_forgotten(body) and not self._is_journaled(identity))


def tombstone_files(root: Path) -> list[Path]:
    """Return files of a space that hold tombstones, of all devices."""
    devices = (f"{root}/{JOURNAL}/{name}/{FOLDER}" for name in names_in(f"{root}/{JOURNAL}"))
    places = ((f"{root}/{FOLDER}", ".jsonl"), *((folder, ".md") for folder in devices))
    return sorted(Path(folder, name) for folder, end in places for name in names_in(folder) if name.endswith(end))


def names_in(folder: str) -> list[str]:
    """Return what lies in a folder, none when there is none. It is asked for each note that is read: a glob takes ten times as long."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    except (FileNotFoundError, NotADirectoryError):
        return []


def read_tombstones(roots: Iterable[Path]) -> tuple[Tombstone, ...]:
    """Return those of all devices in these spaces, each once, oldest first; a torn or foreign line is passed over."""
    tombstones: dict[str, Tombstone] = {}
    for path in (path for root in roots for path in tombstone_files(root)):
        for line in lines_of(path):
            stone = _from_line(line)
            if stone is not None:
                tombstones.setdefault(stone.id, stone)
    return tuple(tombstones[identity] for identity in sorted(tombstones))


def append_tombstone(root: Path, device: str, stone: Tombstone) -> None:
    """Put one behind this device's others; after return it is on disk."""
    line = json.dumps({"v": FORMAT, **to_builtins(stone)}, separators=(",", ":")).encode() + b"\n"
    Segments(root / JOURNAL / device / FOLDER, _HEAD).append(stone.time[:7], [line])


def _from_line(line: bytes) -> Tombstone | None:
    try:
        data = json.loads(line)
        return Tombstone(
            id=data["id"],
            time=data["time"],
            salt=data["salt"],
            memories=tuple(data.get("memories", ())),
            sources=tuple(data.get("sources", ())),
            digests=tuple(
                Digest(int(entry["words"]), int(entry["gate"]), str(entry["value"])) for entry in data.get("digests", ())
            ),
            everywhere=bool(data.get("everywhere")),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
