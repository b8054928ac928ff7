"""Lazy embedder: the inner one is loaded at the first text, since most commands need no vectors."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from vademecum.ports.embedder import Embedder, Likeness

if TYPE_CHECKING:
    import numpy as np


class Late:
    """An embedder whose name is known before its weights are read.

    Args:
        described: a class or object that has model_id, dim and calibration.
        load: creates the embedder.
    """

    def __init__(self, described: type[Embedder], load: Callable[[], Embedder]) -> None:
        self.model_id = str(described.model_id)
        self.dim: int = described.dim  # type: ignore[assignment]  # a plain number on the class, not a property
        self.calibration: Mapping[str, Likeness] = described.calibration  # type: ignore[assignment]
        self._load = load

    @cached_property
    def _inner(self) -> Embedder:
        return self._load()

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> "np.ndarray":
        """Embed texts with the inner embedder.

        Raises:
            EmbedderUnavailable: it cannot be loaded; the next call tries again.
        """
        return self._inner.embed(texts, role=role)
