"""A team's server is lost: its spaces come back from their backups, and every mirror goes on."""

# ruff: noqa: PLC0415 -- only a test that has a database needs its driver

import itertools
import json
import os

import pytest
from tests.plugins.team.people import Server, listening, operation, person  # noqa: F401

from vademecum.adapters.backups import sealed
from vademecum.domain.errors import TeamUnavailable
from vademecum.plugins.team.app import build_team_app
from vademecum.plugins.team.set_up import Limits

_NUMBER = itertools.count()
WORDS = "correct horse"


@pytest.fixture
def database(postgres):
    """Makes an empty database, as on a new machine, with what its two roles log in with."""
    from vademecum.plugins.team.postgres.private import made_database

    name = f"kept_{os.environ.get('PYTEST_XDIST_WORKER', 'one')}"
    return lambda: made_database(postgres, f"{name}_{next(_NUMBER)}")


class Machine:
    """The machine that serves: whoever runs it types commands, and members reach its newest database at one address.

    Attributes:
        pages: so many more requests for changes are answered.
    """

    def __init__(self, typist, monkeypatch, clock):
        self.typist, self._monkeypatch, self._clock, self._store = typist, monkeypatch, clock, None
        self.pages = 10_000

    def use(self, made):
        """Serve from another database."""
        from vademecum.plugins.team.postgres.team import PostgresTeam

        self.database = made
        self._monkeypatch.setenv("VADEMECUM_TEAM_OWNER", made.owner)
        self._monkeypatch.setenv("VADEMECUM_TEAM_DATABASE", made.service)
        self.close()
        self.typist.vade("team prepare")
        self._store = PostgresTeam(made.service)
        self._service = Server(self._store, None, self._clock).service

    @property
    def operations(self):
        return self._service.operations

    @property
    def tokens(self):
        return self._service.tokens

    def do(self, member, operation, body):
        self.pages -= operation == "changes"
        if self.pages < 0:
            raise TeamUnavailable("The line broke.")
        return self._service.do(member, operation, body)

    def load(self):
        return self._store.load()

    def close(self):
        if self._store:
            self._store.close()

    def rows(self, table):
        """How many rows a table holds, whatever its policies."""
        import psycopg

        with psycopg.connect(self.database.superuser) as connection:
            return connection.execute(f"SELECT count(*) FROM team.{table}").fetchone()[0]


@pytest.fixture
def machine(database, person, monkeypatch, clock):  # noqa: F811
    """Serves from an empty, prepared database."""
    monkeypatch.setattr(sealed, "WORK", 4)  # a passphrase costs a second; here next to nothing
    monkeypatch.setattr("vademecum.plugins.team.service.PAGE", 2)
    monkeypatch.setenv("VADEMECUM_BACKUP_PASSPHRASE", WORDS)
    made = Machine(person("operator"), monkeypatch, clock)
    made.use(database())
    with listening(build_team_app(made, operation(made), lambda: 0.0, Limits())) as port:
        monkeypatch.setenv("VADEMECUM_TEAM_PORT", str(port))
        yield made
    made.close()


@pytest.fixture
def team(machine, person):  # noqa: F811
    """Ana keeps the space `atlas`, Ben writes there, Cleo was shown out; Ana withdrew `Lock`, and `Pump` is everybody's."""
    ana, ben, cleo = person("ana"), person("ben"), person("cleo")
    ana.vade("team join", machine.typist.asks("team open atlas --keeper ana")["invitation"])
    for one in (ben, cleo):
        one.vade("team join", ana.asks(f"team invite atlas {one.home.name}")["address"])
    shared(ana, "Pump", "The pump of the canal runs at four bar.")
    shared(ana, "Lock", "The lock of the canal has two gates.")
    ben.vade("team sync")
    cleo.vade("team sync")
    ana.vade("unshare Lock --from atlas")
    ana.vade("team revoke atlas cleo")
    ben.vade("team sync")
    return ana, ben, cleo


