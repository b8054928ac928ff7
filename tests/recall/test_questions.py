"""Questions become vectors beside the one that asks, together where several wait."""

import threading

import numpy as np
import pytest

from vademecum.domain.errors import EmbedderUnavailable
from vademecum.ports.embedder import Likeness
from vademecum.recall.numbers import QUESTIONS_EXPECTED as EXPECTED
from vademecum.recall.numbers import TOGETHER
from vademecum.recall.questions import Questions


class Slow:
    """An embedder of two numbers that waits for leave, and keeps what it was asked."""

    model_id, dim, calibration = "slow@1", 2, {"en": Likeness(0.0, 1.0, 3.0)}

    def __init__(self) -> None:
        self.may_go = threading.Event()
        self.begun = threading.Event()
        self.batches: list[list[str]] = []

    def embed(self, texts, *, role="passage"):
        assert role == "query"
        self.batches.append(list(texts))
        self.begun.set()
        assert self.may_go.wait(10)
        if "bad" in texts:
            raise EmbedderUnavailable("no model")
        return np.array([[len(text), 1] for text in texts], np.float32)


def test_waiting_questions_go_together():
    """The first goes alone; what comes meanwhile is computed together, and each gets its own vector."""
    slow, questions = Slow(), Questions()
    first = questions.ask(slow, "a")
    assert slow.begun.wait(10)
    later = [questions.ask(slow, "b" * n) for n in range(2, TOGETHER + 3)]
    slow.may_go.set()
    assert [answer.result(10)[0] for answer in (first, *later)] == [1, *range(2, TOGETHER + 3)]
    assert [len(batch) for batch in slow.batches] == [1, TOGETHER, 1]
    assert questions.warm == {"slow@1"}


def test_expected_questions_are_begun_once():
    """What was expected is there when it is asked, and is computed anew only when it is asked again."""
    slow, questions = Slow(), Questions()
    slow.may_go.set()
    questions.expect(slow, "a")
    assert questions.ask(slow, "a").result(10)[0] == 1
    assert slow.batches == [["a"]]
    questions.ask(slow, "a").result(10)
    assert slow.batches == [["a"], ["a"]]


def test_what_nobody_asks_is_given_up():
    """Prompts that were expected and never asked do not pile up."""
    slow, questions = Slow(), Questions()
    slow.may_go.set()
    for number in range(EXPECTED + 10):
        questions.expect(slow, f"question {number}")
    questions.ask(slow, "question 0").result(10)
    assert sum(batch.count("question 0") for batch in slow.batches) == 2
    questions.ask(slow, f"question {EXPECTED + 9}").result(10)
    assert sum(batch.count(f"question {EXPECTED + 9}") for batch in slow.batches) == 1


def test_errors_reach_who_asks():
    """What the model raises is raised where the vector is wanted, and the next question is tried again."""
    slow, questions = Slow(), Questions()
    slow.may_go.set()
    with pytest.raises(EmbedderUnavailable):
        questions.ask(slow, "bad").result(10)
    assert questions.ask(slow, "good").result(10)[0] == 4
