"""Stems as numeric codes: the output of :mod:`vademecum.adapters.stores.stems` as arrays."""

from array import array
from collections.abc import Sequence
from datetime import datetime

import apsw
import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.stores.stems import Stemmer, date_words

#: Most dates whose codes are cached.
_DATES_KEPT = 10_000

Codes = NDArray[np.uint32]


class Analyser(Stemmer):
    """Splits prepared text into tokens and stems. One for each connection; not thread-safe."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._dated: dict[str, Codes] = {}

    def codes(self, stems: Sequence[str]) -> Codes:
        """Return a 32-bit code for each stem."""
        return np.frombuffer(array("I", map(self.code_of.__getitem__, stems)), np.uint32)

    def dated(self, time: datetime | None) -> Codes:
        """Return codes of the words of a date."""
        words = date_words(time)
        if words not in self._dated:
            if len(self._dated) > _DATES_KEPT:
                self._dated.clear()
            self._dated[words] = self.codes(self.stems(words))
        return self._dated[words]
