"""Turns hook payloads into answers. Never raises; every call leaves one line in the log."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput, VademecumError
from vademecum.domain.host import Delivery, HookEvent
from vademecum.domain.payload import payload_of
from vademecum.domain.ready import Printed
from vademecum.domain.tokens import estimate_tokens
from vademecum.domain.why_nothing import COULD_NOT_SEARCH, NOT_UNDERSTOOD, NOTHING_KNOWN, SHOWN, TOO_LATE
from vademecum.wiring.hooks import HookParts

#: Events after which a transcript may have grown or a session may have begun. They are queued for capture.
CAPTURED = frozenset({"start", "pause", "agent end", "shrink", "end"})
#: Events at which memory may be shown to the agent.
SHOWN_AT = frozenset({"start", "prompt"})


class Asked(Struct, frozen=True):
    """One call of a hook.

    Attributes:
        event: the parsed payload; None if it cannot be parsed, and `error` says why.
        started_s: on the scale of the monotonic clock.
    """

    host: str
    cwd: str
    event: HookEvent | None
    payload: Mapping[str, object]
    started_s: float
    error: str = ""


class Hooks:
    """Parses calls, queues events for capture, and formats answers."""

    def __init__(self, parts: HookParts) -> None:
        self._parts, self.clock = parts, parts.clock

    def read(self, host: str, cwd: str, payload: bytes) -> Asked:
        """Parse the payload. An event for capture is queued before this returns."""
        started = self.clock.elapsed_s()
        try:
            fields = payload_of(payload)
            event = self.event_of(host, cwd, fields)
        except VademecumError as error:
            return Asked(host, cwd, None, {}, started, _sentence(error))
        asked = Asked(event.host, event.cwd or cwd, event, fields, started)
        return self._kept(asked) if event.moment in CAPTURED else asked

    def event_of(self, host: str, cwd: str, fields: Mapping[str, object]) -> HookEvent:
        """Parse a payload.

        Raises:
            InvalidInput: the host is unknown, or the payload is not one of its formats.
        """
        name = self._parts.guess(fields) or host
        if name not in self._parts.hosts:
            raise InvalidInput(f"No host is called {name!r}.")
        return self._parts.hosts[name].read(fields, cwd)

    def _kept(self, asked: Asked) -> Asked:
        try:
            self._parts.queue.put(self.clock.new_id(), asked.host, asked.cwd, asked.payload)
        except OSError as error:
            return replace(asked, error=f"capture was not told: {error.strerror}")
        return asked

    def shows_text(self, asked: Asked) -> bool:
        """Return whether memory may be shown at this event. A memory is recorded as shown only if the host can deliver it."""
        return asked.event is not None and asked.event.moment in SHOWN_AT and asked.event.heard

    def ask(self, asked: Asked, deliver: Callable[[HookEvent], Delivery]) -> str:
        """Return what to print: what `deliver` finds for this event, in the format of the host."""
        if asked.event is None:
            return ""
        try:
            return self.finish(asked, deliver(asked.event))
        except (VademecumError, OSError) as error:
            return self.failed(asked, error)

    def failed(self, asked: Asked, error: Exception) -> str:
        """Return an empty answer after an error, which is logged."""
        return self.finish(replace(asked, error=_sentence(error)), Delivery(verdict=COULD_NOT_SEARCH))

    def finish(self, asked: Asked, delivery: Delivery) -> str:
        """Return what to print for a delivery, and write the log line."""
        text = self.text_of(asked.event, delivery) if asked.event else ""
        self._parts.log.write(self._line(asked, delivery), self.clock.now())
        return text

    def text_of(self, event: HookEvent, delivery: Delivery) -> str:
        """Return a delivery in the format of the host."""
        return self._parts.hosts[event.host].write(event, delivery)

    def start_of(self, printed: Printed) -> HookEvent:
        """Return the session start at which the client printed a briefing."""
        host = self._parts.hosts.get(printed.host)
        return HookEvent(
            printed.host, "start", printed.event, printed.session, conversations=host.conversations if host else ""
        )

    def note(self, printed: Printed) -> None:
        """Write the log line for a briefing that the client printed without the helper."""
        event = self.start_of(printed)
        delivery = Delivery(verdict=SHOWN if printed.tokens else NOTHING_KNOWN, keys=printed.keys)
        line = self._line(Asked(printed.host, "", event, {}, self.clock.elapsed_s()), delivery)
        self._parts.log.write({**line, "ms": 0.0, "tokens": printed.tokens}, printed.at)

    def note_call(self, line: Mapping[str, object]) -> None:
        """Write the log line for a tool call that the client answered."""
        at = datetime.fromtimestamp(float(str(line.get("at") or 0)), UTC)
        names = ("host", "session", "verdict", "rule", "tool")
        self._parts.log.write({"moment": "call", **{name: str(line.get(name, "")) for name in names}}, at)

    def late(self, asked: Asked) -> str:
        """Return an empty answer after a timeout, which is logged."""
        return self.finish(asked, Delivery(verdict=TOO_LATE))

    def _line(self, asked: Asked, delivery: Delivery) -> dict[str, object]:
        event = asked.event
        line: dict[str, object] = {
            "host": asked.host,
            "event": event.event if event else "",
            "moment": event.moment if event else "",
            "session": event.session if event else "",
            "verdict": delivery.verdict if event else NOT_UNDERSTOOD,
            "ms": round((self.clock.elapsed_s() - asked.started_s) * 1000, 1),
            "items": len(delivery.keys),
            "tokens": estimate_tokens(delivery.text) if delivery.text else 0,
            "trace": delivery.trace,
        }
        if delivery.skipped:
            line["skipped"] = delivery.skipped
        if self._parts.wrong:
            line["settings"] = " ".join(self._parts.wrong)
        return {**line, "error": asked.error} if asked.error else line


def _sentence(error: Exception) -> str:
    return f"{error.__class__.__name__}: {error}"[:300]
