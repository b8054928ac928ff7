"""Calibration of a model's cosines for each language, measured over the same invented pairs (`calibration.toml`)."""

import tomllib
from pathlib import Path

import numpy as np

from vademecum.ports.embedder import Embedder, Likeness

_PAIRS = Path(__file__).with_name("calibration.toml")


def calibration_of(embedder: Embedder) -> dict[str, Likeness]:
    """Measure the model in each language that has pairs.

    Raises:
        EmbedderUnavailable: from the embedder.
    """
    pairs = tomllib.loads(_PAIRS.read_text(encoding="utf-8"))
    return {language: _likeness(embedder, both) for language, both in pairs.items()}


def _likeness(embedder: Embedder, pairs: list[list[str]]) -> Likeness:
    questions = embedder.embed([question for question, _ in pairs], role="query")
    passages = embedder.embed([passage for _, passage in pairs], role="passage")
    cosines = questions @ passages.T
    unrelated = cosines[~np.eye(len(pairs), dtype=bool)]
    return Likeness(*(round(float(value), 3) for value in (unrelated.mean(), unrelated.std(), cosines.diagonal().mean())))
