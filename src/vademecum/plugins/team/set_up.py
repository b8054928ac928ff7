"""How a team's server is set up: by variables of its environment, since keys in a file are easily copied."""

from __future__ import annotations

from dataclasses import dataclass

from vademecum.domain.errors import InvalidInput
from vademecum.settings import environment

_PREFIX = "VADEMECUM_TEAM_"
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


def database(role: str) -> str:
    """Return the address of the database as libpq takes it.

    Args:
        role: "DATABASE" for the role that serves, "OWNER" for the one that owns the tables.

    Raises:
        InvalidInput: it is not said.
    """
    address = _variable(role)
    if not address:
        raise InvalidInput(f"{_PREFIX}{role} is empty.", f"Set it in the environment: {_PREFIX}{role}=postgresql://...")
    return address


def _variable(name: str) -> str:
    return environment().get(_PREFIX + name, "")
