"""The integration ladder: what becomes of a statement that is like a known one, at every door that saves."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum import demo
from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import BY_PERSON, By, Draft
from vademecum.domain.query import Query
from vademecum.domain.saved import SaveOptions
from vademecum.inject.bundle_text import compose_bundle
from vademecum.reconcile.compare import compare, taken_apart
from vademecum.reconcile.decide import step_for
from vademecum.vault.callouts import with_callout, without_callouts
from vademecum.write.candidates import BY_EXTRACTION
from vademecum.write.gate import Stated, keep

AGENT = By("agent", "mcp")


def said(memory, text, kind="fact", relation="new", **more):
    return memory.notes.save(kind, text, text, SaveOptions(unique=True, relation=relation), **more)


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
@pytest.mark.parametrize("embedder", ["none", "use"])
def test_x44_alike_is_not_same(opened, old, new, embedder):
    """X-44: another value, another number or a denial lies nearest of all in vectors, and is never taken for the same."""
    memory = opened(embedder=embedder)
    first = said(memory, old).memory
    second = said(memory, new)
    assert second.action not in ("confirmed", "superseded")
    assert memory.notes.get(first.id).confirmations == 0
    assert memory.notes.get(first.id).status in ("active", "disputed")


TRAP = (
    "rtk bun run test fails with an unrecognized subcommand error, because rtk does not know bun; run bun run test without rtk."
)
TRAP_AGAIN = (
    "`rtk bun run test` fails with unrecognized subcommand 'bun', because the rtk wrapper does not know bun; run bun directly."
)


def learnt(memory, text, session="a", kind="lesson", by=BY_EXTRACTION):
    draft = Draft(kind, text[:60], text, properties={"source": f"session://plain/{session}"})
    return keep(memory.context, draft, by=by, unique=True)


def test_a_lesson_met_again_is_confirmed(opened):
    """The same trap on another day, told in other words, confirms the lesson that stands; its words stay in the journal."""
    memory = opened(embedder="use")
    first = learnt(memory, TRAP).memory
    again = learnt(memory, TRAP_AGAIN, "b")
    assert (again.action, again.memory.id) == ("confirmed", first.id)
    assert "unrecognized subcommand 'bun'" in str(memory.notes.history(first.id))


@pytest.mark.parametrize(
    ("old", "new", "given"),
    [
        (TRAP, TRAP_AGAIN, {"by": BY_PERSON}),
        (TRAP, TRAP_AGAIN, {"kind": "fact"}),
        ("The build of the site fails on Node 18, so it is run on Node 20.",) * 2 + ({},),
    ],
)
def test_x44_near_lessons_are_not_the_same(opened, old, new, given):
    """X-44: what the person says themselves, another kind, and another number are kept however near they lie."""
    memory = opened(embedder="use")
    learnt(memory, old, **given)
    other = new.replace("20", "22")
    assert learnt(memory, other, "b", **given).action not in ("confirmed", "superseded")


def test_same_confirms(memory):
    """Said again in other forms of the same words, it is confirmed with the moment, and not written twice."""
    first = said(memory, "The API listens on port 8080.").memory
    again = said(memory, "The API is listening on port 8080!")
    assert (again.action, again.memory.id, again.memory.confirmations) == ("confirmed", first.id, 1)
    assert again.memory.last_confirmed is not None
    assert len(memory.notes.list()) == 1


def test_what_words_tell_of_a_change_is_a_doubt(memory, clock):
    """X-44: what says that it changed does away with nothing by itself; both stay, and settling it is one undo away from before."""
    first = said(memory, "We use Redis for caching.", "decision").memory
    clock.advance(timedelta(days=3))
    second = said(memory, "We no longer use Redis for caching.", "decision")
    assert (second.action, second.replaced, second.likely) == ("saved", (), first.id)
    assert memory.notes.get(first.id).status == "active"
    memory.notes.settle(second.memory.id)
    gone = memory.notes.get(first.id)
    assert (gone.status, gone.superseded_by, gone.valid_until) == ("superseded", (second.memory.id,), clock.now())
    memory.notes.undo(first.id)
    back = memory.notes.get(first.id)
    assert (back.status, back.valid_until) == ("active", None)


def test_contradiction_stays_on_both_sides(memory, home, told):
    """HW-07: without a winner both stand, each with a callout that names the other, and recall and briefing say that they are disputed."""
    first = said(memory, "The meeting is on Tuesday.").memory
    second = said(memory, "The meeting is on Thursday.")
    assert (second.action, second.related) == ("disputed", (first.id,))
    for one, other in ((first.id, second.memory.id), (second.memory.id, first.id)):
        now = memory.notes.get(one)
        assert (now.status, now.contradicts) == ("disputed", (other,))
        assert "> [!contradiction] [[" in (home / now.path).read_text(encoding="utf-8")
    found = memory.recall.ask(Query("When is the meeting?"))
    assert {hit.item.status for hit in found.hits} == {"disputed"}
    assert "disputed" in compose_bundle(found, 500, memory.now()).text
    assert told(memory, "Tuesday") == ["The meeting is on Tuesday.", "The meeting is on Thursday."]


def test_disputed_in_briefing(memory):
    """A briefing tells disputed memories, and says that they are."""
    said(memory, "Lives in Lisbon.", "identity")
    said(memory, "Lives in Berlin.", "identity")
    text = memory.recall.briefing().text
    assert "Lisbon" in text
    assert "Berlin" in text
    assert text.count("disputed") == 2


def test_settle(memory, clock):
    """One verb says which holds: it stands without a callout, the other gives way, and undo makes both disputed again."""
    first = said(memory, "The meeting is on Tuesday.").memory
    second = said(memory, "The meeting is on Thursday.").memory
    clock.advance(timedelta(hours=1))
    kept = memory.notes.settle(second.id, "the calendar says so")
    assert (kept.status, kept.contradicts, kept.supersedes) == ("active", (), (first.id,))
    assert "contradiction" not in kept.body
    gone = memory.notes.get(first.id)
    assert (gone.status, gone.superseded_by) == ("superseded", (second.id,))
    assert "contradiction" not in gone.body
    memory.notes.undo(second.id)
    assert [memory.notes.get(one).status for one in (first.id, second.id)] == ["disputed", "disputed"]


def test_settle_what_was_linked_by_hand(memory):
    """A contradiction that the person linked is settled as one that was found, in both ways."""
    first = memory.notes.save("decision", "A file", "One file for storage.").memory
    second = memory.notes.save("decision", "A server", "PostgreSQL on its own machine.").memory
    memory.notes.link(first.id, "contradicts", second.id)
    memory.notes.settle(first.id, both=True)
    assert [memory.notes.get(one.id).status for one in (first, second)] == ["active", "active"]
    memory.notes.undo(first.id)
    memory.notes.settle(first.id)
    assert [memory.notes.get(one.id).status for one in (first, second)] == ["active", "superseded"]


def test_settle_both(memory):
    """What does not contradict after all stands on both sides again, related, each text as it was before."""
    first = said(memory, "The meeting is on Tuesday.").memory
    second = said(memory, "The meeting is on Thursday.").memory
    memory.notes.settle(first.id, both=True)
    one, two = memory.notes.get(first.id), memory.notes.get(second.id)
    assert (one.status, one.related, one.body.strip()) == ("active", (two.id,), first.body.strip())
    assert (two.status, two.related) == ("active", (one.id,))
    with pytest.raises(InvalidInput):
        memory.notes.settle(first.id)


def test_dispute_of_three(memory):
    """A third value is disputed with the first two; settling on it lets both give way."""
    ids = [said(memory, f"The meeting is on {day}.").memory.id for day in ("Tuesday", "Thursday", "Friday")]
    assert set(memory.notes.get(ids[2]).contradicts) == set(ids[:2])
    memory.notes.settle(ids[2])
    assert [memory.notes.get(one).status for one in ids] == ["superseded", "superseded", "active"]


def test_agent_does_not_overrule(memory):
    """X-37: an agent's word is held against the person's, and never replaces it."""
    first = said(memory, "The API listens on port 8080.").memory
    second = said(memory, "The API now listens on port 8081.", by=AGENT)
    assert second.action == "disputed"
    assert memory.notes.get(first.id).status == "disputed"


def test_other_project(memory):
    """What is so in one project says nothing about another, nor about what holds everywhere."""
    said(memory, "The API listens on port 8080.", project="shop")
    assert said(memory, "The API now listens on port 8081.", project="blog").action == "saved"
    assert said(memory, "The API now listens on port 8082.").action == "saved"


def test_topics_differ(memory):
    """Where both name topics, one must be the same; alike words are not enough."""
    first = said(memory, "The timeout is 30 seconds.", topics=("login",)).memory
    assert said(memory, "The timeout is 45 seconds.", topics=("search",)).action == "saved"
    assert said(memory, "The timeout is now 60 seconds.", topics=("login",)).likely == first.id


def test_events_repeat(memory):
    """Events look alike and are many; none does away with another."""
    said(memory, "Deployed version 2 on Monday.", "event")
    assert said(memory, "Now deployed version 3 on Monday.", "event").action == "saved"


def test_proposal_changes_nothing(memory):
    """What waits in the inbox touches no memory before the person approved it."""
    first = said(memory, "The API listens on port 8080.").memory
    assert said(memory, "The API now listens on port 8081.", status="inbox").action == "inbox"
    assert memory.notes.get(first.id).status == "active"


@pytest.mark.parametrize(("stated", "relation"), [("extend", "refines"), ("derive", "derived_from")])
def test_stated_links(memory, stated, relation):
    """VO-33: what a model says adds to or follows from a memory is linked with the nearest one."""
    first = said(memory, "The importer reads files from the inbox folder.").memory
    second = said(memory, "The importer reads files from the inbox folder every night.", relation=stated)
    assert (second.action, second.related) == ("saved", (first.id,))
    assert getattr(memory.notes.get(second.memory.id), relation) == (first.id,)


def test_stated_update(memory):
    """VO-32: a stated update that names no memory puts in doubt what is near enough and about the same; with nothing near it is an insert
    like any other."""
    first = said(memory, "The build server runs Debian 11.").memory
    far = said(memory, "The office has a new coffee machine.", relation="update")
    near = said(memory, "The build server has been upgraded to Debian 12.", relation="update")
    assert (far.action, far.likely) == ("saved", "")
    assert (near.action, near.replaced, near.likely) == ("saved", (), first.id)


@pytest.mark.parametrize(
    ("old", "new", "replaced"),
    [
        ("The CI runs on Jenkins.", "The CI runs on Woodpecker.", True),
        ("Deployments need two approvals.", "One approval is enough for a deployment.", True),
        ("The nightly backup goes to the NAS.", "Backups go to S3 every night; the NAS is gone.", True),
        ("Das Team trifft sich montags.", "Das Team trifft sich ab jetzt dienstags.", True),
        ("服务器在北京。", "服务器现在在上海。", True),
        ("The office has a coffee machine.", "The build server runs Debian 12.", False),
    ],
)
@pytest.mark.parametrize("kind", ["fact", "lesson"])
def test_update_in_the_persons_words(memory, clock, old, new, replaced, kind):
    """VO-32: what the person's own words change of a memory that is named takes its place, said in a project or not; where both hold no
    word in common that memory is in doubt."""
    first = said(memory, old, kind).memory
    clock.advance(timedelta(days=1))
    told = {"trust": "extracted", "project": "shop", "valid_from": clock.now(), "source": "session://plain/a"}
    draft = Draft(kind, new, new, properties=told)
    done = keep(memory.context, draft, by=BY_EXTRACTION, stated=Stated(relation="update", target=first.id, named=True))
    assert (done.replaced, done.likely) == ((first.id,) if replaced else (), "" if replaced else first.id)


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
    draft = Draft("fact", "Upgrade", "The build server of the shop has been upgraded to Debian 12.")
    assert step_for(memory.context, draft, "update", near.id).others == (near.id,)
    assert far.id not in step_for(memory.context, draft, "update", far.id).others


def test_earlier_word_does_not_win(memory, clock):
    """An old conversation that is read late does not replace what was said after it."""
    first = said(memory, "The API listens on port 8081.", valid_from=clock.now()).memory
    earlier = clock.now().replace(year=2024)
    late = said(memory, "The API now listens on port 8080.", valid_from=earlier)
    assert late.action == "disputed"
    assert memory.notes.get(first.id).status == "disputed"


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
    """A memory whose rival was put away is settled, and one whose rival was forgotten is disputed no more."""
    first = said(memory, "The meeting is on Tuesday.").memory
    second = said(memory, "The meeting is on Thursday.").memory
    memory.notes.archive(first.id)
    assert memory.notes.settle(second.id).status == "active"
    third = said(memory, "The meeting is on Friday.").memory
    memory.notes.forget(second.id, yes=True)
    kept = memory.notes.get(third.id)
    assert (kept.status, kept.contradicts, kept.supersedes) == ("active", (), ())


def test_x44_a_whole_project_keeps_its_truths(memory, clock):
    """X-44: over the sample conversations of one project, which share many words, nothing gives way; what was given up is in doubt."""
    clock.advance(timedelta(days=365))  # behind all that is said there
    memory.maintenance.capture((str(Path(demo.__file__).parent / "transcripts"),))
    assert memory.notes.list(status=("superseded",)) == ()
    doubted = sorted(one.earlier.title for one in memory.notes.conflicts())
    assert len(doubted) == 2, doubted
    assert "always want a short summary" in doubted[0]
    assert "deploy on Fly" in doubted[1]


#: (kind, title, body) of two memories that give one value to two subjects.
SAME_VALUE_OTHER_SUBJECT = (
    ("fact", "Postgres version", "Redis version", "We run 16.3"),
    ("fact", "The user's birthday", "The neighbour's birthday", "14 March"),
    ("event", "Dentist", "Haircut", "2026-12-01 10:00"),
    ("fact", "Left locker code", "Right locker code", "4711"),
    ("fact", "Staging port", "Production port", "8080"),
    ("fact", "Port of staging", "Port of production", "The port is 8080."),
    ("fact", "Staging DB password rotation", "TLS certificate rotation", "Every 90 days."),
    ("fact", "Drawer of the passport", "Drawer of the spare key", "The top drawer of the desk."),
    ("decision", "Database of project Apollo", "Database of project Gemini", "We use PostgreSQL."),
    ("fact", "Peanuts as an allergy", "Peanuts as a snack", "Peanuts"),
    ("fact", "Puerto de pruebas", "Puerto de producción", "8443"),
    ("fact", "测试端口", "生产端口", "8080"),
)


@pytest.mark.parametrize(("kind", "one", "other", "body"), SAME_VALUE_OTHER_SUBJECT)
@pytest.mark.parametrize("embedder", ["none", "use"])
def test_x44_same_value_other_subject(opened, kind, one, other, body, embedder):
    """X-35, X-44: what is saved under a title of its own is kept, though another memory has the same text; neither doubts the other."""
    memory = opened(embedder=embedder)
    first = memory.notes.save(kind, one, body, tags=("one",)).memory
    second = memory.notes.save(kind, other, body, tags=("other",))
    assert (second.action, second.unclear, second.likely) == ("saved", "", "")
    kept = memory.notes.get(second.memory.id)
    assert (kept.title, kept.body.strip(), kept.tags) == (other, body, ("other",))
    before = memory.notes.get(first.id)
    assert (before.status, before.confirmations, before.tags) == ("active", 0, ("one",))


@pytest.mark.parametrize(("title", "body"), [
    ("Postgres version", "We run 16.3"),
    ("The Postgres version", "we run **16.3**"),
    ("Versions of Postgres", "We are running 16.3."),
])  # fmt: skip
def test_a_true_twin_is_joined(memory, title, body):
    """Said again of the same, it is one memory: tags and flags that were given are joined, history holds what was said, and undo takes
    it back."""
    first = memory.notes.save("fact", "Postgres version", "We run 16.3", tags=("db",)).memory
    again = memory.notes.save("fact", title, body, tags=("infra",), always_load=True)
    assert (again.action, again.memory.id) == ("confirmed", first.id)
    kept = memory.notes.get(first.id)
    assert (kept.tags, kept.always_load, "_always-load" in kept.path) == (("db", "infra"), True, True)
    assert [item.tags for item in memory.notes.list()] == [("db", "infra")]
    assert f"said again: {title}: {body}" in [version.reason for version in memory.notes.history(first.id)]
    memory.notes.undo(first.id)
    assert (memory.notes.get(first.id).tags, memory.notes.get(first.id).always_load) == (("db",), False)


def test_what_is_mined_joins_no_tags(memory):
    """A sentence of a conversation confirms a memory of the person's, and writes nothing else into it."""
    first = said(memory, "The API listens on port 8080.", tags=("infra",)).memory
    again = said(memory, "The API listens on port 8080.", tags=("transcript",), by=By("extraction", "capture"))
    assert (again.action, memory.notes.get(first.id).tags) == ("confirmed", ("infra",))


