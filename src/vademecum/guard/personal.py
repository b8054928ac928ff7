"""Recognise personal data by its form.

Covered are e-mail addresses, telephone numbers, and card and account numbers with correct check digits. Names and places have
no form and are not covered (docs/security.md).
"""

import re
from collections.abc import Collection, Iterator

from vademecum.domain.late_pattern import late_pattern
from vademecum.guard.secrets import Secret

_EMAIL = late_pattern(r"(?<![\w.+\-/])[A-Za-z0-9][\w.+\-]{0,63}@(?:[A-Za-z0-9\-]{1,63}\.){1,4}[A-Za-z]{2,24}(?![\w\-])")
_CARD = late_pattern(r"(?<![\w.\-])(?<![A-Z]{2}\d\d )\d(?:[ \-]?\d){12,18}(?![\w\-])(?!\.\d)")
_IBAN = late_pattern(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?!\w)")
#: International form, or an area code in brackets; plain digits too often mean something else.
_PHONE = late_pattern(
    r"(?<![\w+.])(?:\+\d{1,3}[ \-./]?(?:\(\d{1,4}\)[ \-./]?)?\d(?:[ \-./]?\d){6,12}|\(\d{2,5}\)[ \-./]?\d(?:[ \-./]?\d){5,9})(?!\w)"
)
_EXAMPLE_DOMAIN = late_pattern(r"@(?:[\w\-]+\.)*(?:example\.(?:com|org|net)|test|invalid|localhost|example)$", re.IGNORECASE)
#: Names of services such as `git@host:path`, not of persons.
_SERVICE = late_pattern(r"^(?:git|noreply|no-reply|notifications)@", re.IGNORECASE)
_IBAN_CHARS = {"DE": 22, "AT": 20, "CH": 21, "FR": 27, "ES": 24, "IT": 27, "PT": 25, "NL": 18, "BE": 16, "GB": 22, "IE": 22,
               "PL": 28, "SE": 24, "DK": 18, "NO": 15, "FI": 18, "LU": 20, "GR": 27, "CZ": 24}  # fmt: skip


def find_personal(text: str, classes: Collection[str]) -> Iterator[Secret]:
    """Yield the positions of data of these classes, one class after the other."""
    if "email" in classes and "@" in text:
        for match in _EMAIL.finditer(text):
            if not _EXAMPLE_DOMAIN.search(match[0]) and not _SERVICE.match(match[0]):
                yield Secret("email", *match.span())
    if "iban" in classes:
        yield from (Secret("iban", *match.span()) for match in _IBAN.finditer(text) if is_iban(match[0]))
    if "card" in classes:
        yield from (Secret("card", *match.span()) for match in _CARD.finditer(text) if is_card(match[0]))
    if "phone" in classes:
        yield from (Secret("phone", *match.span()) for match in _PHONE.finditer(text))


def is_card(number: str) -> bool:
    """Return whether the digits are a payment card number, by first digit, length and Luhn check (ISO/IEC 7812-1)."""
    digits = [int(char) for char in number if char.isdigit()]
    if not 13 <= len(digits) <= 19 or digits[0] not in (3, 4, 5, 6) or len(set(digits)) < 2:
        return False
    doubled = (digit if place % 2 == 0 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0


def is_iban(number: str) -> bool:
    """Return whether the text is an account number with correct check digits: modulo 97 is 1 (ISO 13616)."""
    plain = number.replace(" ", "")
    if not 15 <= len(plain) <= 34 or len(plain) != _IBAN_CHARS.get(plain[:2], len(plain)):
        return False
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1
