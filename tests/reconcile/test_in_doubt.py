"""What has likely changed, though nobody said so for sure: both memories stand, everybody is told, and the person decides with one key."""

from datetime import timedelta

import pytest
from msgspec.structs import replace
from tests.readers import may_read
from tests.scripted_llm import Scripted

from vademecum.domain.errors import InvalidInput
from vademecum.domain.ids import short_id
from vademecum.domain.memory import Draft
from vademecum.domain.query import Query, Scope
from vademecum.domain.session import Session, Turn
from vademecum.entrypoints.screens.conflicts import ConflictsScreen
from vademecum.entrypoints.text import saved_text
from vademecum.entrypoints.verbs.maintenance import status_text
from vademecum.entrypoints.verbs.notes import conflicts_text
from vademecum.ingest.batch import found_in
from vademecum.inject.bundle_text import compose_bundle
from vademecum.write.candidates import BY_EXTRACTION
from vademecum.write.gate import keep

OLD = "We run the job queue on RabbitMQ."
NEW = "We now run the job queue on NATS."


@pytest.fixture
def doubting(memory, clock):
    """Two memories of which the later one may have taken the place of the earlier one."""
    old = memory.notes.save("decision", "Queue", OLD, project="shop")
    clock.advance(timedelta(days=30))
    return old.memory, memory.notes.save("decision", "Broker", NEW, project="shop")


def test_both_stand_and_it_is_told(memory, doubting):
    """X-44: nothing is done away with; the later memory names the earlier one, in its file and in the answer."""
    old, saved = doubting
    assert (saved.action, saved.replaced, saved.related, saved.likely) == ("saved", (), (), old.id)
    assert memory.notes.get(saved.memory.id).may_replace == (old.id,)
    assert memory.notes.get(old.id).status == "active"
    assert f"vade settle {short_id(saved.memory.id)}" in saved_text(saved)


def test_recall_and_briefing_say_so(memory, doubting):
    """Whoever is told the earlier one is told at once that it may no longer hold, and where to look; the later one stands before it."""
    old, saved = doubting
    found = memory.recall.ask(Query("which queue do we run jobs on"))
    marks = {hit.item.key: hit.may_be_replaced_by for hit in found.hits}
    assert [hit.item.key for hit in found.hits][:2] == [saved.memory.uri, old.uri]  # whatever their words say
    assert marks[old.uri] == saved.memory.uri
    assert marks[saved.memory.uri] == ""
    told = compose_bundle(found, 1000, memory.now()).text
    assert told.count("may be outdated") == 1
    briefing = memory.recall.briefing("shop").text
    line = next(line for line in briefing.splitlines() if "may be outdated" in line)
    assert "RabbitMQ" in line and short_id(saved.memory.uri) in line and "**Queue**" in line


def test_nothing_is_doubted_in_the_past(memory, clock, doubting):
    """Asked what was believed then, the earlier memory stands without a mark."""
    clock.advance(timedelta(days=1))
    then = Query("which queue do we run jobs on", Scope(as_of=memory.now() - timedelta(days=20)))
    assert [(hit.item.key, hit.may_be_replaced_by) for hit in memory.recall.ask(then).hits] == [(doubting[0].uri, "")]


def test_settle_says_it_took_its_place(memory, doubting):
    """Settled, the earlier one gives way and held until the later began; one undo makes it open again."""
    old, saved = doubting
    kept = memory.notes.settle(saved.memory.id)
    gone = memory.notes.get(old.id)
    assert (kept.may_replace, kept.supersedes, kept.status) == ((), (old.id,), "active")
    assert (gone.status, gone.superseded_by) == ("superseded", (saved.memory.id,))
    assert memory.notes.conflicts() == ()
    memory.notes.undo(saved.memory.id)
    assert memory.notes.get(old.id).status == "active"
    assert [(one.later.key, one.earlier.key) for one in memory.notes.conflicts()] == [(saved.memory.uri, old.uri)]


