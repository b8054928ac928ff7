"""A pause: a period in which nothing that is said is ever saved."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import PurePath

import msgspec
from msgspec import Struct


class Pause(Struct, frozen=True):
    """One pause.

    Attributes:
        start: aware, UTC. end: the same, exclusive; None while it lasts. An end before the start: the clock was set back meanwhile.
        session: URI of the only conversation it applies to; "" for all. folder: it applies to conversations in this folder or
            below it.
        written: path of a transcript -> (first, end) of the bytes written to it during the pause; identifies turns whose time
            is missing or says nothing because the clock was set back.
    """

    start: datetime
    end: datetime | None = None
    session: str = ""
    folder: str = ""
    written: Mapping[str, tuple[int, int]] = msgspec.field(default_factory=dict)

    @property
    def about(self) -> str:
        """The conversation or folder to which it applies; "" for all."""
        return self.session or self.folder

    @property
    def is_set_back(self) -> bool:
        """Whether the clock was set back during the pause, so that times alone do not tell what was said in it."""
        return self.end is not None and self.end < self.start

    def covers(self, moment: datetime) -> bool:
        """Return whether a moment is in the pause."""
        return self.start <= moment and (self.end is None or moment < self.end)

    def is_about(self, session: str, cwd: str) -> bool:
        """Return whether it applies to this conversation, whose working folder is `cwd`."""
        if self.folder:
            return bool(cwd) and PurePath(cwd).is_relative_to(self.folder)
        return self.session in ("", session)


def going_on(pauses: Iterable[Pause], session: str = "", folder: str = "") -> Pause | None:
    """Return the current pause of exactly this conversation or folder, or of all ("" and ""); None for none."""
    return next((pause for pause in pauses if (pause.session, pause.folder, pause.end) == (session, folder, None)), None)
