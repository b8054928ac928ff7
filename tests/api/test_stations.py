"""The facade as stations: small, each use case once, and nothing is written while memory is switched off."""

import importlib
import inspect
import pkgutil

import pytest

from vademecum import api
from vademecum.api import Vademecum
from vademecum.api.station import Station, station
from vademecum.domain.errors import Refused
from vademecum.domain.saved import Saved
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.verbs.verb import with_flags
from vademecum.write.review import rivals

PUBLIC_MOST = 25


def stations():
    """The stations of the facade, which imports each with its first use."""
    return [one.kind for one in vars(Vademecum).values() if isinstance(one, station)]


@pytest.mark.parametrize("kind", [Vademecum, *stations()], ids=lambda kind: kind.__name__)
def test_no_station_is_wide(kind):
    assert sum(not name.startswith("_") for name in vars(kind)) <= PUBLIC_MOST


def test_every_station_is_on_the_facade():
    """Each class of the package that is a station is reached from the facade."""
    modules = (importlib.import_module(f"vademecum.api.{module.name}") for module in pkgutil.iter_modules(api.__path__))
    every = {
        kind for module in modules for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Station)
    }
    assert every - {Station} == set(stations())


def test_arguments_of_a_verb():
    """A verb's arguments are those of its use case: every one is taken, and none that must be given is missing."""
    for verb in (one.by_flag.get("", one) for one in with_flags(VERBS)):
        taken = list(inspect.signature(inspect.unwrap(verb.run)).parameters.values())[1:]
        assert verb.signed == any(one.name == "by" for one in taken), verb.name
        in_records = {name for record in verb.records.values() for name in record.__annotations__}
        given = ({param.name for param in verb.params} - in_records) | ({"by"} if verb.signed else set()) | verb.records.keys()
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
