"""Judge a handoff against its label, compared by words as in :mod:`vademecum_bench.real.ruler`.

Labels are a reader's few words ("committed", "branch not merged"). A line *says* a label if it has 60 % of the label's words,
and at least three of them (all, if there are fewer); its other words do not matter.

* Asked right: the title or a line under "Asked" is near the labelled request, or these lines together say it.
* A false *done*: a line under "Done" that says something labelled as open and nothing labelled as done; any line there if
  nothing is labelled as done. A line marked as unverified makes no claim.
* A named *open*: a line under "Open" or "Next" says it.

A session without a handoff has no request right and names nothing.
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
#: Prefix of a line that is unverified.
UNVERIFIED = "[UNVERIFIED]"


class HandoffVerdict(Struct, frozen=True):
    """Verdict on a handoff.

    Attributes:
        false_done: lines that report open things as done.
        unnamed: labelled as open, and not named.
        opens: number labelled as open.
    """

    asked: bool
    false_done: tuple[str, ...]
    unnamed: tuple[str, ...]
    opens: int

    @property
    def right(self) -> bool:
        """Whether it has no fault."""
        return self.asked and not self.false_done and not self.unnamed


def judge_handoff(label: HandedOver, text: str) -> HandoffVerdict:
    """Return the verdict on a handoff (Markdown; "" for none) against its label."""
    sections = _sections(text)
    named = [*sections.get("open", ()), *sections.get("next", ())]
    unnamed = tuple(one for one in label.open if not any(_says(line, one) for line in named))
    claims = [line for line in sections.get("done", ()) if UNVERIFIED not in line]
    false = tuple(line for line in claims if _is_false(line, label))
    return HandoffVerdict(_asked_right(sections, label.asked), false, unnamed, len(label.open))


def handoff_figures(judged: Sequence[HandoffVerdict]) -> dict[str, Any]:
    """Return counts and shares over sessions."""
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
    """Return heading in lower case -> its non-empty lines; the title is under "asked"."""
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
    """Return whether a line reports something as done that is not."""
    if not label.done:
        return True
    return any(_says(line, one) for one in label.open) and not any(_says(line, one) for one in label.done)


def _says(line: str, label: str) -> bool:
    return shares(words_of(line), words_of(label))[1] >= NEAR