def test_settle_both_hold(memory, doubting):
    """Said to hold both, they are related and nobody is asked again."""
    old, saved = doubting
    kept = memory.notes.settle(saved.memory.id, both=True)
    assert (kept.may_replace, kept.related) == ((), (old.id,))
    assert memory.notes.get(old.id).status == "active"
    assert memory.notes.conflicts() == ()
    with pytest.raises(InvalidInput, match="no other's place"):
        memory.notes.settle(saved.memory.id)


def test_the_earlier_can_hold(memory, doubting):
    """Settled the other way round, the later one gives way; one undo makes it open again."""
    old, saved = doubting
    kept = memory.notes.settle(old.id)
    gone = memory.notes.get(saved.memory.id)
    assert (kept.status, kept.supersedes) == ("active", (saved.memory.id,))
    assert (gone.status, gone.superseded_by) == ("superseded", (old.id,))
    assert memory.notes.conflicts() == ()
    memory.notes.undo(old.id)
    assert [(one.later.key, one.earlier.key) for one in memory.notes.conflicts()] == [(saved.memory.uri, old.uri)]


def test_both_hold_said_of_the_earlier(memory, doubting):
    """That both hold can be said of either one, and nobody is asked again."""
    old, saved = doubting
    memory.notes.settle(old.id, both=True)
    assert (memory.notes.get(old.id).status, memory.notes.get(saved.memory.id).may_replace) == ("active", ())
    assert memory.notes.conflicts() == ()


def test_an_old_statement_read_later_is_in_doubt(memory, clock):
    """A statement of last month that is read after a note of today is in doubt with it, and it is the one that may no longer hold."""
    new = memory.notes.save("fact", "Backups", "Backups go to Backblaze.").memory
    said = memory.now() - timedelta(days=30)
    old = memory.notes.save("decision", "Backups of then", "Backups go to Wasabi now.", said=said)
    assert old.likely == new.id
    assert [(one.later.key, one.earlier.key) for one in memory.notes.conflicts()] == [(new.uri, old.memory.uri)]
    memory.notes.settle(old.memory.id, both=True)
    assert memory.notes.conflicts() == ()


def test_a_project_may_have_its_own_way(memory):
    """What is so in a project is in doubt with what is so everywhere; a way of working of a project is not."""
    general = memory.notes.save("fact", "Backups", "Backups go to Backblaze.").memory
    assert memory.notes.save("fact", "Shop backups", "Backups go to Wasabi now.", project="shop").likely == general.id
    memory.notes.save("preference", "Indent", "We indent with tabs.")
    assert memory.notes.save("preference", "Shop indent", "We indent with spaces.", project="shop").likely == ""


def test_doubts_are_listed(memory, doubting):
    """`vade settle --open` shows both sides and how to decide, for one project or all."""
    old, saved = doubting
    text = conflicts_text(memory.notes.conflicts("shop"))
    assert short_id(old.id) in text and short_id(saved.memory.id) in text and "vade settle ID --both" in text
    assert memory.notes.conflicts("other") == ()
    assert "conflicts  1" in status_text(memory.maintenance.status())
    assert "No memory is in conflict" in conflicts_text(())


def test_gone_is_in_doubt_no_more(memory, doubting):
    """What was put away or forgotten meanwhile leaves no doubt behind."""
    old, saved = doubting
    memory.notes.archive(old.id)
    assert memory.notes.conflicts() == ()
    memory.notes.restore(old.id)
    assert len(memory.notes.conflicts()) == 1
    memory.notes.forget(saved.memory.id, yes=True)
    assert memory.notes.conflicts() == ()
    assert all(hit.may_be_replaced_by == "" for hit in memory.recall.ask(Query("which queue do we run jobs on")).hits)


