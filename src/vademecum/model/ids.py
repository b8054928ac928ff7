"""Identity: 26 characters that sort by time. An id is allocated once and never reused.

The layout is that of a ULID: 48 bits of milliseconds, 80 random bits, in Crockford's base 32.
"""

import re

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUES = {letter: value for value, letter in enumerate(_ALPHABET)}
_PATTERN = re.compile(rf"[0-7][{_ALPHABET}]{{25}}")

#: Random bytes that :func:`make_id` wants.
ENTROPY_BYTES = 10


def make_id(time_ms: int, entropy: bytes) -> str:
    """The id for something that came to be at `time_ms` (milliseconds since 1970, UTC).

    Args:
        time_ms: 0 to 2**48 - 1.
        entropy: exactly ENTROPY_BYTES random bytes.

    Raises:
        ValueError: when either is out of range.
    """
    if not 0 <= time_ms < 1 << 48 or len(entropy) != ENTROPY_BYTES:
        raise ValueError(f"an id takes 48 bits of milliseconds and {ENTROPY_BYTES} bytes of entropy")
    number = time_ms << 80 | int.from_bytes(entropy, "big")
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def is_id(text: str) -> bool:
    """Whether `text` has the form of an id."""
    return _PATTERN.fullmatch(text) is not None


def id_time_ms(identity: str) -> int:
    """Milliseconds since 1970 (UTC) at which the id was allocated."""
    number = 0
    for letter in identity[:10]:
        number = number << 5 | _VALUES[letter]
    return number
