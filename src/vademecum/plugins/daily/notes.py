"""Maintain daily notes: each conversation is summarised in the note of the day on which it took place.

The person may edit the notes. Their changes are never overwritten; see :mod:`vademecum.vault.daily`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from msgspec.structs import replace

from vademecum.domain.daily import Commit
from vademecum.domain.errors import Conflict, InvalidInput
from vademecum.domain.memory import By
from vademecum.domain.query import EXCLUDED
from vademecum.domain.session import MIN_TURNS, SPOKEN, Session
from vademecum.plugin import Worked
from vademecum.plugin_api.conversations import own_part
from vademecum.plugin_api.memory import Context, forgotten
from vademecum.plugin_api.vault import from_root, merged, note_path, put_away_path, rows_of, sessions_in, sidecar_path
from vademecum.plugins.daily.activity import activities
from vademecum.plugins.daily.text import daily_block
from vademecum.plugins.daily.values import Activity, DailyNote, DayText

BY_DAILY = By("extraction", "daily")
#: Attempts when an editor or a sync client writes to the note at the same time.
ATTEMPTS = 3
#: Days over which uses of keys are counted.
USAGE_DAYS = 7
#: A commit belongs to a session if it was made during it or at most this long after its last turn.
AFTERWARDS = timedelta(minutes=10)

_KEY = re.compile(r"\[([A-Z]{2,3}\d{2,4})\]")


def write_days(context: Context, worked: Worked) -> tuple[date, ...]:
    """Update the daily notes of a session; return the days whose note changed.

    Skipped are sessions with fewer spoken turns than are mined and no changed file, and sessions that were forgotten or
    excluded.

    Raises:
        Conflict: somebody keeps writing to a note.
        InvalidInput: a note is not UTF-8.
        WriteFailed, Locked: a note could not be written.
    """
    session = worked.session
    if session.uri in forgotten(context).sources or EXCLUDED in session.tags or not _is_reported(context, session):
        return ()
    own = own_part(context, session)  # turns that a host copied from another session are in that session's block
    marker = context.storage.markers.get(session.uri)
    first = marker.started if marker else context.clock.now()
    all_activities = activities(own, context.local_time, first, worked.outline if own is session else None, worked.met)
    where = _handoff_place(context, worked.handoff)
    days = [replace(_complete(context, session, activity), handoff=where) for activity in all_activities]
    return tuple(activity.day for activity in days if _write(context, activity))


def _handoff_place(context: Context, handoff: str) -> str:
    home = context.vault.spaces[0]
    memory = context.vault.get(handoff) if handoff else None
    if memory is None or memory.space != home.name:
        return ""
    return from_root(home.root, home.documents_root, memory.path).removesuffix(".md")


def _is_reported(context: Context, session: Session) -> bool:
    spoken = sum(turn.role in SPOKEN and not turn.sidechain for turn in session.turns)
    return spoken >= MIN_TURNS or any(turn.files for turn in session.turns)


def _complete(context: Context, session: Session, activity: Activity) -> Activity:
    """Return the activity with the repository's commits added, and secrets and forgotten text removed."""
    committed = context.outside.commits(session.cwd, activity.start, activity.end + AFTERWARDS) if session.cwd else ()
    subjects = {commit.subject for commit in committed}
    spoken_of = [commit for commit in activity.commits if commit.subject not in subjects]
    return _cleansed(context, replace(activity, commits=(*committed, *spoken_of)))


def _cleansed(context: Context, activity: Activity) -> Activity:
    gone = forgotten(context)

    def clean(text: str) -> str:
        return gone.blank(context.guard.clean(text)).encode("utf-8", "replace").decode()

    changes: dict[str, object] = {}
    for name in activity.__struct_fields__:
        value = getattr(activity, name)
        if isinstance(value, str) and name not in ("session", "cursor", "validation"):
            changes[name] = clean(value)
        elif isinstance(value, tuple) and name != "commits":
            changes[name] = tuple(filter(None, map(clean, value)))
    commits = tuple(Commit(commit.hash, commit.time, clean(commit.subject)) for commit in activity.commits)
    return replace(activity, **changes, commits=commits)


def _write(context: Context, activity: Activity) -> bool:
    """Write the activity; return whether the note changed. If the person edited the block, only the sidecar changes."""
    paths = (note_path(activity.day), sidecar_path(activity.day))
    block = daily_block(activity)

    def change(texts: Sequence[str | None]) -> Sequence[str | None]:
        return merged(texts[0], texts[1], activity.day, [block])

    for attempt in range(1, ATTEMPTS + 1):
        try:
            return paths[0] in context.vault.pages.revise(paths, change, op="daily", by=BY_DAILY)
        except Conflict:
            if attempt == ATTEMPTS:
                raise
    return False


def daily(context: Context, day: str = "") -> DailyNote:
    """Return the note of a day; empty when there is none.

    Args:
        day: see :func:`day_named`.

    Raises:
        InvalidInput: `day` is invalid, or the note is not UTF-8.
    """
    return _note(context, day_named(day, _today(context)))


def day_named(named: str, today: date) -> date:
    """Parse a day: ISO 8601, "today" (also ""), "yesterday".

    Raises:
        InvalidInput: it is none of these.
    """
    back = {"": 0, "today": 0, "yesterday": 1}.get(named.strip().lower())
    if back is not None:
        return today - timedelta(days=back)
    try:
        return date.fromisoformat(named.strip())
    except ValueError:
        raise InvalidInput(f"{named!r} names no day.", "Give it as 2026-03-02, today or yesterday.") from None


def _today(context: Context) -> date:
    return context.local_time(context.clock.now()).date()


def _note(context: Context, day: date) -> DailyNote:
    path, text = _page(context, note_path(day))
    sidecar = _page(context, sidecar_path(day))[1] or ""
    return DailyNote(day, str(path), text or "", sessions_in(text or "", sidecar), rows_of(sidecar))


def _page(context: Context, path: str) -> tuple[Path, str | None]:
    """Return path and text of a day's file, also when it was archived for its age."""
    there = context.vault.pages.get(path)
    away = context.vault.pages.get(put_away_path(path)) if there[1] is None else there
    return away if away[1] is not None else there


def day_notes(context: Context, days: Iterable[date]) -> Iterator[DayText]:
    """Yield the existing notes of these days, in the given order. Notes that are not UTF-8 are skipped."""
    for day in days:
        try:
            path, text = context.vault.pages.get(note_path(day))
            sidecar = context.vault.pages.get(sidecar_path(day))[1]
        except InvalidInput:
            continue
        if text is not None:
            yield DayText(day, str(path), text, sidecar or "")


def key_uses(context: Context, days: int = USAGE_DAYS) -> Mapping[str, int]:
    """Return how often each display key, such as [KD07], occurs in the notes of the last days, most frequent first."""
    today = _today(context)
    texts = (_note(context, today - timedelta(days=back)).text for back in range(days))
    counts = Counter(key for text in texts for key in _KEY.findall(text))
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
