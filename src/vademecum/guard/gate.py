"""The verdict on a text on its way into the vault or a prompt: :func:`inspect` returns it, `_action` decides between its four values.

Hidden characters and secrets are removed whoever the author is. Instructions to an agent are only reported in the person's own
text; in any other they quarantine the text. What counts as a secret, a hidden character or an instruction is found in
`private.py`, `hidden.py` and `injections.py`. The callers act on the verdict: `write/gate.py` stores, holds back or refuses.
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

#: Minimum message-carrying hidden characters that cannot be an accident of copying.
SMUGGLED_MIN = 4

#: Sources whose plain tasks count. Mined text ("extracted") is the person's own words, or a guess that waits.
_OTHERS: tuple[Trust, ...] = ("agent", "external")

#: Maximum cleaning rounds: removing a hidden character can complete a secret. Two rounds usually suffice.
_ROUNDS_MAX = 8


class Finding(Struct, frozen=True):
    """Something the guard found. It never contains the text itself.

    Attributes:
        kind: kind of finding.
        rule: id of the rule; for a secret its type.
        start, end: position in the clean text; for a secret that of its placeholder. 0, 0 for hidden characters.
        count: number of hidden characters; else 1.
    """

    kind: Class
    rule: str
    start: int = 0
    end: int = 0
    count: int = 1


class Verdict(Struct, frozen=True):
    """What may be done with a text.

    Attributes:
        text_clean: the text without secrets and hidden characters. Only this form may be stored, whatever the action.
        findings: hidden characters, then secrets, then commands.
        action: "allow": `text_clean` equals the given text. "redact": store `text_clean` instead. "quarantine": store
            `text_clean` out of reach of any prompt until the person decides. "refuse": nothing is left to store.
        interface: the entry point that the text came through, for the log.
    """

    text_clean: str
    findings: tuple[Finding, ...]
    action: Action
    interface: str = ""


def inspect(text: str, *, trust: Trust, interface: str, policy: Policy) -> Verdict:
    """Judge one text. Pure and idempotent: inspecting `text_clean` does not change it.

    Args:
        trust: the author. Only "user" may address the agent.
        interface: the entry point that the text came through ("cli", "mcp", "hook", "import", ...).
        policy: the person's choices about personal data and exceptions.
    """
    clean, hidden, smuggled = _settled(text, policy)
    findings = (*_hidden(hidden, smuggled), *_secrets(text, clean), *_injections(clean, policy, trust))
    return Verdict(clean, findings, _action(text, clean, findings, trust), interface)


def cleanse(text: str, policy: Policy) -> str:
    """Return `text` without secrets and hidden characters; for archives and logs, which no agent is asked to follow."""
    return _settled(text, policy)[0]


def _settled(text: str, policy: Policy) -> tuple[str, int, int]:
    """Return (clean text, number of hidden characters removed, number of those that can carry a message)."""
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
    """Yield a finding for each placeholder that the given text did not contain already."""
    known = Counter(placeholder.type for placeholder in placeholders(text))
    for secret in placeholders(clean):
        if known[secret.type]:
            known[secret.type] -= 1
        else:
            yield Finding(
                "personal" if secret.type in (*PERSONAL, MARKED_PRIVATE) else "secret", secret.type, secret.start, secret.end
            )


def _injections(clean: str, policy: Policy, trust: Trust) -> Iterator[Finding]:
    """Yield instructions to an agent. Plain tasks in the person's own words do not count."""
    for injection in guard.injections.find_injections(clean, policy.allowed):
        if trust in _OTHERS or not injection.rule.startswith(guard.injection_rules.TASK):
            yield Finding("command", injection.rule, injection.start, injection.end)


def _action(text: str, clean: str, findings: tuple[Finding, ...], trust: Trust) -> Action:
    if text.strip() and not redact(clean, placeholders(clean), "").strip():
        return "refuse"
    if trust != "user" and any(finding.kind == "command" or finding.rule == "smuggled" for finding in findings):
        return "quarantine"
    return "allow" if clean == text else "redact"
