"""Whether the next session is shown how the last one was interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vademecum.inject.numbers import QUIET_FOR, VALID_FOR
from vademecum.inject.render import age

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from vademecum.domain.session import Snapshot


HEADING = "### Recovering previous session"
#: What the line for the person calls it.
INTERRUPTED = "end of the interrupted session"


def to_recover(snapshots: Iterable[Snapshot], now: datetime, asking: str = "") -> Snapshot | None:
    """Return the last session if it was interrupted and is recent enough to continue; None: nothing to recover.

    Args:
        snapshots: of one project, newest first.
        asking: URI or id of the session that asks; its own snapshots are skipped.
    """
    others = (
        snapshot
        for snapshot in snapshots
        if not asking or asking not in (snapshot.session, snapshot.session.rpartition("/")[2])
    )
    last = next(others, None)
    if last is None or last.finished or not QUIET_FOR <= now - last.when <= VALID_FOR:
        return None
    return last


def recovery_lines(snapshot: Snapshot, now: datetime) -> str:
    """Return the last words of a session as Markdown, with its age and URI."""
    said = "\n".join(text for _, text in snapshot.messages)
    return f"{HEADING}\n{said}\n(it was interrupted {age(snapshot.when, now)}, {snapshot.session})"
