"""A time in which the person wants nothing kept of what is said, neither now nor later."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import PurePath

import msgspec
from msgspec import Struct


class Pause(Struct, frozen=True):
    """One such time.

    Attributes:
        start: aware, UTC. end: the same, exclusive; None while it goes on.
        session: URI of the one conversation it is about; "" for all. folder: it is about those held in this folder or below it.
        written: path of a transcript -> (first, end) of the bytes that were written to it meanwhile: they stand for the time of
            turns that have none.
    """

    start: datetime
    end: datetime | None = None
    session: str = ""
    folder: str = ""
    written: Mapping[str, tuple[int, int]] = msgspec.field(default_factory=dict)

    @property
    def about(self) -> str:
        """The conversation or folder that it is about; "" for all."""
        return self.session or self.folder

    def covers(self, moment: datetime) -> bool:
        """Return whether a moment lies in it."""
        return self.start <= moment and (self.end is None or moment < self.end)

    def is_about(self, session: str, cwd: str) -> bool:
        """Return whether it is about this conversation, which was held in the folder `cwd`."""
        if self.folder:
            return bool(cwd) and PurePath(cwd).is_relative_to(self.folder)
        return self.session in ("", session)


def going_on(pauses: Iterable[Pause], session: str = "", folder: str = "") -> Pause | None:
    """Return the pause of this one conversation or folder, or of all, that has not ended."""
    return next((pause for pause in pauses if (pause.session, pause.folder, pause.end) == (session, folder, None)), None)
