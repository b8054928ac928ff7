"""Spans and metrics as a collector gets them over OTLP/HTTP; nothing at all without one."""

import gzip
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from vademecum import plugin as registry
from vademecum.domain.errors import InvalidInput
from vademecum.domain.query import Query
from vademecum.plugin import Failure, Plugin, observed, observers
from vademecum.plugins.telemetry import exporting
from vademecum.plugins.telemetry.plugin import PLUGIN
from vademecum.wiring import system_clock

SECRET = "The heron sleeps at noon"


class Collector(ThreadingHTTPServer):
    """Takes what is sent to it.

    Attributes:
        received: (path, body) of each request.
    """

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Taker)
        self.received = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def spans(self):
        """(name, attributes, whether it is an error) of each span."""
        for path, body in self.received:
            if path == "/v1/traces":
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    assert valued(resource.resource.attributes)["service.name"] == "vademecum"
                    for scope in resource.scope_spans:
                        for span in scope.spans:
                            assert span.end_time_unix_nano >= span.start_time_unix_nano > 0
                            yield span.name, valued(span.attributes), span.status.code == span.status.STATUS_CODE_ERROR

    def counted(self):
        """Name of each operation -> how often its time was taken."""
        counts = {}
        for path, body in self.received:
            if path == "/v1/metrics":
                for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                    for scope in resource.scope_metrics:
                        for metric in scope.metrics:
                            assert metric.name == "vademecum.operation.duration"
                            points = metric.histogram.data_points
                            counts |= {valued(point.attributes)["gen_ai.operation.name"]: point.count for point in points}
        return counts


class _Taker(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((self.path, gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def valued(attributes):
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


@pytest.fixture
def collector(monkeypatch):
    """A collector that this process and those that it starts send to."""
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url)
        observers.cache_clear()
        exporting.exporter.cache_clear()
        yield server
        if exporting.exporter.cache_info().currsize:
            exporting.exporter().close()
        observers.cache_clear()
        exporting.exporter.cache_clear()
        server.shutdown()
        thread.join()


def test_spans_and_metrics(collector, memory):
    """A search and a save are spans by the conventions for memory, with how many records and how they ended; times are counted by
    operation. No text of a memory and no question leaves."""
    memory.notes.save("fact", SECRET, f"{SECRET}, under the bridge.")
    assert memory.recall.ask(Query("where does the heron sleep?")).hits
    exporting.exporter().close()
    spans = list(collector.spans())
    saved = [about for name, about, _ in spans if name == "upsert_memory"]
    searched = [about for name, about, _ in spans if name == "search_memory"]
    assert saved[-1]["vademecum.action"] == "saved"
    assert len(saved[-1]["gen_ai.memory.record.id"]) == 26
    assert searched[-1] == {
        "gen_ai.operation.name": "search_memory", "gen_ai.memory.record.count": 1, "vademecum.verdict": "found",
        "vademecum.missing.count": searched[-1]["vademecum.missing.count"],
    }  # fmt: skip
    assert collector.counted()["upsert_memory"] == len(saved)
    sent = b"".join(body for _, body in collector.received)
    assert b"heron" not in sent.lower()


def clock_of(_):
    return system_clock()


def test_errors_and_deliveries(collector):
    """What raises is a span with the class of the error and no word of it; what a host was given is counted."""

    class Given:
        keys, verdict = ("memory://a", "memory://b"), "told"

    @observed("deliver", clock_of)
    def deliver(_):
        return Given()

    @observed("save", clock_of)
    def refuse(_):
        raise InvalidInput(SECRET)

    deliver(None)
    with pytest.raises(InvalidInput):
        refuse(None)
    exporting.exporter().close()
    assert list(collector.spans()) == [
        (
            "vademecum.deliver",
            {"gen_ai.operation.name": "vademecum.deliver", "vademecum.delivered.count": 2, "vademecum.verdict": "told"},
            False,
        ),
        ("upsert_memory", {"gen_ai.operation.name": "upsert_memory", "error.type": "InvalidInput"}, True),
    ]
    assert SECRET.encode() not in b"".join(body for _, body in collector.received)


def test_off_without_a_collector(monkeypatch):
    """Without a collector, or when OpenTelemetry is switched off, nothing is observed."""
    for name in list(os.environ):
        if name.startswith("OTEL_"):
            monkeypatch.delenv(name)
    assert PLUGIN.observers() == ()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    assert len(PLUGIN.observers()) == 1
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert PLUGIN.observers() == ()


def test_other_protocols_are_refused(collector, monkeypatch):
    """A collector that is to be spoken to over gRPC is refused with the reason, and what was observed goes on."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    monkeypatch.setattr(registry, "_failures", {})
    assert observed("search", clock_of)(lambda _: 5)(None) == 5
    [failure] = registry._failures
    assert "takes http/protobuf only" in failure.reason


def test_an_observer_that_raises_changes_nothing(monkeypatch):
    """What is observed returns and raises as before, and the observer is named by doctor."""

    def fail(observation):
        raise KeyError(observation.operation)

    monkeypatch.setattr(registry, "plugins", lambda: (Plugin(name="nosy", about="", observers=lambda: (fail,)),))
    monkeypatch.setattr(registry, "_failures", {})
    observers.cache_clear()
    assert observed("search", clock_of)(lambda _: 7)(None) == 7
    observers.cache_clear()
    assert list(registry._failures) == [Failure("nosy", "observers: KeyError: 'search'")]


@pytest.mark.soak
def test_a_command_sends_before_it_ends(collector, tmp_path):
    """A command in a process of its own sends its spans before it is gone."""
    environment = {
        "HOME": str(tmp_path), "PATH": os.environ["PATH"], "VADEMECUM_EMBEDDER": "none", "VADEMECUM_DATA_DIR": str(tmp_path / "data"),
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
    }  # fmt: skip
    for words in (["init", str(tmp_path / "Notes")], ["save", "fact", "Pump", "--body", "Four bar."], ["stop"]):
        subprocess.run([sys.executable, "-m", "vademecum", *words], env=environment, check=True, capture_output=True)
    assert "upsert_memory" in [name for name, _, _ in collector.spans()]
