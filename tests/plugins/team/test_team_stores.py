"""A team's store: the reference and PostgreSQL by one suite, and what PostgreSQL alone holds."""

# ruff: noqa: PLC0415 -- only a test that has a database needs its driver

import os
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.plugins.team.conformance import NINE, TeamConformance
from tests.plugins.team.memory_team import MemoryTeam

from vademecum.domain.errors import InvalidInput, Refused, TeamUnavailable
from vademecum.plugins.team.values import Member, digest_of


class TestMemoryTeam(TeamConformance):
    @pytest.fixture
    def store(self):
        return MemoryTeam()

    @pytest.fixture
    def open_space(self, store):
        return store.open_space


@pytest.fixture(scope="module")
def service(team_database):
    """The store as a server holds it: one for many calls."""
    from vademecum.plugins.team.postgres.team import PostgresTeam

    store = PostgresTeam(team_database.service)
    yield store
    store.close()


class TestPostgresTeam(TeamConformance):
    @pytest.fixture
    def store(self, service):
        return service

    @pytest.fixture
    def open_space(self, team_database):
        from vademecum.plugins.team.postgres.schema import open_space

        return lambda keeper, digest: open_space(team_database.owner, keeper, digest)


def connected(address, space="", member=""):
    import psycopg

    connection = psycopg.connect(address, autocommit=True, options="-c search_path=team,public")
    connection.execute(
        "SELECT set_config('vademecum.space', %s, false), set_config('vademecum.member', %s, false)", (space, member)
    )
    return connection


@pytest.fixture(scope="module")
def filled(team_database):
    """Two spaces, each with a writer's copy."""
    from vademecum.plugins.team.postgres.schema import open_space
    from vademecum.plugins.team.postgres.team import PostgresTeam
    from vademecum.plugins.team.values import Published

    store = PostgresTeam(team_database.service)
    for space, keeper in (("left", "ann"), ("right", "bea")):
        open_space(team_database.owner, Member(space, keeper, "keeper", NINE), digest_of(keeper))
        store.publish(space, Published("A", keeper, "Pump", "text"), ["pump"], None, NINE, by=keeper)
        store.add_member(Member(space, "rea", "reader", NINE), digest_of("rea"), by=keeper)
    store.close()
    return team_database


TABLES = ("space", "member", "published", "passage", "deed")


@pytest.mark.parametrize("table", TABLES)
def test_a_forgotten_space_shows_nothing(filled, table):
    """Row level security is the net: a query that forgets to name its space gets the rows of the transaction's space alone."""
    column = "name" if table == "space" else "space"
    with connected(filled.service, "left", "ann") as connection:
        assert {row[0] for row in connection.execute(f"SELECT {column} FROM {table}")} == {"left"}
    with connected(filled.service) as connection:
        assert connection.execute(f"SELECT 1 FROM {table}").fetchone() is None


