"""Input and output handling for all models: blank texts become zero rows, results become unit rows, shapes are checked."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vademecum.domain.errors import EmbedderUnavailable

Floats = NDArray[np.float32]


def filled(texts: Sequence[str], dim: int, vectors: Callable[[list[str]], Any]) -> Floats:
    """Return (len(texts), dim) unit rows; `vectors` is called only with cleaned texts that are not blank.

    Raises:
        EmbedderUnavailable: `vectors` returned another number of rows, another dimension, or non-finite numbers.
    """
    result = np.zeros((len(texts), dim), np.float32)
    cleaned = [clean(text) for text in texts]
    places = [place for place, text in enumerate(cleaned) if text]
    if places:
        result[places] = unit(checked(vectors([cleaned[place] for place in places]), len(places), dim))
    return result


def clean(text: str) -> str:
    """Return `text` stripped and without characters that break C strings or UTF-8 (NUL, lone surrogates)."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode("utf-8").strip()


def unit(rows: Floats) -> Floats:
    """Return rows of length one; a zero row is unchanged."""
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    lengths[lengths == 0] = 1
    return rows / lengths


def checked(vectors: Any, count: int, dim: int | None) -> Floats:
    """Return `vectors` as a (count, dim) array.

    Raises:
        EmbedderUnavailable: they have another shape; `dim` None accepts any dimension.
    """
    try:
        rows = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EmbedderUnavailable("The embedding model did not answer with vectors.", "Check the model's name.") from error
    if rows.ndim != 2 or len(rows) != count or dim not in (None, rows.shape[1]) or not np.isfinite(rows).all():
        raise EmbedderUnavailable(
            f"The embedding model answered with shape {rows.shape}; expected ({count}, {dim or 'any'}) finite numbers.",
            "Another model may be running under that name; set the right name or dimension, then `vade sync`.",
        )
    return rows
