"""Find secrets and replace them with placeholders. The value itself never leaves this module."""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from vademecum.domain.late_pattern import late_pattern
from vademecum.guard.place_rules import LOOSE_RULES, OPAQUE_RULES, PLACED_RULES, TABLE
from vademecum.guard.rule_matching import Rule, Rules, dense_parts
from vademecum.guard.secret_rules import KEPT_OUT

_DENSE = Rules(rule for rule in KEPT_OUT if rule.dense)
_NOT_DENSE = Rules(rule for rule in KEPT_OUT if not rule.dense)

_PLACEHOLDER = late_pattern(r"\[REDACTED:([a-z0-9\-]+)\]")

#: A line, after a line break, that may be the rest of a value.
_REST = late_pattern(r"\r?\n([A-Za-z0-9+/=_\-.]{12,500})(?=[\"'`]?[ \t]*(?:\r?\n|$))")

#: Values that only represent a secret: examples, variables, masks, calls.
_EXAMPLE = late_pattern(
    r"redacted|example|placeholder|changeme|change[_\-]me|your[_\-]|my[_\-]?(?:secret|token|password|key)|insert|dummy|sample"
    r"|xxxx|\*\*\*|\.\.\.|…|<|>|\$\{|\$\([^)]*\)|\{\{|%\(|%s|process\.env|os\.environ|getenv|import\.meta|secrets\.|env\.|vault:|file:"
    r"|^(?:true|false|null|none|undefined|string|required|optional|password|passwd|pass|secret|token|postgres|root|admin|test)$"
    r"|^([^\n])\1+$",
    re.IGNORECASE,
)

#: A name or path in a program: letters only, or parts joined by dots, slashes, dashes and underscores, without digits.
_NAME = late_pattern(r"[A-Za-z_@/.\\:\-]+(?:\(\))?")
_WORD_STARTS = late_pattern(r"[a-z][A-Z]")
_DOTTED = late_pattern(r"!{0,2}[A-Za-z_]\w*(?:[?!]?\.[A-Za-z_]\w*)+")
_PATH = late_pattern(r"(?:[A-Za-z]:)?[./~\\]|https?:")
#: Base64 that begins with a slash.
_SLASHED = late_pattern(r"/[A-Za-z0-9+/]{15,}={0,2}")

#: The first of some lines of values: names, separated.
_HEADING = late_pattern(r"[ >\"']{0,8}\w[\w .\-]{0,80}[\"' ]{0,4}(?:[,;|\t][ \"']{0,8}\w[\w .\-]{0,80}[\"' ]{0,4}){1,200}")
_ROW = late_pattern(r"[^\n]+")
#: A cell of a table that may be a secret: one word with letters and digits, perhaps in quotes.
_CELL = late_pattern(r"[\s`*\"']*((?=\S*\d)(?=\S*[^\W\d])\S{6,400}?)[\s`*\"']*")

#: A word of a name, several words joined, or a number: "Linux", "maxTokens", "x64", "2026".
_WORDS = late_pattern(r"(?:[A-Z]?[a-z]{2,}){1,6}\d{0,3}|[A-Z]{1,12}\d{0,3}|[a-z]?\d{0,8}|")
_CASES = late_pattern(r"[a-z][A-Z]")
_JOINTS = late_pattern(r"[^A-Za-z0-9]+")
#: Minimum letters and digits of a value of an opaque rule that form no words or numbers.
OPAQUE_MIN_CHARS = 12
#: Minimum characters of a value to be searched for elsewhere; shorter ones may occur by chance.
REPEATED_MIN_CHARS = 12


class Secret(Struct, frozen=True):
    """A secret in a text: its type, start and end."""

    type: str
    start: int
    end: int


def find_secrets(text: str) -> list[Secret]:
    """Return secrets in `text`, in order, not overlapping.

    Overlapping ones are merged under the type of the more specific rule. If one occurrence of a value is recognised as a
    secret, its other occurrences are found too, provided it is long enough.
    """
    done = placeholders(text)
    secrets: list[Secret] = []
    found: dict[Secret, int] = {}  # secret -> its position in the order in which they were found
    for secret in _candidates(text):
        if not done[_beside(done, secret)]:
            beside = _beside(secrets, secret)
            spans = [*sorted(secrets[beside], key=found.__getitem__), secret]
            joined = Secret(spans[0].type, min(span.start for span in spans), max(span.end for span in spans))
            found[joined] = found.get(spans[0], len(found))
            secrets[beside] = [joined]
    secrets = _whole(text, secrets)
    for secret in _repeated(text, secrets):
        beside = _beside(secrets, secret)
        if not (done[_beside(done, secret)] or secrets[beside]):
            secrets[beside] = [secret]
    return secrets


