"""The weight files in this package: found, checked, mapped. Format: safetensors, which holds no code and needs no parser.

The build fetches and converts them (`tools/weights.py`) and lists their SHA-256 beside them; a file that differs is refused.
"""

import hashlib
import json
import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vademecum.model.errors import EmbedderUnavailable

FOLDER = Path(__file__).parent / "weights"
MINILM = "minilm-l6-int8.safetensors"
STATIC = "static-minilm-256.safetensors"
VOCABULARY = "vocab.txt"
CHECKSUMS = "SHA256SUMS"

HINT = "Reinstall Vademecum, or choose another embedder (`none` recalls by words only)."
DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "I8": np.dtype("i1"), "I64": np.dtype("<i8")}

Tensors = Mapping[str, NDArray[Any]]


def tensors(name: str, folder: Path = FOLDER) -> Tensors:
    """The arrays of a weight file by name: read-only views of the mapped file.

    Raises:
        EmbedderUnavailable: the file is absent, or is not the one that was built.
    """
    return parse(_mapped(folder / name))


def vocabulary(folder: Path = FOLDER) -> list[str]:
    """The word pieces; the place in the list is the token's number.

    Raises:
        EmbedderUnavailable: as `tensors`.
    """
    with _mapped(folder / VOCABULARY) as content:
        return content[:].decode("utf-8").splitlines()


def parse(content: mmap.mmap | bytes) -> Tensors:
    """The arrays in the bytes of a safetensors file: header length (u64), JSON header, data."""
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    return {
        name: np.frombuffer(
            content,
            DTYPES[entry["dtype"]],
            count=int(np.prod(entry["shape"])),
            offset=start + entry["data_offsets"][0],
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if name != "__metadata__"
    }


def checksums(folder: Path = FOLDER) -> dict[str, str]:
    """File name -> SHA-256 in hexadecimal, as written by the build."""
    lines = (folder / CHECKSUMS).read_text("ascii").splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def _mapped(path: Path) -> mmap.mmap:
    try:
        expected = checksums(path.parent)[path.name]
        with path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError, KeyError) as error:
        raise EmbedderUnavailable(f"The weights {path.name} are not in this installation ({error}).", HINT) from error
    if hashlib.sha256(content).hexdigest() != expected:
        content.close()
        raise EmbedderUnavailable(f"The weights {path.name} are damaged: the checksum differs.", HINT)
    return content
