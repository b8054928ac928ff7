"""The rankers of the published designs: their figures, and what each does in its own way."""

import pytest
from tests.recall.test_pipeline import ask, item, searcher

from vademecum.adapters.embedders.reference import Hashing
from vademecum.domain.errors import UnknownWord
from vademecum.domain.query import Query
from vademecum.recall.rankers import ranker_named, rankers

__all__ = ["searcher"]


def test_profiles_are_the_designs():
    """SW-19, MV-18, IN-26: each profile holds the constants that its design published; a profile is data."""
    names = ("vault", "swarm", "agent", "facts", "wiki")
    vault, swarm, agent, facts, wiki = (ranker_named(name).profile for name in names)
    assert (ranker_named("vault").weights, vault.limit, vault.budget_tokens) == ((0.7, 0.3), 5, 20_000)
    assert (ranker_named("swarm").weights, swarm.per_arm, swarm.budget_tokens) == ((0.6, 0.4), 20, 15_000)
    assert (swarm.threshold, swarm.superseded) == (0.2, 0.1)
    assert (agent.kinds, agent.budget_tokens, agent.limit) == ((("decision", 3), ("lesson", 2)), 2_000, 10)
    assert (ranker_named("agent").fuzzy, ranker_named("agent").prefix) == (0.2, True)
    assert (ranker_named("facts").weights, facts.limit, facts.ageing) == ((0.5, 0.5), 8, True)
    assert (ranker_named("wiki").compares_meaning, wiki.budget_tokens) == (False, 3_000)


def test_wiki_depths():
    """The wiki's three depths differ in how much is read and told: 1,500, 3,000 and 8,000 tokens."""
    depths = [ranker_named(name).profile for name in ("wiki-quick", "wiki", "wiki-deep")]
    assert [profile.budget_tokens for profile in depths] == [1_500, 3_000, 8_000]
    assert [profile.limit for profile in depths] == [3, 5, 20]


@pytest.mark.parametrize("profile", rankers())
def test_every_profile_answers(searcher, profile):
    """Whatever the profile, the one memory that says it comes first."""
    kettle = item("kettle", "Descale the kettle with vinegar.", kind="decision")
    assert ask(searcher(kettle, embedder=Hashing()), "descale the kettle", profile=profile)[:1] == ["kettle"]


def test_mistyped_words(searcher):
    """IN-21: in `agent`, a question with mistyped and half-typed words finds what is meant; exact words come first."""
    there = [item("kettle", "Descale the kettle with vinegar."), item("kennel", "The kennel stands behind the barn.")]
    found = searcher(*there)
    assert ask(found, "desclae ketle vineg", profile="agent", gated=False)[0] == "kettle"
    assert ask(found, "kennel", profile="agent", gated=False)[0] == "kennel"
    assert ask(found, "desclae ketle vineg", profile="wiki", gated=False) == []
    assert ask(found, "xylophone", profile="agent", gated=False) == []
    assert ask(found, "desclae ketle vineg", gated=False) == []


def test_mistyped_in_chinese(searcher):
    """IN-21: the beginning of a word is enough in a script without spaces too."""
    assert ask(searcher(item("db", "数据库迁移")), "数", profile="agent", gated=False) == ["db"]


def test_search_has_no_quotas(searcher):
    """IN-21: a search by hand gives ten of any kind; quotas are for what is told unasked."""
    found = searcher(*(item(f"k{number}", f"The kettle number {number} whistles.") for number in range(12)))
    assert len(ask(found, "kettle whistles", profile="agent", gated=False)) == 10
    assert ask(found, "kettle whistles", profile="agent") == []


def test_agent_quotas(searcher):
    """IN-26: the agent profile gives three decisions and two lessons at most, and nothing else."""
    many = [
        item(f"{kind}-{row}", f"The kettle note {row} of {kind}.", kind=kind)
        for kind in ("decision", "lesson", "fact")
        for row in range(5)
    ]
    recall = searcher(*many).recall(Query("kettle note", profile="agent"))
    kinds = [hit.item.kind for hit in recall.hits]
    assert (kinds.count("decision"), kinds.count("lesson"), kinds.count("fact")) == (3, 2, 0)
    assert {left.why for left in recall.left} == {"the profile's quota for this kind is used up"}


def test_unknown_profile(searcher):
    """A profile that does not exist is an error that names the nearest."""
    with pytest.raises(UnknownWord) as error:
        searcher().recall(Query("kettle", profile="swarn"))
    assert "swarm" in error.value.hint


def test_superseded_left_out(searcher):
    """MV-18: `vault` leaves out what gave way."""
    old = item("old", "The shop is deployed on Fly, the shop host is Fly.", status="superseded")
    assert ask(searcher(old, item("new", "The shop moved from Fly to a VPS.")), "Is the shop on Fly?", profile="vault") == [
        "new"
    ]
