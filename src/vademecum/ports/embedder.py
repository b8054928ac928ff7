"""Text -> meaning as a vector: a row of unit length under one *model id*. Vectors of two models are never compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np


class Embedder(Protocol):
    """Text -> meaning as a vector."""

    @property
    def model_id(self) -> str:
        """Weights, quantisation and version, such as "minilm-l6-int8@1". Keys caches and stored vectors."""
        ...

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        ...

    @property
    def background(self) -> tuple[float, float]:
        """Mean and standard deviation of the cosine of unrelated texts, measured once for the model.

        They make cosines of two models comparable: (cosine - mean) / deviation.
        """
        ...

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> np.ndarray:
        """Return vectors of `texts`: float32, shape (len(texts), dim), unit rows, in the order given.

        A text without any token gives a zero row. A passage's row does not depend on the others in the call; a question's may
        in its last bits.

        Raises:
            EmbedderUnavailable: the model cannot be loaded or reached.
        """
        ...
