"""Sends spans and metrics of observed operations to a collector over OTLP/HTTP. They contain counts and times, never text of memories.

Names follow the OpenTelemetry conventions for generative AI: `search_memory` and `upsert_memory`. These have no name for a delivery at a
hook, which is `vademecum.deliver`.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from vademecum import __version__
from vademecum.domain.errors import InvalidInput
from vademecum.plugin_api.machine import adding_extra
from vademecum.settings import environment

if TYPE_CHECKING:
    from datetime import datetime

    from vademecum.plugin import Observation

#: Default export interval of metrics in milliseconds, and default timeout in seconds; OpenTelemetry's variables override them.
_EVERY_MS, _WAIT_S = 60_000, 2
_NAMES = {"search": "search_memory", "save": "upsert_memory", "deliver": "vademecum.deliver"}
_OPERATION, _RECORDS = "gen_ai.operation.name", "gen_ai.memory.record.count"


def note(observation: Observation) -> None:
    """Make a span of an observation and count it.

    Raises:
        InvalidInput: packages are missing, or a protocol other than HTTP is configured.
    """
    exporter().note(observation)


@cache
def exporter() -> Exporter:
    """Return the exporter of this process."""
    if any(find_spec(package) is None for package in ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")):
        raise InvalidInput("Telemetry needs OpenTelemetry's packages.", f"Install them: {adding_extra('telemetry')}")
    if (protocol := environment().get("OTEL_EXPORTER_OTLP_PROTOCOL") or "http/protobuf") != "http/protobuf":
        raise InvalidInput(f"OTEL_EXPORTER_OTLP_PROTOCOL is {protocol}; this takes http/protobuf only.")
    return Exporter()


class Exporter:
    """Sends spans and metrics in the background, and the rest when the process ends."""

    def __init__(self) -> None:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        name = environment().get("OTEL_SERVICE_NAME") or "vademecum"
        resource = Resource.create({"service.name": name, "service.version": __version__})
        wait = None if environment().get("OTEL_EXPORTER_OTLP_TIMEOUT") else _WAIT_S
        every = None if environment().get("OTEL_METRIC_EXPORT_INTERVAL") else _EVERY_MS
        self._spans = TracerProvider(resource=resource)
        self._spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=wait)))
        reader = PeriodicExportingMetricReader(OTLPMetricExporter(timeout=wait), export_interval_millis=every)
        self._metrics = MeterProvider([reader], resource=resource)
        self._tracer = self._spans.get_tracer("vademecum")
        self._seconds = self._metrics.get_meter("vademecum").create_histogram(
            "vademecum.operation.duration", "s", "Seconds that a search, a save or a delivery took."
        )

    def note(self, observation: Observation) -> None:
        """Make a span of an observation and count it."""
        from opentelemetry.trace import SpanKind, Status, StatusCode

        name = _NAMES[observation.operation]
        common = {_OPERATION: name, **({"error.type": observation.error} if observation.error else {})}
        began = _nanoseconds(observation.began)
        span = self._tracer.start_span(
            name, kind=SpanKind.INTERNAL, attributes={**common, **_about(observation)}, start_time=began
        )
        if observation.error:
            span.set_status(Status(StatusCode.ERROR))
        span.end(began + round(observation.seconds * 1e9))
        self._seconds.record(observation.seconds, common)

    def close(self) -> None:
        """Send the rest and shut down."""
        self._spans.shutdown()
        self._metrics.shutdown()


def _about(observation: Observation) -> dict[str, str | int]:
    """Return the attributes of a result."""
    result = observation.result
    if result is None:
        return {}
    if observation.operation == "search":
        return {_RECORDS: len(result.hits), "vademecum.verdict": result.verdict, "vademecum.missing.count": len(result.missing)}
    if observation.operation == "save":
        identity = {"gen_ai.memory.record.id": result.memory.id} if result.memory else {}
        return {_RECORDS: 1, "vademecum.action": result.action, **identity}
    return {"vademecum.delivered.count": len(result.keys), "vademecum.verdict": result.verdict}


def _nanoseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1e6) * 1_000
