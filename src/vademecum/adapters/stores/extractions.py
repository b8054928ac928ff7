"""The queue and the ledger of language models: rows in the device's database, where forgetting can erase them."""

from pathlib import Path
from typing import Any

from vademecum.adapters.stores.device_file import DeviceFile, micros, moment_of, safe
from vademecum.adapters.stores.session_rows import SessionRows
from vademecum.domain.extraction import Extraction, Stop, Trial
from vademecum.domain.llm import DayUse, Usage


class SqliteExtractions(SessionRows[Extraction]):
    """The Extractions port."""

    table, order = "extraction", "due"
    times = frozenset({"queued", "due", "last"})

    def record(self, session: str, stage: Any, fields: dict[str, Any]) -> Extraction:
        fields |= {name: tuple(fields[name]) for name in ("reasons", "mentions") if name in fields}
        return Extraction(session, fields.pop("path", ""), stage, **fields)

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


class SqliteLedger:
    """The Ledger port over the device's database.

    If it cannot be written, no use is allowed, because no limit could be enforced.
    """

    def __init__(self, path: Path) -> None:
        self._base = DeviceFile(path)

    def close(self) -> None:
        self._base.close()

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
