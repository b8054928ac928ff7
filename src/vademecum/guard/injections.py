"""Find words that try to steer an agent: commands, a new role, requests to reveal what it knows, imitated tool calls.

The person may mean such words; extracted or imported text must not contain them.
"""

from functools import cache

from msgspec import Struct

from vademecum.guard.asks import find_asks
from vademecum.guard.disguises import disguised
from vademecum.guard.injection_rules import TASK, injection_rules
from vademecum.guard.rule_matching import Rules

#: Rule id of sentences found by evidence (see asks.py) rather than by a pattern.
ASKED = f"{TASK}asked"


@cache
def _rules() -> Rules:
    return Rules(injection_rules())


def _is_allowed(rule: str, words: str, allowed: frozenset[str]) -> bool:
    return bool(allowed) and (rule in allowed or words.strip() in allowed)


class Injection(Struct, frozen=True):
    """An attempt to steer an agent: the rule's id, start and end."""

    rule: str
    start: int
    end: int


def find_injections(text: str, allowed: frozenset[str] = frozenset()) -> list[Injection]:
    """Return attempts to steer an agent, in order of position; several rules may match the same words.

    Args:
        allowed: ids of rules to skip, and matched words to ignore.
    """
    injections = {
        Injection(rule.id, *match.span())
        for rule, match in _rules().matches(text)
        if not _is_allowed(rule.id, match[0], allowed)
    }
    injections |= {
        Injection(ASKED, ask.start, ask.end)
        for ask in find_asks(text)
        if not _is_allowed(ASKED, text[ask.start : ask.end], allowed)
    }
    for start, end, entry in disguised(text):
        injections |= {
            Injection(f"disguised-{rule.id}", start, end)
            for rule, match in _rules().matches(entry)
            if not _is_allowed(rule.id, match[0], allowed)
        }
    return sorted(injections, key=lambda injection: (injection.start, injection.end, injection.rule))
