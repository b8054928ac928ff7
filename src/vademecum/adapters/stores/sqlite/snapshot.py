"""Arrays in a file, mapped into memory: copies of what the database holds, to start fast.

A snapshot is written whole and renamed, never changed. One that is torn, foreign or of another index is no snapshot; what
changed since it was made is read from the database. Pages that are changed in memory stay in memory.
"""

import contextlib
import glob
import json
import mmap
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_MAGIC = b"vademecum arrays 1\n"
_HEAD_BYTES = 4096
_ALIGNED_TO = 64


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Arrays by name as they were at `generation` of the index."""

    generation: int
    arrays: Mapping[str, Array]


def save(path: Path, identity: str, generation: int, arrays: Mapping[str, Sequence[Array]]) -> None:
    """Write each array, given in parts, replacing the older snapshot.

    A disk that refuses costs speed, nothing else, so it is not an error.
    """
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
            left.unlink()  # of a writer that was killed; one that is still at it loses nothing but its snapshot
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
    """The snapshot of this index, writable in memory only; None when there is no whole one."""
    try:
        with path.open("rb") as file:
            head = _read_head(file.read(_HEAD_BYTES))
            if head is None or head["identity"] != identity or os.fstat(file.fileno()).st_size != head["bytes"]:
                return None
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except OSError:
        return None
    arrays = {
        name: np.ndarray(tuple(shape), np.dtype(dtype), buffer=mapped, offset=start)
        for name, (dtype, shape, start, _) in head["arrays"].items()
    }
    return Snapshot(head["generation"], arrays)


def damage(path: Path, identity: str) -> str:
    """What is wrong with the bytes of a snapshot that would be used, or ""."""
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
