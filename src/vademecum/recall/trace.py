"""Serialise the trace of a search, so that `why` can show it in another process. Long texts are cut."""

from collections.abc import Mapping
from typing import Any

from vademecum.domain.item import Item, Passage
from vademecum.domain.query import ArmReport, Hit, Left, Query, Recall
from vademecum.recall.numbers import SEEN_KEPT, TEXT_KEPT_CHARS


def write_story(recall: Recall) -> dict[str, Any]:
    """Return what `why` shows, as JSON-compatible data."""
    return {
        "question": recall.query.text,
        "profile": recall.query.profile,
        "gated": recall.query.gated,
        "seen": sorted(recall.query.seen)[:SEEN_KEPT],
        "verdict": recall.verdict,
        "confidence": recall.confidence,
        "threshold": recall.threshold,
        "arms": [[arm.name, arm.state, arm.why, arm.found, arm.ms] for arm in recall.arms],
        "left": [[left.key, left.title, left.why, left.score, left.confidence] for left in recall.left],
        "missing": list(recall.missing),
        "terms": {name: list(words) for name, words in recall.terms.items()},
        "trace": recall.trace,
        "ms": recall.ms,
        "hits": [_write_hit(hit) for hit in recall.hits],
    }


def _write_hit(hit: Hit) -> dict[str, Any]:
    item = hit.item
    return {
        "item": [item.key, item.source, item.space, item.path, item.title, item.kind, item.status],
        "text": hit.passage.text[:TEXT_KEPT_CHARS],
        "ref": hit.passage.ref,
        "number": hit.number,
        "score": hit.score,
        "signals": hit.signals,
        "ranks": hit.ranks,
        "boosts": hit.boosts,
        "since": hit.since,
    }


def read_story(story: Mapping[str, Any]) -> Recall:
    """Return the answer from the output of :func:`write_story`; its items hold only what `why` shows."""
    return Recall(
        query=Query(story["question"], profile=story["profile"], gated=story["gated"], seen=frozenset(story.get("seen", ()))),
        hits=tuple(_read_hit(hit) for hit in story["hits"]),
        verdict=story["verdict"],
        confidence=story["confidence"],
        threshold=story["threshold"],
        arms=tuple(ArmReport(*arm) for arm in story["arms"]),
        left=tuple(Left(*left) for left in story["left"]),
        missing=tuple(story["missing"]),
        terms={name: tuple(words) for name, words in story["terms"].items()},
        trace=story["trace"],
        ms=story["ms"],
    )


def _read_hit(hit: Mapping[str, Any]) -> Hit:
    key, source, space, path, title, kind, status = hit["item"]
    item = Item(key, source, space, path, title, stat="", digest="", kind=kind, status=status)
    passage = Passage(hit["text"], ref=hit["ref"])
    return Hit(
        item, passage, hit["number"], hit["score"], hit["signals"], hit["ranks"], hit["boosts"], since=hit.get("since", "")
    )
