"""Embed questions in background threads; a model computes without blocking other threads."""

from collections import OrderedDict
from threading import Lock, Thread
from typing import TYPE_CHECKING

from vademecum.ports.embedder import Embedder
from vademecum.recall.numbers import QUESTIONS_EXPECTED, TOGETHER

if TYPE_CHECKING:
    from concurrent.futures import Future

    import numpy as np


class Questions:
    """One thread per model while questions are pending. Pending questions for the same model are embedded in one batch.

    Attributes:
        warm: ids of models that are loaded because they already embedded a question in this process.
    """

    def __init__(self) -> None:
        self.warm: set[str] = set()
        self._lock = Lock()
        self._waiting: dict[str, list[tuple[str, Future[np.ndarray]]]] = {}
        self._working: set[str] = set()
        self._expected: OrderedDict[tuple[str, str], Future[np.ndarray]] = OrderedDict()

    def expect(self, embedder: Embedder, text: str) -> None:
        """Start embedding a question that will be asked soon. Can be called from any thread."""
        answer = self._begin(embedder, text)
        with self._lock:
            self._expected[embedder.model_id, text] = answer
            if len(self._expected) > QUESTIONS_EXPECTED:
                self._expected.popitem(last=False)

    def ask(self, embedder: Embedder, text: str) -> "Future[np.ndarray]":
        """Return a future of the question's vector, a unit row of `embedder.dim`; it raises what the embedder raised."""
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
        """Return the next batch of pending questions, at most TOGETHER; an empty one ends the thread."""
        with self._lock:
            waiting = self._waiting.get(model_id, [])
            batch, self._waiting[model_id] = waiting[:TOGETHER], waiting[TOGETHER:]
            if not batch:
                self._working.discard(model_id)
            return batch
