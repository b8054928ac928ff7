"""Vectors of Google's Universal Sentence Encoder, multilingual v3, shipped with the package and computed in NumPy.

It covers sixteen languages in one space: a text and its translation have similar vectors, so a query in one language matches
text in another. The encoder is convolutional (Yang et al. 2019, arXiv:1907.04307): windows of two, three and five pieces
combine each piece with its neighbours, the states are summed, and a few layers compute the vector. Nothing is downloaded, and a
passage's vector has the same bits alone and in any batch.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.embedders import FOLDER, rows, weight_files
from vademecum.adapters.embedders.pieces import Unigram
from vademecum.ports.embedder import Likeness

#: Most pieces of a text that are used. Longer text is cut.
MAX_PIECES = 384
#: Window width -> number of its pieces on the left.
WINDOWS: Mapping[int, int] = {2: 0, 3: 1, 5: 2}
#: Number of separately quantised parts of the embedding table, each with a scale and a minimum; a piece's part is its number
#: modulo PARTS.
PARTS = 17
EPSILON = np.float32(1e-12)

Floats = NDArray[np.float32]


class UniversalSentenceEncoder:
    """An embedder with 512 dimensions."""

    model_id = "use-multilingual-v3@1"
    dim = 512
    calibration: Mapping[str, Likeness] = {
        "en": Likeness(0.018, 0.059, 0.263),
        "de": Likeness(0.017, 0.058, 0.243),
        "es": Likeness(0.027, 0.06, 0.234),
        "fr": Likeness(0.025, 0.055, 0.251),
        "pt": Likeness(0.032, 0.063, 0.192),
        "zh": Likeness(0.071, 0.063, 0.393),
    }  # as measured by calibration.calibration_of

    def __init__(self, folder: Path = FOLDER, notes: Path | None = None) -> None:
        """Load the weights in `folder`; `notes` as in :func:`weight_files.tensors`.

        Raises:
            EmbedderUnavailable: they are missing or damaged.
        """
        self._of = weight_files.tensors(weight_files.USE, folder, notes)
        self._pieces = Unigram(self._of)

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> Floats:
        """Return (len(texts), 512) unit rows in order; zeros for blank texts. Both roles are the same."""
        return rows.filled(texts, self.dim, lambda some: [self._vector(text) for text in some])

    def _vector(self, text: str) -> Floats:
        """Return the unnormalised vector of a text."""
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
        """Return (pieces, 256) states after two convolutions over windows of `width` pieces."""
        name = f"window.{width}"
        states = raw @ self._of[f"{name}.in.weight"] + self._of[f"{name}.in.bias"]
        states = normed(states, self._of[f"{name}.norm.weight"], self._of[f"{name}.norm.bias"])
        for layer in (1, 2):
            seen = beside(states, width) @ self._of[f"{name}.{layer}.weight"] + self._of[f"{name}.{layer}.bias"]
            states = states + rectified(seen)
        return states


def beside(states: Floats, width: int) -> Floats:
    """Return (pieces, width x 256): each state with its neighbours, in order, zero-padded at both ends."""
    left = WINDOWS[width]
    padded = np.pad(states, ((left, width - 1 - left), (0, 0)))
    return np.concatenate([padded[at : at + len(states)] for at in range(width)], axis=1)


def normed(states: Floats, weight: Floats, bias: Floats) -> Floats:
    """Return rows with mean 0 and variance 1, scaled and shifted (layer normalisation)."""
    centred = states - states.mean(axis=1, keepdims=True)
    result: Floats = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON) * weight + bias
    return result


def rectified(values: Floats) -> Floats:
    """Return the values with negative ones set to zero (ReLU)."""
    return np.maximum(values, np.float32(0))
