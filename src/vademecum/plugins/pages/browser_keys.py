"""Access to the local pages: tickets that a command gives to a browser, and cookies that browsers get for them.

The file contains only hashes of cookies, so reading it gives no access.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from vademecum.plugin_api.machine import new_token
from vademecum.ports.clock import Clock
from vademecum.settings import Settings

#: Lifetime of a ticket, which the browser uses at once; lifetime of a cookie since its last use.
TICKET_FOR, COOKIE_FOR = timedelta(seconds=60), timedelta(days=30)


class BrowserKeys:
    """Tickets are held in memory; cookies in a file, so that they survive this process.

    Args:
        new: returns an unguessable secret.
    """

    def __init__(self, path: Path, clock: Clock, new: Callable[[], str]) -> None:
        self._path, self._clock, self._new = path, clock, new
        self._tickets: dict[str, datetime] = {}

    def ticket(self) -> str:
        """Return a new ticket. It admits one browser, once, within TICKET_FOR."""
        now = self._clock.now()
        self._tickets = {name: ends for name, ends in self._tickets.items() if ends > now}
        made = self._new()
        self._tickets[_hash(made)] = now + TICKET_FOR
        return made

    def enter(self, ticket: str) -> str | None:
        """Exchange a ticket for a cookie; None if the ticket is unknown, used or expired."""
        now = self._clock.now()
        ends = self._tickets.pop(_hash(ticket), None)
        if ends is None or ends <= now:
            return None
        cookie = self._new()
        self._keep({**self._known(), _hash(cookie): now + COOKIE_FOR})
        return cookie

    def knows(self, cookie: str) -> bool:
        """Return whether a cookie is valid; its use prolongs it."""
        known, name, now = self._known(), _hash(cookie), self._clock.now()
        if name not in known:
            return False
        if known[name] - now < COOKIE_FOR / 2:
            self._keep({**known, name: now + COOKIE_FOR})
        return True

    def revoke(self) -> int:
        """Revoke access of all browsers; return their number."""
        count = len(self._known())
        self._path.unlink(missing_ok=True)
        return count

    def _known(self) -> dict[str, datetime]:
        """Return hash of a cookie -> its expiry. A file that cannot be read admits nobody."""
        try:
            result = json.loads(self._path.read_bytes())
            ends = {str(name): datetime.fromisoformat(until) for name, until in result.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}
        now = self._clock.now()
        return {name: until for name, until in ends.items() if until > now}

    def _keep(self, known: Mapping[str, datetime]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        fresh.unlink(missing_ok=True)
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({name: until.isoformat() for name, until in known.items()}, file)
        fresh.replace(self._path)


def browser_keys(settings: Settings, clock: Clock) -> BrowserKeys:
    """Return the access keys for the pages of a memory."""
    return BrowserKeys(Path(settings.data_dir) / "browsers.json", clock, new_token)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
