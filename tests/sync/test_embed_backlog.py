"""Vectors come in the background: bounded, resumable, and in nobody's way."""

from vademecum.domain.item import Item, Passage
from vademecum.sync.embed_backlog import refine


def document(number: int) -> Item:
    return Item(
        key=f"document://{number}", source="document", space="vault", path=f"{number}.md", title=str(number), stat="1:1",
        digest=str(number), kind="document", passages=(Passage(f"note {number}", 0),),
    )  # fmt: skip


def test_progress(opened):
    """Whoever waits for all vectors is told at once how many there are, and every few seconds how far it is."""
    memory = opened(embedder="hashing")
    memory.context.index.apply([document(number) for number in range(150)])
    told = []
    refine(memory.context.index, memory.context.models.embedder, memory.context.clock, lambda *step: told.append(step[1:]))
    assert told == [(0, 150), (64, 150), (128, 150), (150, 150)]


def test_no_progress_of_what_is_not_to_be_finished(opened):
    """Work that ends when its time is over tells no time left until all is done."""
    memory = opened(embedder="hashing")
    memory.context.index.apply([document(number) for number in range(9)])
    told = []
    context = memory.context
    refine(context.index, context.models.embedder, context.clock, lambda *step: told.append(step), seconds=1.0)
    assert told == []


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
