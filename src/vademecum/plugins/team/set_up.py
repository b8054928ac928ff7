"""How a team's server is set up: by variables of its environment. Each may stand in a file instead, which `..._FILE` names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from vademecum.domain.errors import InvalidInput
from vademecum.settings import environment

_PREFIX = "VADEMECUM_TEAM_"
#: Name of a variable, without `_PREFIX` -> what it says. Each may be set with `_FILE` behind its name instead, to a file that holds it.
VARIABLES = {
    "DATABASE": "address of the database, with the role that serves",
    "OWNER": "address of the database, with the role that owns the tables",
    "HOST": "address of this machine on which it listens",
    "PORT": "port on which it listens",
    "URL": "address at which members reach it, for invitations, when it is another than host and port say",
    "CERTIFICATE": "PEM file of its certificate",
    "KEY": "PEM file of the certificate's key",
    "OIDC_ISSUER": "address of the provider whose tokens members may sign in with",
    "OIDC_AUDIENCE": "for whom such tokens must be",
    "OIDC_CLAIM": "claim of such tokens that says who has one",
    "ADDRESS_LIMIT": "most requests in a minute from one address",
    "METRICS_TOKEN": "what a program sends to read the numbers at /metrics",
}
PORT_MAX = 65_535


@dataclass(frozen=True, slots=True)
class Place:
    """Where a team's server listens. host: an address of this machine. certificate, key: PEM files, "" for none."""

    host: str
    port: int
    certificate: str
    key: str

    @property
    def url(self) -> str:
        """Its address."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}"


def place() -> Place:
    """Return where the server listens: port 8234 of this machine alone, when nothing else is said.

    Raises:
        InvalidInput: the port is none.
    """
    said = _variable("PORT") or "8234"
    if not (said.isdecimal() and 0 < int(said) <= PORT_MAX):
        raise InvalidInput(f"{_PREFIX}PORT is {said!r}; it takes a whole number from 1 to {PORT_MAX}.")
    return Place(_variable("HOST") or "127.0.0.1", int(said), _variable("CERTIFICATE"), _variable("KEY"))


def invitation_url() -> str:
    """Return the address at which members reach the server."""
    return _variable("URL").rstrip("/") or place().url


def database(role: str) -> str:
    """Return the address of the database as libpq takes it.

    Args:
        role: "DATABASE" for the role that serves, "OWNER" for the one that owns the tables.

    Raises:
        InvalidInput: it is not said.
    """
    address = _variable(role)
    if not address:
        raise InvalidInput(
            f"{_PREFIX}{role} is empty.", f"Set it to postgresql://..., or {_PREFIX}{role}_FILE to a file that holds that."
        )
    return address


class Limits(NamedTuple):
    """Most requests in a minute: of one token, and of one address, from which many members may come."""

    token: int = 300
    address: int = 1_200


def limits() -> Limits:
    """Return how often a server may be asked.

    Raises:
        InvalidInput: the number is none.
    """
    said = _variable("ADDRESS_LIMIT")
    if said and not (said.isdecimal() and int(said)):
        raise InvalidInput(f"{_PREFIX}ADDRESS_LIMIT is {said!r}; it takes a whole number, at least 1.")
    return Limits(address=int(said)) if said else Limits()


class SignOn(NamedTuple):
    """Whose tokens let members in beside our own. claim: which of their claims names a member."""

    issuer: str
    audience: str
    claim: str


def sign_on() -> SignOn | None:
    """Return how single sign-on is set up; None: it is not.

    Raises:
        InvalidInput: no audience is set, or tokens could be forged by whoever sits between this server and the issuer.
    """
    issuer, audience = _variable("OIDC_ISSUER"), _variable("OIDC_AUDIENCE")
    if not issuer:
        return None
    if not audience:
        raise InvalidInput(f"{_PREFIX}OIDC_AUDIENCE is empty: tokens for any other program would open this server.")
    address = urlsplit(issuer)
    if address.scheme != "https" and address.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise InvalidInput(f"{_PREFIX}OIDC_ISSUER is {issuer!r}; it takes an address that begins with https://.")
    return SignOn(issuer, audience, _variable("OIDC_CLAIM") or "sub")


def metrics_token() -> str:
    """Return what a program must send to read `/metrics`; "": nobody reads them."""
    return _variable("METRICS_TOKEN")


def _variable(name: str) -> str:
    """Return the value of a variable, or what stands in the file that the variable of this name with `_FILE` names; "" for neither.

    Raises:
        InvalidInput: both are set, or the file cannot be read.
    """
    value, file = environment().get(_PREFIX + name, ""), environment().get(f"{_PREFIX}{name}_FILE", "")
    if value and file:
        raise InvalidInput(f"Both {_PREFIX}{name} and {_PREFIX}{name}_FILE are set.", "Keep one of them.")
    if not file:
        return value
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{_PREFIX}{name}_FILE names a file that cannot be read: {file} ({error}).") from error
