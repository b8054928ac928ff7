"""Logs and metrics of a team server. Neither contains text of memories or tokens."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping

    from vademecum.plugin_api.http import App, Receive, Scope, Send

_access = logging.getLogger("vademecum.team.access")
_audit = logging.getLogger("vademecum.team.audit")

#: Routes polled every few seconds; only failures are logged.
PROBES = ("health", "ready", "metrics")


@dataclass(slots=True)
class Seen:
    """The facts of one request.

    Attributes:
        route: the operation, one of `PROBES`, or "other". address: of the client.
        space, member: after authentication; "" before.
        result: "done", or an error code; "" if it was no operation. rows: of the answer.
    """

    method: str
    address: str
    route: str = "other"
    space: str = ""
    member: str = ""
    result: str = ""
    rows: int = 0
    status: int = 500
    seconds: float = 0.0


class Numbers(Protocol):
    """The metrics."""

    def began(self) -> None:
        """Count a request that came in."""

    def ended(self, seen: Seen) -> None:
        """Count a request that was answered."""

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""


@dataclass(frozen=True, slots=True)
class Operation:
    """Metrics and logs. `metrics_token`: required to read the metrics; "": they are not served."""

    metrics: Numbers
    metrics_token: str = field(repr=False)

    def ended(self, seen: Seen) -> None:
        """Count and log a request that was answered."""
        self.metrics.ended(seen)
        if seen.route not in PROBES or seen.status >= 400:
            _access.info(
                "request",
                extra={
                    "fields": {
                        "method": seen.method, "route": seen.route, "space": seen.space, "status": seen.status,
                        "ms": round(seen.seconds * 1000, 1), "address": seen.address,
                    }
                },
            )  # fmt: skip
        if seen.result:
            fields = {"space": seen.space, "member": seen.member, "verb": seen.route, "result": seen.result}
            _audit.info("operation", extra={"fields": fields})


class Observed:
    """Wraps an ASGI application to count and log requests. The `Seen` of a request is in its scope as "seen".

    Args:
        now: a monotonic clock in seconds.
    """

    def __init__(self, app: App, operation: Operation, now: Callable[[], float]) -> None:
        self._app, self._operation, self._now = app, operation, now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        seen = scope["seen"] = Seen(scope["method"], client[0] if client else "")
        began = self._now()

        async def sending(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                seen.status = message["status"]
            await send(message)

        self._operation.metrics.began()
        try:
            await self._app(scope, receive, sending)
        finally:
            seen.seconds = self._now() - began
            self._operation.ended(seen)


class JsonLines(logging.Formatter):
    """Formats log records as JSON lines: time, logger, level, and fields or message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields: dict[str, object] = getattr(record, "fields", None) or {"message": record.getMessage()}
        if record.exc_info:
            fields = {**fields, "error": self.formatException(record.exc_info)}
        head = {"at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"), "log": record.name, "level": record.levelname.lower()}
        return json.dumps({**head, **fields}, ensure_ascii=False)


def log_in_json() -> None:
    """Log to standard error as JSON lines: team logs from level info, all others from warning."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("vademecum.team").setLevel(logging.INFO)
