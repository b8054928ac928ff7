"""Words that try to steer an agent: commands to it, a new role for it, a way out for what it knows, imitated tool calls.

From a person such words may be meant; in a text that was extracted or brought in they have no business.
"""

from dataclasses import dataclass

from vademecum.guard.command_rules import COMMAND_RULES
from vademecum.guard.rules import Rules

_RULES = Rules(COMMAND_RULES)


@dataclass(frozen=True, slots=True)
class Command:
    """Where a text tries to steer an agent: the rule's id, first character and end."""

    rule: str
    start: int
    end: int


def find_commands(text: str) -> list[Command]:
    """Attempts to steer an agent, in order of place; several rules may find the same words."""
    found = {Command(rule.id, *match.span()) for rule, match in _RULES.matches(text)}
    return sorted(found, key=lambda command: (command.start, command.end, command.rule))
