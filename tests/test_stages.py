"""Moments of a session, the curated core, and topics, over a whole memory."""

from datetime import timedelta

import pytest

from tests.by_hand import written_by_hand
from vademecum.adapters.embedders.reference import Hashing
from vademecum.adapters.stores.sqlite.snapshot import IN_MEMORY
from vademecum.adapters.stores.sqlite.store import SqliteIndex
from vademecum.domain.errors import InvalidInput, UnknownWord
from vademecum.domain.item import Item, Passage
from vademecum.domain.query import Query, Scope
from vademecum.domain.topics import TopicLock
from vademecum.recall.pipeline import Searcher
from vademecum.recall.stages import STAGES
from vademecum.recall.trace import read_story, write_story


@pytest.fixture
def work(memory):
    """A memory of somebody who moves a shop to another payment service."""
    memory.notes.save(
        "task", "Move the webhook to the payment service", "The old webhook still answers with the former secret."
    )
    memory.notes.save("decision", "Stripe handles payments", "Stripe replaces the former gateway because refunds are simpler.")
    memory.notes.save(
        "lesson", "Webhook retries are doubled", "A webhook that answers late is sent again, so the handler checks ids."
    )
    memory.notes.save("preference", "Short commit messages", "Commit messages are one line.")
    written_by_hand(memory, {f"Plant {row}": f"The plant in row {row} wants light." for row in range(12)})
    return memory


def told(memory, question="", stage="first-message", session="s1", **more):
    return memory.recall.bundle(Query(question, stage=stage, session=session, **more))


# ---------------------------------------------------------------- stages


def test_stages_are_the_design():
    """SW-20, SW-22: 8,000 tokens and 150 ms, once, not in channels; when the agent asks itself, 15,000 and all the time."""
    rows = {row.name: (row.budget_tokens, row.deadline_s, row.once, row.channels) for row in STAGES.values()}
    assert rows == {
        "pre-session": (8_000, 0.150, True, False),
        "first-message": (8_000, 0.150, True, False),
        "mid-session": (15_000, None, False, True),
    }


def test_before_the_first_message(work):
    """SW-22: before anything is asked, the titles of open and recent work are the question."""
    bundle = told(work, stage="pre-session")
    assert "Move the webhook" in bundle.text
    assert bundle.recall.query.text.startswith("Move the webhook to the payment service; ")
    assert "Plant" not in bundle.text
    assert bundle.budget_tokens == 8_000


def test_nothing_to_focus_on(memory):
    """SW-22: without open work there is nothing to ask about, and the answer says so."""
    memory.notes.save("fact", "Plant", "The plant wants light.")
    bundle = told(memory, stage="pre-session")
    assert bundle.text == ""
    assert "no open or recent work" in bundle.missing[0]


def test_once_in_a_session(work, opened):
    """SW-20: a session is told once, also by another process; another session is told too, and the stages do not share a turn."""
    assert "Stripe" in told(work, "who handles the payments").text
    again = told(opened(), "who handles the payments")
    assert (again.text, again.missing) == ("", ("memory at stage first-message: this session was shown it already",))
    assert "Stripe" in told(work, "who handles the payments", session="s2").text
    assert told(work, stage="pre-session").text
    assert all("Stripe" in told(work, "who handles the payments", "mid-session").text for _ in range(2))


def test_channels(work):
    """SW-20: where others read along, nothing is told unasked; what the agent asks itself is."""
    assert told(work, "who handles the payments", channel=True).text == ""
    assert "Stripe" in told(work, "who handles the payments", "mid-session", channel=True).text
    assert "Stripe" in told(work, "who handles the payments").text  # the channel did not use up the one time


def test_too_late(work, clock, monkeypatch):
    """SW-20: an answer that took longer than 150 ms is not told at all, and the answer says so."""
    asked = Searcher.recall

    def slow(searcher, query):
        clock.advance(timedelta(milliseconds=151))
        return asked(searcher, query)

    monkeypatch.setattr(Searcher, "recall", slow)
    bundle = told(work, "who handles the payments")
    assert bundle.text == ""
    assert bundle.missing[-1] == "memory at stage first-message: it took longer than 150 ms"
    assert "Stripe" in told(work, "who handles the payments", "mid-session").text


