"""Signs of tasks for an agent, by language, from `data/*/asks.toml`.

They are: how a request may begin, its verbs, and signs that it serves somebody other than the reader of the page.
:mod:`vademecum.guard.asks` counts them.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property

from msgspec import Struct

from vademecum.language.load import ANY, Languages, languages
from vademecum.language.text import base_letters

_FILE = "asks"
#: A verb must end at a word boundary and must not be the name of a field.
_VERB_ENDS = r"\b(?! ?[:=(])"


class Sign(Struct, frozen=True, dict=True):
    """A sign in a sentence that suggests a task: the verbs with which it counts (empty: all), and its points."""

    language: str
    name: str
    pattern: str
    points: float
    verbs: frozenset[str]

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The pattern, compiled at first use: few sentences begin as a task does."""
        return re.compile(self.pattern, re.IGNORECASE)


class Tongue(Struct, frozen=True):
    """The patterns of one language.

    Attributes:
        lead: words that may precede the verb.
        verb: the verb at the beginning, after `lead`, as a group named after the kind of action.
        last: the verb at the end, used if `lead` matched; None where the language has no verb there.
        own_page: how authors of pages speak about themselves, with accents.
        least_words: minimum words of a sentence after its lead.
        least_chars: minimum characters of a sentence after its lead.
        plain: table for `str.translate` that removes irrelevant accents.
    """

    name: str
    lead: re.Pattern[str]
    verb: re.Pattern[str]
    signs: tuple[Sign, ...]
    last: re.Pattern[str] | None
    own_page: re.Pattern[str]
    least_words: int
    least_chars: int
    plain: Mapping[int, str]


def tongues_of(known: Languages) -> tuple[Tongue, ...]:
    """Return the patterns of those languages that define how requests are made."""
    signs = known.rows(_FILE, "signs", _sign)
    asking, verbs, last = (known.tables(_FILE, table) for table in ("asking", "verbs", "last_verbs"))
    return tuple(_tongue(code, fields, verbs[code], last.get(code), signs) for code, fields in asking.items())


@cache
def tongues() -> tuple[Tongue, ...]:
    """Return the patterns of the languages that come with the package."""
    return tongues_of(languages())


def _tongue(
    code: str,
    asking: Mapping[str, str],
    verbs: Mapping[str, Sequence[str]],
    last: Mapping[str, Sequence[str]] | None,
    signs: Sequence[Sign],
) -> Tongue:
    own = {sign.name for sign in signs if sign.language == code}
    return Tongue(
        code,
        lead=re.compile(asking["lead"], re.IGNORECASE),
        verb=_verb(verbs, asking.get("verb_before", ""), asking.get("verb_behind", _VERB_ENDS)),
        signs=tuple(sign for sign in signs if sign.language == code or (sign.language == ANY and sign.name not in own)),
        last=_verb(last, r".*\b", r"(?=\W*$)") if last else None,
        own_page=re.compile(asking["own_page"], re.IGNORECASE),
        least_words=int(asking.get("least_words", 4)),
        least_chars=int(asking.get("least_chars", 0)),
        plain=base_letters(asking.get("accents", "")),
    )


def _sign(language: str, name: str, points: float, pattern: str | Sequence[str], verbs: Sequence[str] = ()) -> Sign:
    whole = pattern if isinstance(pattern, str) else "|".join(pattern)
    return Sign(language, name, whole, points, frozenset(verbs))


def _verb(verbs: Mapping[str, Sequence[str]], before: str, behind: str) -> re.Pattern[str]:
    ways = "|".join(rf"(?P<{name}>(?:{'|'.join(words)}){behind})" for name, words in verbs.items())
    return re.compile(f"{before}(?:{ways})", re.IGNORECASE)
