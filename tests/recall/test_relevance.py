"""Whether the name of a memory has to do with a question."""

from vademecum.domain.item import Item
from vademecum.recall.relevance import name_relevance, relevant, tokens


def item(key, title, *aliases):
    return Item(key, "memory", "p", "a.md", title, "", "", "decision", aliases=aliases)


def test_formula():
    """SW-28: (hits in the title + 1.5 x hits in the aliases) / words of the question, at most 1."""
    asked = tokens("when did the token rotation break the login page")
    assert asked == ("token", "rotation", "break", "login", "page")
    assert name_relevance(asked, "Token rotation every hour", ()) == 2 / 5
    assert name_relevance(asked, "Auth", ("login", "sign-in")) == 1.5 / 5
    assert name_relevance(asked, "Token rotation", ("login page", "token")) == 1.0
    assert name_relevance((), "Token", ("token",)) == 0.0


def test_thresholds():
    """SW-28: from .15 by name alone, from .10 by .6 meaning + .4 name; what has less is not chosen."""
    eight = "alpha beta gamma delta epsilon zeta eta theta"
    one, none = item("one", "alpha"), item("none", "omega")
    alias = item("alias", "omega", "alpha")
    assert relevant(eight, [one, none, alias], None) == {"alias": 1.5 / 8}  # 1/8 is below .15
    assert relevant(eight, [one, none], {"one": 0.09, "none": 0.1}) == {"one": 0.104}
    assert relevant("omega", [one], {"one": 0.17}) == {"one": 0.102}
    assert relevant("omega", [one], {"one": -0.9}) == {}


def test_scripts():
    """Scripts without spaces are compared by pairs of characters, other words whatever their case and width."""
    assert tokens("数据库迁移") == ("数据", "据库", "库迁", "迁移")
    assert name_relevance(tokens("数据库"), "数据库迁移计划", ()) == 1.0
    assert name_relevance(tokens("ＣＡＣＨＥ"), "Cache", ()) == 1.0
