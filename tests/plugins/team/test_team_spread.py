"""Spaces over several databases: where each lies, and what a lost database takes away."""

# ruff: noqa: PLC0415 -- only a test that has a database needs its driver

import json
from contextlib import ExitStack
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner
from tests.plugins.team.conformance import NINE
from tests.plugins.team.memory_team import MemoryTeam

from vademecum.domain.errors import AlreadyExists, InvalidInput, Refused, TeamUnavailable
from vademecum.entrypoints.cli import cli
from vademecum.plugins.team.spread import RETRY_S, Spread, ranked
from vademecum.plugins.team.values import Member, digest_of

SPACES = [f"space-{number}" for number in range(300)]


def test_a_new_database_takes_a_share_and_moves_nothing_else():
    before = {space: ranked(space, ["a", "b", "c"]) for space in SPACES}
    after = {space: ranked(space, ["a", "b", "c", "d"]) for space in SPACES}
    assert all([name for name in after[space] if name != "d"] == before[space] for space in SPACES)
    assert 45 < sum(order[0] == "d" for order in after.values()) < 105
    assert {order[0] for order in before.values()} == {"a", "b", "c"}


class Databases:
    """Stores in memory that can be away, under a clock that is set by hand."""

    def __init__(self, *names):
        self.stores = {name: MemoryTeam() for name in names}
        self.away, self.tries, self.time = set(), [], 0.0
        self.spread = Spread({name: self.opener(name) for name in names}, lambda: self.time)

    def opener(self, name):
        def opened():
            self.tries.append(name)
            if name in self.away:
                raise TeamUnavailable("The team's database does not answer.")
            return self.stores[name]

        return opened

    def open(self, space, name):
        self.stores[name].open_space(Member(space, "kim", "keeper", NINE), digest_of("kim"))

    def member(self, space):
        with self.spread.of(space) as store:
            return store.member_with(space, digest_of("kim"))


def test_a_space_is_found_where_it_lies():
    """Also in a database that is not the first in its order, as after one was added."""
    databases = Databases("a", "b", "c")
    first, _, last = ranked("atlas", "abc")
    databases.open("atlas", last)
    assert databases.member("atlas").space == "atlas"
    assert databases.member("nowhere") is None
    with databases.spread.of("nowhere") as store:
        assert store is databases.stores[ranked("nowhere", "abc")[0]]
    assert databases.spread.load() == {"databases": 3, "away": 0}
    assert first in databases.tries


def test_a_lost_database_takes_its_own_spaces_away():
    databases = Databases("a", "b")
    databases.open("here", "a")
    databases.open("there", "b")
    databases.away = {"b"}
    assert databases.spread.must_be_ready() == ("b",)
    assert databases.member("here").space == "here"
    with pytest.raises(TeamUnavailable):
        databases.member("there")  # unknown: it may lie in the lost one, so nobody is told that it does not exist
    assert databases.spread.load()["away"] == 1
    # Until RETRY_S is over nobody waits for it; then one request tries.
    assert databases.tries.count("b") == 1
    databases.time += RETRY_S
    databases.away = set()
    assert databases.member("there").space == "there"
    assert databases.tries.count("b") == 2
    assert databases.spread.must_be_ready() == ()


def test_a_refusal_is_an_answer():
    """A database that refuses something has answered: it is not away."""
    databases = Databases("a", "b")
    databases.open("here", "a")
    databases.away = {"a"}
    assert databases.spread.must_be_ready() == ("a",)
    databases.time, databases.away = RETRY_S, set()
    with pytest.raises(Refused), databases.spread.of("here") as store:
        store.audit("here", 1, by="nobody")
    assert databases.spread.load()["away"] == 0


def test_the_only_database_is_always_tried():
    """No other space needs the threads, and a restart of the database takes less than a pool waits."""
    databases = Databases("a")
    databases.open("here", "a")
    databases.away = {"a"}
    for _ in range(2):
        with pytest.raises(TeamUnavailable):
            databases.member("here")
    assert databases.tries == ["a", "a"]
    databases.away = set()
    assert databases.member("here").space == "here"


def test_no_database_answers():
    databases = Databases("a", "b")
    databases.away = {"a", "b"}
    with pytest.raises(TeamUnavailable):
        databases.spread.open()


