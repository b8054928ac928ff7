"""Whether two statements can both hold, judged by their words, and what is compared with what when something is saved."""

import tomllib
from datetime import timedelta
from pathlib import Path

import pytest

from vademecum.domain.host import HookEvent
from vademecum.domain.memory import BY_PERSON, Draft
from vademecum.domain.query import Query
from vademecum.reconcile.clash import is_clash
from vademecum.reconcile.compare import compare
from vademecum.write.gate import keep

PAIRS = tomllib.loads((Path(__file__).parent / "pairs.toml").read_text())
CLASHING = frozenset({"opposite", "value", "replaces"})


def cannot_both_hold(old: str, new: str) -> bool:
    compared = compare(old, new)
    return (compared.relation in CLASHING and not compared.adds) or is_clash(old, new)


@pytest.mark.parametrize("language", ["en", "de", "es", "pt", "zh"])
def test_pairs_of_each_language(language):
    """Two thirds of what cannot both hold are found in each language; of near pairs that can hold one at most is marked."""
    both = [PAIRS[language][half] for half in "ab"]
    clashing = [pair for half in both for pair in half["clash"]]
    holding = [pair for half in both for pair in half["hold"]]
    found = [pair for pair in clashing if cannot_both_hold(*pair)]
    assert len(found) >= 2 / 3 * len(clashing), [pair for pair in clashing if pair not in found]
    assert len([pair for pair in holding if cannot_both_hold(*pair)]) <= 1


def test_pairs_of_the_half_that_was_not_fitted():
    """Over all languages four fifths of the pairs are found that the weights never saw."""
    clashing = [pair for language in PAIRS.values() for pair in language["b"]["clash"]]
    assert sum(cannot_both_hold(*pair) for pair in clashing) >= 0.8 * len(clashing)


#: (kind, title, text) of what was saved first, (kind, title, text) of what was said later and cannot hold beside it.
PLANTED = [
    (
        ("procedure", "Release days", "Releases on Fridays are allowed."),
        ("preference", "Weekend rest", "Never release on a Friday."),
    ),
    (("preference", "Tone", "Keep answers short."), ("fact", "How I like it", "I want long, detailed answers.")),
    (
        ("fact", "Home automation", "Node-RED runs the home automations."),
        ("decision", "Change of mind", "We use Home Assistant instead of Node-RED for the automations."),
    ),
    (
        ("fact", "Feed reader", "The feed reader listens on port 7171."),
        ("decision", "Reader", "The feed reader listens on port 9191."),
    ),
    (("identity", "About me", "I live in Leeds."), ("fact", "News", "I moved to Bristol.")),
    (("identity", "Dog", "My dog is called Pixel."), ("fact", "Puppy", "I named my dog Biscuit.")),
]


@pytest.mark.parametrize(("earlier", "later"), PLANTED)
@pytest.mark.parametrize("embedder", ["none", "use"])
def test_what_cannot_hold_is_found_whatever_kind_and_title(opened, clock, earlier, later, embedder):
    """A statement that contradicts one of another kind and title is marked: both stand, and the later names the earlier."""
    memory = opened(embedder=embedder)
    first = memory.notes.save(*earlier).memory
    memory.notes.save("fact", "Bicycle", "The bicycle stands in the cellar.")
    clock.advance(timedelta(days=3))
    saved = memory.notes.save(*later)
    marked = {one.earlier.key for one in memory.notes.conflicts()}
    assert first.uri in marked
    assert memory.notes.get(first.id).status in ("active", "disputed") and saved.memory.status in ("active", "disputed")


def test_all_that_cannot_hold_is_marked(memory, clock):
    """Two memories that a later one contradicts are both marked, so that none of them is told as if nothing had been said."""
    one = memory.notes.save("fact", "Deploying", "Deploying on Fridays is allowed.").memory
    two = memory.notes.save("decision", "Deploys", "On Fridays deploying is allowed for everybody.").memory
    clock.advance(timedelta(days=1))
    memory.notes.save("preference", "Rest", "Deploying on Fridays is forbidden.")
    assert {doubt.earlier.key for doubt in memory.notes.conflicts()} == {one.uri, two.uri}


