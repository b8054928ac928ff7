"""Configuration of a team server by environment variables. Each may be in a file instead, named by `..._FILE`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from vademecum.domain.errors import InvalidInput
from vademecum.settings import environment

_PREFIX = "VADEMECUM_TEAM_"
#: Name of a variable without `_PREFIX` -> its meaning. With the suffix `_FILE` it names a file that holds the value.
VARIABLES = {
    "DATABASE": "address of the database, with the role that serves; of several, with spaces between",
    "OWNER": "address of the database, with the role that owns the tables; of several, with spaces between",
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
    """Address of a team server. host: an address of this machine. certificate, key: PEM files, "" for none."""

    host: str
    port: int
    certificate: str
    key: str

    @property
    def url(self) -> str:
        """The address as a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}"


def place() -> Place:
    """Return the address to listen on; by default port 8234 on the loopback interface.

    Raises:
        InvalidInput: the port is invalid.
    """
    said = _variable("PORT") or "8234"
    if not (said.isdecimal() and 0 < int(said) <= PORT_MAX):
        raise InvalidInput(f"{_PREFIX}PORT is {said!r}; it takes a whole number from 1 to {PORT_MAX}.")
    return Place(_variable("HOST") or "127.0.0.1", int(said), _variable("CERTIFICATE"), _variable("KEY"))


def invitation_url() -> str:
    """Return the URL by which members reach the server."""
    return _variable("URL").rstrip("/") or place().url


def is_set(name: str) -> bool:
    """Return whether a variable has a value."""
    return bool(_variable(name))


def databases(role: str) -> tuple[str, ...]:
    """Return the libpq addresses of the databases: several URLs with spaces or lines between, or one address of any form.

    Args:
        role: "DATABASE" for the role that serves, "OWNER" for the one that owns the tables.

    Raises:
        InvalidInput: it is not set.
    """
    said = _variable(role)
    if not said:
        raise InvalidInput(
            f"{_PREFIX}{role} is empty.", f"Set it to postgresql://..., or {_PREFIX}{role}_FILE to a file that holds that."
        )
    parts = tuple(said.split())
    return parts if all(part.startswith(("postgresql://", "postgres://")) for part in parts) else (said,)


class Limits(NamedTuple):
    """Rate limits per minute: for a token, and for an address, which many members may share."""

    token: int = 300
    address: int = 1_200


def limits() -> Limits:
    """Return the rate limits.

    Raises:
        InvalidInput: a number is invalid.
    """
    said = _variable("ADDRESS_LIMIT")
    if said and not (said.isdecimal() and int(said)):
        raise InvalidInput(f"{_PREFIX}ADDRESS_LIMIT is {said!r}; it takes a whole number, at least 1.")
    return Limits(address=int(said)) if said else Limits()


class SignOn(NamedTuple):
    """The issuer of single sign-on. claim: the claim of its tokens that names a member."""

    issuer: str
    audience: str
    claim: str


def sign_on() -> SignOn | None:
    """Return the configuration of single sign-on; None if it is not set up.

    Raises:
        InvalidInput: no audience is set, or the issuer is reached unencrypted, so that tokens could be forged.
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
    """Return the token for `/metrics`; "": metrics are not served."""
    return _variable("METRICS_TOKEN")


def _variable(name: str) -> str:
    """Return the value of a variable, or the content of the file named by the variable with the suffix `_FILE`; "" for neither.

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
