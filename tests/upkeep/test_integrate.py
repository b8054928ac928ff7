"""The integration ladder: what becomes of a statement that is like a known one, at every door that saves."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum import demo
from vademecum.compose.bundle import compose_bundle
from vademecum.model.errors import InvalidInput
from vademecum.model.memory import By
from vademecum.model.query import Query
from vademecum.upkeep.integrate import step_for
from vademecum.upkeep.statements import compare, taken_apart
from vademecum.vault.callouts import with_callout, without_callouts
from vademecum.vault.store import Draft

AGENT = By("agent", "mcp")


def said(memory, text, kind="fact", **more):
    return memory.save(kind, text, text, unique=True, **more)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Uses tabs for indentation.", "Uses spaces for indentation."),
        ("The API listens on port 8080.", "The API listens on port 8081."),
        ("Likes dark themes.", "Does not like dark themes."),
        ("Der Server läuft auf Port 443.", "Der Server läuft auf Port 444."),
        ("Le gusta el café.", "No le gusta el café."),
        ("Gosta de temas escuros.", "Não gosta de temas escuros."),
        ("喜欢深色主题。", "不喜欢深色主题。"),
        ("Prefers tabs over spaces.", "Prefers spaces over tabs."),
    ],
)
@pytest.mark.parametrize("embedder", ["none", "static"])
def test_x44_alike_is_not_same(opened, old, new, embedder):
    """X-44: another value, another number or a denial lies nearest of all in vectors, and is never taken for the same."""
    memory = opened(embedder=embedder)
    first = said(memory, old).memory
    second = said(memory, new)
    assert second.action not in ("confirmed", "superseded")
    assert memory.get(first.id).confirmations == 0
    assert memory.get(first.id).status in ("active", "disputed")


def test_same_confirms(memory):
    """Said again in other forms of the same words, it is confirmed with the moment, and not written twice."""
    first = said(memory, "The API listens on port 8080.").memory
    again = said(memory, "The API is listening on port 8080!")
    assert (again.action, again.memory.id, again.memory.confirmations) == ("confirmed", first.id, 1)
    assert again.memory.last_confirmed is not None
    assert len(memory.list()) == 1


def test_update_replaces_and_undo(memory, clock):
    """What says that it changed replaces what it changed, with the time until which that held; one undo brings it back."""
    first = said(memory, "We use Redis for caching.", "decision").memory
    clock.advance(timedelta(days=3))
    second = said(memory, "We no longer use Redis for caching.", "decision")
    assert (second.action, second.replaced) == ("superseded", (first.id,))
    gone = memory.get(first.id)
    assert (gone.status, gone.superseded_by, gone.valid_until) == ("superseded", (second.memory.id,), clock.now())
    memory.undo(first.id)
    back = memory.get(first.id)
    assert (back.status, back.valid_until) == ("active", None)
    kept = memory.get(second.memory.id)
    assert (kept.status, kept.supersedes) == ("active", ())  # what was said stays; only what it did to the other is taken back
    memory.undo(kept.id)
    assert [one.key for one in memory.list()] == [first.uri]


def test_contradiction_stays_on_both_sides(memory, home, told):
    """HW-07: without a winner both stand, each with a callout that names the other, and recall and briefing say that they are disputed."""
    first = said(memory, "The meeting is on Tuesday.").memory
    second = said(memory, "The meeting is on Thursday.")
    assert (second.action, second.related) == ("disputed", (first.id,))
    for one, other in ((first.id, second.memory.id), (second.memory.id, first.id)):
        now = memory.get(one)
        assert (now.status, now.contradicts) == ("disputed", (other,))
        assert "> [!contradiction] [[" in (home / now.path).read_text(encoding="utf-8")
    found = memory.recall(Query("When is the meeting?"))
    assert {hit.item.status for hit in found.hits} == {"disputed"}
    assert "disputed" in compose_bundle(found, 500, memory.now()).text
    assert told(memory, "Tuesday") == ["The meeting is on Tuesday.", "The meeting is on Thursday."]


def test_disputed_in_briefing(memory):
    """A briefing tells disputed memories, and says that they are."""
    said(memory, "Lives in Lisbon.", "identity")
    said(memory, "Lives in Berlin.", "identity")
    text = memory.briefing().text
    assert "Lisbon" in text
    assert "Berlin" in text
    assert text.count("disputed") == 2


def test_settle(memory, clock):
    """One verb says which holds: it stands without a callout, the other gives way, and undo makes both disputed again."""
    first = said(memory, "The meeting is on Tuesday.").memory
    second = said(memory, "The meeting is on Thursday.").memory
    clock.advance(timedelta(hours=1))
    kept = memory.settle(second.id, "the calendar says so")
    assert (kept.status, kept.contradicts, kept.supersedes) == ("active", (), (first.id,))
    assert "contradiction" not in kept.body
    gone = memory.get(first.id)
    assert (gone.status, gone.superseded_by) == ("superseded", (second.id,))
    assert "contradiction" not in gone.body
    memory.undo(second.id)
    assert [memory.get(one).status for one in (first.id, second.id)] == ["disputed", "disputed"]


def test_settle_both(memory):
    """What does not contradict after all stands on both sides again, related, each text as it was before."""
    first = said(memory, "The meeting is on Tuesday.").memory
    second = said(memory, "The meeting is on Thursday.").memory
    memory.settle(first.id, both=True)
    one, two = memory.get(first.id), memory.get(second.id)
    assert (one.status, one.related, one.body.strip()) == ("active", (two.id,), first.body)
    assert (two.status, two.related) == ("active", (one.id,))
    with pytest.raises(InvalidInput):
        memory.settle(first.id)


def test_dispute_of_three(memory):
    """A third value is disputed with the first two; settling on it lets both give way."""
    ids = [said(memory, f"The meeting is on {day}.").memory.id for day in ("Tuesday", "Thursday", "Friday")]
    assert set(memory.get(ids[2]).contradicts) == set(ids[:2])
    memory.settle(ids[2])
    assert [memory.get(one).status for one in ids] == ["superseded", "superseded", "active"]


def test_agent_does_not_overrule(memory):
    """X-37: an agent's word is held against the person's, and never replaces it."""
    first = said(memory, "The API listens on port 8080.").memory
    second = said(memory, "The API now listens on port 8081.", by=AGENT)
    assert second.action == "disputed"
    assert memory.get(first.id).status == "disputed"


def test_other_project(memory):
    """What is so in one project says nothing about another, nor about what holds everywhere."""
    said(memory, "The API listens on port 8080.", project="shop")
    assert said(memory, "The API now listens on port 8081.", project="blog").action == "saved"
    assert said(memory, "The API now listens on port 8082.").action == "saved"


def test_topics_differ(memory):
    """Where both name topics, one must be the same; alike words are not enough."""
    said(memory, "The timeout is 30 seconds.", topics=("login",))
    assert said(memory, "The timeout is 45 seconds.", topics=("search",)).action == "saved"
    assert said(memory, "The timeout is now 60 seconds.", topics=("login",)).action == "superseded"


def test_events_repeat(memory):
    """Events look alike and are many; none does away with another."""
    said(memory, "Deployed version 2 on Monday.", "event")
    assert said(memory, "Now deployed version 3 on Monday.", "event").action == "saved"


def test_proposal_changes_nothing(memory):
    """What waits in the inbox touches no memory before the person approved it."""
    first = said(memory, "The API listens on port 8080.").memory
    assert said(memory, "The API now listens on port 8081.", status="inbox").action == "inbox"
    assert memory.get(first.id).status == "active"


@pytest.mark.parametrize(("stated", "relation"), [("extend", "refines"), ("derive", "derived_from")])
def test_stated_links(memory, stated, relation):
    """VO-33: what a model says adds to or follows from a memory is linked with the nearest one."""
    first = said(memory, "The importer reads files from the inbox folder.").memory
    second = said(memory, "The importer reads files from the inbox folder every night.", relation=stated)
    assert (second.action, second.related) == ("saved", (first.id,))
    assert getattr(memory.get(second.memory.id), relation) == (first.id,)


def test_stated_update(memory):
    """VO-32: a stated update replaces what is near enough and about the same; with nothing near it is an insert like any other."""
    first = said(memory, "The build server runs Debian 11.").memory
    far = said(memory, "The office has a new coffee machine.", relation="update")
    near = said(memory, "The build server has been upgraded to Debian 12.", relation="update")
    assert (far.action, near.action, near.replaced) == ("saved", "superseded", (first.id,))


def test_unclear_is_named(memory):
    """VO-34: what is near and about the same, and no clearer by its words, is kept as new and names the memory that may be meant."""
    first = said(memory, "The nightly importer reads the invoices folder.").memory
    assert said(memory, "The cat sleeps.").unclear == ""
    assert said(memory, "The API listens on port 80.").unclear == ""
    second = said(memory, "The nightly importer skips the invoices folder.")
    assert (second.action, second.unclear, second.asked) == ("saved", first.id, False)


def test_target_is_meant(memory):
    """A relation that was stated of one memory is believed of that one alone, and only where it is near and about the same."""
    near = said(memory, "The build server of the shop runs Debian 11.").memory
    far = said(memory, "The office has a coffee machine.").memory
    draft = Draft("fact", "x", "The build server of the shop has been upgraded to Debian 12.")
    assert step_for(memory.parts, draft, "update", near.id).others == (near.id,)
    assert far.id not in step_for(memory.parts, draft, "update", far.id).others


def test_several_meant_means_none(memory):
    """X-44: a change that could mean several memories does away with none of them."""
    said(memory, "Build jobs of the shop run on Debian.", kind="decision")
    said(memory, "Build jobs of the blog run on Debian.", kind="decision")
    step = step_for(memory.parts, Draft("decision", "x", "Build jobs no longer run on Debian."))
    assert step.relation != "update"


def test_earlier_word_does_not_win(memory, clock):
    """An old conversation that is read late does not replace what was said after it."""
    first = said(memory, "The API listens on port 8081.", valid_from=clock.now()).memory
    earlier = clock.now().replace(year=2024)
    late = said(memory, "The API now listens on port 8080.", valid_from=earlier)
    assert late.action == "disputed"
    assert memory.get(first.id).status == "disputed"


@given(st.text(max_size=300), st.text(max_size=300))
def test_compare_anything(old, new):
    """Any two texts can be compared; what is equal says the same, unless nothing is left of it."""
    assert 0 <= compare(old, new).overlap <= 1
    same = compare(new, new)
    assert same.relation == "same" or not taken_apart(new).words or taken_apart(new).gone


@given(
    st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=80),
    st.lists(st.sampled_from(["A", "B c"]), max_size=3),
)
def test_callouts_come_and_go(body, others):
    """A body is as it was once the callouts are taken out, but for the newline that they needed to begin on a line of their own."""
    plain = without_callouts(body)
    marked = plain
    for other in others:
        marked = with_callout(marked, other, "it says\nmore")
    newline = "\r\n" if "\r\n" in plain else "\n"
    started = plain if not others or not plain or plain.endswith("\n") else plain + newline
    assert without_callouts(marked) == started


def test_settle_what_is_gone(memory):
    """A memory whose rival was put away or forgotten meanwhile is not disputed for ever: settling makes it stand."""
    first = said(memory, "The meeting is on Tuesday.").memory
    second = said(memory, "The meeting is on Thursday.").memory
    memory.archive(first.id)
    assert memory.settle(second.id).status == "active"
    third = said(memory, "The meeting is on Friday.").memory
    memory.forget(second.id, yes=True)
    kept = memory.settle(third.id)
    assert (kept.status, kept.contradicts, kept.supersedes) == ("active", (), ())


def test_x44_a_whole_project_keeps_its_truths(memory):
    """X-44: over the sample conversations of one project, which share many words, only what was given up gives way."""
    memory.capture((str(Path(demo.__file__).parent / "transcripts"),))
    gone = sorted(item.title for item in memory.list(status=("superseded",)))
    assert len(gone) == 2, gone
    assert "always want a short summary" in gone[0]
    assert "deploy on Fly" in gone[1]