def test_of_another_project_nothing_is_marked(memory):
    """What cannot hold beside it in another project is no conflict; what holds everywhere is."""
    memory.notes.save("fact", "Port", "The search service listens on port 8080.", project="shop")
    assert memory.notes.save("decision", "Search", "The search service listens on port 9090.", project="blog").likely == ""
    general = memory.notes.save("fact", "Office", "The office opens at 8:00.").memory
    assert memory.notes.save("decision", "Opening", "The office opens at 10:00.", project="blog").likely == general.id


def test_the_later_one_is_told_first(memory, clock):
    """Recall tells the later statement before the earlier one, and marks the earlier one."""
    first = memory.notes.save("fact", "Watering", "The garden is watered at 6:00.").memory
    clock.advance(timedelta(days=2))
    second = memory.notes.save("decision", "New watering", "The garden is watered at 21:00.").memory
    hits = memory.recall.ask(Query("when is the garden watered")).hits
    keys = [hit.item.key for hit in hits]
    assert keys.index(second.uri) < keys.index(first.uri)
    assert {hit.item.key: hit.may_be_replaced_by for hit in hits}[first.uri] == second.uri


def test_a_briefing_tells_the_later_one_first(memory, clock):
    """Of two that cannot both hold the briefing tells the later one, right behind it the earlier one, which is called so."""
    memory.notes.save("preference", "Tone", "Keep answers short.")
    clock.advance(timedelta(days=4))
    memory.notes.save("fact", "How I like it", "I want long, detailed answers.")
    lines = [line for line in memory.recall.briefing("").text.splitlines() if "answers" in line]
    assert len(lines) == 2
    assert "long, detailed" in lines[0] and "earlier" not in lines[0]
    assert lines[1].startswith("- earlier: ") and "Keep answers short" in lines[1] and "may be outdated" in lines[1]


def test_beside_a_proposal_stands_what_it_contradicts(memory):
    """What waits is shown beside the memory that it contradicts, also when that is of another kind and shares few of its words."""
    known = memory.notes.save("procedure", "Release days", "Releases on Fridays are allowed.").memory
    waiting = memory.notes.save("preference", "Weekend rest", "Never release on a Friday.", status="inbox").memory
    assert [item.key for item in memory.inbox.rivals(waiting)][:1] == [known.uri]


def test_a_conflict_is_shown_once_at_a_start(memory, clock):
    """The line for the person at the next start names two memories that cannot both hold; the one after does not."""
    memory.notes.save("preference", "Tone", "Keep answers short.")
    clock.advance(timedelta(hours=1))
    memory.notes.save("fact", "How I like it", "I want long, detailed answers.")
    first, second = (
        memory.recall.deliver(HookEvent("claude-code", "start", "SessionStart", name, "/work")).notice for name in ("s1", "s2")
    )
    assert 'cannot both hold: "How I like it", earlier "Tone" (vade review)' in first
    assert "cannot both hold" not in second


def test_numbered_things_are_other_things():
    """Two rooms, servers or chapters that only their number tells apart are two subjects; another number of one subject is a conflict."""
    assert not is_clash("Der Raum 1 hat 3 Stühle.", "Der Raum 2 hat 5 Stühle.")
    assert not is_clash("Shop 1 opens at 1.", "Shop 2 opens at 2.")
    assert is_clash("We pay 10 euros for hosting at Fly.", "We pay 12 euros for hosting at Hetzner.")


@pytest.mark.parametrize(
    ("title", "text", "marked"),
    [
        ("Rate limit", "200 requests a minute.", True),
        ("Quota", "200 requests a minute.", False),  # of something else
        ("Rate limit", "200 requests an hour for guests.", False),  # not the same but for the number
        ("Rate limit", "100 requests a minute.", False),
    ],
)
def test_another_number_under_one_title(memory, title, text, marked):
    """Without a verb, another number under the same title is a conflict, and both stay."""
    first = memory.notes.save("decision", "Rate limit", "100 requests a minute.").memory
    second = keep(memory.context, Draft("decision", title, text), by=BY_PERSON, unique=True)
    assert (second.likely == first.id) is marked
    assert memory.notes.get(first.id).status == "active"
