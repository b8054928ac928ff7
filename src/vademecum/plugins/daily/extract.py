"""Mine memories from what the person writes into daily notes, automatically and once per note (SW-37).

Conversations are mined when they are read, so their blocks in a note are skipped. A note whose property `distilled` is false is
due when its day is over; afterwards the property is true. Setting it back to false makes the note due again.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta

from msgspec.structs import replace

from vademecum.domain.errors import Conflict, InvalidInput, Problem
from vademecum.domain.memory import By
from vademecum.domain.session import Candidate, Session, Turn
from vademecum.plugin_api.conversations import mine
from vademecum.plugin_api.memory import Context, forgotten
from vademecum.plugin_api.upkeep import Job
from vademecum.plugin_api.vault import distilled, is_undistilled, note_path, own_words
from vademecum.plugin_api.writing import SCHEME, Saved, route_all, said_in
from vademecum.plugins.daily.notes import day_notes

#: How many days back notes are read.
WINDOW_DAYS = 30
#: Kind -> section; then maximum candidates per section and note, and maximum characters of each.
SECTIONS = {"decision": "decision", "lesson": "lesson", "fix": "lesson", "preference": "correction"}
CAPS = {"decision": 10, "lesson": 5, "correction": 10}
ENTRY_MAX_CHARS = 200
BY_DISTILLING = By("extraction", "distil")


def distil(context: Context, _seconds: float | None = None) -> tuple[str, Sequence[Problem]]:
    """Mine every due note of the last days, oldest first. Return a summary, and the notes that could not be read."""
    today = context.local_time(context.clock.now()).date()
    texts: list[str] = []
    problems: list[Problem] = []
    for note in day_notes(context, [today - timedelta(days=back) for back in range(WINDOW_DAYS, 0, -1)]):
        if not is_undistilled(note.text):
            continue
        try:
            count = len(_distil(context, note.day, note.text, note.sidecar))
            texts += [f"{count} taken from your own words of {note.day}"] if count else []
        except (Conflict, InvalidInput) as error:
            # Somebody is writing to the note at this moment, or it is not UTF-8: try again later.
            problems.append(Problem(note.path, error.message))
    return "; ".join(texts), problems


def _distil(context: Context, day: date, text: str, sidecar: str) -> tuple[Saved, ...]:
    saved = route_all(context, _chosen(_candidates(context, day, own_words(text, sidecar))), "note")
    context.vault.pages.revise([note_path(day)], _marked, op="distil", by=BY_DISTILLING)
    return saved


def _marked(texts: Sequence[str | None]) -> Sequence[str | None]:
    return [text and distilled(text) for text in texts]


def _candidates(context: Context, day: date, text: str) -> tuple[Candidate, ...]:
    """Return candidates from the person's own part of a note, as if said on that day."""
    path = note_path(day)
    if SCHEME + path in forgotten(context).sources:
        return ()
    moment = datetime.combine(day, time(12), tzinfo=UTC)
    turns = tuple(
        Turn(str(number), "user", part, time=moment) for number, part in enumerate(said_in(context, text, clipped=False), 1)
    )
    session = Session("vault", path, path, turns, title=day.isoformat())
    return tuple(replace(candidate, source=SCHEME + path) for candidate in mine(session))


def _chosen(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield candidates of the configured sections, up to the maximum for each."""
    counts: Counter[str] = Counter()
    for candidate in candidates:
        section = SECTIONS.get(candidate.kind)
        if section is None or len(candidate.text) > ENTRY_MAX_CHARS or counts[section] >= CAPS[section]:
            continue
        counts[section] += 1
        yield candidate


JOBS = (Job("distil", "Makes memories of what you wrote into the notes of past days.", distil),)
