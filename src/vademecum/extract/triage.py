"""Decide where a candidate goes, by a table: saved, put up for review, left in the inbox, pending, or dropped (MV-36).

The first row that fits counts. Each `review_mode` has its own table.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.session import Candidate
from vademecum.domain.verdict import ReviewMode, Verdicts
from vademecum.extract.numbers import JUDGED_MIN, NOISE_FLOOR, PRECISION_MIN, PRECISION_POOR

Way = Literal["save", "review", "inbox", "pending", "drop"]


_LOWER: Mapping[str, Literal["low", "medium"]] = {"high": "medium", "medium": "low", "low": "low"}


class Row(Struct, frozen=True):
    """One rule. An empty field fits everything.

    Attributes:
        confidence: high, medium or low.
        source: session or note.
        kind: kind of the memory.
        trust: user, agent or external, by who said it.
    """

    way: Way
    confidence: str = ""
    source: str = ""
    kind: str = ""
    trust: str = ""

    def fits(self, candidate: Candidate) -> bool:
        """Return whether the rule applies to the candidate."""
        wanted = (self.confidence, self.source, self.kind, self.trust)
        source = "session" if candidate.source.startswith("session://") else "note"
        given = (candidate.confidence, source, candidate.kind, candidate.trust)
        return all(word in ("", have) for word, have in zip(wanted, given, strict=True))


#: Rules common to all modes: external text waits, ideas go to the inbox, explicit statements are saved.
_ALWAYS = (Row("pending", trust="external"), Row("inbox", kind="idea"), Row("save", confidence="high"))

#: Mode -> its rules. `interactive` asks about likely candidates, `auto` leaves them in the inbox, `silent` drops guesses.
TABLES: Mapping[ReviewMode, tuple[Row, ...]] = {
    "interactive": (*_ALWAYS, Row("review", confidence="medium"), Row("inbox")),
    "auto": (*_ALWAYS, Row("inbox")),
    "silent": (*_ALWAYS, Row("inbox", confidence="medium", trust="user"), Row("drop")),
}


def way_of(candidate: Candidate, mode: ReviewMode) -> Way:
    """Return where a candidate goes."""
    if candidate.importance < NOISE_FLOOR:
        return "drop"
    return next(row.way for row in TABLES[mode] if row.fits(candidate))


def lowered_by_verdicts(candidate: Candidate, verdicts: Mapping[str, Verdicts]) -> Candidate:
    """Lower a candidate's confidence if the person rejected many earlier proposals of its pattern."""
    judged = verdicts.get(candidate.pattern, Verdicts())
    steps = steps_down(judged)
    if not steps:
        return candidate
    confidence = candidate.confidence
    for _ in range(steps):
        confidence = _LOWER[confidence]
    text = f"{candidate.rationale}; lowered, {judged.accepted} of {judged.judged} accepted"
    return replace(candidate, confidence=confidence, rationale=text)


def steps_down(judged: Verdicts) -> int:
    """Return by how many steps a pattern's confidence is lowered: 0, 1 or 2."""
    if judged.judged < JUDGED_MIN or judged.precision >= PRECISION_MIN:
        return 0
    return 2 if judged.precision < PRECISION_POOR else 1
