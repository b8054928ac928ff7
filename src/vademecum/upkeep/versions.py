"""Changes as the journal keeps them, told to a person."""

from vademecum.model.reports import Version
from vademecum.vault.journal import Change, Record


def version(record: Record, change: Change) -> Version:
    """One change of one file, with the whole text that it left."""
    there = change.after or change.before
    path = there.path if there else ""
    text = change.after.text if change.after else None
    return Version(record.id, record.time.isoformat(), record.op, record.actor, path, text, record.reason)
