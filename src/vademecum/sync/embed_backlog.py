"""Embed passages: new ones at once, the rest when there is time. If interrupted, the next run continues."""

import contextlib
from collections.abc import Iterable

from vademecum.domain.errors import EmbedderUnavailable
from vademecum.domain.item import AGENT, PERSON, Passage
from vademecum.ports.clock import Clock
from vademecum.ports.embedder import Embedder
from vademecum.ports.index import Index
from vademecum.ports.progress import Progress, no_progress

ROLES = AGENT | PERSON

#: Passages embedded between two commits and progress reports; lost if the process is killed.
BATCH = 64
#: Batch sizes with a time limit, and with a short one: the clock is checked between batches.
STEADY_BATCH, HURRIED_BATCH, HURRIED_S = 32, 4, 5.0

#: Name of this work in progress reports.
_WORK = "Preparing search by meaning, passages"


def refine(
    index: Index,
    embedder: Embedder,
    clock: Clock,
    progress: Progress,
    *,
    seconds: float | None = None,
) -> tuple[int, bool]:
    """Embed passages without a vector of this model: memories first, then newest first.

    Args:
        seconds: stop after the batch in which this time has passed; None: until done.

    Returns:
        (passages embedded, whether all are done).

    Raises:
        EmbedderUnavailable: the model cannot be used; vectors made before stay.
    """
    start = clock.elapsed_s()
    report = progress if seconds is None else no_progress  # a run with a time limit will not reach the total
    done, size = 0, BATCH if seconds is None else HURRIED_BATCH if seconds < HURRIED_S else STEADY_BATCH
    total: int | None = None
    while True:
        waiting = index.without_vectors(embedder.model_id, size)
        if not waiting:
            return done, True
        if total is None:
            health = index.health()
            total = health.passages - health.vectors.get(embedder.model_id, 0)
            report(_WORK, 0, total)
        rows = embedder.embed([embedded_text(stored.passage) for stored in waiting])
        index.add_vectors(embedder.model_id, [stored.number for stored in waiting], rows)
        done += len(waiting)
        report(_WORK, done, max(total, done))
        if seconds is not None and clock.elapsed_s() - start >= seconds:
            return done, len(waiting) < size


def embed_now(index: Index, embedder: Embedder | None, keys: Iterable[str]) -> None:
    """Embed the first passages of these items before the rest of the backlog. A missing model is reported elsewhere."""
    if embedder is None:
        return
    waiting = [stored for key in keys for stored in index.passages_of(key, 0, HURRIED_BATCH)]
    with contextlib.suppress(EmbedderUnavailable):
        if waiting:
            rows = embedder.embed([embedded_text(stored.passage) for stored in waiting])
            index.add_vectors(embedder.model_id, [stored.number for stored in waiting], rows)


def embedded_text(passage: Passage) -> str:
    """Return the text to embed for a passage: the speaker if it is a name, else the heading if any, then the passage's text.

    A name in front raised dense turn recall@10 from .31 to .45; a role ("user") adds no information (docs/measurements/experiments.md).
    """
    if passage.speaker and passage.speaker.lower() not in ROLES:
        return f"{passage.speaker}: {passage.text}"
    return f"{passage.heading}\n{passage.text}" if passage.heading else passage.text


def remember_labels(embedder: Embedder | None, labels: Iterable[str]) -> None:
    """Embed the names of topics, so that a later question has them in the embedder's cache. A missing model is reported elsewhere."""
    wanted = sorted(set(labels))
    if embedder is not None and wanted:
        with contextlib.suppress(EmbedderUnavailable):
            embedder.embed(wanted)


def try_refine(
    index: Index,
    embedder: Embedder | None,
    clock: Clock,
    progress: Progress,
    *,
    seconds: float | None = None,
) -> tuple[int, str]:
    """Embed as :func:`refine` does, but return a missing model as a message: everything else works without vectors."""
    if embedder is None:
        return 0, ""
    try:
        return refine(index, embedder, clock, progress, seconds=seconds)[0], ""
    except EmbedderUnavailable as error:
        return 0, f"meaning: {error.message} {error.hint}".strip()
