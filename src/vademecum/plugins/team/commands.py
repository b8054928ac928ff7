"""`vade team prepare|open|backup|restore|serve`: what the person does who runs a team's server, on the machine where it runs."""

from __future__ import annotations

import signal
import socket
import sys
from ipaddress import ip_address
from pathlib import Path

import click

from vademecum.domain.errors import Refused
from vademecum.domain.places import place_named
from vademecum.plugin_api.command_line import (
    FILE,
    JSON,
    PASSPHRASE,
    UNENCRYPTED,
    LineCommand,
    existing,
    passphrase,
    passphrase_of,
    printing,
)
from vademecum.plugin_api.helper import current_settings
from vademecum.plugin_api.machine import system_clock
from vademecum.plugins.team.app import build_team_app
from vademecum.plugins.team.installed import of_server
from vademecum.plugins.team.operation import log_in_json
from vademecum.plugins.team.set_up import Place, invitation_url, limits, place

#: Seconds in which requests that are open are answered when the server is stopped; deploy/vade-team.service waits longer.
STOPPING_MOST_S = 20


@click.command("prepare")
@JSON
def prepare(as_json: bool) -> None:
    """Make or update the tables in the database of VADEMECUM_TEAM_OWNER and VADEMECUM_TEAM_DATABASE. Safe to repeat."""
    steps = of_server("prepare_team")()
    with printing(as_json) as tell:
        tell(f"The database is ready ({steps} steps). Next: vade team open SPACE --keeper NAME", steps=steps)


@click.command("open")
@click.argument("space")
@click.option("--keeper", required=True, help="Who may invite others there.")
@JSON
def open_space(space: str, keeper: str, as_json: bool) -> None:
    """Make a space on the server and print the invitation of its first keeper, this once."""
    token = of_server("open_team_space")(space, keeper)
    invitation = f"{invitation_url()}/{space}#{token}"
    with printing(as_json) as tell:
        tell(f"Space {space} is open. {keeper} joins it with:\n  vade team join '{invitation}'", invitation=invitation)


@click.command("backup")
@click.argument("space")
@FILE
@PASSPHRASE
@UNENCRYPTED
@JSON
def backup(space: str, file: Path, passphrase_file: Path | None, unencrypted: bool, as_json: bool) -> None:
    """Put a space into the new FILE, sealed by a passphrase: copies, members, hashes of their tokens, audit.

    Members go on meanwhile. The file is read back before it counts, and has the form of those of `vade backup`.
    """
    file = place_named(file).absolute()
    done = of_server("backup_team_space")(space, file, "" if unencrypted else passphrase(passphrase_file, new=True))
    with printing(as_json) as tell:
        tell(
            f"{done.notes} copies of {space}, with members and audit: {done.file} ({done.size()}), read back.",
            file=done.file, made=done.made, bytes=done.bytes, copies=done.notes, sealed=done.sealed,
        )  # fmt: skip
        tell("Without its passphrase it cannot be opened, not even by you." if done.sealed else "It is not encrypted.")


@click.command("restore")
@FILE
@PASSPHRASE
@JSON
def restore(file: Path, passphrase_file: Path | None, as_json: bool) -> None:
    """Put the space of a backup back on this server, where there is none of that name; whole or not at all.

    Members go on with the tokens that they have, and their mirrors fetch anew.
    """
    file = existing(file)
    done = of_server("restore_team_space")(current_settings(), file, passphrase_of(file, passphrase_file))
    space, members = done.state.name, [member.member.name for member in done.state.members if member.member.revoked is None]
    with printing(as_json) as tell:
        tell(
            f"Restored: the space {space} as of {done.made:%Y-%m-%d %H:%M} UTC, {done.copies} copies.",
            space=space, made=done.made, copies=done.copies, members=members,
        )  # fmt: skip
        tell(
            f"Tokens that open it: {', '.join(members) or 'none'}. A member revoked after that time is let in again: vade team revoke"
        )


@click.command("serve")
def serve() -> None:
    """Serve a team's spaces from this process until it is stopped, as VADEMECUM_TEAM_... of the environment say.

    SIGTERM ends it: nobody is let in any more, requests that are open are answered first.
    """
    listens_at = place()
    _must_be_safe(listens_at)
    service, operation, close = of_server("team_service")(current_settings())
    try:
        import uvicorn

        log_in_json()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises it again when all requests are answered
        now = system_clock().elapsed_s
        config = uvicorn.Config(
            build_team_app(service, operation, now, limits()),
            ssl_certfile=listens_at.certificate or None,
            ssl_keyfile=listens_at.key or None,
            access_log=False,  # ours holds neither paths nor tokens
            log_config=None,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=STOPPING_MOST_S,
        )
        with bound(listens_at) as listening:
            click.echo(f"Serving the team at {listens_at.url}. Stop with Ctrl-C.")
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        close()


def bound(place: Place) -> socket.socket:
    """Return a socket that listens at the team's address.

    Raises:
        Refused: another program has the port, or the address is none of this machine's.
    """
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host, place.port), family=family, backlog=128)
    except OSError as error:
        raise Refused(
            f"The team cannot be served at {place.url}: {error.strerror}.",
            "End the program that has the port, or choose another: VADEMECUM_TEAM_PORT.",
        ) from error


def _must_be_safe(place: Place) -> None:
    """Refuse to send tokens over a network unencrypted.

    Raises:
        Refused: the address is another machine's to reach, and there is no certificate.
    """
    if not (place.certificate or _is_local(place.host)):
        raise Refused(
            f"Without a certificate, {place.host} would carry tokens in the clear.",
            "Set VADEMECUM_TEAM_CERTIFICATE and VADEMECUM_TEAM_KEY, or listen at 127.0.0.1 behind a server that speaks TLS.",
        )


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


COMMANDS = tuple(LineCommand(command, "team") for command in (prepare, open_space, backup, restore, serve))
