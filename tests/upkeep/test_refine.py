"""Finer vectors come in the background: bounded, resumable, and in nobody's way."""

from datetime import timedelta

import pytest

from vademecum.model.errors import InvalidInput
from vademecum.model.item import Item, Passage
from vademecum.settings import Settings
from vademecum.upkeep.follow import REFINED_AT_ONCE
from vademecum.upkeep.refine import STEADY_BATCH, refine, rest


def document(number: int) -> Item:
    return Item(
        key=f"document://{number}", source="document", space="vault", path=f"{number}.md", title=str(number), stat="1:1",
        digest=str(number), kind="document", passages=(Passage(f"note {number}", 0),),
    )  # fmt: skip


class Slow:
    """An embedder that takes a second for each text."""

    def __init__(self, inner, clock):
        self.inner, self.clock = inner, clock
        self.model_id, self.dim = inner.model_id, inner.dim

    def embed(self, texts):
        self.clock.advance(timedelta(seconds=len(texts)))
        return self.inner.embed(texts)


def test_share(opened, clock):
    """Half of a processor: after each batch as much rest as work."""
    memory = opened(embedder="hashing")
    memory.parts.index.apply([document(number) for number in range(70)])
    rested = []
    done, _ = refine(
        memory.parts.index,
        Slow(memory.parts.embedder, clock),
        clock,
        memory.parts.progress,
        seconds=600,
        rest=lambda took: rest(rested.append, 0.5, took),
    )
    assert done == 70
    assert rested == [STEADY_BATCH, STEADY_BATCH, 70 - 2 * STEADY_BATCH]


def test_a_write_does_not_wait_for_all(opened):
    """With much waiting for its finer vectors, a write leaves them all to the background, and is found by quick ones."""
    memory = opened(embedder="hashing", quick_embedder="static")
    memory.save("fact", "Port", "The API listens on port 8080.")
    model = memory.parts.embedder.model_id
    assert memory.parts.index.stats().vectors[model] == 1
    memory.parts.index.apply([document(number) for number in range(REFINED_AT_ONCE + 1)])
    memory.save("fact", "Bird", "The parrot is called Quetzal.")
    assert memory.parts.index.stats().vectors[model] == 1
    memory.refine()
    assert memory.parts.index.stats().vectors[model] == REFINED_AT_ONCE + 3


def test_whole_share():
    """All of a processor: no rest."""
    rest(lambda seconds: pytest.fail("rested"), 1.0, 3.0)


@pytest.mark.parametrize("percent", [0, 101, -5])
def test_strange_share(percent):
    """A share that is none is refused, with what it may be."""
    with pytest.raises(InvalidInput, match="1 to 100"):
        Settings(background_percent=percent)
