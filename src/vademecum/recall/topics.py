"""The topics of a text, by cosine with the centroids of topics, and the topics of a session. Uses no model but the embedder.

Numbers of the design this reproduces: a cosine of at least .6, five topics. In a real vault a note reaches .6 with its own topic in
half of all cases, and with another one in a twentieth (docs/measurements/experiments.md).
"""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vademecum.domain.query import Scope
from vademecum.domain.topics import Topic, TopicLock, TopicMatch
from vademecum.ports.embedder import Embedder
from vademecum.ports.index import VectorSearch
from vademecum.recall.numbers import FEW, KEPT, LABEL_COUNTS, LABELS_AT_ONCE, LET_GO, NEAR_ENOUGH, TOPICS_MOST

Floats = NDArray[np.float32]


class Drift(Struct, frozen=True):
    """A session's topics after one more message.

    Attributes:
        event: "began", "drifted" (another topic has the highest weight), "ended" (no topic is left), or "".
    """

    lock: TopicLock
    event: str


def few_labels(topics: Sequence[Topic]) -> list[str]:
    """Return the labels that are embedded because their topics have too few memories."""
    return [topic.label for topic in topics if topic.items <= FEW][:LABELS_AT_ONCE]


def centroids(topics: Sequence[Topic], embedder: Embedder) -> Floats:
    """Return one unit row per topic that has vectors of this embedder; a zero row for the others.

    Raises:
        EmbedderUnavailable: labels cannot be embedded.
    """
    rows = np.zeros((len(topics), embedder.dim), np.float32)
    labels = few_labels([topic for topic in topics if topic.passages])
    known = dict(zip(labels, embedder.embed(labels), strict=True)) if labels else {}
    for number, topic in enumerate(topics):
        if topic.passages:
            rows[number] = topic.centroid * np.float32(topic.passages)
        if topic.label in known:
            rows[number] += np.float32(LABEL_COUNTS) * known[topic.label]
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, length, out=np.zeros_like(rows), where=length > 0), np.float32)


def nearest(topics: Sequence[Topic], rows: Floats, vector: Floats) -> tuple[TopicMatch, ...]:
    """Return the topics with their cosine with `vector` (unit), nearest first, ties by label."""
    scores = (rows @ vector).tolist() if len(rows) else []
    topic_matches = [TopicMatch(topic.label, round(score, 4), topic.items) for topic, score in zip(topics, scores, strict=True)]
    return tuple(sorted(topic_matches, key=lambda match: (-match.score, match.label)))


def about(matches: Sequence[TopicMatch]) -> tuple[TopicMatch, ...]:
    """Return the topics that the text is about."""
    return tuple(match for match in matches if match.score >= NEAR_ENOUGH)[:TOPICS_MOST]


def drift(lock: TopicLock | None, matches: Sequence[TopicMatch]) -> Drift:
    """Return the session's topics after a message about `matches`. Other topics lose weight; a held lock does not change."""
    before = lock or TopicLock()
    if before.held:
        return Drift(before, "")
    weights = {label: weight * KEPT for label, weight in before.weights.items()}
    best = matches[0].score if matches else 1.0
    for match in matches:
        weights[match.label] = max(weights.get(match.label, 0.0), match.score / best)
    kept = sorted(
        ((label, weight) for label, weight in weights.items() if weight >= LET_GO), key=lambda pair: (-pair[1], pair[0])
    )
    after = TopicLock({label: round(weight, 4) for label, weight in kept[:TOPICS_MOST]})
    return Drift(after, _event(before.weights, after.weights))


def _event(before: Mapping[str, float], after: Mapping[str, float]) -> str:
    if not before or not after:
        return "began" if after else "ended" if before else ""
    return "drifted" if next(iter(before)) != next(iter(after)) else ""


def weight_of(topics: Sequence[str], lock: TopicLock | None) -> float:
    """Return the highest weight in the session's topic lock of any of these topics, 0..1."""
    if lock is None or not topics:
        return 0.0
    weights = {label.casefold(): weight for label, weight in lock.weights.items()}
    return max(weights.get(topic.casefold(), 0.0) for topic in topics)


def topics_near(index: VectorSearch, scope: Scope, embedder: Embedder, vector: Floats) -> tuple[TopicMatch, ...]:
    """Return every topic in scope that has vectors of the embedder, with its cosine with a question, nearest first.

    Args:
        vector: the question, embedded by this embedder.

    Raises:
        EmbedderUnavailable: labels cannot be embedded.
    """
    where = Scope(
        spaces=scope.spaces, statuses=scope.statuses, projects=scope.projects, profiles=scope.profiles, agents=scope.agents,
        visibilities=scope.visibilities,
    )  # fmt: skip
    topics = [topic for topic in index.topics(where, embedder.model_id) if topic.passages]
    return nearest(topics, centroids(topics, embedder), vector)
