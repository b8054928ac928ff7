"""Topics: what they are, what a text is about, and what a session stays with."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    import numpy as np


class Topic(Struct, frozen=True):
    """A topic as the index knows it.

    Attributes:
        label: as written; of several spellings the first in the order of their characters.
        items: how many items in scope have it.
        passages: how many of their passages have a vector that says something, of the model asked for.
        centroid: float32, mean of those vectors. Its length, at most 1, tells how much they agree. Without any: no numbers.
    """

    label: str
    items: int
    passages: int
    centroid: "np.ndarray"


class TopicMatch(Struct, frozen=True):
    """How near a text is to a topic: cosine with its centroid. Without a text, 0."""

    label: str
    score: float
    items: int


class TopicLock(Struct, frozen=True):
    """What a session is about. Soft: it raises what has the topic, and hides nothing.

    Attributes:
        weights: topic -> how surely, above 0 to 1; the surest first.
        held: chosen by the person; prompts do not change it.
    """

    weights: Mapping[str, float] = msgspec.field(default_factory=dict)
    held: bool = False


class Topics(Struct, frozen=True):
    """Topics in memory, or those of a text; and those of a session.

    Attributes:
        matches: of a text, nearest first; without a text every topic, the largest first.
        compared: whether there was a text. about: those of the matches that the text is about.
        lock: of the session asked for; None: none was asked for, or it has none.
        missing: what could not be used, and what to do.
        ms: milliseconds.
    """

    matches: tuple[TopicMatch, ...]
    compared: bool = False
    about: tuple[TopicMatch, ...] = ()
    lock: TopicLock | None = None
    missing: tuple[str, ...] = ()
    ms: float = 0.0
