"""Where a candidate goes, as a table: saved, put before the person, left in the inbox, held for their word, or dropped (MV-36).

Rows are tried from top to bottom and the first that fits counts. A preset is such a table; `review_mode` picks it.
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
    """What goes one way. An empty word fits everything.

    Attributes:
        confidence: high, medium or low. source: session or note. kind: of the memory. trust: user, agent or external, by who said it.
    """

    way: Way
    confidence: str = ""
    source: str = ""
    kind: str = ""
    trust: str = ""

    def fits(self, candidate: Candidate) -> bool:
        """Return whether the candidate goes this way."""
        wanted = (self.confidence, self.source, self.kind, self.trust)
        source = "session" if candidate.source.startswith("session://") else "note"
        given = (candidate.confidence, source, candidate.kind, candidate.trust)
        return all(word in ("", have) for word, have in zip(wanted, given, strict=True))


#: What no mode changes: nobody vouches for text from outside, an idea is not a truth, what was said outright is saved.
_ALWAYS = (Row("pending", trust="external"), Row("inbox", kind="idea"), Row("save", confidence="high"))

#: Preset -> its rows. `interactive` asks about what is likely, `auto` lets all of it wait, `silent` keeps no guesses at all.
TABLES: Mapping[ReviewMode, tuple[Row, ...]] = {
    "interactive": (*_ALWAYS, Row("review", confidence="medium"), Row("inbox")),
    "auto": (*_ALWAYS, Row("inbox")),
    "silent": (*_ALWAYS, Row("inbox", confidence="medium", trust="user"), Row("drop")),
}


def way_of(candidate: Candidate, mode: ReviewMode) -> Way:
    """Decide where a candidate goes."""
    if candidate.importance < NOISE_FLOOR:
        return "drop"
    return next(row.way for row in TABLES[mode] if row.fits(candidate))


def lowered_by_verdicts(candidate: Candidate, verdicts: Mapping[str, Verdicts]) -> Candidate:
    """Return the candidate with the confidence that its pattern still deserves, by what the person made of its earlier proposals."""
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
