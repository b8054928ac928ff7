"""The weight files beside the damage that a disk or a person can do to them."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from vademecum.adapters.embedders import FOLDER, weight_files
from vademecum.adapters.embedders.use import UniversalSentenceEncoder
from vademecum.domain.errors import EmbedderUnavailable


@pytest.fixture
def weights(tmp_path):
    return Path(shutil.copytree(FOLDER, tmp_path / "weights"))


@pytest.mark.parametrize("harm", ["flip", "cut", "remove", "unlisted"])
def test_damaged_weights(weights, harm):
    """Weights that are not those we built are refused with a sentence and a way out, never used."""
    file = weights / weight_files.USE
    content = bytearray(file.read_bytes())
    if harm == "flip":
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    elif harm == "cut":
        file.write_bytes(content[:1000])
    elif harm == "remove":
        file.unlink()
    else:
        (weights / weight_files.CHECKSUMS).unlink()
    with pytest.raises(EmbedderUnavailable, match="weights") as caught:
        UniversalSentenceEncoder(weights)
    assert "Reinstall" in caught.value.hint


def test_files_of_an_earlier_version(weights):
    """Weights of a model that an earlier version shipped may lie beside ours, listed or not."""
    (weights / "minilm-l6-int8.safetensors").write_bytes(b"old")
    with (weights / weight_files.CHECKSUMS).open("a") as sums:
        sums.write(f"{'0' * 64}  minilm-l6-int8.safetensors\n")
    assert UniversalSentenceEncoder(weights).embed(["kettle"]).any()


def test_checked_once(weights, tmp_path, monkeypatch):
    """Weights that were found right are not added up again, until somebody writes to the file, even one byte at the same time."""
    file, notes = weights / weight_files.USE, tmp_path / "notes" / "weights.json"
    expected = UniversalSentenceEncoder(weights, notes).embed(["kettle"])
    with monkeypatch.context() as patched:
        patched.setattr("vademecum.adapters.embedders.weight_files.hashlib.sha256", lambda _: pytest.fail("added up again"))
        assert np.array_equal(UniversalSentenceEncoder(weights, notes).embed(["kettle"]), expected)
    before = file.stat()
    with file.open("r+b") as handle:
        handle.seek(before.st_size // 2)
        byte = handle.read(1)[0]
        handle.seek(before.st_size // 2)
        handle.write(bytes([byte ^ 1]))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(EmbedderUnavailable, match="damaged"):
        UniversalSentenceEncoder(weights, notes)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"x": 1}'])
def test_notes_are_no_authority(weights, tmp_path, text):
    """Notes that say nothing, or nonsense, cost time and nothing else."""
    notes = tmp_path / "weights.json"
    notes.write_text(text)
    assert weight_files.tensors(weight_files.USE, weights, notes)
    assert str(weights / weight_files.USE) in json.loads(notes.read_text())
