"""Detect a file that a sync tool may still be writing: its text is the beginning of a recorded one."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from vademecum.vault.journal import Version
from vademecum.vault.merge import Folded

#: Maximum age at which a partial file is skipped. The first applies if the complete file was here before and only its last line
#: is cut, which the person may have done; the second otherwise.
ARRIVES_WITHIN, ARRIVES_AT_LAST = timedelta(minutes=2), timedelta(days=1)


def is_begun(folded: Folded, text: str, age: timedelta, was_here: Callable[[Version], bool]) -> bool:
    """Return whether a text is the beginning of a known one, and recent enough for the rest to arrive.

    Args:
        was_here: returns whether a version was last seen here as the file; then the person may have shortened it.
    """
    whole = _begun_by(folded, text)
    if any(map(was_here, whole)):
        last = not any("\n" in _rest(version, text).strip() for version in whole)
        return _is_within_a_line(whole, text) and age < (ARRIVES_WITHIN if last else ARRIVES_AT_LAST)
    return bool(whole) and age < ARRIVES_AT_LAST


def is_beginning(folded: Folded, text: str) -> bool:
    """Return whether a text is the beginning of a longer known one."""
    return bool(_begun_by(folded, text))


def is_cut_off(folded: Folded, text: str, age: timedelta) -> bool:
    """Return whether a text is the beginning of a known one and ends within a line, so recently that a sync may still be writing it."""
    return _is_within_a_line(_begun_by(folded, text), text) and age < ARRIVES_AT_LAST


def _begun_by(folded: Folded, text: str) -> list[Version]:
    """Return the versions that begin with a text and are longer."""
    return [version for version, _ in folded.made.values() if text and _rest(version, text)]


def _rest(version: Version, text: str) -> str:
    """Return the part of a version after a text that it begins with; "" if it does not."""
    whole = version.text or ""
    return whole[len(text) :] if whole.startswith(text) else ""


def _is_within_a_line(whole: Sequence[Version], text: str) -> bool:
    return bool(whole) and not text.endswith("\n") and not any(_rest(version, text).startswith("\n") for version in whole)
