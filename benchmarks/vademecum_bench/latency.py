"""`vade bench latency`: duration of the verbs on generated notes and conversations, and their memory and disk use."""

import dataclasses
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from vademecum.api import Vademecum
from vademecum.domain.query import Query, Scope
from vademecum.entrypoints.daemon.memory_usage import peak_mb
from vademecum.settings import Settings
from vademecum.sync.embed_backlog import embedded_text
from vademecum.wiring import open_memory
from vademecum_bench.generate import Generator, mistype, question_about, write_conversations, write_notes
from vademecum_bench.metrics import percentile

Progress = Callable[[str, int, int], None]

#: Most texts used for questions.
ASKED_ABOUT = 2000
#: Passages with which the model is timed.
EMBEDDED = 64


def bench_latency(settings: Settings, *, memories: int, turns: int, queries: int, progress: Progress) -> dict[str, Any]:
    """Return all figures as one JSON object; times in milliseconds unless the name says seconds.

    Computing vectors for more than a few thousand passages would take minutes, so they are random here, which costs the same to
    search. Questions are embedded by the real model.
    """
    with tempfile.TemporaryDirectory(prefix="vade-bench-") as name:
        folder = Path(name)
        here = dataclasses.replace(
            settings,
            home=str(folder / "home"),
            vault="",
            projects=(),
            data_dir=str(folder / "data"),
            transcripts=(),
            enabled=True,
            archive=False,
        )
        (folder / "home").mkdir()
        generator = Generator()
        texts = _write(folder, memories, turns, generator, progress)
        with open_memory(here, progress=progress) as memory:
            figures = _sync_figures(memory, folder, turns)
            figures |= _question_figures(memory, texts, queries, generator)
            if turns:
                figures |= quote_figures(memory, queries, generator)
            figures["peak_rss_mb"] = round(peak_mb(), 1)
            status = memory.maintenance.status()
        text_bytes = sum(path.stat().st_size for path in folder.rglob("*") if path.suffix in (".md", ".jsonl"))
        figures["index_mb"] = round(status.index_bytes / 1e6, 1)
        figures["index_bytes_per_text_byte"] = round(status.index_bytes / max(text_bytes, 1), 3)
        return {"memories": memories, "turns": turns, "passages": status.passages, **figures, "embedder": status.embedder}


