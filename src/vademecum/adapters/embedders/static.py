"""Meaning vectors from a table: the mean of one fixed vector per word piece, two hundred times faster than a model.

Distilled from MiniLM when the package is built (`tools/weights.py`, after model2vec): for hooks and weak machines.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.embedders import weight_files
from vademecum.adapters.embedders.rows import unit
from vademecum.adapters.embedders.wordpiece import WordPiece
from vademecum.ports.embedder import Likeness

#: Longer text is cut: a mean over more words says nothing in particular.
MAX_TOKENS = 2048

Floats = NDArray[np.float32]


class Static:
    """An embedder of 256 dimensions. Frequent word pieces have short vectors, so they count little in the mean."""

    model_id = "static-minilm-256-int8@1"
    dim = 256
    calibration: Mapping[str, Likeness] = {
        "en": Likeness(0.23, 0.098, 0.404),
        "de": Likeness(0.516, 0.077, 0.562),
        "es": Likeness(0.546, 0.085, 0.56),
        "fr": Likeness(0.512, 0.079, 0.568),
        "pt": Likeness(0.437, 0.09, 0.48),
        "zh": Likeness(0.392, 0.12, 0.441),
    }  # as calibration.calibration_of measures them

    def __init__(self, folder: Path = weight_files.FOLDER, notes: Path | None = None) -> None:
        """Map the table in `folder`; `notes` as in :func:`weight_files.tensors`.

        Raises:
            EmbedderUnavailable: it is absent or damaged.
        """
        self._wordpiece = WordPiece(weight_files.vocabulary(folder))
        tensors = weight_files.tensors(weight_files.STATIC, folder, notes)
        self._rows: NDArray[np.int8] = tensors["words.weight"]
        self._scales: Floats = tensors["words.scale"][:, 0]

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> Floats:
        """Return (len(texts), 256) unit rows in order; zeros for a text without any known token. Both roles are the same."""
        result = np.zeros((len(texts), self.dim), np.float32)
        for place, text in enumerate(texts):
            tokens = self._wordpiece.encode(text, MAX_TOKENS)
            if tokens:
                result[place] = self._scales[tokens] @ self._rows[tokens].astype(np.float32)
        return unit(result)
