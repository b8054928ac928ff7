"""VO-24: one hop further than the answer, by links in both directions and by shared topic; said of each, and within limits."""

import pytest

from vademecum.domain.errors import InvalidInput
from vademecum.domain.query import Query

QUESTION = "how is the boiler descaled"


def ask(memory, question=QUESTION, **more):
    where = {name: more.pop(name) for name in ("kind", "project", "status") if name in more}
    return memory.recall.ask(Query(question, memory.notes.scope(**where), multi_hop=True, **more))


def ways(recall):
    return {hit.item.title: hit.via for hit in recall.hits}


@pytest.fixture
def house(memory):
    """A boiler, what it is linked with, what shares its topic, and what is two hops away."""
    boiler = memory.notes.save("fact", "Boiler", "The boiler is descaled with citric acid.", topics=("heating",)).memory
    memory.notes.save("fact", "Larder", "The larder faces north.")
    memory.notes.save("decision", "Plumber", "Call the same plumber again.")
    memory.notes.save("fact", "Shelf", "The shelf is of pine.", topics=("heating",), importance=0.9)
    memory.notes.save("fact", "Curtains", "The curtains are green.", topics=("heating",), importance=0.2)
    memory.notes.save("fact", "Cellar", "The cellar is dry.")
    memory.notes.link("Boiler", "related", "Plumber")
    memory.notes.link("Larder", "derived_from", "Boiler")
    memory.notes.link("Plumber", "related", "Cellar")
    assert boiler
    return memory


def test_links_then_topic(house):
    """Linked memories of both directions, then those of the first topic, the most important first; nothing two hops away."""
    found = ask(house)
    uri = house.notes.get("Boiler").uri
    assert found.hits[0].item.title == "Boiler"
    assert ways(found) == {
        "Boiler": "", "Plumber": f"related of {uri}", "Larder": f"derived_from of {uri}", "Shelf": f"topic heating of {uri}",
        "Curtains": f"topic heating of {uri}",
    }  # fmt: skip
    titles = [hit.item.title for hit in found.hits]
    assert titles.index("Shelf") < titles.index("Curtains") and {titles[1], titles[2]} == {"Plumber", "Larder"}
    assert "Shelf" not in {hit.item.title for hit in house.recall.ask(Query(QUESTION)).hits}


def test_kind_and_project_hold(house):
    """X-16: a hop leads out of no filter, and to nothing that is set aside or withheld."""
    assert set(ways(ask(house, kind=("fact",)))) == {"Boiler", "Larder", "Shelf", "Curtains"}
    house.notes.edit("Shelf", properties={"project": "blog"})
    house.notes.archive("Larder")
    house.notes.tag("Curtains", add=("visibility/pii",))
    assert set(ways(ask(house, project="shop"))) == {"Boiler", "Plumber"}


def test_limits(house):
    """Five hits when no number is given, fifteen at most, and a third of the places for what is one hop away."""
    for number in range(9):
        house.notes.save("fact", f"Boiler note {number}", f"The boiler is descaled in week {number}.")
    five = ask(house)
    assert len(five.hits) == 5 and sum(bool(hit.via) for hit in five.hits) == 2
    assert "gave its place to what is one hop away" in {left.why for left in five.left}
    assert len(ask(house, limit=15).hits) <= 15
    with pytest.raises(InvalidInput, match="15"):
        ask(house, limit=16)


def test_nothing_known(house):
    """Nothing found, nothing one hop from it."""
    found = ask(house, "who won the regatta of 1911")
    assert (found.hits, found.verdict) == ((), "nothing known")