def _write(folder: Path, memories: int, turns: int, generator: Generator, progress: Progress) -> list[str]:
    texts: list[str] = []
    step = max(1, memories // ASKED_ABOUT)
    for number, (_, text) in enumerate(write_notes(folder / "home", memories, generator)):
        if number % step == 0:
            texts.append(text)
        if number % 1000 == 0:
            progress("writing notes", number, memories)
    for _ in write_conversations(folder / "talk", turns, generator):
        pass
    return texts


def _sync_figures(memory: Vademecum, folder: Path, turns: int) -> dict[str, Any]:
    used = time.process_time()
    figures: dict[str, Any] = {"sync_s": round(_seconds(lambda: memory.maintenance.sync(quick=True)), 3)}
    figures["sync_cpu_s"] = round(time.process_time() - used, 3)
    if turns:
        figures["capture_s"] = round(_seconds(lambda: memory.maintenance.capture((str(folder / "talk"),), mine=False)), 3)
    figures |= _embedding_figures(memory)
    figures["fill_vectors_s"] = fill_vectors(memory)
    figures["sync_unchanged_s"] = round(min(_seconds(lambda: memory.maintenance.sync(quick=True)) for _ in range(3)), 3)
    changed = []
    for number, note in enumerate(sorted((folder / "home").rglob("*.md"))[:3]):
        note.write_text(note.read_text(encoding="utf-8") + f"\nOne more line about kettle {number}.\n", encoding="utf-8")
        changed.append(_seconds(lambda: memory.maintenance.sync(quick=True)))
    figures["sync_one_changed_s"] = round(min(changed), 3)
    then = memory.now() + timedelta(days=1)
    for name in ("as_of_first_s", "as_of_again_s"):
        figures[name] = round(_seconds(lambda: memory.notes.list(as_of=then)), 3)
    return figures


def _embedding_figures(memory: Vademecum) -> dict[str, Any]:
    """Return the model's time per passage, and the times until all memories, and all passages, have vectors."""
    index, embedder = memory.context.index, memory.context.models.embedder
    if embedder is None or not (waiting := index.without_vectors(embedder.model_id, index.stats().passages)):
        return {}
    embedder.embed(["whatever loads with the first"])
    used = time.process_time()
    embedder.embed([embedded_text(one.passage) for one in waiting[:EMBEDDED]])
    each_s = (time.process_time() - used) / len(waiting[:EMBEDDED])
    memories = sum(one.item.startswith("memory://") for one in waiting)
    first = sum(one.item.startswith("memory://") for one in waiting[:memories])
    return {
        "embedded_cpu_ms_each": round(each_s * 1000, 1),
        "memories_embedded_minutes": round(each_s * memories / 60, 1),
        "all_embedded_minutes": round(each_s * len(waiting) / 60, 1),
        "memories_embedded_first": round(first / max(memories, 1), 3),
    }


def fill_vectors(memory: Vademecum) -> float:
    """Store random unit vectors for all passages that still wait for one."""
    parts = memory.context
    if parts.models.embedder is None:
        return 0.0
    chance = np.random.default_rng(1)
    start = time.perf_counter()
    while batch := parts.index.without_vectors(parts.models.embedder.model_id, 5000):
        rows = chance.standard_normal((len(batch), parts.models.embedder.dim)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        parts.index.add_vectors(parts.models.embedder.model_id, [stored.number for stored in batch], rows)
    return round(time.perf_counter() - start, 2)


def _question_figures(memory: Vademecum, texts: list[str], queries: int, generator: Generator) -> dict[str, Any]:
    asked = [question_about(generator.chance.choice(texts), generator) for _ in range(queries)]
    first = _seconds(lambda: memory.recall.ask(Query(asked[0]))) * 1000
    took = _each(asked, lambda question: memory.recall.ask(Query(question)))
    typed = [mistype(question, generator) for question in asked]
    mistyped = _each(typed, lambda question: memory.recall.ask(Query(question, profile="agent")))
    first_topics, *topics = _each([asked[0], *asked], memory.recall.topics)
    briefings = [_seconds(memory.recall.briefing) * 1000 for _ in range(5)]
    return {
        "recall_first_ms": round(first, 1),
        "recall_ms": _shares(took),
        "recall_mistyped_ms": _shares(mistyped),
        "topics": len(memory.recall.topics().matches),
        "topics_first_ms": round(first_topics, 1),
        "topics_ms": _shares(topics),
        "briefing_ms": round(percentile(briefings, 0.5), 2),
    }


def _each(questions: list[str], ask: Callable[[str], object]) -> list[float]:
    """Return the milliseconds of each question."""
    return [_seconds(partial(ask, question)) * 1000 for question in questions]


def _shares(took: list[float]) -> dict[str, float]:
    return {f"p{share}": round(percentile(took, share / 100), 2) for share in (50, 95, 99)}


def quote_figures(memory: Vademecum, queries: int, generator: Generator) -> dict[str, Any]:
    """Measure exact search for four to nine words, cut from random places of conversations; count the matches."""
    index = memory.context.index
    scope = Scope(sources=("session", "log"), statuses=None)
    passages = index.stats().passages
    asked: list[str] = []
    while len(asked) < queries:
        found = index.passages([generator.chance.randint(1, passages)])
        words = [stored.passage.text.split() for stored in found.values() if stored.item.startswith("session://")]
        if words and len(words[0]) >= 9:
            start = generator.chance.randint(0, len(words[0]) - 9)
            asked.append(" ".join(words[0][start : start + generator.chance.randint(4, 9)]))
    index.quoted(asked[0], scope, 10)
    hits = [len(index.quoted(text, scope, 10)) for text in asked]
    took = [_seconds(lambda text=text: index.quoted(text, scope, 10)) * 1000 for text in asked]  # type: ignore[misc]
    return {
        "quote_ms": {f"p{share}": round(percentile(took, share / 100), 2) for share in (50, 95, 99)},
        "quotes_found": round(sum(count > 0 for count in hits) / len(hits), 3),
    }


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
