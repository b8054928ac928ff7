"""Prometheus metrics of a team server. Labels are routes, names of spaces after authentication, and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from vademecum.plugins.team.operation import Seen

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
#: Number of :meth:`vademecum.plugins.team.spread.Spread.load` -> name and meaning of its metric.
_LOAD = {
    "size": ("pool_size", "Connections to the databases."),
    "available": ("pool_available", "Connections to the databases that nobody uses."),
    "most": ("pool_most", "Most connections to the databases."),
    "waiting": ("pool_waiting", "Calls that wait for a connection to a database."),
    "databases": ("databases", "Databases that the server was given."),
    "away": ("databases_away", "Databases that did not answer when they were asked last."),
}


class Metrics:
    """Counts requests.

    Args:
        load: see :meth:`vademecum.plugins.team.spread.Spread.load`.
    """

    def __init__(self, load: Callable[[], Mapping[str, int]]) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter("vademecum_team_requests", "Requests.", ("route", "status"), registry=registry)
        self._seconds = Histogram(
            "vademecum_team_request_seconds",
            "Seconds from a request to its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._open = Gauge("vademecum_team_requests_open", "Requests that wait for their answer.", registry=registry)
        self._operations = Counter(
            "vademecum_team_operations", "What members did.", ("space", "verb", "result"), registry=registry
        )
        self._rows = Counter(
            "vademecum_team_rows", "Copies that were sent, read or found.", ("space", "verb"), registry=registry
        )
        registry.register(_Load(load))

    def began(self) -> None:
        """Count a request at its start."""
        self._open.inc()

    def ended(self, seen: Seen) -> None:
        """Count an answered request."""
        self._open.dec()
        self._requests.labels(seen.route, str(seen.status)).inc()
        self._seconds.labels(seen.route).observe(seen.seconds)
        if seen.result:
            self._operations.labels(seen.space, seen.route, seen.result).inc()
        if seen.rows:
            self._rows.labels(seen.space, seen.route).inc(seen.rows)

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)


class _Load(Collector):
    def __init__(self, load: Callable[[], Mapping[str, int]]) -> None:
        self._load = load

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Yield the current numbers of the databases and their connections."""
        load = self._load()
        for number, (name, meaning) in _LOAD.items():
            if number in load:
                yield GaugeMetricFamily(f"vademecum_team_{name}", meaning, load[number])
