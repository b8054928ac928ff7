"""Routes of plugins that programs of earlier designs call."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

from msgspec import Struct

from vademecum.api import Vademecum
from vademecum.api.runner import READS, WRITES, Needs, run
from vademecum.domain.memory import By
from vademecum.entrypoints.verbs.verb import Param
from vademecum.plugin import named


class OlderRoute(Struct, frozen=True):
    """One route.

    Attributes:
        run: called with the memory, the checked arguments and who acts; returns a JSON object.
        gives: JSON Schema of that object.
        own_needs: what it needs of the memory; None: GET reads, all other methods write.
        direct_only: rejected if a proxy forwards it for another machine.
    """

    path: str
    method: Literal["get", "post", "put", "delete"]
    name: str
    meaning: str
    params: tuple[Param, ...]
    run: Callable[[Vademecum, Mapping[str, Any], By], dict[str, Any]]
    gives: Mapping[str, Any]
    direct_only: bool = False
    own_needs: Needs | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by method and path, because its functions cannot be pickled."""
        return _route_of, (self.method, self.path)

    def do(self, memory: Vademecum, values: Mapping[str, Any], by: By) -> dict[str, Any]:
        """Run it with its needs satisfied, and return its result."""
        needs = self.own_needs or (READS if self.method == "get" else WRITES)
        seen = memory.seen_by(by, str(values.get("agentId") or ""))
        return run(memory.context, needs, lambda: self.run(seen, values, by))


def object_schema(**members: str) -> dict[str, Any]:
    """Return the JSON Schema of an object: member -> its JSON type, or "any"."""
    return {"type": "object", "properties": {name: ({} if kind == "any" else {"type": kind}) for name, kind in members.items()}}


@cache
def older_routes() -> tuple[OlderRoute, ...]:
    """Return the routes that the installed plugins add."""
    nothing: tuple[OlderRoute, ...] = ()
    return named("routes", nothing, lambda route: f"{route.method} {route.path}")


def _route_of(method: str, path: str) -> OlderRoute:
    return next(route for route in older_routes() if (route.method, route.path) == (method, path))
