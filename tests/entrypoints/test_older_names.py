"""Verbs that differed by a flag are one now; the older name of each still works, and is shown nowhere."""

import json

import pytest

from upgrading_page import NOW_FIXED, PAGE, upgrading_page
from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.memory import By
from vademecum.entrypoints.verbs import VERBS, verb_named
from vademecum.settings.definitions import RETIRED

OLDER = [verb for verb in VERBS if verb.now]


def test_few_verbs():
    """What a person can be shown is at most a hundred verbs."""
    assert len([verb for verb in VERBS if not verb.now]) <= 100


@pytest.mark.parametrize("verb", OLDER, ids=lambda verb: verb.slug)
def test_each_is_a_flag(verb):
    """The flag stands on the verb that took its place, with every argument of the older one, and means that very verb."""
    name, _, flag = verb.now.partition(" --")
    now = verb_named(name)
    flag = flag.replace("-", "_")
    assert {param.name for param in verb.params} | {flag} <= {param.name for param in now.params}
    needed = {param.name: "x" for param in verb.params if param.default is None or not isinstance(param.default, str)}
    assert now.meant({**needed, flag: True})[0] is verb
    assert now.meant({param.name: "x" for param in now.by_flag[""].params})[0] is now.by_flag[""]


def test_both_answer_alike(vade):
    """`vade facets` and `vade list --count` print the same."""
    vade("init", "memory")
    vade("save", "fact", "Kettle", "--body", "The kettle is red.")
    older, now = vade("facets", "--json")[1], vade("list", "--count", "--json")[1]
    assert json.loads(older) == json.loads(now)
    assert vade("list")[1] != vade("list", "--count")[1]
    assert vade("archive", "Kettle", "--resolved")[1].startswith("Marked as done")


def test_missing_argument():
    """An argument that only one of them needs is missed where that one is meant."""
    with pytest.raises(InvalidInput, match="needs ref"):
        verb_named("settle").meant({"open": False})
    assert verb_named("settle").meant({"open": True})[0].name == "doubts"


def test_agents_stay_out(memory):
    """A flag opens nothing to agents that the older name did not."""
    with pytest.raises(Refused):
        verb_named("sessions exclude").do(memory, {"undo": True, "session": "s"}, By("agent", "mcp"))


def test_page_of_changed_names():
    """docs/upgrading.md lists every older name with its new one, and every setting that is gone with what holds now."""
    assert PAGE.read_text(encoding="utf-8") == upgrading_page(), "make docs"
    assert NOW_FIXED.keys() == RETIRED
