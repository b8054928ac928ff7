"""What words leave unclear is put to a language model later: rarely, within its budget, and with nothing of its answer but the relation."""

from datetime import timedelta

import pytest
from msgspec.structs import replace
from tests.adapters.llms.llm_stub import serving
from tests.readers import may_read
from tests.scripted_llm import Scripted

from vademecum.domain.errors import BudgetSpent, LLMUnavailable
from vademecum.domain.memory import By

OLD = "The nightly importer reads the invoices folder."
NEW = "The nightly importer skips the invoices folder."


def said_to_be(relation):
    return {"pairs": [{"pair": 1, "relation": relation, "reason": "It says so."}]}


@pytest.fixture
def given(opened):
    """A memory with a model that gives these replies; both are told."""

    def made(*replies):
        memory, llm = opened(), Scripted(list(replies))
        memory.context = replace(
            memory.context,
            models=replace(memory.context.models, llm_name="scripted", open_llm=lambda: llm, llm_mark="mark"),
            pause=lambda seconds: None,
        )
        return may_read(memory), llm

    return made


def pair(memory, clock, kind="fact", **more):
    """Two memories of which the words do not tell what the second is to the first."""
    old = memory.notes.save(kind, OLD, OLD)
    clock.advance(timedelta(hours=1))
    return old.memory, memory.notes.save(kind, NEW, NEW, **more)


def statuses(memory, *ones):
    return [memory.notes.get(one.id).status for one in ones]


def test_nobody_waits_for_the_model(given, clock):
    """VO-34: saving asks nothing; the pair stands in the queue, and only one that is near and about the same does."""
    memory, llm = given(said_to_be("new"))
    memory.notes.save("fact", "The cat sleeps.", "The cat sleeps.")
    old, new = pair(memory, clock)
    assert (new.action, new.unclear, new.asked) == ("saved", old.id, True)
    assert llm.asked == []
    assert [(one.session, one.rival) for one in memory.llm.queue()] == [(new.memory.uri, old.id)]
    report = memory.llm.run()
    assert len(llm.asked) == 1
    assert OLD in llm.asked[0].text
    assert NEW in llm.asked[0].text
    assert (report.reads[0].calls, report.reads[0].error, memory.llm.queue()) == (1, "", ())
    assert statuses(memory, old, new.memory) == ["active", "active"]


def test_off_without_a_model(memory, clock):
    """X-32: without the setting nothing is queued and nobody is asked."""
    _, new = pair(memory, clock)
    assert (new.asked, memory.llm.queue(), memory.llm.run().reads) == (False, (), ())


def test_same(given, clock):
    """Two that say the same become one: the older is confirmed, the newer gives way to it, and one undo brings both back."""
    memory, _ = given(said_to_be("same"))
    old, new = pair(memory, clock)
    memory.llm.run()
    assert statuses(memory, old, new.memory) == ["active", "superseded"]
    assert (memory.notes.get(old.id).confirmations, memory.notes.get(new.memory.id).superseded_by) == (1, (old.id,))
    memory.notes.undo(new.memory.id)
    assert statuses(memory, old, new.memory) == ["active", "active"]
    assert memory.notes.get(old.id).confirmations == 0


def test_update(given, clock, told):
    """What tells a later state replaces the earlier one, and only it is recalled."""
    memory, _ = given(said_to_be("update"))
    old, new = pair(memory, clock)
    memory.llm.run()
    assert statuses(memory, old, new.memory) == ["superseded", "active"]
    assert told(memory, "What does the nightly importer do with the invoices?")[0] == NEW
    memory.notes.undo(new.memory.id)
    assert statuses(memory, old, new.memory) == ["active", "active"]


def test_x37_an_agent_does_not_overrule(given, clock):
    """X-37: an agent's word that a model takes for an update of the person's waits, and the person's stands as it was."""
    memory, _ = given(said_to_be("update"))
    old, new = pair(memory, clock, by=By("agent", "mcp"))
    memory.llm.run()
    assert statuses(memory, old, new.memory) == ["active", "inbox"]