@pytest.fixture
def atlas(machine):
    """A space with a keeper and one copy, and its backup; nobody has a mirror of it."""
    token = machine.typist.asks("team open atlas --keeper ana")["invitation"].partition("#")[2]
    identity = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    text = f"---\nid: {identity}\nkind: fact\ntitle: Pump\n---\nThe pump runs at four bar.\n"
    machine.do(machine.tokens.member_of("atlas", token), "publish", json.dumps({"id": identity, "text": text}).encode())
    machine.typist.vade("team backup atlas atlas.age")


def shared(who, title, body):
    who.save(title, body)
    who.vade(f"share {title} --to atlas --yes")


def synced(who):
    return who.asks("team sync")["results"][0]


def titles(who):
    return sorted(one["title"] for one in who.asks("list")["results"])


def test_lost_server_is_restored(machine, team, database):
    """An empty database gets the space back: old tokens open it, one that was revoked does not, what was withdrawn stays away, the audit
    tells everything since the space was opened, the space is searched, and a member's mirror neither loses nor doubles anything."""
    ana, ben, cleo = team
    made = machine.typist.asks("team backup atlas atlas.age")
    assert (made["copies"], made["sealed"]) == (1, True)
    assert "1 copies of the team's space atlas" in machine.typist.vade("backup check atlas.age")
    machine.use(database())
    assert "does not open" in ana.asks("jobs run teams")["results"][0]["problems"][0]["message"]
    restored = machine.typist.asks("team restore atlas.age")
    assert (restored["space"], restored["copies"], restored["members"]) == ("atlas", 1, ["ana", "ben"])
    assert "does not open" in cleo.refused("team search pump --space atlas")
    assert titles(cleo) == ["Lock", "Pump"]
    for one in (ana, ben):
        told = synced(one)
        assert (told["taken"], told["dropped"], told["missing"], told["adrift"], told["again"]) == (0, 0, [], 0, [])
    assert titles(ben) == ["Pump"]
    assert [one["title"] for one in ben.asks("team search 'canal pump' --space atlas")["results"]] == ["Pump"]
    entries = [(one["member"], one["what"]) for one in ana.asks("team audit atlas --limit 1000")["results"]]
    assert entries[-1] == ("ana", "open")
    assert ("ana", "revoke") in entries
    assert ("(owner)", "restore") in entries
    assert [one["name"] for one in ana.asks("team members atlas")["results"] if one["revoked"]] == ["cleo"]


def test_mirrors_go_on(machine, team, database):
    """What is shared after a restore reaches every mirror, however far ahead of the backup it was, and a keeper lets people in."""
    ana, ben, _ = team
    machine.typist.vade("team backup atlas atlas.age")
    for number in range(3):
        shared(ana, f"Later{number}", f"Said on day {number}.")
    ben.vade("team sync")
    machine.use(database())
    machine.typist.vade("team restore atlas.age")
    for number in range(4):
        shared(ben, f"After{number}", f"Said in week {number}.")
    ana.vade("edit Pump --body", "The pump of the canal runs at six bar.")
    ana.vade("share Pump --to atlas --yes")
    assert "six bar" not in ben.vade("show Pump")
    synced(ben)
    synced(ana)
    assert "six bar" in ben.vade("show Pump")
    assert titles(ana) == sorted(["Pump", "Lock", *(f"Later{one}" for one in range(3)), *(f"After{one}" for one in range(4))])
    assert titles(ben) == sorted(["Pump", *(f"Later{one}" for one in range(3)), *(f"After{one}" for one in range(4))])
    assert ana.asks("team invite atlas dora")["address"]


