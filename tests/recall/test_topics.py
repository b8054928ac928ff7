"""What a text is about, what a session stays with, and what leans to it."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.adapters.clock import FixedClock
from vademecum.adapters.embedders.reference import Hashing
from vademecum.adapters.stores.sqlite.snapshot import IN_MEMORY
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.item import Item, Passage
from vademecum.domain.query import Query, Scope
from vademecum.domain.topics import TopicLock, TopicMatch
from vademecum.recall.numbers import KEPT, LET_GO, NEAR_ENOUGH
from vademecum.recall.numbers import TOPICS_MOST as MOST
from vademecum.recall.pipeline import Searcher
from vademecum.recall.topics import about, centroids, drift, weight_of

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
GARDEN = ("tomatoes need water every evening", "compost is for the tomatoes and beans", "water the beans in the evening")
HOUSE = ("the boiler hisses when the pressure is low", "bleed the radiator and check the boiler pressure")


def item(key, text, *topics, **fields):
    values = {
        "key": f"memory://{key}", "source": "memory", "space": "personal", "path": f"{key}.md", "title": key, "stat": "1:1",
        "digest": key, "kind": "fact", "created": NOW, "updated": NOW, "topics": topics, "passages": (Passage(text, 0),),
    }  # fmt: skip
    return Item(**values | fields)


def known():
    garden = [item(f"garden-{number}", text, "garden") for number, text in enumerate(GARDEN)]
    return [*garden, *(item(f"house-{number}", text, "house") for number, text in enumerate(HOUSE))]


@pytest.fixture
def searcher():
    """Makes what recall works with; locks are kept in `locks`."""

    def made(*items, embedder=None, locks=None):
        index = SqliteIndex(IN_MEMORY)
        index.apply(items)
        if embedder:
            waiting = index.without_vectors(embedder.model_id, 1000)
            rows = embedder.embed([one.passage.text for one in waiting])
            index.add_vectors(embedder.model_id, [one.number for one in waiting], rows)
        kept = locks if locks is not None else {}
        return Searcher(index, FixedClock(NOW), embedder, lambda _: {}, lock_of=kept.get)

    return made


def match(label, score=0.7):
    return TopicMatch(label, score, 5)


# ---------------------------------------------------------------- inference


def test_what_it_is_about(searcher):
    """VO-17: a text is about the topics whose centroids it is near to; an unrelated one is about none."""
    found = searcher(*known(), embedder=Hashing()).topics("water for tomatoes and beans in the evening", Scope())
    assert [one.label for one in found.matches] == ["garden", "house"]
    assert [one.label for one in found.about] == ["garden"]
    assert found.about[0].score >= NEAR_ENOUGH > found.matches[1].score
    assert searcher(*known(), embedder=Hashing()).topics("parliament voted on Tuesday", Scope()).about == ()


def test_no_centroids(searcher):
    """VO-17: without topics, or without vectors, a text is about nothing, and the answer says what was missing."""
    assert searcher(item("plain", "tomatoes"), embedder=Hashing()).topics("tomatoes", Scope()).matches == ()
    bare = searcher(*known()).topics("tomatoes", Scope())
    assert (bare.matches, bare.about) == ((), ())
    assert [(one.label, one.items) for one in searcher(*known()).topics("", Scope()).matches] == [("garden", 3), ("house", 2)]


def test_at_most_five():
    """VO-17: from .6 on, five at most, nearest first."""
    matches = [match(f"t{number}", 0.9 - number / 20) for number in range(12)]
    assert [one.label for one in about(matches)] == ["t0", "t1", "t2", "t3", "t4"]
    assert [one.label for one in about([match("just", 0.6), match("not", 0.5999)])] == ["just"]


def test_label_stands_in(searcher):
    """A topic with one memory is found by its name too; with many memories the name counts for nearly nothing."""
    one = searcher(item("a", "tomatoes need water", "greenhouse"), embedder=Hashing())
    assert one.topics("the greenhouse", Scope()).matches[0].score > 0.2
    several = searcher(*(item(f"a{n}", f"tomatoes need water {n}", "greenhouse") for n in range(9)), embedder=Hashing())
    assert several.topics("the greenhouse", Scope()).matches[0].score == pytest.approx(0, abs=0.05)


def test_lockable_at_once(searcher):
    """X-13: the first memory of a topic makes it one that a text can be about."""
    alone = searcher(*known(), item("new", "the ferry to Tallinn leaves at nine", "travel"), embedder=Hashing())
    assert [one.label for one in alone.topics("the ferry to Tallinn leaves at nine", Scope()).about] == ["travel"]


def test_topics_of_the_scope(searcher):
    """X-16, X-43: another project's topics are not inferred, and its memories do not move a centroid."""
    other = item("other", "tomatoes and water as well", "secret", project="other")
    found = searcher(*known(), other, embedder=Hashing())
    assert "secret" not in {one.label for one in found.topics("tomatoes and water", Scope(projects=("mine",))).matches}
    assert "secret" in {one.label for one in found.topics("tomatoes and water", Scope()).matches}


