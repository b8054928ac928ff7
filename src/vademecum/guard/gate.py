"""One gate for every text that wants into the vault or into a prompt.

A text is cleaned of hidden characters and secrets whoever sends it. What it asks of an agent is weighed by who sends it: from
the person it is noted, from anyone else the text is quarantined.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from vademecum import guard
from vademecum.domain.guarding import MARKED_PRIVATE, PERSONAL, Policy
from vademecum.domain.item import Trust
from vademecum.guard.hidden import strip_hidden
from vademecum.guard.private import find_private
from vademecum.guard.secrets import placeholders, redact

Action = Literal["allow", "redact", "quarantine", "refuse"]
Class = Literal["secret", "personal", "hidden", "command"]

#: So many characters that can carry a message are no accident of copying.
SMUGGLED_MIN = 4

#: Of whom a bare task is held against them. What was mined ("extracted") is the person's own words, or a guess that waits.
_OTHERS: tuple[Trust, ...] = ("agent", "external")

#: Cleaning can bring a new secret to light (one that was cut by a hidden character); it settles in two rounds.
_ROUNDS_MAX = 8


class Finding(Struct, frozen=True):
    """Something the guard met. Never holds what was found.

    Attributes:
        kind: sort of finding.
        rule: id of the rule, which for a secret is its type.
        start, end: place in the clean text; of a secret the place of its placeholder. 0, 0 for hidden characters.
        count: how many characters, for hidden ones; else 1.
    """

    kind: Class
    rule: str
    start: int = 0
    end: int = 0
    count: int = 1


class Verdict(Struct, frozen=True):
    """What may be done with a text.

    Attributes:
        text_clean: the text without secrets and hidden characters. The only form that may be kept, whatever the action.
        findings: what was met, in the order hidden, secrets, commands.
        action: "allow": `text_clean` is the text as given. "redact": keep `text_clean` instead. "quarantine": keep
            `text_clean` out of reach of any prompt until the person decides. "refuse": nothing is left to keep.
        interface: the door it came through, for the log.
    """

    text_clean: str
    findings: tuple[Finding, ...]
    action: Action
    interface: str = ""


def inspect(text: str, *, trust: Trust, interface: str, policy: Policy) -> Verdict:
    """Judge one text. Pure and idempotent: inspecting `text_clean` leaves it as it is.

    Args:
        trust: who speaks. Only "user" may address the agent.
        interface: the door it came through ("cli", "mcp", "hook", "import", ...).
        policy: what the person decided about personal data and about what is let through.
    """
    clean, hidden, smuggled = _settled(text, policy)
    findings = (*_hidden(hidden, smuggled), *_secrets(text, clean), *_commands(clean, policy, trust))
    return Verdict(clean, findings, _action(text, clean, findings, trust), interface)


def cleanse(text: str, policy: Policy) -> str:
    """Return `text` without secrets and hidden characters: for archives and logs, which no agent is told to follow."""
    return _settled(text, policy)[0]


def _settled(text: str, policy: Policy) -> tuple[str, int, int]:
    """Return the clean text, how many hidden characters were taken out, and how many of them can carry a message."""
    clean, hidden, smuggled = text, 0, 0
    for _ in range(_ROUNDS_MAX):
        before = clean
        stripped = strip_hidden(clean)
        hidden, smuggled = hidden + stripped.removed, smuggled + stripped.smuggled
        clean = redact(stripped.text, find_private(stripped.text, policy))
        if clean == before:
            break
    return clean, hidden, smuggled


def _hidden(removed: int, smuggled: int) -> Iterator[Finding]:
    if removed:
        yield Finding("hidden", "smuggled" if smuggled >= SMUGGLED_MIN else "invisible", count=removed)


def _secrets(text: str, clean: str) -> Iterator[Finding]:
    """Yield one finding for each placeholder that the given text did not hold already."""
    known = Counter(placeholder.type for placeholder in placeholders(text))
    for secret in placeholders(clean):
        if known[secret.type]:
            known[secret.type] -= 1
        else:
            yield Finding(
                "personal" if secret.type in (*PERSONAL, MARKED_PRIVATE) else "secret", secret.type, secret.start, secret.end
            )


def _commands(clean: str, policy: Policy, trust: Trust) -> Iterator[Finding]:
    """Return what asks something of an agent. A bare task is not counted in the person's own words, which are full of them."""
    for command in guard.commands.find_commands(clean, policy.allowed):
        if trust in _OTHERS or not command.rule.startswith(guard.command_rules.TASK):
            yield Finding("command", command.rule, command.start, command.end)


def _action(text: str, clean: str, findings: tuple[Finding, ...], trust: Trust) -> Action:
    if text.strip() and not redact(clean, placeholders(clean), "").strip():
        return "refuse"
    if trust != "user" and any(finding.kind == "command" or finding.rule == "smuggled" for finding in findings):
        return "quarantine"
    return "allow" if clean == text else "redact"
