"""What this plugin adds."""

from collections.abc import Callable, Sequence

from vademecum.plugin import Observation, Plugin, late
from vademecum.settings import environment

#: Variables of OpenTelemetry that name a collector. Without one, nothing is observed.
COLLECTORS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")


def _observers() -> Sequence[Callable[[Observation], object]]:
    variables = environment()
    is_on = any(variables.get(name) for name in COLLECTORS) and variables.get("OTEL_SDK_DISABLED", "").lower() != "true"
    return (late("vademecum.plugins.telemetry.exporting", "note"),) if is_on else ()


PLUGIN = Plugin(
    name="telemetry",
    about="Spans and metrics of searches, saves and deliveries, for OpenTelemetry.",
    observers=_observers,
)
