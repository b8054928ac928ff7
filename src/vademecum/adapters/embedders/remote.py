"""An embedder behind any function that turns texts into rows; what a model at an endpoint has in common with the next.

Dimension and background are asked of the model once, when first needed, since names do not tell them.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.embedders import calibration, rows
from vademecum.adapters.embedders.prefixes import Prefixes

#: Texts in one request.
BATCH = 64


class Ask(Protocol):
    """Texts, prefixes included -> one row each, in order."""

    def __call__(self, texts: list[str], /) -> Any:
        """Rows of numbers.

        Raises:
            EmbedderUnavailable: it cannot be asked.
        """
        ...


class Remote:
    """An embedder that asks `ask`, `BATCH` texts at a time."""

    def __init__(self, model_id: str, ask: Ask, prefixes: Prefixes, dim: int | None = None) -> None:
        """`dim` None: whatever the model's first answer has."""
        self.model_id = model_id
        self._ask = ask
        self._prefixes = prefixes
        self._dim = dim

    @cached_property
    def dim(self) -> int:
        """Numbers in a vector; asks the model unless it was given."""
        return self._dim or rows.checked(self._ask(["dimension"]), 1, None).shape[1]

    @cached_property
    def background(self) -> tuple[float, float]:
        """Mean and standard deviation of the cosine of unrelated texts; asks the model."""
        return calibration.background(self)

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> NDArray[np.float32]:
        """(len(texts), dim) unit rows in order; zeros for blank texts.

        Raises:
            EmbedderUnavailable: the model cannot be reached, or answers with something else.
        """
        before = self._prefixes.before(role)
        parts = [
            rows.filled(texts[start : start + BATCH], self.dim, lambda part: self._ask([before + text for text in part]))
            for start in range(0, len(texts), BATCH)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self.dim), np.float32)
