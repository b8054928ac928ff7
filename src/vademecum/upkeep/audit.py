"""The journal as lines of an audit: what was done to which memory, when, why and by whom."""

import json
from collections.abc import Iterator

from vademecum.model.reports import AuditLine
from vademecum.upkeep.parts import Parts
from vademecum.vault.journal import Change, Record

#: Our verb -> the word of Memory v2; others are told as they are.
_OPERATIONS = {
    "save": "insert", "adopt": "insert", "confirm": "confirm", "supersede": "supersede", "evolve": "supersede", "settle": "supersede",
    "archive": "deprecate", "reject": "deprecate", "resolve": "deprecate", "delete": "deprecate", "forget": "deprecate",
}  # fmt: skip


def audit(parts: Parts) -> Iterator[AuditLine]:
    """Every change of every memory, the last first. Append-only: it is read from the journals and cannot be written."""
    for record, change in parts.vault.changes():
        if change.memory:
            yield _line(record, change)


def _line(record: Record, change: Change) -> AuditLine:
    others = [one.memory for one in record.changes if one.memory != change.memory]
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
        None,
        record.reason,
        json.dumps({name: value for name, value in metadata.items() if value}),
    )
