"""Who may look at the local pages: tickets that a command hands to a browser, and the cookies that browsers get for them.

Of a cookie the file holds a hash only, so who reads the file cannot come in by it.
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

#: A ticket is used at once by the browser that it was made for; a cookie lasts until nobody looked for so long.
TICKET_FOR, COOKIE_FOR = timedelta(seconds=60), timedelta(days=30)


class BrowserKeys:
    """Tickets live in this process; cookies in a file, so that they outlive it.

    Args:
        new: makes a secret that nobody can guess.
    """

    def __init__(self, path: Path, clock: Clock, new: Callable[[], str]) -> None:
        self._path, self._clock, self._new = path, clock, new
        self._tickets: dict[str, datetime] = {}

    def ticket(self) -> str:
        """Return a new ticket; it lets one browser in, once, within TICKET_FOR."""
        now = self._clock.now()
        self._tickets = {name: ends for name, ends in self._tickets.items() if ends > now}
        made = self._new()
        self._tickets[_hash(made)] = now + TICKET_FOR
        return made

    def enter(self, ticket: str) -> str | None:
        """Return a cookie for a ticket, which is worth nothing from then on; None: it never was, or no longer is."""
        now = self._clock.now()
        ends = self._tickets.pop(_hash(ticket), None)
        if ends is None or ends <= now:
            return None
        cookie = self._new()
        self._keep({**self._known(), _hash(cookie): now + COOKIE_FOR})
        return cookie

    def knows(self, cookie: str) -> bool:
        """Return whether a cookie is one of ours that still lasts; one that is used lasts on."""
        known, name, now = self._known(), _hash(cookie), self._clock.now()
        if name not in known:
            return False
        if known[name] - now < COOKIE_FOR / 2:
            self._keep({**known, name: now + COOKIE_FOR})
        return True

    def revoke(self) -> int:
        """Forget every browser that was let in, and return how many there were."""
        count = len(self._known())
        self._path.unlink(missing_ok=True)
        return count

    def _known(self) -> dict[str, datetime]:
        """Read the hash of each cookie -> when it ends; a file that cannot be understood lets nobody in."""
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
    """Return who may look at the pages of a memory."""
    return BrowserKeys(Path(settings.data_dir) / "browsers.json", clock, new_token)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
