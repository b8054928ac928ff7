"""Patterns for statements worth saving: decisions, preferences, lessons, fixes. One row per pattern, in `data/*/memories.toml`.

A row matches within one sentence. Rows are tried from top to bottom and the first match counts, so more specific rows come first.
Group `what` is the object, which must not be only "it"; group `old` is what the sentence replaces, and `about` the subject of that.
Preferences and identity are accepted only from the person's words. Fixes and decisions are also accepted from an agent, with less
confidence.
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
    """One pattern for a statement worth saving.

    Attributes:
        name: "<language>.<kind>.<way>", such as "en.decision.settled"; shown in the rationale. In the file, without the language.
        pattern: regular expression, case-insensitive.
        roles: who must say it, "user" or "agent".
        confidence: initial value, before :mod:`vademecum.extract.mine` adjusts it.
        importance: 0..1.
        needs: "" or what must accompany the sentence: "reason" (because ...), "error" (an earlier error text), or "report": the sentence
            begins the person's answer to a report of the agent.
        bare: the object is complete in itself, so the words before it are dropped ("remember that ...").
        leans: it needs the sentence before it ("Never do that again.").
        firm: it also counts in a question or after a condition ("from now on, could you ...?").
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
        """Kind of the memory."""
        return self.name.split(".")[1]

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern, compiled at first use."""
        return re.compile(self.pattern, re.IGNORECASE)


def patterns_of(known: Languages) -> tuple[Pattern, ...]:
    """Return the patterns of these languages, in the order in which they are tried."""
    return tuple(row for table in _STATED for row in known.rows("memories", table, Pattern))


@cache
def patterns() -> tuple[Pattern, ...]:
    """Return the patterns of all languages of the package."""
    return patterns_of(languages())


def compile_patterns() -> None:
    """Compile all patterns now, so that no later call waits for it."""
    for row in patterns():
        _ = row.regex


def are_compiled() -> bool:
    """Return whether all patterns for a person's words are compiled in this process."""
    is_read = patterns.cache_info().currsize > 0
    return is_read and all("regex" in vars(row) for row in patterns() if "user" in row.roles)


@cache
def pattern_names(*tables: str) -> frozenset[str]:
    """Return the names of the patterns in these tables, such as "explicit" and "orders": explicit requests to save something."""
    return frozenset(row.name for table in tables for row in languages().rows("memories", table, Pattern))


@cache
def follow_ups() -> tuple[Pattern, ...]:
    """Return the patterns for ideas that somebody wants to try one day."""
    return languages().rows("memories", "ideas", Pattern)


def speech(sign: str) -> re.Pattern[str]:
    """Return the pattern of that name for sentences, in any language (`data/*/speech.toml`)."""
    return languages().sign("speech", sign)
