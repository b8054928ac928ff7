"""Whether a handoff tells the next session what it should be told, compared by words as :mod:`vademecum_bench.real.ruler` does.

Labels are a reader's few words ("committed", "branch not merged"). A line *says* what a label does when it has 60 % of the label's words,
and three of them (all, when there are fewer); what it says beside it does not matter.

* Asked right: the title or a line under "Asked" is near what the label says was asked, or these lines together say it.
* A false *done*: a line under "Done" that says what the label calls open and nothing that it calls done; any line there, when the label
  calls nothing done. A line marked as unverified claims nothing.
* An *open* named: a line under "Open" or "Next" says it.

A session without a handoff asked nothing right and names nothing.
"""

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from vademecum_bench.real.labels import HandedOver
from vademecum_bench.real.ruler import NEAR, near, shares, words_of
from vademecum_bench.real.verdicts import ratio

_HEADING = re.compile(r"^(#+) +(.+?)\s*$")
_BULLET = "-*+ \t"
#: Stands before a line that is told without being believed.
UNVERIFIED = "[UNVERIFIED]"


class HandoffVerdict(Struct, frozen=True):
    """What a handoff gets right.

    Attributes:
        false_done: lines that tell as done what is open. unnamed: labelled as open, and not named. opens: how many are labelled.
    """

    asked: bool
    false_done: tuple[str, ...]
    unnamed: tuple[str, ...]
    opens: int

    @property
    def right(self) -> bool:
        """Whether nothing is wrong with it."""
        return self.asked and not self.false_done and not self.unnamed


def judge_handoff(label: HandedOver, text: str) -> HandoffVerdict:
    """What a handoff (Markdown; "" for none) gets right of what its label says."""
    sections = _sections(text)
    named = [*sections.get("open", ()), *sections.get("next", ())]
    unnamed = tuple(one for one in label.open if not any(_says(line, one) for line in named))
    claims = [line for line in sections.get("done", ()) if UNVERIFIED not in line]
    false = tuple(line for line in claims if _is_false(line, label))
    return HandoffVerdict(_asked_right(sections, label.asked), false, unnamed, len(label.open))


def handoff_figures(judged: Sequence[HandoffVerdict]) -> dict[str, Any]:
    """Counts and shares over sessions."""
    return {
        "sessions": len(judged),
        "asked_right": sum(one.asked for one in judged),
        "with_false_done": sum(bool(one.false_done) for one in judged),
        "opens": sum(one.opens for one in judged),
        "opens_named": sum(one.opens - len(one.unnamed) for one in judged),
        "right": sum(one.right for one in judged),
        "share_right": ratio(sum(one.right for one in judged), len(judged)),
    }


def _sections(text: str) -> dict[str, list[str]]:
    """Heading in lower case -> its lines that say something; the title under "asked"."""
    found: dict[str, list[str]] = {}
    here: list[str] = []
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading and len(heading[1]) == 1:
            found.setdefault("asked", []).append(heading[2])
        elif heading:
            here = found.setdefault(heading[2].casefold(), [])
        elif line.strip():
            here.append(line.lstrip(_BULLET))
    return found


def _asked_right(sections: dict[str, list[str]], asked: str) -> bool:
    lines = sections.get("asked", [])
    return any(near(words_of(line), words_of(asked)) for line in lines) or _says(" ".join(lines), asked)


def _is_false(line: str, label: HandedOver) -> bool:
    """Whether a line tells as done what is not."""
    if not label.done:
        return True
    return any(_says(line, one) for one in label.open) and not any(_says(line, one) for one in label.done)


def _says(line: str, label: str) -> bool:
    return shares(words_of(line), words_of(label))[1] >= NEAR