def test_known_in_another_project_is_not_known_here(memory):
    """X-43: what is so in one project is saved for all of them when it is said of all."""
    said(memory, "We deploy on Mondays.", project="shop")
    assert said(memory, "We deploy on Mondays.").action == "saved"
    assert said(memory, "We deploy on Mondays.", project="blog").action == "confirmed"  # it is said of all already


def test_a_narrower_statement_leaves_the_broader_one(memory):
    """MV-05: a rule that every session is told stands until a save names it, whatever is said about a part of it."""
    broad = memory.notes.save(
        "preference", "Indentation", "Use tabs in Makefiles and Go; spaces in Python.", always_load=True
    ).memory
    narrow = memory.notes.save("preference", "Go indentation", "In Go code indent with tabs, width 8; gofmt does it.")
    assert narrow.replaced == ()
    assert (memory.notes.get(broad.id).status, memory.notes.get(broad.id).always_load) == ("active", True)
    changed = memory.notes.save("preference", "Indentation again", "Use spaces in Makefiles and Go now; spaces in Python.")
    assert changed.replaced == ()
    assert "_always-load" in memory.notes.get(broad.id).path


@pytest.mark.parametrize("flag", ["always_load", "pin"])
def test_kept_in_sight_is_only_doubted(memory, flag):
    """A model that states an update of what the person keeps in sight puts it in doubt."""
    old = said(memory, "The build server of the shop runs Debian 11.", **{flag: True}).memory
    draft = Draft("fact", "Upgrade", "The build server of the shop runs Debian 12.")
    step = step_for(memory.context, draft, "update", old.id)
    assert (step.others, step.likely) == ((), old.id)


RESTATED = (
    ("The production cluster runs in Frankfurt.", "Since the cluster is in Frankfurt, latency to Munich is low."),
    ("The production cluster runs in Frankfurt.", "Now that the production cluster runs in Frankfurt, latency is low."),
    ("The production cluster runs in Frankfurt.", "Because the production cluster runs in Frankfurt, we see low latency."),
    ("I am vegetarian.", "Since I am vegetarian, please plan the dinner without meat."),
    ("Wir nutzen PostgreSQL.", "Da wir jetzt PostgreSQL nutzen, brauchen wir kein Redis."),
)


@pytest.mark.parametrize(("known", "again"), RESTATED)
@pytest.mark.parametrize("embedder", ["none", "use"])
def test_a_reason_is_no_change(opened, known, again, embedder):
    """X-44: a sentence that gives the known thing as a reason replaces nothing and doubts nothing."""
    memory = opened(embedder=embedder)
    first = said(memory, known).memory
    second = said(memory, again)
    assert (second.replaced, second.likely) == ((), "")
    assert second.action in ("saved", "confirmed")
    assert memory.notes.get(first.id).status == "active"
