"""An embedder on top of any function that turns texts into rows of numbers.

Dimension and calibration are determined by asking the model once, when first needed, because its name does not give them.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vademecum.plugin_api.embedders import calibration_of, checked, filled
from vademecum.ports.embedder import Likeness

#: Most texts in one request.
BATCH = 64


BGE = "Represent this sentence for searching relevant passages: "


class Prefixes(Struct, frozen=True):
    """Prefixes of texts by role."""

    query: str = ""
    passage: str = ""

    def before(self, role: Literal["query", "passage"]) -> str:
        """Return the prefix of a role."""
        return self.query if role == "query" else self.passage


#: The first key that a model's name (without its maker) starts with decides.
FAMILIES = {
    "multilingual-e5-large-instruct": Prefixes("Instruct: Retrieve passages that answer the question\nQuery: "),
    "multilingual-e5": Prefixes("query: ", "passage: "),
    "e5-": Prefixes("query: ", "passage: "),
    "bge-m3": Prefixes(),
    "bge-": Prefixes(BGE),
    "mxbai-embed-large": Prefixes(BGE),
    "snowflake-arctic-embed-m-v2": Prefixes("query: "),
    "snowflake-arctic-embed-l-v2": Prefixes("query: "),
    "snowflake-arctic-embed2": Prefixes("query: "),
    "snowflake-arctic-embed": Prefixes(BGE),
    "embeddinggemma": Prefixes("task: search result | query: ", "title: none | text: "),
    "nomic-embed-text": Prefixes("search_query: ", "search_document: "),
}


def for_model(name: str) -> Prefixes:
    """Return the prefixes for a model, by its name, such as "BAAI/bge-large-en-v1.5"."""
    short = name.rsplit("/", 1)[-1].lower()
    return next((prefixes for start, prefixes in FAMILIES.items() if short.startswith(start)), Prefixes())


class Ask(Protocol):
    """Texts, prefixes included -> one row each, in the same order."""

    def __call__(self, texts: list[str], /) -> Any:
        """Return one row of numbers for each text.

        Raises:
            EmbedderUnavailable: the model cannot be reached.
        """


class Remote:
    """An embedder that calls `ask` with up to `BATCH` texts at a time."""

    def __init__(self, model_id: str, ask: Ask, prefixes: Prefixes, dim: int | None = None) -> None:
        """If `dim` is None, it is taken from the first answer of the model."""
        self.model_id = model_id
        self._ask = ask
        self._prefixes = prefixes
        self._dim = dim

    @cached_property
    def dim(self) -> int:
        """Vector dimension; asks the model unless it was given."""
        return self._dim or checked(self._ask(["dimension"]), 1, None).shape[1]

    @cached_property
    def calibration(self) -> Mapping[str, Likeness]:
        """Typical similarities of the model for each language; asks the model."""
        return calibration_of(self)

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> NDArray[np.float32]:
        """Return (len(texts), dim) unit rows in order; zeros for blank texts.

        Raises:
            EmbedderUnavailable: the model cannot be reached, or returns something else.
        """
        before = self._prefixes.before(role)
        parts = [
            filled(texts[start : start + BATCH], self.dim, lambda part: self._ask([before + text for text in part]))
            for start in range(0, len(texts), BATCH)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self.dim), np.float32)
