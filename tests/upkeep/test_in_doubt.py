"""What has likely changed, though nobody said so for sure: both memories stand, everybody is told, and the person decides with one key."""

from dataclasses import replace
from datetime import timedelta

import pytest

from vademecum.adapters.llms.reference import Scripted
from vademecum.compose.bundle import compose_bundle
from vademecum.doors import show
from vademecum.doors.doubts_screen import DoubtsScreen
from vademecum.model.errors import InvalidInput
from vademecum.model.query import Query, Scope
from vademecum.model.session import Candidate
from vademecum.upkeep import integrate
from vademecum.upkeep.propose import route

OLD = "We run the job queue on RabbitMQ."
NEW = "Moved off RabbitMQ last month, the job queue is on NATS now."


@pytest.fixture
def doubting(memory, clock, monkeypatch):
    """Two memories of which the later one only likely takes the place of the earlier one."""
    monkeypatch.setattr(integrate, "REPLACED", 99.0)
    old = memory.save("decision", "Queue", OLD, project="shop")
    clock.advance(timedelta(days=30))
    return old.memory, memory.save("decision", "Broker", NEW, project="shop")


def test_both_stand_and_it_is_told(memory, doubting):
    """X-44: nothing is done away with; the later memory names the earlier one, in its file and in the answer."""
    old, saved = doubting
    assert (saved.action, saved.replaced, saved.related, saved.likely) == ("saved", (), (), old.id)
    assert memory.get(saved.memory.id).may_replace == (old.id,)
    assert memory.get(old.id).status == "active"
    assert f"vade settle {saved.memory.id}" in show.saved(saved)


def test_recall_and_briefing_say_so(memory, doubting):
    """Whoever is told the earlier one is told at once that it may no longer hold, and where to look; the later one stands before it."""
    old, saved = doubting
    found = memory.recall(Query("which queue do we run jobs on"))
    marks = {hit.item.key: hit.doubted_by for hit in found.hits}
    assert [hit.item.key for hit in found.hits][:2] == [saved.memory.uri, old.uri]  # whatever their words say
    assert marks[old.uri] == saved.memory.uri
    assert marks[saved.memory.uri] == ""
    told = compose_bundle(found, 1000, memory.now()).text
    assert told.count("perhaps no longer so") == 1
    briefing = memory.briefing("shop").text
    line = next(line for line in briefing.splitlines() if "perhaps no longer so" in line)
    assert "RabbitMQ" in line and saved.memory.uri in line and "**Queue**" in line


def test_nothing_is_doubted_in_the_past(memory, clock, doubting):
    """Asked what was believed then, the earlier memory stands without a mark."""
    clock.advance(timedelta(days=1))
    then = Query("which queue do we run jobs on", Scope(as_of=memory.now() - timedelta(days=20)))
    assert [(hit.item.key, hit.doubted_by) for hit in memory.recall(then).hits] == [(doubting[0].uri, "")]


def test_settle_says_it_took_its_place(memory, doubting):
    """Settled, the earlier one gives way and held until the later began; one undo makes it open again."""
    old, saved = doubting
    kept = memory.settle(saved.memory.id)
    gone = memory.get(old.id)
    assert (kept.may_replace, kept.supersedes, kept.status) == ((), (old.id,), "active")
    assert (gone.status, gone.superseded_by) == ("superseded", (saved.memory.id,))
    assert memory.doubts() == ()
    memory.undo(saved.memory.id)
    assert memory.get(old.id).status == "active"
    assert [(one.later.key, one.earlier.key) for one in memory.doubts()] == [(saved.memory.uri, old.uri)]


def test_settle_both_hold(memory, doubting):
    """Said to hold both, they are related and nobody is asked again."""
    old, saved = doubting
    kept = memory.settle(saved.memory.id, both=True)
    assert (kept.may_replace, kept.related) == ((), (old.id,))
    assert memory.get(old.id).status == "active"
    assert memory.doubts() == ()
    with pytest.raises(InvalidInput, match="no other's place"):
        memory.settle(saved.memory.id)


def test_of_the_earlier_nothing_can_be_settled(memory, doubting):
    """Only the later one can be settled: which of several would hold is its question."""
    old, _ = doubting
    with pytest.raises(InvalidInput, match="takes no other's place"):
        memory.settle(old.id)


