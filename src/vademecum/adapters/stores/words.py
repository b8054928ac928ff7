"""The search words of a text, the same for every store: stems of our own analysis, whichever database stores them."""

import threading

import apsw

from vademecum.adapters.stores.analysis import Analyser
from vademecum.adapters.stores.stems import prepare
from vademecum.language.text import common_words


class Words:
    """Splits texts into stems; thread-safe."""

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
