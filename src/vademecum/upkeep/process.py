"""One round over all transcripts: what each brought, and what is owed to the conversations that have ended."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from vademecum.model.reports import ProcessReport
from vademecum.upkeep.absorb import absorb
from vademecum.upkeep.attend import tend
from vademecum.upkeep.gather import owner_of, stamp_of
from vademecum.upkeep.parts import Parts


def process(parts: Parts, paths: Sequence[str], *, threshold: timedelta) -> ProcessReport:
    """Read what is new, then attend to every session that is due: handoff, note of the day, what failed before.

    A conversation whose file did not change for `threshold` is silent: it has ended, for now.

    Raises:
        Refused: memory is switched off.
    """
    report = absorb(parts, paths)
    now = parts.clock.now()
    silent = tuple(found.session for found in report.sessions if now - _changed(found.path) >= threshold)
    return ProcessReport(report, silent, tend(parts, silence=threshold))


def _changed(path: str) -> datetime:
    """When the file of a transcript changed last; long ago when it has gone."""
    nanoseconds = stamp_of(Path(owner_of(path))).partition(":")[2]
    return datetime.fromtimestamp(int(nanoseconds or 0) / 1e9, UTC)
