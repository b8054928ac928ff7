"""Hooks of VS Code and the conversations of Copilot are about the same sessions."""

from datetime import UTC, datetime

from vademecum.adapters.hosts.all_hosts import guess, hosts
from vademecum.domain.host import uri_of
from vademecum.domain.ready import Printed
from vademecum.entrypoints.hooks.answer import Hooks
from vademecum.wiring.hooks import HookParts

SESSION = "session://copilot/s1"


def test_hook():
    """A hook is about the session as its transcript is called."""
    event = hosts()["vscode"].read({"hookEventName": "Stop", "sessionId": "s1"}, "/here")
    assert (event.host, uri_of(event)) == ("vscode", SESSION)


def test_briefing_that_the_client_printed():
    """So is a briefing that the client printed by itself; one of a host whose plugin is gone keeps the host's name."""
    hooks = Hooks(HookParts(hosts(), guess, None, None, None, ()))
    printed = Printed("vscode", "SessionStart", "s1", (), 0, datetime(2026, 3, 2, tzinfo=UTC), "")
    assert uri_of(hooks.start_of(printed)) == SESSION
    assert uri_of(Hooks(HookParts({}, guess, None, None, None, ())).start_of(printed)) == "session://vscode/s1"
