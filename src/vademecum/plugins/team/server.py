"""Builds a team server. Its driver is an extra, so it is accessed through :mod:`vademecum.plugins.team.installed`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from vademecum.domain.backup import Backup
from vademecum.plugin_api.machine import SystemClock, backup_files, new_token, policy_of, server_embedder
from vademecum.plugin_api.vault import check_slug
from vademecum.plugin_api.writing import Guard
from vademecum.plugins.team.backup import RestoredSpace, back_up_space, restore_space
from vademecum.plugins.team.metrics import Metrics
from vademecum.plugins.team.oidc import OidcIssuer
from vademecum.plugins.team.operation import Operation
from vademecum.plugins.team.postgres.private import made_database, private_server
from vademecum.plugins.team.postgres.schema import migrate, open_space, role_of
from vademecum.plugins.team.postgres.spaces import PostgresSpaces
from vademecum.plugins.team.postgres.team import PostgresTeam
from vademecum.plugins.team.service import Doors, TeamService
from vademecum.plugins.team.set_up import database, metrics_token, sign_on
from vademecum.plugins.team.values import Member, digest_of
from vademecum.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def team_service(settings: Settings) -> tuple[TeamService, Operation, Callable[[], None]]:
    """Return the service, its metrics and logs, and a function that closes it.

    Raises:
        InvalidInput: no database is set. Refused: the role is a superuser. TeamUnavailable.
    """
    token, signing = metrics_token(), sign_on()
    store = PostgresTeam(database("DATABASE"))
    doors = Doors(new_token, None if signing is None else OidcIssuer(signing, SystemClock().elapsed_s))
    service = TeamService(store, Guard(policy_of(settings)), SystemClock(), server_embedder(settings), doors)
    return service, Operation(Metrics(store.load), token), store.close


def prepare_team() -> int:
    """Migrate the database, grant privileges to the serving role, and return the number of steps applied."""
    return migrate(database("OWNER"), role_of(database("DATABASE")))


def open_team_space(space: str, keeper: str) -> str:
    """Create a space and return the token of its first keeper, which is not stored.

    Raises:
        AlreadyExists: there is one of that name.
    """
    token = new_token()
    member = Member(check_slug(space, "space"), check_slug(keeper, "name of a member"), "keeper", SystemClock().now())
    open_space(database("OWNER"), member, digest_of(token))
    return token


def backup_team_space(space: str, file: Path, passphrase: str) -> Backup:
    """Back up a space as the owner of the tables; see :func:`vademecum.plugins.team.backup.back_up_space`."""
    owner = PostgresSpaces(database("OWNER"))
    return back_up_space(owner, backup_files(), space, file, passphrase, SystemClock().now())


def restore_team_space(settings: Settings, file: Path, passphrase: str) -> RestoredSpace:
    """Restore a space as the owner of the tables; see :func:`vademecum.plugins.team.backup.restore_space`."""
    owner = PostgresSpaces(database("OWNER"))
    return restore_space(owner, backup_files(), file, passphrase, server_embedder(settings), SystemClock().now())


@contextmanager
def private_team(folder: Path) -> Iterator[tuple[str, str]]:
    """Give the owner and service addresses of a private PostgreSQL in a folder."""
    with private_server(folder) as superuser:
        made = made_database(superuser, "team")
        yield made.owner, made.service
