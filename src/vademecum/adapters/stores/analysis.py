"""Stems as numeric codes: the output of :mod:`vademecum.adapters.stores.stems` as arrays."""

import threading
from array import array
from collections.abc import Sequence
from datetime import datetime

import apsw
import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.stores.stems import Stemmer, date_words, prepare
from vademecum.language.text import common_words

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


class Words:
    """Splits texts into search words, the same for every store, whichever database it is; thread-safe."""

    def __init__(self) -> None:
        self._analyser = Analyser(apsw.Connection(":memory:"))
        self._lock = threading.Lock()

    def of(self, text: str) -> tuple[str, ...]:
        """Return the distinct stems of a text, in order."""
        with self._lock:
            return tuple(dict.fromkeys(self._analyser.stems(prepare(text))))

    def asked(self, question: str) -> tuple[str, ...]:
        """Return the distinct stems of a query, in order, without stop-words, unless there are no others."""
        with self._lock:
            return tuple(self._analyser.asked(question, common_words(question)))
