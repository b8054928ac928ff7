"""Access to server functions that need the packages of the extra `team`."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from vademecum.domain.errors import InvalidInput
from vademecum.plugin import late
from vademecum.plugin_api.machine import adding_extra

NEEDED = ("jwt", "prometheus_client", "psycopg", "psycopg_pool", "starlette", "uvicorn")


def of_server(name: str) -> Callable[..., Any]:
    """Return a function of `server` by name. Calling it raises InvalidInput if packages are missing."""

    def called(*given: Any) -> Any:
        if missing := [package for package in NEEDED if find_spec(package) is None]:
            raise InvalidInput(f"A team's server needs {', '.join(missing)}.", f"Install it: {adding_extra('team')}")
        return late("vademecum.plugins.team.server", name)(*given)

    return called
