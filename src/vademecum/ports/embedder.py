"""Embeds texts as unit vectors under one *model id*. Vectors of two models are never compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np


class Likeness(NamedTuple):
    """Calibration of a model's cosines for one language.

    Attributes:
        mean, deviation: mean and standard deviation of the cosines of unrelated texts.
        related: mean cosine of a question and its answer.
    """

    mean: float
    deviation: float
    related: float

    @property
    def distance(self) -> float:
        """Separation of related from unrelated texts in standard deviations (d'); 0 when related texts are not nearer."""
        return max((self.related - self.mean) / self.deviation, 0.0) if self.deviation else 0.0


class Embedder(Protocol):
    """Text -> unit vector."""

    @property
    def model_id(self) -> str:
        """Weights, quantisation and version, such as "use-multilingual-v3@1". Key of caches and stored vectors."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    @property
    def calibration(self) -> Mapping[str, Likeness]:
        """Calibration of the model for each language ("en" at least), measured once."""

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> np.ndarray:
        """Return vectors of `texts`: float32, shape (len(texts), dim), unit rows, in the given order.

        A text without any token gives a zero row. A passage's row does not depend on the others in the call; the last bits of a
        query's row may.

        Raises:
            EmbedderUnavailable: the model cannot be loaded or reached.
        """
