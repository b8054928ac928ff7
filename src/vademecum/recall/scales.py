"""Cosines of several models side by side."""

from typing import TypeVar

from vademecum.model.ports import Embedder

#: A number, or an array of them.
Cosines = TypeVar("Cosines")


def comparable(cosine: Cosines, of: Embedder, like: Embedder | None) -> Cosines:
    """A cosine of one model on the scale of another: the same number of deviations above unrelated text."""
    if like is None or of.model_id == like.model_id:
        return cosine
    (mean, deviation), (mean_like, deviation_like) = of.background, like.background
    return mean_like + (cosine - mean) / deviation * deviation_like  # type: ignore[operator, return-value]  # numbers, all