def test_unit_centroids(searcher):
    """Centroids are unit rows, or zeros where there is nothing to make one of."""
    found = searcher(*known(), item("bare", "", "empty"), embedder=Hashing())
    topics = found.index.topics(Scope(), Hashing().model_id)
    lengths = np.linalg.norm(centroids(topics, Hashing()), axis=1)
    assert all(length == pytest.approx(1, abs=1e-5) or length == 0 for length in lengths)


# ---------------------------------------------------------------- lock


def test_lock_begins_and_drifts():
    """VO-18: the first topic locks; another one takes over at once and is told; the old one fades."""
    first = drift(None, [match("garden")])
    assert (dict(first.lock.weights), first.event) == ({"garden": 1.0}, "began")
    same = drift(first.lock, [match("garden", 0.8)])
    assert (dict(same.lock.weights), same.event) == ({"garden": 1.0}, "")
    other = drift(same.lock, [match("house")])
    assert (dict(other.lock.weights), other.event) == ({"house": 1.0, "garden": KEPT}, "drifted")


def test_several_topics():
    """VO-18: a session can be about several topics, each as surely as the message was."""
    both = drift(None, [match("garden", 0.8), match("house", 0.6)])
    assert dict(both.lock.weights) == {"garden": 1.0, "house": 0.75}


def test_lock_fades():
    """VO-18: messages about nothing known let the lock go, but not one of them alone: "yes, do that" is about what was before."""
    step = drift(TopicLock({"garden": 1.0}), [])
    events = [step.event]
    while step.lock.weights:
        step = drift(step.lock, [])
        events.append(step.event)
    assert events == ["", "", "ended"]


def test_lock_held():
    """VO-18: a lock that the person chose stays, whatever is asked."""
    held = TopicLock({"house": 1.0}, held=True)
    assert drift(held, [match("garden")]).lock is held


@given(st.lists(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.floats(0.6, 1.0)), max_size=5, unique_by=lambda p: p[0])))
def test_lock_bounded(messages):
    """However a session goes, it has at most five topics, weighed above the bound, at most 1, surest first."""
    lock = None
    for message in messages:
        matches = sorted((TopicMatch(label, score, 1) for label, score in message), key=lambda one: -one.score)
        lock = drift(lock, matches).lock
        weights = list(lock.weights.values())
        assert len(weights) <= MOST
        assert weights == sorted(weights, reverse=True)
        assert all(LET_GO <= weight <= 1 for weight in weights)
        assert not matches or matches[0].label in lock.weights


def test_weight_of():
    """An item counts by the surest of its topics, whatever the case."""
    lock = TopicLock({"Garden": 1.0, "house": 0.5})
    assert [weight_of(topics, lock) for topics in (("garden", "house"), ("HOUSE",), ("x",), ())] == [1.0, 0.5, 0.0, 0.0]
    assert weight_of(("garden",), None) == 0.0


# ---------------------------------------------------------------- recall


def twins():
    return [item("in-garden", "the tap needs a new seal", "garden"), item("in-house", "a new seal for the tap", "house")]


def test_auto_knows_no_lock(searcher):
    """The default profile is what was measured: a lock changes nothing in it, nor it the lock."""
    ask = Query("which tap needs a new seal", session="s")
    plain = searcher(*twins(), *known(), embedder=Hashing()).recall(ask)
    locked = searcher(*twins(), *known(), embedder=Hashing(), locks={"s": TopicLock({"house": 1.0})}).recall(ask)
    assert [(hit.item.key, hit.score) for hit in locked.hits] == [(hit.item.key, hit.score) for hit in plain.hits]
    assert locked.lock is None


# ---------------------------------------------------------------- composer