def run(*words):
    done = CliRunner().invoke(cli.commands(), ["team", *words, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    return json.loads(done.stdout)


@pytest.fixture
def two(postgres, tmp_path, monkeypatch):
    """A server of two PostgreSQL: gives (addresses of each by name, a function that stops the second)."""
    from vademecum.plugins.team.postgres.private import made_database, private_server
    from vademecum.plugins.team.postgres.schema import name_of

    with ExitStack() as other:
        second = other.enter_context(private_server(tmp_path / "pg"))
        made = [made_database(postgres, f"spread_{tmp_path.name.replace('-', '_')}"), made_database(second, "spread")]
        monkeypatch.setenv("HOME", str(tmp_path))
        use(monkeypatch, *made)
        yield {name_of(one.service): one for one in made}, [name_of(one.service) for one in made], other.close


def use(monkeypatch, *made):
    monkeypatch.setenv("VADEMECUM_TEAM_DATABASE", " ".join(url(one.service) for one in made))
    monkeypatch.setenv("VADEMECUM_TEAM_OWNER", "\n".join(url(one.owner) for one in made))


def url(address):
    from psycopg.conninfo import conninfo_to_dict

    return "postgresql://?" + urlencode(conninfo_to_dict(address))


def served(ask):
    """Give what `ask` makes of the service and its metrics, as `vade team serve` builds them."""
    from vademecum.plugins.team.server import team_service
    from vademecum.wiring import load_settings

    service, operation, close = team_service(load_settings())
    try:
        return ask(service, operation)
    finally:
        close()


COPY = "---\nid: {id}\ntype: decision\ntitle: Kettles\n---\n\nKettles are descaled on Mondays.\n"


def test_two_servers_and_one_is_lost(two, tmp_path, monkeypatch):
    """Spaces lie on both, each is served; when one is lost the other's go on, and the lost one's come back from their backup."""
    made, (first, second), lose = two
    assert run("prepare")["steps"] == 2 * run_steps()
    homes = {name: next(space for space in SPACES if ranked(space, made)[0] == name) for name in made}
    tokens = {space: run("open", space, "--keeper", "kim")["invitation"].rpartition("#")[2] for space in homes.values()}
    assert CliRunner().invoke(cli.commands(), ["team", "open", homes[second], "--keeper", "eve"]).exception is not None

    def publish(service, _):
        for number, (space, token) in enumerate(tokens.items()):
            identity = f"01J{number:023}"
            body = json.dumps({"id": identity, "text": COPY.format(id=identity)}).encode()
            service.do(service.tokens.member_of(space, token), "publish", body)
        return [asked(service, space, token) for space, token in tokens.items()]

    assert served(publish) == [1, 1]
    run("backup", homes[second], str(tmp_path / "space.zip"), "--unencrypted")

    def after_loss(service, operation):
        assert asked(service, homes[first], tokens[homes[first]]) == 1
        lose()
        assert asked(service, homes[first], tokens[homes[first]]) == 1
        with pytest.raises(TeamUnavailable):
            asked(service, homes[second], tokens[homes[second]])
        assert service.must_be_ready() == (second,)
        assert b"vademecum_team_databases_away 1.0" in operation.metrics.text()

    served(after_loss)
    with pytest.raises(TeamUnavailable):
        raise CliRunner().invoke(cli.commands(), ["team", "open", "fresh", "--keeper", "kim"]).exception

    use(monkeypatch, made[first])
    run("restore", str(tmp_path / "space.zip"))
    assert served(lambda service, _: asked(service, homes[second], tokens[homes[second]])) == 1
    with pytest.raises(AlreadyExists):
        raise CliRunner().invoke(cli.commands(), ["team", "restore", str(tmp_path / "space.zip")]).exception


def run_steps():
    from vademecum.plugins.team.postgres.schema import MIGRATIONS

    return len(MIGRATIONS)


def asked(service, space, token):
    return service.do(service.tokens.member_of(space, token), "search", b'{"question": "when are kettles descaled"}').rows


def test_the_two_roles_name_the_same_databases(two, monkeypatch):
    made, (first, second), _ = two
    monkeypatch.setenv("VADEMECUM_TEAM_OWNER", url(made[first].owner))
    with pytest.raises(InvalidInput, match="do not name the same databases") as caught:
        raise CliRunner().invoke(cli.commands(), ["team", "prepare"]).exception
    assert second in str(caught.value)