def test_doubts_are_listed(memory, doubting):
    """`vade doubts` shows both sides and how to decide, for one project or all."""
    old, saved = doubting
    text = show.doubts(memory.doubts("shop"))
    assert old.id in text and saved.memory.id in text and "vade settle ID --both" in text
    assert memory.doubts("other") == ()
    assert "doubts     1" in show.status(memory.status())
    assert "No memory is in doubt" in show.doubts(())


def test_gone_is_in_doubt_no_more(memory, doubting):
    """What was put away or forgotten meanwhile leaves no doubt behind."""
    old, saved = doubting
    memory.archive(old.id)
    assert memory.doubts() == ()
    memory.restore(old.id)
    assert len(memory.doubts()) == 1
    memory.forget(saved.memory.id, yes=True)
    assert memory.doubts() == ()
    assert all(hit.doubted_by == "" for hit in memory.recall(Query("which queue do we run jobs on")).hits)


@pytest.mark.parametrize(("keys", "left"), [("y", 0), ("b", 0), ("s", 1), ("q", 1), ("xb", 0)])
def test_one_key_decides(memory, doubting, keys, left):
    """In the screen `y` lets the earlier one give way, `b` keeps both, `s` leaves it, any other key shows the keys."""
    pressed, shown = list(keys), []
    DoubtsScreen(memory, lambda: pressed.pop(0), shown.append, ("q",)).run()
    assert len(memory.doubts()) == left
    assert not pressed
    assert any(OLD in line for line in shown) and any(NEW in line for line in shown)


def test_take_back_in_the_screen(memory, clock, doubting):
    """`u` takes the last decision back and asks again, whatever it was."""
    memory.save("preference", "Editor", "I write everything in Sublime Text.")
    clock.advance(timedelta(days=1))
    memory.save("preference", "Other editor", "No longer in Sublime Text, I write everything in Helix now.")
    assert len(memory.doubts()) == 2
    pressed, shown = list("ubuys"), []
    DoubtsScreen(memory, lambda: pressed.pop(0), shown.append, ("q",)).run()
    assert shown.count("  taken back") == 1
    assert len(memory.doubts()) == 1
    assert memory.list(status=("superseded",))


def test_silent_without_doubts(memory):
    """Where nothing is in doubt, the screen says nothing and asks for no key."""
    shown = []
    assert DoubtsScreen(memory, lambda: "y", shown.append, ("q",)).run() == 0
    assert shown == []


def candidate(text, when):
    """A guess of a person's sentence."""
    return Candidate(
        "decision", "Broker", text, "low", 0.6, "session://plain/two", ("t1", "t1"), "cues.change: words", text,
        pattern="cues.change", project="shop", time=when,
    )  # fmt: skip


def test_a_guess_is_proposed_with_what_it_would_replace(memory, clock, monkeypatch):
    """A sentence too unsure to be saved that likely changes something known waits for the person, who sees what it would replace; approved,
    it does. Without anything it could change it is dropped."""
    monkeypatch.setattr(integrate, "REPLACED", 99.0)
    assert route(memory.parts, candidate(NEW, clock.now()), "plain").action == "dropped"
    old = memory.save("decision", "Queue", OLD, project="shop").memory
    clock.advance(timedelta(days=30))
    waiting = route(memory.parts, candidate(NEW, clock.now()), "plain")
    assert waiting.action == "inbox"
    assert memory.get(old.id).status == "active"
    assert [one.id for one in memory.foreseen(waiting.memory).others] == [old.id]
    assert memory.decide(waiting.memory.id, "approve").relation == "update"
    assert memory.get(old.id).status == "superseded"


@pytest.mark.parametrize(("relation", "status"), [("update", "superseded"), ("new", "active"), ("extend", "active")])
def test_a_model_decides_too(opened, clock, monkeypatch, relation, status):
    """With a model, the same two are put to it; whatever it says, nobody else is asked afterwards."""
    monkeypatch.setattr(integrate, "REPLACED", 99.0)
    memory, llm = opened(), Scripted([{"relation": relation, "reason": "It says so."}])
    memory.parts = replace(
        memory.parts, llm_name="scripted", open_llm=lambda ledger: llm, llm_mark="mark", pause=lambda _: None
    )
    old = memory.save("decision", "Queue", OLD, project="shop").memory
    clock.advance(timedelta(days=30))
    saved = memory.save("decision", "Broker", NEW, project="shop")
    assert (saved.asked, len(memory.doubts())) == (True, 1)
    memory.queue_run()
    assert memory.get(old.id).status == status
    assert memory.doubts() == ()
    assert memory.get(saved.memory.id).may_replace == ()
