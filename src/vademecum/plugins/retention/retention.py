"""Archive daily notes and events by age, and the least used memories above a number (SW-51, HW-49).

The original designs delete in the end. Here everything is moved unchanged, and whatever the person restores stays.
"""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

from vademecum.domain.errors import InvalidInput
from vademecum.domain.item import Item
from vademecum.domain.memory import By, personal_space
from vademecum.domain.query import Scope
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.upkeep import DAY, LOOKED_AT, Did, Job, began, least_used
from vademecum.plugin_api.vault import DAILY, is_undistilled, note_path, put_away_path, sidecar_path

DAY_NOTES, EVENTS, MEMORIES = "day_notes", "events", "memories"
BY_RETENTION = By("extraction", "retention")
#: Most items archived in one operation; the rest waits for the next day.
AT_ONCE = 500


def retain(context: Context, _seconds: float | None = None) -> Did:
    """Archive by the settings; return a sentence with the counts."""
    days = _archive_day_notes(context)
    events = _archive(context, _old_events(context), "The person keeps events for a shorter time.")
    rest = _archive(
        context, _above_the_number(context), "There were more memories than the person wants, and this was used least."
    )
    counts = {"notes of days": days, "events": events, "least used": rest}
    return "; ".join(f"{what} archived: {count}" for what, count in counts.items() if count), ()


def _limit(context: Context, name: str) -> int:
    """Return the days, or the number of memories, that the setting names; 0: none.

    Raises:
        InvalidInput: an entry of the setting cannot be read.
    """
    limits: dict[str, int] = {}
    for entry in context.setting("retention"):
        kind, _, number = entry.partition("=")
        if kind not in (DAY_NOTES, EVENTS, MEMORIES) or not number.isdecimal():
            raise InvalidInput(f"Setting retention has {entry!r}.", "Give day_notes=DAYS, events=DAYS, memories=NUMBER.")
        limits[kind] = int(number)
    return limits.get(name, 0)


def _archive_day_notes(context: Context) -> int:
    limit = _limit(context, DAY_NOTES)
    if not limit:
        return 0
    today = context.local_time(context.clock.now()).date()
    moves: dict[str, str] = {}
    for day in _days(context):
        age, text = (today - day).days, context.vault.pages.get(note_path(day))[1] or ""
        if age > limit * (2 if is_undistilled(text) else 1):
            moves |= {path: put_away_path(path) for path in (note_path(day), sidecar_path(day))}
        if len(moves) >= AT_ONCE:
            break
    moved = context.vault.pages.move(moves, op="retention", reason=f"older than {limit} days", by=BY_RETENTION)
    return sum(path.endswith(".md") for path in moved)


def _days(context: Context) -> Iterator[date]:
    """Yield the days with a note, oldest first, without those whose note was archived before and restored."""
    back = context.vault.history.pages_moved_by(BY_RETENTION)
    for path in sorted(Path(personal_space(context.vault.spaces).root, DAILY).glob("????-??-??.md")):
        if f"{DAILY}/{path.name}" not in back:
            try:
                yield date.fromisoformat(path.stem)
            except ValueError:
                continue  # a note of the person whose name only looks like a day


def _old_events(context: Context) -> Sequence[Item]:
    limit = _limit(context, EVENTS)
    if not limit:
        return ()
    before = (context.clock.now() - timedelta(days=limit)).timestamp()
    return [item for item in least_used(context, _active(context, "event")) if began(item)[0] < before]


def _above_the_number(context: Context) -> Sequence[Item]:
    """Return memories to archive if there are too many: events, then `success_pattern`, then decisions, least used first.

    Failures (lessons, fixes, incidents), the person's rules and everything else stay, so the number may still be exceeded.
    """
    most = _limit(context, MEMORIES)
    too_many = len(_active(context)) - most if most else 0
    if too_many <= 0:
        return ()
    worked = [item for item in _active(context) if item.facet == "success_pattern"]
    going = [*least_used(context, _active(context, "event")), *least_used(context, worked)]
    return [*going, *least_used(context, _active(context, "decision"))][:too_many]


def _active(context: Context, *kinds: str) -> Sequence[Item]:
    scope = Scope(sources=("memory",), kinds=kinds or None, statuses=("active",))
    return context.index.select(scope, limit=LOOKED_AT)


def _archive(context: Context, items: Sequence[Item], reason: str) -> int:
    """Archive memories as one operation, without those archived before and restored; return their number."""
    back = context.vault.history.touched_by(BY_RETENTION) if items else frozenset()
    ids = [identity for item in items if (identity := item.key.removeprefix("memory://")) not in back]
    return len(context.vault.archive_together(ids[:AT_ONCE], reason, by=BY_RETENTION)) if ids else 0


def _is_wanted(context: Context) -> bool:
    return bool(context.setting("retention"))


JOBS = (Job("retention", "Archives what is older, or more, than the settings allow.", retain, DAY, wanted=_is_wanted),)
