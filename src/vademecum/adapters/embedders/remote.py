"""An embedder behind any function that turns texts into rows; what a model at an endpoint has in common with the next.

Dimension and background are asked of the model once, when first needed, since names do not tell them.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vademecum.adapters.embedders import rows
from vademecum.ports.embedder import Embedder

#: Texts in one request.
BATCH = 64


BGE = "Represent this sentence for searching relevant passages: "


class Prefixes(Struct, frozen=True):
    """Put before each text of a role."""

    query: str = ""
    passage: str = ""

    def before(self, role: Literal["query", "passage"]) -> str:
        """Return the prefix of a role."""
        return self.query if role == "query" else self.passage


#: The first part of a model's name (without its maker) that matches decides.
FAMILIES = {
    "multilingual-e5-large-instruct": Prefixes("Instruct: Retrieve passages that answer the question\nQuery: "),
    "multilingual-e5": Prefixes("query: ", "passage: "),
    "e5-": Prefixes("query: ", "passage: "),
    "bge-m3": Prefixes(),
    "bge-": Prefixes(BGE),
    "mxbai-embed-large": Prefixes(BGE),
    "snowflake-arctic-embed": Prefixes(BGE),
    "nomic-embed-text": Prefixes("search_query: ", "search_document: "),
}


def for_model(name: str) -> Prefixes:
    """Return what a model wants said before questions and passages, by its name, such as "BAAI/bge-large-en-v1.5"."""
    short = name.rsplit("/", 1)[-1].lower()
    return next((prefixes for start, prefixes in FAMILIES.items() if short.startswith(start)), Prefixes())


class Ask(Protocol):
    """Texts, prefixes included -> one row each, in order."""

    def __call__(self, texts: list[str], /) -> Any:
        """Return rows of numbers.

        Raises:
            EmbedderUnavailable: it cannot be asked.
        """
        ...


class Remote:
    """An embedder that asks `ask`, `BATCH` texts at a time."""

    def __init__(self, model_id: str, ask: Ask, prefixes: Prefixes, dim: int | None = None) -> None:
        """Take the model's size from its first answer when `dim` is None."""
        self.model_id = model_id
        self._ask = ask
        self._prefixes = prefixes
        self._dim = dim

    @cached_property
    def dim(self) -> int:
        """Numbers in a vector; asks the model unless it was given."""
        return self._dim or rows.checked(self._ask(["dimension"]), 1, None).shape[1]

    @cached_property
    def background(self) -> tuple[float, float]:
        """Mean and standard deviation of the cosine of unrelated texts; asks the model."""
        return background_of(self)

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> NDArray[np.float32]:
        """Return (len(texts), dim) unit rows in order; zeros for blank texts.

        Raises:
            EmbedderUnavailable: the model cannot be reached, or answers with something else.
        """
        before = self._prefixes.before(role)
        parts = [
            rows.filled(texts[start : start + BATCH], self.dim, lambda part: self._ask([before + text for text in part]))
            for start in range(0, len(texts), BATCH)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self.dim), np.float32)


#: Made-up texts that have nothing to do with each other, the same for every model. Passages are as long as turns of a conversation,
#: because some models find every long text a little like everything.
QUESTIONS = (
    "When does the boiler have to be bled?",
    "Which database did we choose for the billing service?",
    "What is Maria allergic to?",
    "From which platform does the train to Lisbon leave?",
    "How do I roll back a failed deployment?",
    "Who lent me the telescope?",
    "What did the dentist recommend last spring?",
    "Where are the batteries for the smoke detector?",
    "Why must the message queue never be restarted at night?",
    "What was the name of the novel about the lighthouse keeper?",
    "How long is the interest on the mortgage fixed?",
    "Which vaccine does the dog still need?",
)

PASSAGES = (
    "I finally went back to the pottery class yesterday! My first bowl collapsed on the wheel, but the teacher was really "
    "patient and showed me how to keep my elbows still. Next week we are going to try glazes, and I can't wait.",
    "That sounds great. We should plan the picnic for Saturday then. I can bring the salad and the folding chairs, and if "
    "you take care of the drinks, the kids can help to carry the blankets down to the river.",
    "The test suite was flaky because two workers wrote into the same temporary folder. I gave each worker a folder of its "
    "own and removed the retries, so a failure is a real failure now. Please run it twice before merging.",
    "Could you help me to write a cover letter? I have worked as a nurse for eight years, mostly in intensive care, and I "
    "would like to move into teaching. It should be friendly, and not longer than one page.",
    "Sure! Here is a simple plan for your first half marathon: run three times a week, keep one of the runs long and slow, "
    "and do not add more than ten percent of distance from one week to the next. Rest before you feel tired.",
    "It was so hard to say goodbye to her. She had been with us since I was a little girl, and the house feels empty. My "
    "brother planted a cherry tree in the garden, so that we have a place to sit and think of her.",
    "To speed up the import, read the file in blocks and insert a thousand rows in one transaction. An index on the customer "
    "column should be created afterwards; building it while rows arrive made everything four times slower.",
    "The exhibition opens on Friday with forty of my photographs. Half of them are from the desert, half from the harbour "
    "at night. I am nervous, since the curator invited two people from the newspaper.",
    "You could try a vegetable curry with chickpeas. Fry the onions until they are golden, add ginger and cumin, then the "
    "tomatoes and the coconut milk. Twenty minutes are enough, and it tastes even better on the next day.",
    "My daughter got the part of the witch in the school play, and she has been practising her laugh at every meal. We are "
    "sewing the costume from an old curtain. I promised to film the whole evening for her grandparents.",
    "For a triangle with sides of five, twelve and thirteen, the area is thirty, because the angle between the two shorter "
    "sides is a right angle. You can check it with the theorem of Pythagoras before you multiply and halve.",
    "The landlord wrote that the rent goes up by four percent. I asked for a calculation and for the repair of the window "
    "that we reported in winter. Until he answers I shall pay the old amount and keep copies of every letter.",
)


def background_of(embedder: Embedder) -> tuple[float, float]:
    """Return mean and standard deviation of the cosine over all pairs of `QUESTIONS` and `PASSAGES`.

    With them the cosines of two models can be compared.
    """
    cosines = embedder.embed(QUESTIONS, role="query") @ embedder.embed(PASSAGES, role="passage").T
    return float(cosines.mean()), float(cosines.std())