def test_roles_hold_in_the_database(filled):
    """A service that mistook a reader for a writer would still be refused, and so would one that tidies the audit or drops a table."""
    import psycopg

    with connected(filled.service, "left", "rea") as connection:
        for statement in (
            "INSERT INTO published VALUES ('left', 'B', 'rea', 't', 't', 99, now())",
            "INSERT INTO passage VALUES ('left', 'B', 0, 't', '', NULL)",
            "INSERT INTO member VALUES ('left', 'eve', 'keeper', 'x', now())",
            "UPDATE member SET role = 'keeper' WHERE name = 'rea'",
            "DELETE FROM deed",
            "DELETE FROM published",
            "UPDATE deed SET member = 'ann'",
            "DROP TABLE deed",
            "ALTER TABLE passage DISABLE ROW LEVEL SECURITY",
            "SELECT text FROM passage",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
        assert connection.execute("UPDATE published SET text = 'mine'").rowcount == 0
        assert connection.execute("DELETE FROM passage").rowcount == 0


def test_search_keeps_to_its_space(filled):
    """The function that searches past the policies finds what lies in the transaction's space alone, and for its members alone."""
    with connected(filled.service, "left", "rea") as connection:
        assert connection.execute("SELECT id FROM found(ARRAY['pump'], NULL, 9)").fetchall() == [("A",)]
        connection.execute("SELECT set_config('vademecum.member', 'bea', false)")
        assert connection.execute("SELECT id FROM found(ARRAY['pump'], NULL, 9)").fetchall() == []


def test_tokens_are_not_kept(filled):
    """The database holds a hash of a token and never the token."""
    with connected(filled.superuser) as connection:
        assert {bytes(row[0]) for row in connection.execute("SELECT digest FROM member WHERE name = 'rea'")} == {
            digest_of("rea")
        }


def test_superuser_is_refused(filled):
    """Nothing is served and nothing migrated as a superuser, whom no policy holds."""
    from vademecum.plugins.team.postgres.schema import migrate
    from vademecum.plugins.team.postgres.team import PostgresTeam

    with pytest.raises(Refused, match="superuser"):
        PostgresTeam(filled.superuser)
    with pytest.raises(Refused, match="superuser"):
        migrate(filled.superuser, "anybody")


def test_migrated_once(filled):
    """Migrating what is up to date does nothing; a role that is not there is told with what makes it."""
    from vademecum.plugins.team.postgres.schema import migrate, role_of

    assert migrate(filled.owner, role_of(filled.service)) == 0
    with pytest.raises(InvalidInput, match="nobody-here"):
        migrate(filled.owner, "nobody-here")


def test_migrated_under_load(postgres, monkeypatch):
    """Tables are migrated while members read, even while somebody reads for long: nobody is refused or kept waiting meanwhile. Afterwards
    a server of the version before is ready still, and before it the new one says what to do."""
    from vademecum.plugins.team.postgres import schema
    from vademecum.plugins.team.postgres.private import made_database
    from vademecum.plugins.team.postgres.team import PostgresTeam

    made = made_database(postgres, f"older_{os.environ.get('PYTEST_XDIST_WORKER', 'one')}")
    older, newer = schema.MIGRATIONS, (*schema.MIGRATIONS, "ALTER TABLE published ADD COLUMN later int NOT NULL DEFAULT 0;")
    schema.migrate(made.owner, schema.role_of(made.service))
    schema.open_space(made.owner, Member("left", "ann", "keeper", NINE), digest_of("ann"))
    store, waits, done = PostgresTeam(made.service), [], threading.Event()

    def read():
        while not done.is_set():
            began = time.perf_counter()
            store.changes("left", 0, 10, NINE, by="ann")
            waits.append(time.perf_counter() - began)

    monkeypatch.setattr(schema, "MIGRATIONS", newer)
    monkeypatch.setattr(schema, "_LOCK_WAIT_MS", 50)
    with pytest.raises(Refused, match="earlier version"):
        store.must_be_ready()
    with ThreadPoolExecutor() as pool, connected(made.service, "left", "ann") as long:
        reader = pool.submit(read)
        with long.transaction():
            long.execute("SELECT count(*) FROM published")
            migrating = pool.submit(schema.migrate, made.owner, schema.role_of(made.service))
            with pytest.raises(TimeoutError):
                migrating.result(0.3)
        assert migrating.result(10) == 1
        store.must_be_ready()
        monkeypatch.setattr(schema, "MIGRATIONS", older)
        store.must_be_ready()
        done.set()
        reader.result(10)
    with pytest.raises(Refused, match="newer version"):
        schema.migrate(made.owner, schema.role_of(made.service))
    store.close()
    assert len(waits) > 5
    assert max(waits) < 5


def test_each_space_is_its_own_part(filled):
    """A query that names its space looks at the passages of no other: the plan has one partition."""
    with connected(filled.service, "left", "ann") as connection:
        plan = "\n".join(row[0] for row in connection.execute("EXPLAIN SELECT id FROM passage WHERE space = 'left'"))
    assert set(re.findall(r"(?<=on )passage_\d+", plan)) == {re.search(r"passage_\d+", plan)[0]}


def test_no_database(team_database, tmp_path):
    """An address where nothing listens is told as that, and one that is none as that."""
    from vademecum.plugins.team.postgres.schema import connect

    with pytest.raises(TeamUnavailable):
        connect(f"host={tmp_path} dbname=x")
    with pytest.raises(InvalidInput):
        connect("nonsense://x")
