"""Process sessions together with the jobs that come after: what entrances call."""

from collections.abc import Sequence
from datetime import timedelta

from vademecum.context.context import Context
from vademecum.features.daily_extract import distil
from vademecum.features.views import keep_views_after
from vademecum.sessions import lifecycle
from vademecum.sessions.lifecycle import ProcessReport, TendReport

JOBS = (distil, keep_views_after)


def process_due(context: Context, seconds: float | None = None) -> TendReport:
    """Process the sessions that are due, then take memories from the notes of past days, and keep the generated pages.

    Args:
        seconds: begin no further session after so much time; None: no limit.

    Raises:
        Refused: memory is switched off.
    """
    return lifecycle.process_due(context, JOBS, seconds=seconds)


def process(context: Context, paths: Sequence[str] = (), threshold: int = 5) -> ProcessReport:
    """Read every transcript once, then process every session that is due: handoff, note of the day, what failed before.

    A conversation whose file did not change for `threshold` minutes is silent: it has ended, for now.

    Raises:
        Refused: memory is switched off.
    """
    return lifecycle.process_transcripts(context, paths, JOBS, threshold=timedelta(minutes=threshold))
