"""Whether a sync tool may not be done with a file: it is the beginning of a text that a record tells of."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from vademecum.vault.journal import Version
from vademecum.vault.merge import Folded

#: So long a file is left alone that was here whole and is cut within its last line; and any other.
ARRIVES_WITHIN, ARRIVES_AT_LAST = timedelta(minutes=2), timedelta(days=1)


def is_begun(folded: Folded, text: str, age: timedelta, was_here: Callable[[Version], bool]) -> bool:
    """Return whether a text is the beginning of a known one, and so young that the rest may come.

    Args:
        was_here: whether a version was last seen here as the file; then who cut it may be the person.
    """
    whole = _begun_by(folded, text)
    if any(map(was_here, whole)):
        last = not any("\n" in _rest(version, text).strip() for version in whole)
        return _is_within_a_line(whole, text) and age < (ARRIVES_WITHIN if last else ARRIVES_AT_LAST)
    return bool(whole) and age < ARRIVES_AT_LAST


def is_cut_off(folded: Folded, text: str, age: timedelta) -> bool:
    """Return whether a text begins as a known one and ends within a line of that, so lately that a sync tool may not be done with it."""
    return _is_within_a_line(_begun_by(folded, text), text) and age < ARRIVES_AT_LAST


def _begun_by(folded: Folded, text: str) -> list[Version]:
    """Return the versions that begin with a text and go on."""
    return [version for version, _ in folded.made.values() if text and _rest(version, text)]


def _rest(version: Version, text: str) -> str:
    """Return what a version has behind a text that it begins with; "" when it does not."""
    whole = version.text or ""
    return whole[len(text) :] if whole.startswith(text) else ""


def _is_within_a_line(whole: Sequence[Version], text: str) -> bool:
    return bool(whole) and not text.endswith("\n") and not any(_rest(version, text).startswith("\n") for version in whole)
