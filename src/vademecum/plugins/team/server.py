"""Builds a team server. Its driver is an extra, so it is accessed through :mod:`vademecum.plugins.team.installed`."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from vademecum.domain.backup import Backup
from vademecum.domain.errors import InvalidInput
from vademecum.plugin_api.machine import SystemClock, backup_files, new_token, policy_of, server_embedder
from vademecum.plugin_api.vault import check_slug
from vademecum.plugin_api.writing import Guard
from vademecum.plugins.team.backup import RestoredSpace, back_up_space, restore_space
from vademecum.plugins.team.metrics import Metrics
from vademecum.plugins.team.oidc import OidcIssuer
from vademecum.plugins.team.operation import Operation
from vademecum.plugins.team.postgres.private import made_database, private_server
from vademecum.plugins.team.postgres.schema import holds_space, migrate, name_of, open_space, role_of
from vademecum.plugins.team.postgres.spaces import SpreadSpaces
from vademecum.plugins.team.postgres.team import PostgresTeam
from vademecum.plugins.team.service import TeamService
from vademecum.plugins.team.set_up import databases, is_set, metrics_token, sign_on
from vademecum.plugins.team.spread import Spread, ranked
from vademecum.plugins.team.tokens import Tokens
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
    token, signing, clock = metrics_token(), sign_on(), SystemClock()
    stores = Spread({name: partial(PostgresTeam, address) for name, address in _named("DATABASE").items()}, clock.elapsed_s)
    tokens = Tokens(stores, new_token, None if signing is None else OidcIssuer(signing, clock.elapsed_s))
    service = TeamService(stores, Guard(policy_of(settings)), clock, server_embedder(settings), tokens)
    stores.open()
    return service, Operation(Metrics(stores.load), token), stores.close


def prepare_team() -> int:
    """Migrate the databases, grant privileges to the serving role, and return the number of steps applied."""
    owned, serving = _owned(), _named("DATABASE")
    return sum(migrate(address, role_of(serving[name])) for name, address in owned.items())


def open_team_space(space: str, keeper: str) -> str:
    """Create a space and return the token of its first keeper, which is not stored.

    Raises:
        AlreadyExists: there is one of that name. TeamUnavailable: a database does not answer, so there might be.
    """
    token = new_token()
    member = Member(check_slug(space, "space"), check_slug(keeper, "name of a member"), "keeper", SystemClock().now())
    open_space(_home(space), member, digest_of(token))
    return token


def backup_team_space(space: str, file: Path, passphrase: str) -> Backup:
    """Back up a space as the owner of the tables; see :func:`vademecum.plugins.team.backup.back_up_space`."""
    owner = SpreadSpaces(_home)
    return back_up_space(owner, backup_files(), space, file, passphrase, SystemClock().now())


def restore_team_space(settings: Settings, file: Path, passphrase: str) -> RestoredSpace:
    """Restore a space as the owner of the tables; see :func:`vademecum.plugins.team.backup.restore_space`."""
    owner = SpreadSpaces(_home)
    return restore_space(owner, backup_files(), file, passphrase, server_embedder(settings), SystemClock().now())


def _home(space: str) -> str:
    """Return the owner's address of the database that holds a space, or else of the one in which it is opened."""
    owned = _owned()
    order = ranked(space, owned)
    return owned[next((name for name in order if holds_space(owned[name], space)), order[0])]


def _owned() -> dict[str, str]:
    """Return name -> owner's address of each database.

    Raises:
        InvalidInput: the serving role is given other databases. Where it is given none, as where backups are made, nothing is compared.
    """
    owned = _named("OWNER")
    if is_set("DATABASE") and (differ := sorted(owned.keys() ^ _named("DATABASE").keys())):
        raise InvalidInput(
            f"VADEMECUM_TEAM_OWNER and VADEMECUM_TEAM_DATABASE do not name the same databases: {', '.join(differ)}.",
            "Write each database in both, by the same host, port and name.",
        )
    return owned


def _named(role: str) -> dict[str, str]:
    """Return the addresses of the databases by their names, HOST:PORT/DATABASE, which do not depend on role and password."""
    return {name_of(address): address for address in databases(role)}


@contextmanager
def private_team(folder: Path) -> Iterator[tuple[str, str]]:
    """Give the owner and service addresses of a private PostgreSQL in a folder."""
    with private_server(folder) as superuser:
        made = made_database(superuser, "team")
        yield made.owner, made.service
