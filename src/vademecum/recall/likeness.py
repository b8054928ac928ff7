"""Cosines of any model, in any language, on one scale: what a model finds between texts that have nothing to do with each other
differs from model to model, and from language to language within one."""

from typing import TypeVar

from vademecum.ports.embedder import Embedder, Likeness
from vademecum.recall.numbers import TELLS_NOTHING

#: A number, or an array of them.
Cosines = TypeVar("Cosines")

#: The scale that the weights were fitted on: that of a model of English, all-MiniLM-L6-v2.
REFERENCE = Likeness(0.036, 0.072, 0.402)


def likeness_in(model: Embedder, language: str) -> Likeness:
    """Return what the model's cosines are worth in a language; of one that was not measured it is taken to be as in English.

    The weights were fitted on English, so no language is taken to be told better: a few pairs measure d' too high more easily.
    """
    english = model.calibration["en"]
    likeness = model.calibration.get(language) or english
    most = likeness.mean + english.distance * likeness.deviation
    return likeness._replace(related=min(likeness.related, most))


def trust(likeness: Likeness) -> float:
    """Return 0..1, how far cosines count."""
    return min(max(likeness.distance - TELLS_NOTHING, 0.0), 1.0)


def weighed(cosine: Cosines, likeness: Likeness) -> Cosines:
    """Return cosines on the reference scale, nearer to its mean the less they tell."""
    deviations = (cosine - likeness.mean) / likeness.deviation  # type: ignore[operator]  # numbers, all
    return REFERENCE.mean + deviations * REFERENCE.deviation * trust(likeness)  # type: ignore[return-value]
