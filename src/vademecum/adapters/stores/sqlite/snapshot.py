"""Memory-mapped arrays in a file: copies of data in the database, for a fast start.

A snapshot is written completely and renamed, never changed. A torn or foreign one, or one of another index, is ignored; changes
after the snapshot are read from the database. Pages that are changed in memory stay in memory.
"""

import contextlib
import glob
import json
import mmap
import os
import sys
import zlib
from collections.abc import Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Array = NDArray[Any]

#: Path of an index in memory, which has no files beside it.
IN_MEMORY = Path(":memory:")

_MAGIC = b"vademecum arrays 1\n"
_HEAD_BYTES = 4096
_ALIGNED_TO = 64


class _OpenFile:
    """A file that is closed when it is no longer referenced."""

    def __init__(self, path: Path) -> None:
        self.number = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))

    def __del__(self) -> None:
        if hasattr(self, "number"):  # else it could not be opened
            os.close(self.number)


class Snapshot(Struct, frozen=True):
    """Arrays by name as of `generation` of the index, and their memory map."""

    generation: int
    arrays: Mapping[str, Array]
    mapped: mmap.mmap
    starts: Mapping[str, int]
    file: "_OpenFile"

    def rows(self, name: str, at: NDArray[np.int64]) -> Array:
        """Return rows of an array as stored in the file, ignoring changes in memory. Consecutive rows are read at once.

        For large arrays: the system maps at least sixteen pages around each page that is read, so scattered rows would fill
        memory with unneeded data. Where `pread` is not available, rows come from the mapped array.
        """
        array = self.arrays[name]
        if not hasattr(os, "pread"):
            return np.asarray(array[at])
        length, start, file = array.strides[0], self.starts[name], self.file.number
        first = np.flatnonzero(np.append(True, np.diff(at) != 1)[: len(at)])
        sizes = np.diff(first, append=len(at)) * length
        places = start + at[first] * length
        raw = b"".join(map(os.pread, repeat(file), sizes.tolist(), places.tolist()))
        return np.frombuffer(raw, array.dtype).reshape(-1, *array.shape[1:])

    def let_go(self, name: str) -> None:
        """Return an array's pages to the system and discard changes in them; the file is read again on access.

        No effect where the system has no such call.
        """
        if sys.platform == "win32":
            return
        start = -(-self.starts[name] // mmap.PAGESIZE) * mmap.PAGESIZE
        end = self.starts[name] + self.arrays[name].nbytes
        if end - start >= mmap.PAGESIZE:
            self.mapped.madvise(mmap.MADV_DONTNEED, start, (end - start) // mmap.PAGESIZE * mmap.PAGESIZE)


def save(path: Path, identity: str, generation: int, arrays: Mapping[str, Sequence[Array]]) -> None:
    """Write each array, given in parts, replacing the older snapshot.

    A failed write costs only speed, so it is no error. An index in memory has no snapshot.
    """
    if path.name.startswith(IN_MEMORY.name):
        return
    layout: dict[str, tuple[str, list[int], int, int]] = {}
    end = _HEAD_BYTES
    for name, parts in arrays.items():
        check = 0
        for part in parts:
            check = zlib.crc32(part.data, check) if part.size else check
        rows = sum(len(part) for part in parts)
        layout[name] = (parts[0].dtype.str, [rows, *parts[0].shape[1:]], end, check)
        end += -(-sum(part.nbytes for part in parts) // _ALIGNED_TO) * _ALIGNED_TO
    head = _MAGIC + json.dumps({"identity": identity, "generation": generation, "bytes": end, "arrays": layout}).encode()
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    with contextlib.suppress(OSError):
        for left in path.parent.glob(f"{glob.escape(path.name)}.*.new"):
            left.unlink()  # of a killed writer; a writer still at work only loses its snapshot
        try:
            with fresh.open("wb") as file:
                file.write(head.ljust(_HEAD_BYTES))
                for name, parts in arrays.items():
                    file.seek(layout[name][2])
                    for part in parts:
                        file.write(part.data if part.size else b"")
                file.truncate(end)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)


def load(path: Path, identity: str) -> Snapshot | None:
    """Return the snapshot of this index, writable in memory only; None when there is no complete one."""
    try:
        file = _OpenFile(path)
        head = _read_head(os.read(file.number, _HEAD_BYTES))
        if head is None or head["identity"] != identity or os.fstat(file.number).st_size != head["bytes"]:
            return None
        mapped = mmap.mmap(file.number, 0, access=mmap.ACCESS_COPY)
    except OSError:
        return None
    arrays = {
        name: np.ndarray(tuple(shape), np.dtype(dtype), buffer=mapped, offset=start)
        for name, (dtype, shape, start, _) in head["arrays"].items()
    }
    starts = {name: start for name, (_, _, start, _) in head["arrays"].items()}
    return Snapshot(head["generation"], arrays, mapped, starts, file)


def damage(path: Path, identity: str) -> str:
    """Return a description of the damage of a snapshot that would be used, or ""."""
    snapshot = load(path, identity)
    if snapshot is None:
        return ""
    with path.open("rb") as file:
        head = _read_head(file.read(_HEAD_BYTES)) or {"arrays": {}}
    wrong = [name for name, array in snapshot.arrays.items() if zlib.crc32(array.data) != head["arrays"][name][3]]
    return f"{path.name}: {', '.join(wrong)} changed on disk" if wrong else ""


def _read_head(data: bytes) -> dict[str, Any] | None:
    if not data.startswith(_MAGIC):
        return None
    try:
        head: dict[str, Any] = json.loads(data.removeprefix(_MAGIC))
    except ValueError:
        return None
    return head