def test_unloaded_model(clock):
    """X-01: with 150 ms, a model that was not loaded yet is not waited for; words alone answer, and say so."""

    class Slow(Hashing):
        model_id = "slow@1"

        def embed(self, texts, *, role="passage"):
            if role == "query":
                clock.advance(timedelta(seconds=1))
            return super().embed(texts, role=role)

    searcher = _searcher(clock, Slow())
    hurried = searcher.recall(Query("tomatoes need water", deadline_s=0.15, stage="first-message"))
    assert [(arm.name, arm.state) for arm in hurried.arms][:2] == [("words", "ran"), ("meaning", "skipped")]
    assert any("not loaded yet" in text for text in hurried.missing)
    assert hurried.hits
    searcher.warm_up()
    warm = searcher.recall(Query("tomatoes need water", deadline_s=0.15, stage="first-message"))
    assert not any("not loaded yet" in text for text in warm.missing)


def _searcher(clock, embedder):
    index = SqliteIndex(IN_MEMORY)
    item = Item("memory://a", "memory", "p", "a.md", "a", "", "", "fact", passages=(Passage("the tomatoes need water"),))
    index.apply([item])
    index.add_vectors(embedder.model_id, [1], embedder.embed(["the tomatoes need water"]))
    return Searcher(index, clock, embedder, lambda _: {})


def test_bad_stages(work):
    """A stage that is not there, and a session without a name, are told."""
    with pytest.raises(UnknownWord, match="stage"):
        told(work, "x", stage="second-message")
    with pytest.raises(InvalidInput, match="once"):
        told(work, "x", session="")


# ---------------------------------------------------------------- brain


def test_brain(work):
    """SW-27: a small core is told whole, whatever is asked; facts and events of other people's projects are not in it."""
    bundle = work.recall.core()
    assert all(title in bundle.text for title in ("Move the webhook", "Stripe handles", "Webhook retries", "Short commit"))
    assert "### Index" not in bundle.text
    assert "Plant" not in bundle.text


def test_brain_of_a_large_memory(work):
    """SW-27, SW-28: over 30,000 tokens it is the index and what has to do with the question."""
    for number in range(40):
        work.notes.save("lesson", f"Plant {number} in row {number}", f"Row {number}: " + "light and water " * 300)
    bundle = work.recall.core("webhook retries of Stripe")
    index, about = bundle.text.split("### About the question")
    assert "Plant 7 in row 7" in index
    assert "Stripe replaces" in about and "sent again" in about
    assert "light and water" not in bundle.text
    assert 0 < work.recall.core("webhook", used=0.96).tokens <= 5_000


def test_brain_in_channels(work):
    """SW-27: where others read along, only the index and what is open is told."""
    bundle = work.recall.core("webhook retries", channel=True)
    assert "### Index" in bundle.text and "### Open threads" in bundle.text
    assert "former secret" in bundle.text
    assert "sent again" not in bundle.text


# ---------------------------------------------------------------- topics


def test_topics_of_memories(memory):
    """VO-17: topics given to memories are known at once, after an edit and after a rebuild."""
    saved = memory.notes.save("fact", "Tomatoes", "They want water.").memory
    assert memory.recall.topics().matches == ()
    memory.notes.edit(saved.id, properties={"topics": ["garden"]})
    assert [(one.label, one.items) for one in memory.recall.topics().matches] == [("garden", 1)]
    memory.maintenance.rebuild()
    assert [(one.label, one.items) for one in memory.recall.topics().matches] == [("garden", 1)]
    memory.notes.archive(saved.id)
    assert memory.recall.topics().matches == ()


def test_choosing_a_topic(memory, opened):
    """VO-18: the person can keep a session to a topic and let it go; other processes know it."""
    for title, topic in (("Tomatoes", "garden"), ("Boiler", "house")):
        identity = memory.notes.save("fact", title, f"About the {title}.").memory.id
        memory.notes.edit(identity, properties={"topics": [topic]})
    assert memory.recall.topics(session="s", lock=("House",)).lock == TopicLock({"house": 1.0}, held=True)
    memory.recall.ask(Query("tomatoes", profile="facts", session="s"))
    assert opened().recall.topics(session="s").lock.held
    assert memory.recall.topics(session="s", release=True).lock is None
    with pytest.raises(UnknownWord, match="topic"):
        memory.recall.topics(session="s", lock=("cellar",))
    with pytest.raises(InvalidInput, match="session"):
        memory.recall.topics(lock=("house",))


def test_lock_in_the_story(memory):
    """VO-18: `why` tells what the question and the session were about."""
    memory.notes.save("fact", "Tomatoes", "They want water.")
    found = memory.recall.ask(Query("tomatoes", profile="facts", session="s", scope=Scope()))
    assert read_story(write_story(found)).terms == found.terms
