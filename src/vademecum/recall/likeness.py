"""Map cosines of any model and language to one scale. Cosines of unrelated texts differ between models, and between languages within
one model.
"""

from typing import TypeVar

from vademecum.ports.embedder import Embedder, Likeness
from vademecum.recall.numbers import TELLS_NOTHING

#: A number, or an array of them.
Cosines = TypeVar("Cosines")

#: The scale that the weights were fitted on: the English model all-MiniLM-L6-v2.
REFERENCE = Likeness(0.036, 0.072, 0.402)


def likeness_in(model: Embedder, language: str) -> Likeness:
    """Return the model's calibration for a language; English is assumed for a language that was not measured.

    The weights were fitted on English, so no language is taken to separate better: with few pairs, d' is easily measured too high.
    """
    english = model.calibration["en"]
    likeness = model.calibration.get(language) or english
    most = likeness.mean + english.distance * likeness.deviation
    return likeness._replace(related=min(likeness.related, most))


def trust(likeness: Likeness) -> float:
    """Return the weight of the model's cosines, 0..1."""
    return min(max(likeness.distance - TELLS_NOTHING, 0.0), 1.0)


def weighed(cosine: Cosines, likeness: Likeness) -> Cosines:
    """Return cosines on the reference scale, pulled towards its mean if the model separates texts poorly."""
    deviations = (cosine - likeness.mean) / likeness.deviation  # type: ignore[operator]  # numbers, all
    return REFERENCE.mean + deviations * REFERENCE.deviation * trust(likeness)  # type: ignore[return-value]
