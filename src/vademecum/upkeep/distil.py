"""What the person wrote into the notes of days becomes memories, once and without a flag to set by hand (SW-37).

What conversations brought is mined when they are read; their blocks in a note are not mined a second time. A note whose property
`distilled` says false is due when its day is over, and says true afterwards. Setting it back has the note read again.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from vademecum.capture.mine import ONLY_IF_CHANGED, mine
from vademecum.model.errors import Conflict, InvalidInput, Problem
from vademecum.model.memory import By
from vademecum.model.reports import Distilled
from vademecum.model.session import Candidate, Session, Turn
from vademecum.upkeep.daily import day_notes
from vademecum.upkeep.forgotten import forgotten
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.propose import route_all
from vademecum.upkeep.sources import SCHEME, said_in
from vademecum.vault.daily import distilled, is_undistilled, note_path, own_words

#: Days looked back.
WINDOW_DAYS = 30
#: Kind -> section of the design; at most so many of each come from one note, each of at most so many characters.
SECTIONS = {"decision": "decision", "lesson": "lesson", "fix": "lesson", "preference": "correction"}
CAPS = {"decision": 10, "lesson": 5, "correction": 10}
ENTRY_MAX_CHARS = 200
BY_DISTILLING = By("extraction", "distil")


def distil(parts: Parts, problems: list[Problem]) -> tuple[Distilled, ...]:
    """Mine every note of the last days that is due, the oldest first; gives those that were.

    Args:
        problems: gets what kept a note from being read.
    """
    today = parts.local_time(parts.clock.now()).date()
    found = []
    for note in day_notes(parts, [today - timedelta(days=back) for back in range(WINDOW_DAYS, 0, -1)]):
        if not is_undistilled(note.text):
            continue
        try:
            found.append(_distil(parts, note.day, note.text, note.sidecar))
        except (Conflict, InvalidInput) as error:  # somebody writes to it at this moment, or it is not UTF-8: later
            problems.append(Problem(note.path, error.message))
    return tuple(found)


def _distil(parts: Parts, day: date, text: str, sidecar: str) -> Distilled:
    saved = route_all(parts, _chosen(_candidates(parts, day, own_words(text, sidecar))), "note")
    parts.vault.revise([note_path(day)], _marked, op="distil", by=BY_DISTILLING)
    return Distilled(day, saved)


def _marked(texts: Sequence[str | None]) -> Sequence[str | None]:
    return [text and distilled(text) for text in texts]


def _candidates(parts: Parts, day: date, text: str) -> tuple[Candidate, ...]:
    """What the person states in their own part of a note, as they would have said it on that day."""
    path = note_path(day)
    if SCHEME + path in forgotten(parts).sources:
        return ()
    moment = datetime.combine(day, time(12), tzinfo=UTC)
    turns = tuple(Turn(str(number), "user", part, time=moment) for number, part in enumerate(said_in(text, clipped=False), 1))
    session = Session("vault", path, path, turns, title=day.isoformat())
    return tuple(replace(one, source=SCHEME + path) for one in mine(session) if one.pattern != ONLY_IF_CHANGED)


def _chosen(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Those of the sections that the design names, as many as their caps allow."""
    counts: Counter[str] = Counter()
    for one in candidates:
        section = SECTIONS.get(one.kind)
        if section is None or len(one.text) > ENTRY_MAX_CHARS or counts[section] >= CAPS[section]:
            continue
        counts[section] += 1
        yield one