@pytest.mark.parametrize(("keys", "left"), [("y", 0), ("b", 0), ("s", 1), ("q", 1), ("xb", 0)])
def test_one_key_decides(memory, doubting, keys, left):
    """In the screen `y` lets the earlier one give way, `b` keeps both, `s` leaves it, any other key shows the keys."""
    pressed, shown = list(keys), []
    ConflictsScreen(memory, lambda: pressed.pop(0), shown.append, ("q",)).run()
    assert len(memory.notes.conflicts()) == left
    assert not pressed
    assert any(OLD in line for line in shown) and any(NEW in line for line in shown)


def test_take_back_in_the_screen(memory, clock, doubting):
    """`u` takes the last decision back and asks again, whatever it was."""
    memory.notes.save("preference", "Editor", "I write everything in Sublime Text.")
    clock.advance(timedelta(days=1))
    memory.notes.save("preference", "Other editor", "I now write everything in Helix.")
    assert len(memory.notes.conflicts()) == 2
    pressed, shown = list("ubuys"), []
    ConflictsScreen(memory, lambda: pressed.pop(0), shown.append, ("q",)).run()
    assert shown.count("  taken back") == 1
    assert len(memory.notes.conflicts()) == 1
    assert memory.notes.list(status=("superseded",))


def test_silent_without_doubts(memory):
    """Where nothing is in doubt, the screen says nothing and asks for no key."""
    shown = []
    assert ConflictsScreen(memory, lambda: "y", shown.append, ("q",)).run() == 0
    assert shown == []


@pytest.mark.parametrize(("relation", "status"), [("update", "superseded"), ("new", "active"), ("extend", "active")])
def test_a_model_decides_too(opened, clock, relation, status):
    """With a model, the same two are put to it; whatever it says, nobody else is asked afterwards."""
    memory, llm = opened(), Scripted([{"pairs": [{"pair": 1, "relation": relation, "reason": "It says so."}]}])
    memory.context = replace(
        memory.context,
        models=replace(memory.context.models, llm_name="scripted", open_llm=lambda: llm, llm_mark="mark"),
        pause=lambda _: None,
    )
    old = memory.notes.save("decision", "Queue", OLD, project="shop").memory
    clock.advance(timedelta(days=30))
    saved = memory.notes.save("decision", "Broker", NEW, project="shop")
    assert (saved.asked, len(memory.notes.conflicts())) == (True, 1)
    may_read(memory).llm.run()
    assert memory.notes.get(old.id).status == status
    assert memory.notes.conflicts() == ()
    assert memory.notes.get(saved.memory.id).may_replace == ()


@pytest.mark.parametrize(
    ("old", "kind", "new", "other"),
    [
        ("I use nano.", "fact", "I switched from nano to Zed.", "fact"),
        ("I use nano.", "preference", "I switched from nano to Zed.", "decision"),
        ("The builds run on Travis.", "fact", "We switched the builds from Travis to Drone two weeks ago.", "decision"),
        ("The builds run on Travis.", "fact", "The builds run on Drone now.", "decision"),
        ("Logs go to Papertrail.", "fact", "Logs go to Loki now.", "fact"),
        ("Logs go to Papertrail every hour.", "fact", "We moved the logs to Loki.", "decision"),
        ("I live in Lyon.", "identity", "I moved to Turin.", "fact"),
        ("We use Memcached for sessions.", "decision", "For sessions we use Valkey now.", "decision"),
        ("We use Memcached for sessions.", "fact", "We no longer use Memcached for sessions.", "decision"),
        ("We use Memcached.", "fact", "We no longer use Memcached, we use Valkey.", "decision"),
        (
            "Wir nutzen Memcached für Sitzungen.",
            "fact",
            "Wir sind für Sitzungen von Memcached auf Valkey umgestiegen.",
            "decision",
        ),
    ],
)
@pytest.mark.parametrize("embedder", ["none", "use"])
def test_a_change_is_noticed_whatever_its_kind_and_words(opened, clock, old, kind, new, other, embedder):
    """VO-31: what changed is doubted though it was kept as another kind of memory, and however the change is worded."""
    memory = opened(embedder=embedder)
    first = memory.notes.save(kind, old, old).memory
    clock.advance(timedelta(days=2))
    later = memory.notes.save(other, new, new).memory
    named = {(doubt.later.key, doubt.earlier.key) for doubt in memory.notes.conflicts()}
    assert named & {(later.uri, first.uri), (first.uri, later.uri)}


