"""Questions on their way to becoming vectors, in threads beside the one that asks: a model computes without holding up others."""

from collections import OrderedDict
from threading import Lock, Thread
from typing import TYPE_CHECKING

from vademecum.ports.embedder import Embedder
from vademecum.recall.numbers import QUESTIONS_EXPECTED, TOGETHER

if TYPE_CHECKING:
    from concurrent.futures import Future

    import numpy as np


class Questions:
    """One thread for each model while something waits for it. Questions that wait for the same model are embedded together.

    Attributes:
        warm: ids of models that embedded a question in this process already, so that they need not be loaded.
    """

    def __init__(self) -> None:
        self.warm: set[str] = set()
        self._lock = Lock()
        self._waiting: dict[str, list[tuple[str, Future[np.ndarray]]]] = {}
        self._working: set[str] = set()
        self._expected: OrderedDict[tuple[str, str], Future[np.ndarray]] = OrderedDict()

    def expect(self, embedder: Embedder, text: str) -> None:
        """Begin with a question that will be asked soon. From any thread."""
        answer = self._begin(embedder, text)
        with self._lock:
            self._expected[embedder.model_id, text] = answer
            if len(self._expected) > QUESTIONS_EXPECTED:
                self._expected.popitem(last=False)

    def ask(self, embedder: Embedder, text: str) -> "Future[np.ndarray]":
        """Return the question's vector, a unit row of `embedder.dim`, once it is there; or what the embedder raised."""
        with self._lock:
            begun = self._expected.pop((embedder.model_id, text), None)
        return begun or self._begin(embedder, text)

    def _begin(self, embedder: Embedder, text: str) -> "Future[np.ndarray]":
        from concurrent.futures import Future  # noqa: PLC0415 -- 4 ms that who asks by words alone need not wait

        answer: Future[np.ndarray] = Future()
        with self._lock:
            self._waiting.setdefault(embedder.model_id, []).append((text, answer))
            if embedder.model_id not in self._working:
                self._working.add(embedder.model_id)
                Thread(target=self._work, args=(embedder,), name="model", daemon=True).start()
        return answer

    def _work(self, embedder: Embedder) -> None:
        while batch := self._next(embedder.model_id):
            try:
                rows = embedder.embed([text for text, _ in batch], role="query")
            except BaseException as error:  # noqa: BLE001 -- raised again where the answer is wanted
                for _, answer in batch:
                    answer.set_exception(error)
            else:
                self.warm.add(embedder.model_id)
                for (_, answer), row in zip(batch, rows, strict=True):
                    answer.set_result(row)

    def _next(self, model_id: str) -> "list[tuple[str, Future[np.ndarray]]]":
        """Return those that wait, at most TOGETHER; none: the thread ends."""
        with self._lock:
            waiting = self._waiting.get(model_id, [])
            batch, self._waiting[model_id] = waiting[:TOGETHER], waiting[TOGETHER:]
            if not batch:
                self._working.discard(model_id)
            return batch
