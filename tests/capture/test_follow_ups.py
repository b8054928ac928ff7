"""Ideas that sessions leave behind: what counts, and what does not."""

import pytest

from vademecum.capture.follow_ups import follow_ups
from vademecum.model.session import Session, Turn


def found(text, role="user"):
    return [one.title for one in follow_ups(Session("plain", "s", "/s", (Turn("t1", role, text),)))]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Idea: group the recipes by season.", "Group the recipes by season"),
        ("ok, idea for later: export the map as PDF", "Export the map as PDF"),
        ("It would be nice to have a dark theme in the editor.", "It would be nice to have a dark theme in the editor"),
        ("One day we should try another search engine.", "One day we should try another search engine"),
        ("I'd love to see the sales per region some day.", "I'd love to see the sales per region some day"),
        ("Ideia: juntar as listas de compras.", "Juntar as listas de compras"),
        ("Seria bom ter um mapa das entregas.", "Seria bom ter um mapa das entregas"),
        ("Irgendwann möchte ich die Karten drucken.", "Irgendwann möchte ich die Karten drucken"),
        ("Es wäre schön, wenn die Liste sich selbst sortiert.", "Es wäre schön, wenn die Liste sich selbst sortiert"),
        ("Algún día podríamos vender los mapas.", "Algún día podríamos vender los mapas"),
        ("想法：按季节给菜谱分组", "按季节给菜谱分组"),
        ("以后可以加一个地图视图", "以后可以加一个地图视图"),
    ],
)
def test_follow_up(text, title):
    """MV-55: what somebody wants to try one day, in five languages."""
    assert found(text) == [title]


@pytest.mark.parametrize(
    "text",
    [
        "Would it be nice to have a dark theme?",
        "I have no idea why this fails.",
        "Good idea, do that.",
        "Someday.",
        "Add a dark theme to the editor now.",
        "> Idea: group the recipes by season.",
        "```\nIdea: group the recipes by season.\n```",
        "The test runs later in the pipeline.",
        "We should fix the importer today.",
    ],
)
def test_no_follow_up(text):
    """X-23: questions, orders for now, quotations and code are no ideas."""
    assert found(text) == []


def test_agents_less():
    """An agent's follow-up counts when it is called one, with little confidence; its wishes do not count."""
    assert found("It would be nice to have a dark theme in the editor.", "agent") == []
    (one,) = follow_ups(
        Session("plain", "s", "/s", (Turn("t1", "agent", "As a follow-up, the parser could cache its trees."),))
    )
    assert (one.confidence, one.trust) == ("low", "agent")


def test_tools_say_nothing():
    """X-23: what a tool printed is nobody's idea."""
    assert found("Idea: group the recipes by season.", "tool") == []
