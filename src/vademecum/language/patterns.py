"""What people say when they decide, prefer, learn or mend something: one row for each way of saying it, in `data/*/memories.toml`.

A row matches within one sentence. Rows are tried from top to bottom and the first that matches counts, so the more telling
stand first. Group `what` is the object, which must not be a mere "it"; group `old` is what the sentence does away with, and
`about` what that is said of. Only a person's words can tell preferences and who they are; what cured a fault and what was decided
an agent may tell too, but it is believed less.
"""

import re
from functools import cache, cached_property
from typing import Literal

from msgspec import Struct
from msgspec.structs import force_setattr

from vademecum.language.load import Languages, languages

Confidence = Literal["low", "medium", "high"]

#: Tables of rows, in the order in which they are tried.
_STATED = (
    "changes", "explicit", "orders", "corrections", "statements", "decisions", "identity", "preferences", "lessons", "fixes",
    "steering",
)  # fmt: skip


class Pattern(Struct, frozen=True, dict=True):
    """One way of saying something worth remembering.

    Attributes:
        name: "<language>.<kind>.<way>", such as "en.decision.settled"; told in the rationale. In the file, without the language.
        pattern: regular expression, tried without regard to case.
        roles: who must say it, "user" or "agent".
        confidence: before the ladder of :mod:`vademecum.extract.mine` is applied.
        importance: 0..1.
        needs: "" or what must stand beside the sentence: "reason" (because ...), "error" (an error text met before), or "report": the
            sentence opens what the person says to a report of the agent.
        bare: whether the object says it all, so that the words in front of it are left out ("remember that ...").
        leans: whether it says little without the sentence in front of it ("Never do that again.").
        firm: whether it holds in a question or behind a condition too ("from now on, could you ...?").
    """

    language: str
    name: str
    pattern: str
    roles: tuple[str, ...] = ("user",)
    confidence: Confidence = "high"
    importance: float = 0.6
    needs: Literal["", "reason", "error", "report"] = ""
    bare: bool = False
    leans: bool = False
    firm: bool = False

    def __post_init__(self) -> None:
        force_setattr(self, "name", f"{self.language}.{self.name}")

    @property
    def kind(self) -> str:
        """Of the memory."""
        return self.name.split(".")[1]

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled when first needed."""
        return re.compile(self.pattern, re.IGNORECASE)


def patterns_of(known: Languages) -> tuple[Pattern, ...]:
    """Return the ways of stating something in these languages, in the order in which they are tried."""
    return tuple(row for table in _STATED for row in known.rows("memories", table, Pattern))


@cache
def patterns() -> tuple[Pattern, ...]:
    """Return the ways of stating something in all languages that come with the package."""
    return patterns_of(languages())


def compile_patterns() -> None:
    """Compile all patterns now, which takes a moment, so that nobody waits for it later."""
    for row in patterns():
        _ = row.regex


def are_compiled() -> bool:
    """Return whether all patterns of what a person says are compiled in this process."""
    is_read = patterns.cache_info().currsize > 0
    return is_read and all("regex" in vars(row) for row in patterns() if "user" in row.roles)


@cache
def pattern_names(*tables: str) -> frozenset[str]:
    """Return the names of the patterns in these tables, such as "explicit" and "orders": what a person asks outright to be kept."""
    return frozenset(row.name for table in tables for row in languages().rows("memories", table, Pattern))


@cache
def follow_ups() -> tuple[Pattern, ...]:
    """Return the ways of saying what one wants to try one day."""
    return languages().rows("memories", "ideas", Pattern)


def speech(sign: str) -> re.Pattern[str]:
    """Return what tells that of a sentence, in any language (`data/*/speech.toml`)."""
    return languages().sign("speech", sign)