def test_what_the_server_lost(machine, team, database):
    """What was shared after the backup stays in the mirrors, its author is told with the command that shares it anew, also when the line
    broke while everything was fetched, and taking it back or forgetting it reaches the mirrors all the same."""
    ana, ben, _ = team
    machine.typist.vade("team backup atlas atlas.age")
    for title in ("Basin", "Weir", "Sluice"):
        shared(ana, title, f"The {title.lower()} is deep.")
    ben.vade("team sync")
    machine.use(database())
    machine.typist.vade("team restore atlas.age")
    machine.pages = 1
    assert "line broke" in ana.asks("jobs run teams")["results"][0]["problems"][0]["message"]
    machine.pages = 10_000
    told = synced(ana)
    assert sorted(ana.asks(f"show {one}")["title"] for one in told["missing"]) == ["Basin", "Sluice", "Weir"]
    assert "lost what you had sent: vade share" in ana.vade("team sync")
    assert synced(ben)["adrift"] == 3
    assert titles(ben) == ["Basin", "Pump", "Sluice", "Weir"]
    ana.vade("share Basin --to atlas --yes")
    ana.vade("unshare Sluice --from atlas")
    ana.vade("forget Weir --yes")
    told = synced(ana)
    assert (told["missing"], told["withdrawn"]) == ([], 1)
    assert (synced(ben)["adrift"], titles(ben)) == (0, ["Basin", "Pump"])
    assert "lost what you had sent" not in ana.vade("team sync")


def test_what_comes_back(machine, team, database):
    """What was withdrawn after the backup comes back with it: it is withdrawn again by itself where its author had forgotten it, and else
    its author is told."""
    ana, ben, _ = team
    shared(ana, "Weir", "The weir is deep.")
    ben.vade("team sync")
    machine.typist.vade("team backup atlas atlas.age")
    ana.vade("forget Weir --yes")
    ana.vade("unshare Pump --from atlas")
    ana.vade("team sync")
    ben.vade("team sync")
    assert titles(ben) == []
    machine.use(database())
    machine.typist.vade("team restore atlas.age")
    told = ana.vade("team sync")
    assert "1 of yours withdrawn there, since you had them forgotten" in told
    [again] = [line for line in told.splitlines() if "has back what you may have taken back: vade unshare" in line]
    assert synced(ben)["taken"] == 1
    assert titles(ben) == ["Pump"]
    ana.vade(again.split("vade ", 1)[1])
    ben.vade("team sync")
    assert titles(ben) == []


def test_state_put_back_by_other_means(machine, team, clock):
    """A mirror that is ahead of its server, which was put back by a dump, takes everything anew."""
    import psycopg

    _, ben, _ = team
    with psycopg.connect(machine.database.superuser) as connection:
        connection.execute("UPDATE team.published SET cursor = cursor - 2, id = CASE WHEN text IS NULL THEN id ELSE id END")
        connection.execute("UPDATE team.space SET cursor = cursor - 2")
    assert synced(ben)["taken"] == 0
    noted = json.loads(next((ben.home / "data").rglob("joined.json")).read_text())
    assert noted["cursor"] < 2
    assert titles(ben) == ["Pump"]


def test_beside_other_spaces(machine, team, database):
    """A space is restored beside others, which keep what they have; where there is one of its name nothing is changed."""
    ana, _, _ = team
    machine.typist.vade("team backup atlas atlas.age")
    assert "There is a space atlas already" in machine.typist.refused("team restore atlas.age")
    machine.use(database())
    machine.typist.vade("team open delta --keeper dora")
    machine.typist.vade("team restore atlas.age")
    assert (machine.rows("space"), machine.rows("published"), machine.rows("member")) == (2, 2, 4)
    assert synced(ana)["problems"] == []


