"""Consent for writing outside the home folder: the person decides; if nobody can, the answer is no."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from vademecum.domain.errors import Refused

#: Maximum length of the preview shown to the person, in characters.
PREVIEW_MAX_CHARS = 400

#: silent: allowed without asking. interactive: the person is asked. auto: nobody can be asked, so the answer is no.
Mode = Literal["silent", "interactive", "auto"]

#: Asks the person; gets target, preview and rationale, returns their answer.
Ask = Callable[[str, str, str], bool]


class Consent(Struct, frozen=True):
    """How to get consent. `ask` is needed for "interactive" only; without it the answer is no."""

    mode: Mode = "auto"
    ask: Ask | None = None

    def require(self, target: str, preview: str, rationale: str) -> None:
        """Return if `target` may be written.

        Raises:
            Refused: it may not. Nothing was written, and asking again automatically would not help.
        """
        if self.mode == "silent":
            return
        if self.mode == "interactive" and self.ask is not None and self.ask(target, _cut(preview), rationale):
            return
        why = "nobody could be asked" if self.mode == "auto" or self.ask is None else "the answer was no"
        raise Refused(
            f"{target} is a page of your own, and {why}. It was not written.",
            'In a terminal it asks; to allow it anywhere: consent = "silent" among the settings',
        )


def _cut(preview: str) -> str:
    return preview if len(preview) <= PREVIEW_MAX_CHARS else preview[: PREVIEW_MAX_CHARS - 1] + "…"
