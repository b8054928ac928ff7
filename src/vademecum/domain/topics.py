"""Topics: those in the index, those of a text, and those that a session stays with."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np


class Topic(Struct, frozen=True):
    """A topic in the index.

    Attributes:
        label: as written; of several spellings the first in character order.
        items: number of items in scope that have it.
        passages: number of their passages with a non-zero vector of the requested model.
        centroid: float32, mean of those vectors. Its length, at most 1, measures how similar they are. Empty without vectors.
    """

    label: str
    items: int
    passages: int
    centroid: "np.ndarray"


class TopicMatch(Struct, frozen=True):
    """Similarity of a text to a topic: cosine with its centroid. 0 without a text."""

    label: str
    score: float
    items: int


class TopicLock(Struct, frozen=True):
    """The topics of a session. A soft lock: it boosts items with the topic and hides nothing.

    Attributes:
        weights: topic -> confidence, above 0 to 1; highest first.
        held: chosen by the person; prompts do not change it.
    """

    weights: Mapping[str, float] = msgspec.field(default_factory=dict)
    held: bool = False


class Topics(Struct, frozen=True):
    """Topics in memory, of a text, and of a session.

    Attributes:
        matches: topics near a text, nearest first; without a text all topics, the largest first.
        compared: whether there was a text. about: the matches that the text is about.
        lock: of the given session; None: no session was given, or it has none.
        missing: resources that could not be used, and what to do.
        ms: milliseconds.
    """

    matches: tuple[TopicMatch, ...]
    compared: bool = False
    about: tuple[TopicMatch, ...] = ()
    lock: TopicLock | None = None
    missing: tuple[str, ...] = ()
    ms: float = 0.0
