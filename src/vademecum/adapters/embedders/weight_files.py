"""Loads, verifies and maps the weight files in this package. Format: safetensors, which contains no code and needs no parser.

The build downloads them (`tools/weights.py`) and lists their SHA-256 beside them; a file that differs is refused. Hashing 79 MB
at each start takes as long as a whole recall, so a verification may be recorded: size, times and inode of the file, with the
expected hash. A file that was written to since, or replaced, is hashed again.
"""

import contextlib
import hashlib
import json
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.embedders import FOLDER, HINT
from vademecum.domain.errors import EmbedderUnavailable

USE = "use-multilingual.safetensors"
CHECKSUMS = "SHA256SUMS"

DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "U8": np.dtype("u1"), "I32": np.dtype("<i4")}

Tensors = Mapping[str, NDArray[Any]]


def tensors(name: str, folder: Path = FOLDER, notes: Path | None = None) -> Tensors:
    """Return the arrays of a weight file by name: read-only views of the mapped file.

    Args:
        notes: our file that records verified weights; None: verify again.

    Raises:
        EmbedderUnavailable: the file is missing, or is not the one that was built.
    """
    return parse(_mapped(folder / name, notes))


def parse(content: mmap.mmap | bytes) -> Tensors:
    """Return the arrays in the bytes of a safetensors file: header length (u64), JSON header, data."""
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    return {
        name: np.frombuffer(
            content, DTYPES[entry["dtype"]], count=int(np.prod(entry["shape"])), offset=start + entry["data_offsets"][0]
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if name != "__metadata__"
    }


def checksums(folder: Path = FOLDER) -> dict[str, str]:
    """Return file name -> SHA-256 in hexadecimal, as written by the build."""
    lines = (folder / CHECKSUMS).read_text("ascii").splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def _mapped(path: Path, notes: Path | None) -> mmap.mmap:
    try:
        expected = checksums(path.parent)[path.name]
        with path.open("rb") as file:
            note = _note(os.fstat(file.fileno()), expected)
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError, KeyError) as error:
        raise EmbedderUnavailable(f"The weights {path.name} are not in this installation ({error}).", HINT) from error
    known = _read_notes(notes)
    if known.get(str(path)) == note:
        return content
    if hashlib.sha256(content).hexdigest() != expected:
        content.close()
        raise EmbedderUnavailable(f"The weights {path.name} are damaged: the checksum differs.", HINT)
    _write_notes(notes, {**known, str(path): note})
    return content


def _note(stat: os.stat_result, expected: str) -> list[int | str]:
    """Return a mark that changes whenever the file is written to; the change time (ctime) cannot be set back by hand."""
    return [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_dev, stat.st_ino, expected]


def _read_notes(path: Path | None) -> dict[str, Any]:
    try:
        known = json.loads(path.read_bytes()) if path else {}
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _write_notes(path: Path | None, known: dict[str, Any]) -> None:
    """Write the notes atomically; a folder that cannot be written only costs the time of a new verification."""
    if path is None:
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
        fresh.write_text(json.dumps(known), encoding="utf-8")
        fresh.replace(path)
