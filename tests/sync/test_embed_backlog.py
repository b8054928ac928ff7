"""Vectors come in the background: bounded, resumable, and in nobody's way."""

from datetime import timedelta

import pytest

from vademecum.domain.errors import InvalidInput
from vademecum.domain.item import Item, Passage
from vademecum.settings import Settings
from vademecum.sync.embed_backlog import STEADY_BATCH, refine, rest


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
    memory.context.index.apply([document(number) for number in range(70)])
    rested = []
    done, _ = refine(
        memory.context.index,
        Slow(memory.context.models.embedder, clock),
        clock,
        memory.context.progress,
        seconds=600,
        rest=lambda took: rest(rested.append, 0.5, took),
    )
    assert done == 70
    assert rested == [STEADY_BATCH, STEADY_BATCH, 70 - 2 * STEADY_BATCH]


def test_progress(opened):
    """Whoever waits for all vectors is told at once how many there are, and every few seconds how far it is."""
    memory = opened(embedder="hashing")
    memory.context.index.apply([document(number) for number in range(150)])
    told = []
    refine(memory.context.index, memory.context.models.embedder, memory.context.clock, lambda *step: told.append(step[1:]))
    assert told == [(0, 150), (64, 150), (128, 150), (150, 150)]


def test_a_memory_has_its_vector_at_once(opened):
    """However much waits for vectors, a write embeds what it wrote, whoever said it, and leaves the rest to the background."""
    memory = opened(embedder="hashing")
    model = memory.context.models.embedder.model_id
    memory.context.index.apply([document(number) for number in range(70)])
    memory.notes.save("fact", "Bird", "The parrot is called Quetzal.")
    memory.notes.save("fact", "Cat", "The cat is called Mora.", trust="extracted")
    assert memory.context.index.stats().vectors[model] == 2
    memory.maintenance.refine()
    assert memory.context.index.stats().vectors[model] == 72


def test_whole_share():
    """All of a processor: no rest."""
    rest(lambda seconds: pytest.fail("rested"), 1.0, 3.0)


@pytest.mark.parametrize("percent", [0, 101, -5])
def test_strange_share(percent):
    """A share that is none is refused, with what it may be."""
    with pytest.raises(InvalidInput, match="1 to 100"):
        Settings(background_percent=percent)
