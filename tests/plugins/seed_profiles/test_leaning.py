"""What a session is about leans the answers of the profiles that look at it."""

from datetime import UTC, datetime

import pytest
from tests.recall.test_topics import NOW, item, known, searcher, twins

from vademecum.adapters.embedders.reference import Hashing
from vademecum.domain.query import Query
from vademecum.domain.topics import TopicLock

__all__ = ["searcher"]


@pytest.mark.parametrize("locked", ["garden", "house"])
def test_lock_leans(searcher, locked):
    """VO-18: in `facts`, what the session is about comes first; the rest is still there."""
    recall = searcher(*twins(), *known(), embedder=Hashing(), locks={"s": TopicLock({locked: 1.0}, held=True)}).recall(
        Query("which tap needs a new seal", profile="facts", session="s")
    )
    seals = [hit.item.topics[0] for hit in recall.hits if "seal" in hit.passage.text]
    assert seals == [locked, "garden" if locked == "house" else "house"]
    assert recall.hits[0].boosts["topic"] > 0


def test_lock_is_bounded(searcher):
    """VO-18: the lock never lifts what has nothing to do with the question above what answers it."""
    found = searcher(*twins(), *known(), embedder=Hashing(), locks={"s": TopicLock({"garden": 1.0}, held=True)})
    recall = found.recall(Query("bleed the radiator and check the boiler pressure", profile="facts", session="s"))
    assert recall.hits[0].item.topics == ("house",)


def test_each_question_moves_the_lock(searcher):
    """VO-18: what was asked decides what the session is about, and `why` tells it; another session knows nothing of it."""
    locks = {}
    found = searcher(*known(), embedder=Hashing(), locks=locks)
    for question, event in (
        ("water the tomatoes and beans in the evening", "began"),
        ("bleed the radiator and check the boiler pressure", "drifted"),
    ):
        recall = found.recall(Query(question, profile="facts", session="s"))
        locks["s"] = recall.lock
        assert recall.terms["drift"] == (event,)
    assert list(locks["s"].weights) == ["house", "garden"]
    assert found.recall(Query("bleed the radiator and check the boiler pressure", profile="facts", session="t")).terms[
        "drift"
    ] == ("began",)


def test_without_vectors_the_lock_stays(searcher):
    """Without an embedder a session stays where it is, and still leans."""
    lock = TopicLock({"house": 1.0})
    recall = searcher(*twins(), *known(), locks={"s": lock}).recall(
        Query("which tap needs a seal", profile="facts", session="s")
    )
    assert recall.lock == lock
    assert recall.hits[0].item.topics == ("house",)


def test_composer_pools(searcher):
    """VO-20: identity, what the session is about, and what was confirmed last; nothing else is a candidate."""
    old = datetime(2026, 1, 1, tzinfo=UTC)
    filler = [item(f"confirmed-{number}", f"thing {number}", created=NOW) for number in range(20)]
    aside = item("aside", "a thing of no topic", created=old)
    me = item("me", "I am a gardener", kind="identity", created=old)
    on_topic = item("rake", "the rake is in the shed", "garden", created=old)
    found = searcher(*filler, aside, me, on_topic, locks={"s": TopicLock({"garden": 1.0})})
    keys = [
        key.removeprefix("memory://") for key, _ in found.recall(Query("?", profile="composer", session="s", limit=99)).items
    ]
    assert set(keys) == {"me", "rake", *(one.title for one in filler)}
    assert "rake" not in {key for key, _ in found.recall(Query("?", profile="composer", limit=99)).items}


def test_composer_limit(searcher):
    """VO-21: eight are told; equal texts once; superseded and waiting ones not at all."""
    many = [item(f"m{number}", f"thing {number}") for number in range(12)]
    same = item("same", "thing 3", importance=0.9)
    gone, waiting = item("gone", "gone", status="superseded"), item("waiting", "waiting", status="inbox")
    recall = searcher(*many, same, gone, waiting).recall(Query("?", profile="composer"))
    assert len(recall.hits) == 8
    assert len({hit.passage.text for hit in recall.hits}) == 8
    assert {"gone", "waiting"}.isdisjoint(hit.item.title for hit in recall.hits)
    assert recall.left[0].why == "over the limit"