def _beside(secrets: Sequence[Secret], secret: Secret) -> slice:
    """Return where those that overlap a secret are, or where it would be put, among secrets in order that do not overlap."""
    first = bisect_right(secrets, secret.start, key=lambda other: other.end)
    return slice(first, bisect_left(secrets, secret.end, lo=first, key=lambda other: other.start))


def _whole(text: str, secrets: Sequence[Secret]) -> list[Secret]:
    """Return the secrets, each with its rest where a line break cut it: a next line, no longer, that is nothing but more of it."""
    whole = list[Secret]()
    for secret, following in zip(secrets, [*(other.start for other in secrets[1:]), len(text)], strict=False):
        end, width = secret.end, secret.end - text.rfind("\n", 0, secret.end) - 1
        rest = _REST.match(text, end)
        while rest and rest.end(1) <= following and len(rest[1]) <= width and is_opaque(rest[1]):
            end = rest.end(1)
            rest = _REST.match(text, end)
        whole.append(Secret(secret.type, secret.start, end))
    return whole


def _repeated(text: str, secrets: Iterable[Secret]) -> Iterator[Secret]:
    """Yield every occurrence of the values that were found, longer values first."""
    types = {
        text[secret.start : secret.end]: secret.type for secret in secrets if secret.end - secret.start >= REPEATED_MIN_CHARS
    }
    for value in sorted(types, key=len, reverse=True):
        place = text.find(value)
        while place >= 0:
            yield Secret(types[value], place, place + len(value))
            place = text.find(value, place + len(value))


def placeholders(text: str) -> list[Secret]:
    """Return the placeholders of secrets that were removed earlier."""
    return [Secret(match[1], *match.span()) for match in _PLACEHOLDER.finditer(text)]


def redact(text: str, secrets: list[Secret], placeholder: str = "[REDACTED:{type}]") -> str:
    """Return `text` with each secret replaced by a placeholder, which may contain the type."""
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
        if rule.id in OPAQUE_RULES and not is_opaque(value):
            continue
        yield Secret(rule.id, start, end)


def _dense_matches(text: str) -> Iterator[tuple[Rule, int, int]]:
    """Yield (rule, start, end) of matches of the dense rules.

    They are applied only to the long parts of the text, joined with one part per line.
    """
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
        if rule.id == TABLE:
            yield from ((rule, *span) for span in _cells(match))
        else:
            yield rule, *(match.span(1) if rule.regex.groups else match.span())


def _cells(table: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the cells below a heading that look like secrets; below "password", of every word with a digit."""
    text, end = table.string, table.end()
    line = text.rfind("\n", 0, table.start()) + 1
    mark, width = "|", 0
    if "lines" in table.re.groupindex:
        heading, above = text[line:end].rstrip(), text[text.rfind("\n", 0, max(line - 1, 0)) + 1 : line]
        mark = max("\t|;,", key=heading.count)
        width, end = heading.count(mark), len(text)
        if not _HEADING.fullmatch(heading) or above.count(mark) == width:
            return
    column = text.count(mark, line, table.start())
    for row in _ROW.finditer(text, table.end("head"), end):
        begin, cells = row.start(), row[0].split(mark)
        if width and len(cells) != width + 1:
            return
        if column < len(cells) and (cell := _CELL.fullmatch(cells[column])) and (table["password"] or is_opaque(cell[1])):
            begin += sum(len(before) + 1 for before in cells[:column])
            yield begin + cell.start(1), begin + cell.end(1)


def _is_name(value: str) -> bool:
    """Return whether a value is a name or a path in a program.

    It consists of letters and separators, with no more changes of case than words have.
    """
    if _DOTTED.fullmatch(value) or (_PATH.match(value) and not (_SLASHED.fullmatch(value) and is_opaque(value))):
        return True
    return _NAME.fullmatch(value) is not None and len(_WORD_STARTS.findall(value)) <= len(value) / 5


def is_opaque(value: str) -> bool:
    """Return whether a value looks random: mostly neither words nor numbers nor separators."""
    parts = _JOINTS.split(value)
    opaque = sum(len(part) for part in parts if not _WORDS.fullmatch(part))
    drawn = sum(char.isdigit() for char in value) >= 2 or len(_CASES.findall(value)) >= 4
    return drawn and opaque >= max(OPAQUE_MIN_CHARS, 0.6 * len(value))


def entropy(text: str) -> float:
    """Compute Shannon entropy in bits per character."""
    size = len(text)
    return -sum(count / size * math.log2(count / size) for count in Counter(text).values()) if size else 0.0
