"""Meaning vectors from all-MiniLM-L6-v2, shipped with the package as int8 weights and computed in NumPy.

English. Nothing is downloaded, and a passage's vector has the same bits alone and in any batch.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.embedders import bert, weight_files
from vademecum.adapters.embedders.rows import unit
from vademecum.adapters.embedders.wordpiece import WordPiece
from vademecum.ports.embedder import Likeness

#: What the model was trained with, [CLS] and [SEP] included. Longer text is cut.
MAX_TOKENS = 256

Floats = NDArray[np.float32]


class MiniLM:
    """An embedder of 384 dimensions; the mean of the token states, made unit length."""

    model_id = "minilm-l6-int8@1"
    dim = 384
    calibration: Mapping[str, Likeness] = {
        "en": Likeness(0.036, 0.072, 0.402),
        "de": Likeness(0.341, 0.069, 0.393),
        "es": Likeness(0.489, 0.062, 0.5),
        "fr": Likeness(0.448, 0.054, 0.493),
        "pt": Likeness(0.452, 0.056, 0.483),
        "zh": Likeness(0.553, 0.063, 0.593),
    }  # as calibration.calibration_of measures them

    def __init__(self, folder: Path = weight_files.FOLDER, notes: Path | None = None) -> None:
        """Load the weights in `folder`; `notes` as in :func:`weight_files.tensors`.

        Raises:
            EmbedderUnavailable: they are absent or damaged.
        """
        self._wordpiece = WordPiece(weight_files.vocabulary(folder))
        self._bert = bert.from_tensors(weight_files.tensors(weight_files.MINILM, folder, notes))

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> Floats:
        """Return (len(texts), 384) unit rows in order; zeros for a text without any token.

        Both roles are the same, but questions are computed together, which may round their last bits otherwise.
        """
        rows = np.zeros((len(texts), self.dim), np.float32)
        tokens = {place: found for place, text in enumerate(texts) if (found := self._tokens(text))}
        if tokens:
            compute = self._bert.states_together if role == "query" else self._bert.states_each
            rows[list(tokens)] = [np.add.reduce(states, axis=0) for states in compute(list(tokens.values()))]
        return unit(rows)

    def _tokens(self, text: str) -> list[int]:
        """Return the numbers of a text's tokens with [CLS] and [SEP]; none for a text without any token."""
        tokens = self._wordpiece.encode(text, MAX_TOKENS - 2)
        return [self._wordpiece.cls, *tokens, self._wordpiece.sep] if tokens else []
