"""The State port over the device's database."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.adapters.stores import device_tables
from vademecum.adapters.stores.device_file import DeviceFile, set_aside

if TYPE_CHECKING:
    from vademecum.ports import state as port


class SqliteState:
    """The State port over a file; `path` None: in memory.

    Args:
        changed: called after data used in briefings has changed on disk, before the operation returns.
    """

    def __init__(self, path: Path | None, changed: Callable[[], None] = lambda: None) -> None:
        self._path, self._changed = path, changed
        self._base = base = DeviceFile(path)
        base.execute("SELECT 1")  # creates the file, for programs that read it by SQL
        self.cursors: port.Cursors = device_tables.Cursors(base)
        self.unknown_lines: port.UnknownLines = device_tables.UnknownLines(base)
        self.turns: port.TurnOwners = device_tables.TurnOwners(base, path.parent / "hash.key" if path else None)
        self.identities: port.Identities = device_tables.Identities(base)
        self.clocks_ahead: port.ClocksAhead = device_tables.ClocksAhead(base)
        self.traces: port.Traces = device_tables.Traces(base)
        self.usage: port.Usage = device_tables.Usage(base)
        self.lots: port.Lots = device_tables.Lots(base)
        self.claims: port.Claims = device_tables.Claims(base)
        self.shown: port.Shown = device_tables.Shown(base)
        self.snapshots: port.Snapshots = device_tables.Snapshots(base, changed)
        self.topic_locks: port.TopicLocks = device_tables.TopicLocks(base)
        self.verdicts: port.ReviewVerdicts = device_tables.ReviewVerdicts(base)
        self.jobs: port.Jobs = device_tables.Jobs(base, path.parent / "locks" if path else None)

    def erase(self, holds: Callable[[str], bool], keys: Collection[str]) -> int:
        """Remove every row with a text that `holds` accepts or about one of the keys, and its bytes on disk."""
        count = 0
        with self._base.transaction():
            for table, key, texts in _ROWS:
                for row in self._base.execute(f"SELECT {key}, {texts} FROM {table}"):
                    if row[0] in keys or any(_holds_one(str(text or ""), holds, keys) for text in row):
                        self._base.execute(f"DELETE FROM {table} WHERE {key} = ?", (row[0],))
                        count += self._base.changes()
        self._base.compact()
        self._changed()
        return count

    def problems(self) -> tuple[str, ...]:
        unwritten = (self._base.problem,) if self._base.problem else ()
        aside = set_aside(self._path.parent) if self._path else ()
        return (*unwritten, *(_ASIDE.format(path) for path in aside))

    def close(self) -> None:
        self._base.close()


_ASIDE = (
    "{} was damaged. It was renamed, and a new one was made from what could be read. Counts of uses and of decided proposals may be"
    " too low, and conversations may be read again. Delete the renamed file when you no longer need it."
)


#: (table, its key, the text columns) of tables that may contain forgotten content.
_ROWS = (
    ("cursor", "path", "carry"), ("trace", "id", "text"), ("told", "key", "session"), ("told", "session", "key"),
    ("lot", "key", "session"), ("lot", "session", "key"),
    ("outcome", "key", "''"), ("topic_lock", "session", "weights"), ("snapshot", "session", "messages"), ("claim", "name", "''"),
    ("extraction", "session", "fields"), ("strange", "path", "kind"), ("job", "name", "fields"), ("identity", "path", "session"),
    ("clock_ahead", "session", "''"),
)  # fmt: skip


def _holds_one(text: str, holds: Callable[[str], bool], keys: Collection[str]) -> bool:
    """Return whether a column matches: as a text, or by the strings inside its JSON."""
    if not text:
        return False
    if any(key in text for key in keys):
        return True
    try:
        entry = "\n".join(_strings(json.loads(text))) if text[0] in "[{" else text
    except ValueError:
        entry = text
    return holds(entry)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for entry in (*value.keys(), *value.values()) if isinstance(value, dict) else value:
            yield from _strings(entry)
