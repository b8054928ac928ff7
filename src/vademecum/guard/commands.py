"""Words that try to steer an agent: commands to it, a new role for it, a way out for what it knows, imitated tool calls.

From a person such words may be meant; in a text that was extracted or brought in they have no business.
"""

from functools import cache

from msgspec import Struct

from vademecum.guard.asks import find_asks
from vademecum.guard.command_rules import TASK, command_rules
from vademecum.guard.disguises import disguised
from vademecum.guard.rules import Rules

#: Rule of what is found by evidence rather than by a pattern.
ASKED = f"{TASK}asked"


@cache
def _rules() -> Rules:
    return Rules(command_rules())


def _is_allowed(rule: str, words: str, allowed: frozenset[str]) -> bool:
    return bool(allowed) and (rule in allowed or words.strip() in allowed)


class Command(Struct, frozen=True):
    """Where a text tries to steer an agent: the rule's id, first character and end."""

    rule: str
    start: int
    end: int


def find_commands(text: str, allowed: frozenset[str] = frozenset()) -> list[Command]:
    """Return attempts to steer an agent, in order of place; several rules may find the same words.

    Args:
        allowed: ids of rules that are not asked, and words that are not taken for an attempt.
    """
    commands = {
        Command(rule.id, *match.span()) for rule, match in _rules().matches(text) if not _is_allowed(rule.id, match[0], allowed)
    }
    commands |= {
        Command(ASKED, ask.start, ask.end)
        for ask in find_asks(text)
        if not _is_allowed(ASKED, text[ask.start : ask.end], allowed)
    }
    for start, end, entry in disguised(text):
        commands |= {
            Command(f"disguised-{rule.id}", start, end)
            for rule, match in _rules().matches(entry)
            if not _is_allowed(rule.id, match[0], allowed)
        }
    return sorted(commands, key=lambda command: (command.start, command.end, command.rule))
