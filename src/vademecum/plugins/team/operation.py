"""What an operator sees of a team's server: a line in the log for each request, and numbers. Neither holds text or tokens."""

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

#: Routes that programs ask every few seconds; they are logged when they fail.
PROBES = ("health", "ready", "metrics")


@dataclass(slots=True)
class Seen:
    """What is known of one request.

    Attributes:
        route: the deed that was asked for, one of `PROBES`, or "other". address: whence it came.
        space, member: who asked and where; "" for somebody who was not let in.
        result: "done", or the code of the error; "" when no deed was asked for. rows: of the answer.
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
    """Counts requests."""

    def began(self) -> None:
        """Count a request that came in."""

    def ended(self, seen: Seen) -> None:
        """Count a request that was answered."""

    def text(self) -> bytes:
        """Return all numbers, in the text format of Prometheus."""


@dataclass(frozen=True, slots=True)
class Operation:
    """Counts and logs. `metrics_token`: what a program must send to read the numbers; "": nobody reads them."""

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
            _audit.info("deed", extra={"fields": fields})


class Observed:
    """An ASGI application whose requests are counted and logged. The request's `Seen` stands in its scope as "seen".

    Args:
        now: seconds, never going back.
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
    """A log of one JSON object a line: when, which log, how grave, and either its fields or its message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields: dict[str, object] = getattr(record, "fields", None) or {"message": record.getMessage()}
        if record.exc_info:
            fields = {**fields, "error": self.formatException(record.exc_info)}
        head = {"at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"), "log": record.name, "level": record.levelname.lower()}
        return json.dumps({**head, **fields}, ensure_ascii=False)


def log_in_json() -> None:
    """Let this process write its log to standard error as JSON: the team's from `info` on, all other from `warning` on."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("vademecum.team").setLevel(logging.INFO)