@pytest.mark.parametrize(
    ("old", "kind", "new", "other"),
    [
        ("The builds run on Travis.", "fact", "The builds take ten minutes now.", "decision"),
        ("The API listens on port 8080.", "fact", "The API moved to its own repository.", "decision"),
        ("I use nano.", "fact", "I use Zed for Rust now.", "preference"),
        ("We use Memcached for sessions.", "fact", "We use Postgres for orders now.", "decision"),
        ("Logs go to Papertrail.", "fact", "Invoices go to the tax office now.", "fact"),
        ("I live in Lyon.", "identity", "The team moved to Turin.", "fact"),
        ("The shop uses Stripe.", "fact", "The shop also uses PayPal now.", "decision"),
        ("I use nano.", "fact", "We moved the logs from Papertrail to Loki.", "decision"),
    ],
)
@pytest.mark.parametrize("embedder", ["none", "use"])
def test_what_is_said_of_something_else_is_no_change(opened, clock, old, kind, new, other, embedder):
    """VO-31: two statements of one topic, or with one verb, that can both hold raise no doubt."""
    memory = opened(embedder=embedder)
    memory.notes.save(kind, old, old)
    clock.advance(timedelta(days=2))
    memory.notes.save(other, new, new)
    assert memory.notes.conflicts() == ()


@pytest.mark.parametrize(
    ("old", "kind", "spoken"),
    [
        ("The builds run on Travis.", "fact", "We switched the builds from Travis to Drone two weeks ago."),
        ("I live in Lyon.", "identity", "I moved to Turin."),
        ("Logs go to Papertrail.", "fact", "Logs go to Loki now."),
        ("I use nano.", "fact", "I switched from nano to Zed."),
    ],
)
def test_a_change_that_is_spoken_is_noticed(memory, clock, old, kind, spoken):
    """VO-31: what a person says of a change in a session is kept and doubts what was known, in `vade settle --open` and in the answers."""
    first = memory.notes.save(kind, old, old).memory
    clock.advance(timedelta(days=2))
    said, _ = found_in(Session("plain", "s1", "/s1.jsonl", (Turn("t1", "user", spoken),)))
    assert len(said) == 1
    draft = Draft(
        said[0].kind, said[0].text[:60], said[0].text, properties={"trust": "extracted", "source": "session://plain/s1"}
    )
    kept = keep(memory.context, draft, by=BY_EXTRACTION, unique=True).memory
    assert [{one.later.key, one.earlier.key} for one in memory.notes.conflicts()] == [{first.uri, kept.uri}]
    marks = {hit.item.key: hit.may_be_replaced_by for hit in memory.recall.ask(Query(f"{old} {spoken}")).hits}
    assert marks[first.uri] == kept.uri


def test_successors_of_successors(memory, clock):
    """X-38: two devices replaced one memory and one of them replaced its own again: the two that stand are told as doubtful."""
    first = memory.notes.save("decision", "Queue", OLD).memory
    here = memory.notes.evolve(first.id, "it changed", body="We run the job queue on NATS.").memory
    there = memory.notes.save("decision", "Broker", "Jobs wait in Kafka.").memory
    memory.context.vault.edit(there.id, properties={"supersedes": [first.id]})
    memory.maintenance.sync()
    clock.advance(timedelta(days=1))
    latest = memory.notes.evolve(here.id, "it changed", body="We run the job queue on Pulsar.").memory
    assert [{one.later.key, one.earlier.key} for one in memory.notes.conflicts()] == [{latest.uri, there.uri}]
