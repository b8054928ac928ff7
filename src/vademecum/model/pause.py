"""A time in which the person wants nothing kept of what is said, neither now nor later."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import datetime

from vademecum.model.records import record


@record
class Pause:
    """One such time.

    Attributes:
        start: aware, UTC. end: the same, exclusive; None while it goes on.
        session: URI of the one conversation it is about; "" for all.
        written: path of a transcript -> (first, end) of the bytes that were written to it meanwhile: they stand for the time of
            turns that have none.
    """

    start: datetime
    end: datetime | None = None
    session: str = ""
    written: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def covers(self, moment: datetime) -> bool:
        """Whether a moment lies in it."""
        return self.start <= moment and (self.end is None or moment < self.end)

    def is_about(self, session: str) -> bool:
        """Whether it is about this conversation."""
        return self.session in ("", session)


def going_on(pauses: Iterable[Pause], session: str = "") -> Pause | None:
    """The pause of this one conversation, or with "" of all, that has not ended."""
    return next((pause for pause in pauses if pause.session == session and pause.end is None), None)
