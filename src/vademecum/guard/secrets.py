"""Find secrets and put a placeholder in their place. The value itself never leaves this module."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

from vademecum.guard.rules import Rule, Rules, dense_parts
from vademecum.guard.secret_rules import KEPT_OUT, LOOSE_RULES, PLACED_RULES
from vademecum.model.records import record

_DENSE = Rules(rule for rule in KEPT_OUT if rule.dense)
_NOT_DENSE = Rules(rule for rule in KEPT_OUT if not rule.dense)

_PLACEHOLDER = re.compile(r"\[REDACTED:([a-z0-9\-]+)\]")

#: Values that stand for a secret without being one: examples, variables, masks, calls.
_EXAMPLE = re.compile(
    r"redacted|example|placeholder|changeme|change[_\-]me|your[_\-]|my[_\-]?(?:secret|token|password|key)|insert|dummy|sample"
    r"|xxxx|\*\*\*|\.\.\.|…|<|>|\$\{|\$\(|\{\{|%\(|%s|process\.env|os\.environ|getenv|import\.meta|secrets\.|env\.|vault:|file:"
    r"|^(?:true|false|null|none|undefined|string|required|optional|password|passwd|pass|secret|token|postgres|root|admin|test)$"
    r"|0123456|123456789|abcdef|^([^\n])\1+$",
    re.IGNORECASE,
)

#: A name or path of a program: letters only, or parts joined by dots, slashes, dashes and underscores, without digits.
_NAME = re.compile(r"[A-Za-z_@/.\\:\-]+(?:\(\))?")
_WORD_STARTS = re.compile(r"[a-z][A-Z]")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_PATH = re.compile(r"(?:[A-Za-z]:)?[./~\\]|https?:")


@record
class Secret:
    """Where a secret stands in a text: its type, first character and end."""

    type: str
    start: int
    end: int


def find_secrets(text: str) -> list[Secret]:
    """Secrets in `text`, in order, not overlapping; of two that overlap the more telling rule's, widened to cover both."""
    done = placeholders(text)
    found: list[Secret] = []
    for secret in _candidates(text):
        if any(secret.start < other.end and other.start < secret.end for other in done):
            continue
        beside = [other for other in found if secret.start < other.end and other.start < secret.end]
        spans = [*beside, secret]
        joined = Secret(spans[0].type, min(one.start for one in spans), max(one.end for one in spans))
        found = [*(other for other in found if other not in beside), joined]
    return sorted(found, key=lambda secret: secret.start)


def placeholders(text: str) -> list[Secret]:
    """Where secrets were taken out before."""
    return [Secret(match[1], *match.span()) for match in _PLACEHOLDER.finditer(text)]


def redact(text: str, secrets: list[Secret], placeholder: str = "[REDACTED:{type}]") -> str:
    """`text` with a placeholder, which may tell the type, in place of each secret."""
    parts: list[str] = []
    done = 0
    for secret in secrets:
        parts += [text[done : secret.start], placeholder.format(type=secret.type)]
        done = secret.end
    return "".join([*parts, text[done:]])


def _candidates(text: str) -> Iterator[Secret]:
    for rule, start, end in (*_dense_matches(text), *_loose_matches(text)):
        value = text[start:end]
        if rule.entropy and entropy(value) < rule.entropy:
            continue
        if rule.id in PLACED_RULES | LOOSE_RULES and _EXAMPLE.search(value):
            continue
        if rule.id in LOOSE_RULES and _is_name(value.rstrip(".,;:!?)")):
            continue
        yield Secret(rule.id, start, end)


def _dense_matches(text: str) -> Iterator[tuple[Rule, int, int]]:
    """Matches of the dense rules, which are tried on nothing but the long parts of the text, written one to a line."""
    places, parts = [], []
    for place, part in dense_parts(text):
        places.append(place)
        parts.append(part)
    starts = list(accumulate((len(part) + 1 for part in parts), initial=0))
    for rule, match in _DENSE.matches("\n".join(parts)):
        start, end = match.span(1) if rule.regex.groups else match.span()
        number = bisect_right(starts, start) - 1
        shift = places[number] - starts[number]
        yield rule, start + shift, end + shift


def _loose_matches(text: str) -> Iterator[tuple[Rule, int, int]]:
    for rule, match in _NOT_DENSE.matches(text):
        yield rule, *(match.span(1) if rule.regex.groups else match.span())


def _is_name(value: str) -> bool:
    """Whether a value is a name or a path of a program: letters and joints, which change case no oftener than words do."""
    if _DOTTED.fullmatch(value) or _PATH.match(value):
        return True
    return _NAME.fullmatch(value) is not None and len(_WORD_STARTS.findall(value)) <= len(value) / 5


def entropy(text: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(text)
    return -sum(count / size * math.log2(count / size) for count in Counter(text).values()) if size else 0.0
