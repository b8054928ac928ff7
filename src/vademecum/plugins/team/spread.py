"""The databases of a team server. Each space lies whole in one of them, so that a lost database takes only its own spaces away."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING

from vademecum.domain.errors import TeamUnavailable, VademecumError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from vademecum.plugins.team.ports import TeamStore

#: Seconds between two attempts to reach one of several databases that did not answer. Requests in between are refused at once: each
#: attempt may wait as long as the pool does, and waiting requests would occupy the threads that other databases' spaces need.
RETRY_S = 2.0


def ranked(space: str, databases: Iterable[str]) -> list[str]:
    """Return the databases in the order in which a space prefers them (rendezvous hashing, Thaler and Ravishankar 1998).

    A new database becomes the first of a few spaces; the order of the others stays.
    """
    return sorted(databases, key=lambda name: blake2b(f"{space}/{name}".encode(), digest_size=8).digest(), reverse=True)


class Spread:
    """The stores of all databases, found by space.

    A space is opened in the first database of its order (:func:`ranked`) and stays there when databases are added, so the others are
    asked as well.

    Args:
        openers: name of each database -> opens its store. It is called again after it raised TeamUnavailable.
        now: seconds of a monotonic clock.
    """

    def __init__(self, openers: Mapping[str, Callable[[], TeamStore]], now: Callable[[], float]) -> None:
        self._openers, self._now, self._lock = dict(openers), now, threading.Lock()
        self._opening = {name: threading.Lock() for name in openers}  # apart: opening one may take as long as a pool waits
        self._stores: dict[str, TeamStore] = {}
        self._homes: dict[str, str] = {}
        self._away_until: dict[str, float] = {}

    @contextmanager
    def of(self, space: str) -> Iterator[TeamStore]:
        """Give the store that holds a space; for an unknown space the one in which it would be opened.

        Raises:
            TeamUnavailable: its database does not answer, or it is unknown and might be in one that does not.
        """
        with self._asking(self._home(space)) as store:
            yield store

    def open(self) -> tuple[str, ...]:
        """Connect to all databases; return the names of those that do not answer.

        Raises:
            TeamUnavailable: none answers. Refused: row level security does not apply to the role.
        """
        return self._each(lambda store: None)

    def must_be_ready(self) -> tuple[str, ...]:
        """Check all databases; return the names of those that do not answer.

        Raises:
            TeamUnavailable: none answers. Refused: the tables of one are of an earlier version.
        """
        return self._each(lambda store: store.must_be_ready())

    def load(self) -> Mapping[str, int]:
        """Return the state of all connection pools together, and how many databases there are and are known to be `away`."""
        total: dict[str, int] = {"databases": len(self._openers), "away": len(self._away_until)}
        for store in list(self._stores.values()):
            for name, value in store.load().items():
                total[name] = total.get(name, 0) + value
        return total

    def close(self) -> None:
        """Close all stores."""
        for store in self._stores.values():
            store.close()

    def _each(self, check: Callable[[TeamStore], None]) -> tuple[str, ...]:
        away = []
        for name in self._openers:
            try:
                with self._asking(name) as store:
                    check(store)
            except TeamUnavailable:
                away.append(name)
                if len(away) == len(self._openers):
                    raise
        return tuple(away)

    def _home(self, space: str) -> str:
        if len(self._openers) == 1:
            return next(iter(self._openers))
        if known := self._homes.get(space):
            return known
        away, order = None, ranked(space, self._openers)
        for name in order:
            try:
                with self._asking(name) as store:
                    if store.holds(space):
                        self._homes[space] = name
                        return name
            except TeamUnavailable as error:
                away = error
        if away is not None:
            raise away
        return order[0]

    @contextmanager
    def _asking(self, name: str) -> Iterator[TeamStore]:
        """Give the store of a database, and note whether it answered."""
        self._must_not_wait(name)
        try:
            yield self._opened(name)
        except TeamUnavailable:
            with self._lock:
                self._away_until[name] = self._now() + RETRY_S
                self._homes = {space: home for space, home in self._homes.items() if home != name}
            raise
        except VademecumError:
            self._answered(name)
            raise
        self._answered(name)

    def _must_not_wait(self, name: str) -> None:
        """Refuse a request whose database another request is trying to reach, or has just failed to reach.

        The only database is always tried: no other space needs the threads.

        Raises:
            TeamUnavailable: it is refused.
        """
        with self._lock:
            until, now = self._away_until.get(name), self._now()
            if until is None or len(self._openers) == 1:
                return
            if now < until:
                raise TeamUnavailable("The team's database does not answer.", "Try again; its server's log says more.")
            self._away_until[name] = now + RETRY_S  # this request tries; the others do not wait with it

    def _answered(self, name: str) -> None:
        with self._lock:
            self._away_until.pop(name, None)

    def _opened(self, name: str) -> TeamStore:
        with self._opening[name]:
            if name not in self._stores:
                self._stores[name] = self._openers[name]()
            return self._stores[name]
