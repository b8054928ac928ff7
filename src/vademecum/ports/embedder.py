"""Text -> meaning as a vector: a row of unit length under one *model id*. Vectors of two models are never compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np


class Likeness(NamedTuple):
    """What a model's cosines are worth in a language: of texts that have nothing to do with each other, the mean and the standard
    deviation; of a question and the passage that answers it, the mean."""

    mean: float
    deviation: float
    related: float

    @property
    def distance(self) -> float:
        """By how many deviations what belongs together is nearer than what does not (d'); 0 when it is not nearer at all."""
        return max((self.related - self.mean) / self.deviation, 0.0) if self.deviation else 0.0


class Embedder(Protocol):
    """Text -> meaning as a vector."""

    @property
    def model_id(self) -> str:
        """Weights, quantisation and version, such as "use-multilingual-v3@1". Keys caches and stored vectors."""

    @property
    def dim(self) -> int:
        """Numbers in a vector."""

    @property
    def calibration(self) -> Mapping[str, Likeness]:
        """How near the model puts texts of each language ("en" at least), measured once for it."""

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> np.ndarray:
        """Return vectors of `texts`: float32, shape (len(texts), dim), unit rows, in the order given.

        A text without any token gives a zero row. A passage's row does not depend on the others in the call; a question's may
        in its last bits.

        Raises:
            EmbedderUnavailable: the model cannot be loaded or reached.
        """