@pytest.mark.parametrize(("relation", "link"), [("extend", "refines"), ("derive", "derived_from")])
def test_links(given, clock, relation, link):
    """What adds to a memory or follows from it is linked with it."""
    memory, _ = given(said_to_be(relation))
    old, new = pair(memory, clock)
    memory.llm.run()
    assert getattr(memory.notes.get(new.memory.id), link) == (old.id,)


def test_decided_meanwhile(given, clock):
    """Nobody is asked about what somebody settled, replaced or removed before its turn came."""
    memory, llm = given()
    old, _ = pair(memory, clock)
    memory.notes.archive(old.id)
    memory.llm.run()
    assert (llm.asked, memory.llm.queue()) == ([], ())


def test_withheld(given, clock):
    """What is tagged as internal or as personal data does not leave the machine."""
    memory, llm = given()
    pair(memory, clock, tags=("visibility/pii",))
    memory.llm.run()
    assert (llm.asked, memory.llm.queue()) == ([], ())


def test_fails_and_parks(given, clock):
    """VO-37: like a conversation it is tried three times, then parked until somebody asks for it, and shown all the while."""
    memory, llm = given(*[LLMUnavailable("It is down.")] * 3, said_to_be("update"))
    old, _ = pair(memory, clock)
    for _ in range(3):
        memory.llm.run()
        clock.advance(timedelta(minutes=10))
    assert [(one.stage, one.error) for one in memory.llm.queue()] == [("parked", "It is down.")]
    memory.llm.retry()
    memory.llm.run()
    assert statuses(memory, old) == ["superseded"]
    assert len(llm.asked) == 4


def test_budget(given, clock):
    """VO-40: it takes from the day's budget; what is spent lets it wait for tomorrow."""
    memory, _ = given(BudgetSpent("The day's tokens are used up."), said_to_be("update"))
    old, _ = pair(memory, clock)
    assert memory.llm.run().state.paused
    assert memory.llm.run().reads == ()
    clock.advance(timedelta(days=1))
    memory.llm.run()
    assert statuses(memory, old) == ["superseded"]


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_over_the_wire(opened, clock, wire):
    """Over a real endpoint of either format: one call, a repair when the answer is no relation, and all of it in the ledger."""
    with serving() as stub:
        memory = may_read(opened(llm=f"{wire}:small", llm_url=stub.url, llm_key="k"))
        memory.context = replace(memory.context, pause=lambda seconds: None)
        old, _ = pair(memory, clock)
        stub.replies = [{"relation": "perhaps"}, said_to_be("update")]
        report = memory.llm.run()
        assert (report.reads[0].calls, len(stub.requests)) == (2, 2)
        assert statuses(memory, old) == ["superseded"]
        assert memory.llm.usage().days[0].calls == 2


def test_pairs_that_wait_are_one_question(given, clock):
    """Pairs that wait are put to the model together: one call, and each pair is joined as its own answer says."""
    answers = {
        "pairs": [{"pair": number, "relation": relation, "reason": ""} for number, relation in ((1, "same"), (2, "extend"))]
    }
    memory, llm = given(answers)
    old, new = pair(memory, clock)
    earlier = memory.notes.save("fact", "The barn door opens towards the yard.", "The barn door opens towards the yard.").memory
    clock.advance(timedelta(hours=1))
    later = memory.notes.save("fact", "The barn door creaks towards the yard.", "The barn door creaks towards the yard.")
    assert later.asked
    report = memory.llm.run()
    assert (len(llm.asked), [read.calls for read in report.reads], memory.llm.queue()) == (1, [1, 0], ())
    assert statuses(memory, old, new.memory) == ["active", "superseded"]
    assert memory.notes.get(later.memory.id).refines == (earlier.id,)


def test_a_pair_without_an_answer_stays_as_it_is(given, clock):
    """Of what the model does not answer for nothing is changed, and it is not asked again."""
    answers = [{"pair": 7, "relation": "same", "reason": ""}, {"pair": 1, "relation": "perhaps", "reason": ""}, "same"]
    memory, _ = given({"pairs": answers})
    old, new = pair(memory, clock)
    memory.llm.run()
    assert statuses(memory, old, new.memory) == ["active", "active"]
    assert memory.llm.queue() == ()
