"""What models are to read, and what they took: rows in the file of the device's state, so that forgetting reaches them there.

In memory as the references. As with markers, what was acknowledged is in the file's log before the call returns.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import apsw

from vademecum.adapters.stores.device_file import from_column, micros, moment_of, safe, to_column, transaction
from vademecum.adapters.stores.state import state_file
from vademecum.model.extraction import Extraction, Stop, Wait
from vademecum.model.llm import DayUse, Usage

_TIMES = frozenset({"queued", "due", "last"})

Change = Callable[[Extraction | None], Extraction | None]


class MemoryExtractions:
    """The Extractions port as a dictionary: the reference."""

    def __init__(self) -> None:
        self._rows: dict[str, Extraction] = {}
        self._stop: Stop | None = None

    def get(self, session: str) -> Extraction | None:
        """See the port."""
        return self._rows.get(session)

    def change(self, session: str, change: Change) -> Extraction | None:
        """See the port."""
        new = change(self._rows.get(session))
        if new is None:
            self._rows.pop(session, None)
        else:
            self._rows[session] = replace(new, session=session)
        return self._rows.get(session)

    def all(self, stages: Collection[Wait] | None = None) -> tuple[Extraction, ...]:
        """See the port."""
        found = [one for one in self._rows.values() if stages is None or one.stage in stages]
        return tuple(sorted(found, key=lambda one: (one.due, one.session)))

    def stopped(self) -> Stop | None:
        """See the port."""
        return self._stop

    def stop(self, stop: Stop | None) -> None:
        """See the port."""
        self._stop = stop

    def close(self) -> None:
        """See the port."""


class MemoryLedger:
    """The Ledger port as a dictionary: the reference."""

    def __init__(self) -> None:
        self._days: dict[tuple[str, str], DayUse] = {}

    def spend(self, day: str, model: str, usage: Usage, cost: float) -> None:
        """See the port."""
        known = self._days.get((day, model), DayUse(day, model, 0, 0, 0, 0.0))
        self._days[day, model] = DayUse(
            day,
            model,
            max(0, known.calls + usage.calls),
            max(0, known.input_tokens + usage.input_tokens),
            max(0, known.output_tokens + usage.output_tokens),
            max(0.0, known.cost + cost),
        )

    def spent(self, since: str = "") -> tuple[DayUse, ...]:
        """See the port."""
        found = sorted((use for use in self._days.values() if use.day >= since), key=lambda use: use.model)
        return tuple(sorted(found, key=lambda use: use.day, reverse=True))

    def close(self) -> None:
        """See the port."""


class _InStateFile:
    """Rows in the file of the device's state. It is opened when it is first used: without a model nobody asks."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _base(self) -> apsw.Connection:
        return state_file(self._path)

    def close(self) -> None:
        """Release the file."""
        if "_base" in self.__dict__:
            self._base.close()


class SqliteExtractions(_InStateFile):
    """The Extractions port over the state's file."""

    def get(self, session: str) -> Extraction | None:
        """See the port."""
        row = self._base.execute("SELECT session, stage, fields FROM extraction WHERE session = ?", (safe(session),)).fetchone()
        return _extraction(row) if row else None

    def change(self, session: str, change: Change) -> Extraction | None:
        """See the port."""
        key = safe(session)
        with transaction(self._base) as base:
            new = change(self.get(session))
            if new is None:
                base.execute("DELETE FROM extraction WHERE session = ?", (key,))
                return None
            row = (key, new.stage, micros(new.due), _fields(new))
            base.execute("INSERT OR REPLACE INTO extraction VALUES(?, ?, ?, ?)", row)
            return replace(new, session=key)

    def all(self, stages: Collection[Wait] | None = None) -> tuple[Extraction, ...]:
        """See the port."""
        where, values = ("", ()) if stages is None else (f" WHERE stage IN ({', '.join('?' * len(stages))})", tuple(stages))
        rows = self._base.execute(f"SELECT session, stage, fields FROM extraction{where} ORDER BY due, session", values)
        return tuple(map(_extraction, rows))

    def stopped(self) -> Stop | None:
        """See the port."""
        row = self._base.execute("SELECT mark, reason, since FROM extraction_stop").fetchone()
        return Stop(row[0], row[1], moment_of(row[2])) if row else None

    def stop(self, stop: Stop | None) -> None:
        """See the port."""
        if stop is None:
            self._base.execute("DELETE FROM extraction_stop")
        else:
            row = (safe(stop.mark), safe(stop.reason), micros(stop.since))
            self._base.execute("INSERT OR REPLACE INTO extraction_stop VALUES(1, ?, ?, ?)", row)


class SqliteLedger(_InStateFile):
    """The Ledger port over the state's file."""

    def spend(self, day: str, model: str, usage: Usage, cost: float) -> None:
        """See the port."""
        self._base.execute(
            "INSERT INTO ledger VALUES(?1, ?2, max(0, ?3), max(0, ?4), max(0, ?5), max(0.0, ?6)) ON CONFLICT(day, model) DO UPDATE"
            " SET calls = max(0, calls + ?3), input = max(0, input + ?4), output = max(0, output + ?5), cost = max(0.0, cost + ?6)",
            (day, safe(model), usage.calls, usage.input_tokens, usage.output_tokens, cost),
        )

    def spent(self, since: str = "") -> tuple[DayUse, ...]:
        """See the port."""
        rows = self._base.execute(
            "SELECT day, model, calls, input, output, cost FROM ledger WHERE day >= ? ORDER BY day DESC, model", (since,)
        )
        return tuple(DayUse(*row) for row in rows)


def _fields(one: Extraction) -> str:
    return to_column(one, ("session", "stage"), _TIMES)


def _extraction(row: Any) -> Extraction:
    given = from_column(row[2], _TIMES)
    given |= {name: tuple(given[name]) for name in ("reasons", "mentions") if name in given}
    return Extraction(row[0], given.pop("path", ""), row[1], **given)
