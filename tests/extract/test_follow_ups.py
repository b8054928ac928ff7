"""Ideas that sessions leave behind: what counts, and what does not."""

from vademecum.domain.session import Session, Turn
from vademecum.extract.follow_ups import follow_ups


def found(text, role="user"):
    return [one.title for one in follow_ups(Session("plain", "s", "/s", (Turn("t1", role, text),)))]


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
