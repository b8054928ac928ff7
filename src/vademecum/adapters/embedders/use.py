"""Vectors from Google's Universal Sentence Encoder, multilingual v3, shipped with the package and computed in NumPy.

Sixteen languages, one space: a text and its translation lie near each other, so what was said in one language is found by a
question in another. The encoder is convolutional (Yang et al. 2019, arXiv:1907.04307): each piece is seen beside its neighbours
by windows of two, three and five, the states are summed, and a few layers make the vector. Nothing is downloaded, and a
passage's vector has the same bits alone and in any batch.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.embedders import rows, weight_files
from vademecum.adapters.embedders.pieces import Unigram
from vademecum.ports.embedder import Likeness

#: Pieces of a text that are looked at. Longer text is cut.
MAX_PIECES = 384
#: Window width -> pieces of it on the left.
WINDOWS: Mapping[int, int] = {2: 0, 3: 1, 5: 2}
#: The table of pieces was rounded in so many parts, each with a scale and a lowest value; a piece belongs to the part of its number.
PARTS = 17
EPSILON = np.float32(1e-12)

Floats = NDArray[np.float32]


class UniversalSentenceEncoder:
    """An embedder of 512 dimensions."""

    model_id = "use-multilingual-v3@1"
    dim = 512
    calibration: Mapping[str, Likeness] = {
        "en": Likeness(0.018, 0.059, 0.263),
        "de": Likeness(0.017, 0.058, 0.243),
        "es": Likeness(0.027, 0.06, 0.234),
        "fr": Likeness(0.025, 0.055, 0.251),
        "pt": Likeness(0.032, 0.063, 0.192),
        "zh": Likeness(0.071, 0.063, 0.393),
    }  # as calibration.calibration_of measures them

    def __init__(self, folder: Path = weight_files.FOLDER, notes: Path | None = None) -> None:
        """Load the weights in `folder`; `notes` as in :func:`weight_files.tensors`.

        Raises:
            EmbedderUnavailable: they are absent or damaged.
        """
        self._of = weight_files.tensors(weight_files.USE, folder, notes)
        self._pieces = Unigram(self._of)

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> Floats:
        """Return (len(texts), 512) unit rows in order; zeros for blank texts. Both roles are the same."""
        return rows.filled(texts, self.dim, lambda some: [self._vector(text) for text in some])

    def _vector(self, text: str) -> Floats:
        """Return the vector of a text, of any length."""
        numbers = np.array(self._pieces.encode(text)[:MAX_PIECES])
        part = numbers % PARTS
        table = self._of["table"][numbers].astype(np.float32)
        raw = table * self._of["table.scale"][part, None] + self._of["table.low"][part, None]
        states = np.concatenate([raw, *(self._windowed(raw, width) for width in WINDOWS)], axis=1)
        total = normed(states, self._of["norm.weight"], self._of["norm.bias"]).sum(axis=0)
        mixed = (total @ self._of["mix.weight"] + len(numbers) * self._of["mix.bias"]) / np.sqrt(np.float32(len(numbers)))
        first = rectified(mixed @ self._of["skip.1"] + rectified(mixed @ self._of["dense.0"]) @ self._of["dense.1"])
        second = rectified(first @ self._of["dense.2"]) @ self._of["dense.3"]
        result: Floats = np.tanh(first @ self._of["skip.3"] + second)
        return result

    def _windowed(self, raw: Floats, width: int) -> Floats:
        """Return (pieces, 256) states that saw `width` pieces, twice over."""
        name = f"window.{width}"
        states = raw @ self._of[f"{name}.in.weight"] + self._of[f"{name}.in.bias"]
        states = normed(states, self._of[f"{name}.norm.weight"], self._of[f"{name}.norm.bias"])
        for layer in (1, 2):
            seen = beside(states, width) @ self._of[f"{name}.{layer}.weight"] + self._of[f"{name}.{layer}.bias"]
            states = states + rectified(seen)
        return states


def beside(states: Floats, width: int) -> Floats:
    """Return (pieces, width x 256): each state with its neighbours, in order; zeros stand beyond both ends."""
    left = WINDOWS[width]
    padded = np.pad(states, ((left, width - 1 - left), (0, 0)))
    return np.concatenate([padded[at : at + len(states)] for at in range(width)], axis=1)


def normed(states: Floats, weight: Floats, bias: Floats) -> Floats:
    """Return rows with mean 0 and variance 1, scaled and shifted (layer normalisation)."""
    centred = states - states.mean(axis=1, keepdims=True)
    result: Floats = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON) * weight + bias
    return result


def rectified(values: Floats) -> Floats:
    """Return the values, none below zero."""
    return np.maximum(values, np.float32(0))
