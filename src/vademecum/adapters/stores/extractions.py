"""The queue and the ledger of language models: rows in the device's database, where forgetting can erase them.

As with markers, acknowledged changes are in the file's log before the call returns.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from vademecum.adapters.stores.device_file import DeviceFile, from_column, micros, moment_of, safe, to_column
from vademecum.domain.extraction import Extraction, Stop, Trial, Wait
from vademecum.domain.llm import DayUse, Usage

_TIMES = frozenset({"queued", "due", "last"})

Change = Callable[[Extraction | None], Extraction | None]


class _InDeviceFile:
    """Base class for tables in the device's database."""

    def __init__(self, path: Path) -> None:
        self._base = DeviceFile(path)

    def close(self) -> None:
        """Release the file."""
        self._base.close()


class SqliteExtractions(_InDeviceFile):
    """The Extractions port over the device's database."""

    def get(self, session: str) -> Extraction | None:
        row = self._base.first("SELECT session, stage, fields FROM extraction WHERE session = ?", (safe(session),))
        return _extraction(row) if row else None

    def change(self, session: str, change: Change) -> Extraction | None:
        key = safe(session)
        with self._base.transaction():
            new = change(self.get(session))
            if new is None:
                self._base.execute("DELETE FROM extraction WHERE session = ?", (key,))
                return None
            row = (key, new.stage, micros(new.due), _fields(new))
            self._base.execute("INSERT OR REPLACE INTO extraction VALUES(?, ?, ?, ?)", row)
            return replace(new, session=key)

    def all(self, stages: Collection[Wait] | None = None) -> tuple[Extraction, ...]:
        where, values = ("", ()) if stages is None else (f" WHERE stage IN ({', '.join('?' * len(stages))})", tuple(stages))
        rows = self._base.execute(f"SELECT session, stage, fields FROM extraction{where} ORDER BY due, session", values)
        return tuple(map(_extraction, rows))

    def stopped(self) -> Stop | None:
        row = self._base.first("SELECT mark, reason, since FROM extraction_stop")
        return Stop(row[0], row[1], moment_of(row[2])) if row else None

    def stop(self, stop: Stop | None) -> None:
        if stop is None:
            self._base.execute("DELETE FROM extraction_stop")
        else:
            row = (safe(stop.mark), safe(stop.reason), micros(stop.since))
            self._base.execute("INSERT OR REPLACE INTO extraction_stop VALUES(1, ?, ?, ?)", row)

    def trial(self, llm: str) -> Trial:
        row = self._base.first("SELECT shown, tried, fault FROM reader_trial WHERE llm = ?", (safe(llm),))
        if row is None:
            return Trial(llm)
        shown, tried = (None if at is None else moment_of(at) for at in row[:2])
        return Trial(llm, shown, tried, row[2])

    def note_trial(self, trial: Trial) -> None:
        shown, tried = (None if at is None else micros(at) for at in (trial.shown, trial.tried))
        row = (safe(trial.llm), shown, tried, safe(trial.fault))
        self._base.execute("INSERT OR REPLACE INTO reader_trial VALUES(?, ?, ?, ?)", row)


class SqliteLedger(_InDeviceFile):
    """The Ledger port over the device's database.

    If it cannot be written, no use is allowed, because no limit could be enforced.
    """

    def spend(self, day: str, model: str, usage: Usage, cost: float) -> None:
        self._base.must_keep()
        self._base.execute(
            "INSERT INTO ledger VALUES(?1, ?2, max(0, ?3), max(0, ?4), max(0, ?5), max(0.0, ?6)) ON CONFLICT(day, model) DO UPDATE"
            " SET calls = max(0, calls + ?3), input = max(0, input + ?4), output = max(0, output + ?5), cost = max(0.0, cost + ?6)",
            (day, safe(model), usage.calls, usage.input_tokens, usage.output_tokens, cost),
        )

    def spent(self, since: str = "") -> tuple[DayUse, ...]:
        rows = self._base.execute(
            "SELECT day, model, calls, input, output, cost FROM ledger WHERE day >= ? ORDER BY day DESC, model", (since,)
        )
        return tuple(DayUse(*row) for row in rows)


def _fields(extraction: Extraction) -> str:
    return to_column(extraction, ("session", "stage"), _TIMES)


def _extraction(row: Any) -> Extraction:
    given = from_column(row[2], _TIMES)
    given |= {name: tuple(given[name]) for name in ("reasons", "mentions") if name in given}
    return Extraction(row[0], given.pop("path", ""), row[1], **given)
