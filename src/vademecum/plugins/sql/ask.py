"""Run a SQL statement; convert the journal to lines of the audit view."""

import json
from collections.abc import Iterator
from pathlib import Path

from vademecum.domain.errors import Refused
from vademecum.domain.memory import BY_PERSON, By
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import Change, Record, read
from vademecum.plugins.sql.values import AuditLine, Rows
from vademecum.plugins.sql.views import ask_views

#: Our operation -> its name in Memory v2; others keep their name.
_OPERATIONS = {
    "save": "insert", "adopt": "insert", "confirm": "confirm", "supersede": "supersede", "evolve": "supersede", "settle": "supersede",
    "archive": "deprecate", "reject": "deprecate", "resolve": "deprecate", "delete": "deprecate", "forget": "deprecate",
}  # fmt: skip


def ask(context: Context, statement: str, limit: int = 1000, seconds: int = 5, *, by: By = BY_PERSON) -> Rows:
    """Return the result of one SELECT over views of all memories, withheld ones included. Nothing can be changed.

    Raises:
        Refused: it is not the person who asks.
        InvalidInput: it is no SELECT, cannot be parsed, or took longer than `seconds`.
        NotFound: there is no index yet.
    """
    if by.actor != "user":
        raise Refused(
            "SQL also reads what is withheld from agents, so only the person may use it.", "At their terminal: vade sql"
        )
    context.index.counts()  # raises if the index is missing or damaged
    return ask_views(
        Path(context.storage.data_dir),
        lambda: audit(context),
        context.clock.elapsed_s,
        statement,
        most_rows=limit or 1000,
        most_s=float(seconds or 5),
    )


def audit(context: Context) -> Iterator[AuditLine]:
    """Yield every change of every memory, latest first. The lines come from the append-only journals and cannot be edited."""
    for record, change in context.vault.history.changes():
        if change.memory:
            yield _line(record, change)


def _line(record: Record, change: Change) -> AuditLine:
    others = [beside.memory for beside in record.changes if beside.memory != change.memory]
    operation = _OPERATIONS.get(record.op, record.op)
    if operation == "supersede" and change.before is None:
        operation = "insert"
    metadata = {
        "record": record.id,
        "verb": record.op,
        "actor": record.actor,
        "interface": record.interface,
        "device": record.device,
    }
    return AuditLine(
        record.time.isoformat(),
        operation,
        change.memory,
        others[0] if others else None,
        _session(change),
        record.reason,
        json.dumps({name: value for name, value in metadata.items() if value}),
    )


def _session(change: Change) -> str | None:
    """Return the conversation behind a change: the last one recorded with it, else the source in the new note."""
    noted = change.evidence.get("mining_sessions") or change.evidence.get("source")
    if not noted and change.before is None and change.after and change.after.text:
        noted = read(change.after.text).texts().get("source")
    last = noted[-1] if isinstance(noted, list | tuple) else noted
    return last if isinstance(last, str) and last.startswith("session://") else None
