"""Cosines of several models side by side."""

from vademecum.model.ports import Embedder


def comparable(cosine: float, of: Embedder, like: Embedder | None) -> float:
    """A cosine of one model on the scale of another: the same number of deviations above unrelated text."""
    if like is None or of.model_id == like.model_id:
        return float(cosine)
    (mean, deviation), (mean_like, deviation_like) = of.background, like.background
    return float(mean_like + (cosine - mean) / deviation * deviation_like)
