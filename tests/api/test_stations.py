"""The facade as stations: small, each use case once, and nothing is written while memory is switched off."""

import inspect

import pytest

from vademecum.api import Vademecum, facade
from vademecum.api.station import Station, station
from vademecum.domain.errors import Refused
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.verbs.table import with_flags
from vademecum.write.gate import Saved
from vademecum.write.review import rivals

PUBLIC_MOST = 25


def stations():
    return [kind for kind in vars(facade).values() if isinstance(kind, type) and issubclass(kind, Station)]


@pytest.mark.parametrize("kind", [Vademecum, *stations()], ids=lambda kind: kind.__name__)
def test_no_station_is_wide(kind):
    assert sum(not name.startswith("_") for name in vars(kind)) <= PUBLIC_MOST


def test_every_station_is_on_the_facade():
    """What is imported as a station is one: nothing stands there that nobody can reach."""
    named = [one for one in vars(Vademecum).values() if isinstance(one, station)]
    assert len(named) == len(stations())


def test_arguments_of_a_verb():
    """A verb's arguments are those of its use case: every one is taken, and none that must be given is missing."""
    for verb in (one.by_flag.get("", one) for one in with_flags(VERBS)):
        taken = list(inspect.signature(inspect.unwrap(verb.run)).parameters.values())[1:]
        assert verb.signed == any(one.name == "by" for one in taken), verb.name
        given = {param.name for param in verb.params} | ({"by"} if verb.signed else set())
        named = {one.name for one in taken if one.kind is not one.VAR_KEYWORD}
        assert given <= named or len(named) < len(taken), verb.name
        assert {one.name for one in taken if one.default is one.empty and one.name in named} <= given, verb.name


def test_a_use_case_stands_once(memory):
    """Asked of the class a station gives the use case itself, asked of a memory one that knows its context."""
    assert inspect.unwrap(Vademecum.inbox.rivals) is rivals
    assert memory.inbox.summary().count == 0
    assert Vademecum.inbox.summary(memory) == memory.inbox.summary()
    assert inspect.signature(Vademecum.notes.save).return_annotation is Saved


def test_nothing_is_written_while_off(opened, home):
    """The vault itself refuses, whoever asks it; forgetting still works, for that only the person may decide."""
    kept = opened().notes.save("fact", "Kettle", "Descale the kettle monthly.").memory
    off = opened(enabled=False)
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    for attempt in (
        lambda: off.context.vault.confirm(kept.id),
        lambda: off.notes.save("fact", "A boat", "It is blue."),
        lambda: off.context.vault.edit(kept.id, body="x"),
    ):
        with pytest.raises(Refused, match="switched off"):
            attempt()
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    assert off.notes.forget(kept.id, yes=True).done
    assert not (home / kept.path).exists()
