"""An embedder without a model: each word adds a row of signs derived from its hash. For tests, and as the simplest example.

Texts are similar when they share words; meaning is not considered.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.embedders.rows import unit
from vademecum.ports.embedder import Likeness


class Hashing:
    """An in-memory embedder with 64 dimensions."""

    model_id = "hashing-64@1"
    dim = 64
    #: As if texts that share words were related, since it measures nothing else.
    calibration: Mapping[str, Likeness] = {"en": Likeness(0.168, 0.175, 0.6)}

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> NDArray[np.float32]:
        """Return (len(texts), 64) unit rows in order; zeros for a text without a word. Both roles are the same."""
        result = np.zeros((len(texts), self.dim), np.float32)
        for place, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                result[place] += _signs(word)
        return unit(result)


def _signs(word: str) -> NDArray[np.float32]:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.unpackbits(np.frombuffer(digest, np.uint8)).astype(np.float32) * 2 - 1