@pytest.mark.parametrize("harm", ["passphrase", "cut", "bit", "another"])
def test_unusable_backup_restores_nothing(machine, atlas, database, harm):
    """Another passphrase, a file that ends early, one with a changed bit, and a backup of a memory: refused, and nothing is there."""
    typist = machine.typist
    file = typist.home / "atlas.age"
    if harm == "cut":  # without a cipher, whose sums would tell it sooner
        file.unlink()
        typist.vade("team backup atlas atlas.age --unencrypted")
    data = file.read_bytes()
    typist.home.joinpath("other.txt").write_text("battery staple\n")
    more = ""
    if harm == "passphrase":
        more = "--passphrase-file other.txt"
    elif harm == "another":
        file.unlink()
        typist.vade("backup atlas.age")
    else:
        file.write_bytes(data[:-300] if harm == "cut" else data[:-300] + bytes([data[-300] ^ 1]) + data[-299:])
    machine.use(database())
    assert "cannot be used" in typist.refused(f"team restore atlas.age {more}")
    assert [machine.rows(table) for table in ("space", "member", "published", "passage", "deed")] == [0] * 5


def test_of_a_memory_or_of_a_space(machine, atlas):
    """A backup of a space is not restored as a memory, and tells with what it is."""
    assert "vade team restore FILE" in machine.typist.refused("backup restore atlas.age --to Fresh")
    assert not (machine.typist.home / "Fresh").exists()


def test_killed_halfway(machine, atlas, database, monkeypatch):
    """A restore whose connection breaks in its middle leaves nothing; the next one restores everything."""
    from vademecum.plugins.team.postgres import spaces

    machine.use(database())
    with monkeypatch.context() as patch:

        def cut(self):
            import psycopg

            pid = self._connection.info.backend_pid
            with psycopg.connect(machine.database.superuser, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
            self._connection.execute("SELECT 1")

        patch.setattr(spaces._Writer, "finish", cut)
        assert "Nothing was done" in machine.typist.refused("team restore atlas.age")
    assert [machine.rows(table) for table in ("space", "member", "published", "passage", "deed")] == [0] * 5
    machine.typist.vade("team restore atlas.age")
    assert machine.rows("published") == 1


def test_only_the_owner(machine, atlas, monkeypatch):
    """Neither the serving role nor a member makes a backup: it takes the owner's login; and the owner, held to the space that a
    transaction names, sees nothing of another."""
    import psycopg

    with psycopg.connect(machine.database.owner, options="-c search_path=team,public") as connection:
        for table in ("space", "member", "published", "deed"):
            assert connection.execute(f"SELECT 1 FROM {table}").fetchone() is None
    monkeypatch.setenv("VADEMECUM_TEAM_OWNER", machine.database.service)
    assert "does not own" in machine.typist.refused("team backup atlas other.age")
    monkeypatch.delenv("VADEMECUM_TEAM_OWNER")
    assert "VADEMECUM_TEAM_OWNER is empty" in machine.typist.refused("team backup atlas other.age")
    assert not (machine.typist.home / "other.age").exists()


def test_the_owner_alone_is_enough(machine, atlas, monkeypatch):
    """A backup needs the owner's login and no other: the unit of systemd that makes them is given no more."""
    monkeypatch.delenv("VADEMECUM_TEAM_DATABASE")
    machine.typist.vade("team backup atlas owner.age")
    assert (machine.typist.home / "owner.age").exists()


def test_tables_of_another_version(machine, atlas):
    """Tables that an earlier version made are brought up to date first, those of a newer one are left alone, and both are told so."""
    import psycopg

    from vademecum.plugins.team.postgres.schema import MIGRATIONS

    def migrations(statement):
        with psycopg.connect(machine.database.superuser) as connection:
            connection.execute(statement)

    last = len(MIGRATIONS)
    migrations(f"DELETE FROM team.migration WHERE number = {last}")
    assert "vade team prepare" in machine.typist.refused("team backup atlas other.age")
    migrations(f"INSERT INTO team.migration (number) VALUES ({last}), ({last + 1})")
    assert "newer version" in machine.typist.refused("team backup atlas other.age")
    assert "newer version" in machine.typist.refused("team prepare")


def test_unknown_space(machine):
    """A space that is not there has no backup."""
    assert "There is no space atlas" in machine.typist.refused("team backup atlas other.age")
    assert not (machine.typist.home / "other.age").exists()
