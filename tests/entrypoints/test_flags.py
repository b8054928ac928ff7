"""Flags that make a verb do something else: each is a row of its own, reached by its verb alone."""

import json

import pytest

from upgrading_page import NOW_FIXED, PAGE, upgrading_page
from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.memory import By
from vademecum.entrypoints.verbs import VERBS, verb_named
from vademecum.entrypoints.verbs.verb import FLAG, with_flags
from vademecum.settings.definitions import RETIRED

FLAGS = [verb for verb in with_flags(VERBS) if FLAG in verb.name]


def test_few_verbs():
    """There are at most a hundred verbs, none called as a flag is."""
    assert len(VERBS) <= 100
    assert not [verb.name for verb in VERBS if FLAG in verb.name]


def test_each_is_a_flag():
    """The flag stands on its verb, with every argument of its row, and means that very row."""
    for verb in FLAGS:
        name, _, flag = verb.name.partition(FLAG)
        whole, flag = verb_named(name), flag.replace("-", "_")
        assert {param.name for param in verb.params} | {flag} <= {param.name for param in whole.params}
        needed = {param.name: "x" for param in verb.params if param.default is None or not isinstance(param.default, str)}
        assert whole.meant({**needed, flag: True})[0] is verb
        assert whole.meant({param.name: "x" for param in whole.by_flag[""].params})[0] is whole.by_flag[""]


def test_typed(vade):
    """`vade list --count` does what its row does, and a flag adds an argument that only it needs."""
    vade("init", "memory")
    vade("save", "fact", "Kettle", "--body", "The kettle is red.")
    assert json.loads(vade("list", "--count", "--json")[1]).keys() != json.loads(vade("list", "--json")[1]).keys()
    assert vade("archive", "Kettle", "--resolved")[1].startswith("Marked as done")


def test_missing_argument():
    """An argument that only one of them needs is missed where that one is meant."""
    with pytest.raises(InvalidInput, match="settle needs ref"):
        verb_named("settle").meant({"open": False})
    assert verb_named("settle").meant({"open": True})[0].name == "settle --open"


def test_agents_stay_out(memory):
    """A flag opens nothing to agents that is the person's own."""
    with pytest.raises(Refused, match="Only the person"):
        verb_named("sessions exclude").do(memory, {"undo": True, "session": "s"}, By("agent", "mcp"))


def test_page_of_settings_that_are_gone():
    """docs/upgrading.md lists every setting that is gone with what holds now."""
    assert PAGE.read_text(encoding="utf-8") == upgrading_page(), "make docs"
    assert NOW_FIXED.keys() == RETIRED
