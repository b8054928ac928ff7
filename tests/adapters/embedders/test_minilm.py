"""The bundled model against the published one, and against damage."""

import json
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from vademecum.adapters.embedders import bert, weight_files
from vademecum.adapters.embedders.minilm import MiniLM
from vademecum.adapters.embedders.static import Static
from vademecum.adapters.embedders.use import UniversalSentenceEncoder
from vademecum.domain.errors import EmbedderUnavailable

GOLDEN = json.loads((Path(__file__).parent / "minilm_float32.json").read_text("utf-8"))


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["text"][:20])
def test_golden_vectors(minilm, case):
    """Eight bits a weight give the vectors of the full model, to a cosine of 0.9989 and better."""
    full = np.array(case["vector"])
    assert minilm.embed([case["text"]])[0] @ full / np.linalg.norm(full) >= 0.9989


def test_gelu():
    """The fast curve stays within 3e-5 of the exact one, and turns into 0 and x far out."""
    x = np.concatenate([np.linspace(-12, 12, 24001), [-1e4, 1e4]]).astype(np.float32)
    exact = [v * 0.5 * math.erfc(-v / math.sqrt(2)) for v in x.tolist()]
    assert np.abs(bert.gelu(x) - exact).max() < 3e-5


def test_together(minilm):
    """Questions computed together, long and short ones, differ from each alone by rounding only; alone they are as passages."""
    texts = [
        "which port?",
        "",
        "where do we keep the backups of the staging database, and who may read them?",
        "the kettle " * 100,
    ]
    alone = np.concatenate([minilm.embed([text], role="query") for text in texts])
    assert np.allclose(minilm.embed(texts, role="query"), alone, atol=1e-5)
    assert np.array_equal(minilm.embed(texts), alone)
    assert np.array_equal(minilm.embed(texts * 5), np.tile(alone, (5, 1)))  # more than go through a layer together


def test_long_text_is_cut(minilm):
    """What follows the 254th token does not change the vector."""
    start = "kettle " * 254
    assert np.array_equal(*minilm.embed([start, start + "entirely different ending " * 50]))


@pytest.fixture
def weights(tmp_path):
    return Path(shutil.copytree(weight_files.FOLDER, tmp_path / "weights"))


FILE_OF = {MiniLM: weight_files.MINILM, Static: weight_files.STATIC, UniversalSentenceEncoder: weight_files.USE}


@pytest.mark.parametrize("model", FILE_OF)
@pytest.mark.parametrize("harm", ["flip", "cut", "remove", "unlisted"])
def test_damaged_weights(weights, model, harm):
    """Weights that are not those we built are refused with a sentence and a way out, never used."""
    file = weights / FILE_OF[model]
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
        model(weights)
    assert "Reinstall" in caught.value.hint


def test_damaged_vocabulary(weights):
    """A vocabulary in another order would give other meanings: refused as well."""
    (weights / weight_files.VOCABULARY).write_text("a\nb\n")
    with pytest.raises(EmbedderUnavailable, match=r"vocab\.txt"):
        Static(weights)


def test_checked_once(weights, tmp_path, monkeypatch):
    """Weights that were found right are not added up again, until somebody writes to the file, even one byte at the same time."""
    file, notes = weights / weight_files.MINILM, tmp_path / "notes" / "weights.json"
    expected, known = MiniLM(weights, notes).embed(["kettle"]), weight_files.checksums(weights)[weight_files.VOCABULARY]
    with monkeypatch.context() as patched:
        large = "vademecum.adapters.embedders.weight_files._sum"
        patched.setattr(large, lambda content: known if len(content) < 1_000_000 else pytest.fail("added up again"))
        assert np.array_equal(MiniLM(weights, notes).embed(["kettle"]), expected)
    before = file.stat()
    with file.open("r+b") as handle:
        handle.seek(before.st_size // 2)
        byte = handle.read(1)[0]
        handle.seek(before.st_size // 2)
        handle.write(bytes([byte ^ 1]))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(EmbedderUnavailable, match="damaged"):
        MiniLM(weights, notes)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"x": 1}'])
def test_notes_are_no_authority(weights, tmp_path, text):
    """Notes that say nothing, or nonsense, cost time and nothing else."""
    notes = tmp_path / "weights.json"
    notes.write_text(text)
    assert Static(weights, notes).embed(["kettle"]).any()
    assert str(weights / weight_files.STATIC) in json.loads(notes.read_text())
