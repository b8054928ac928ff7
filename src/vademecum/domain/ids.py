"""Identity: 26 characters that sort by time. An id is allocated once and never reused.

The layout is that of a ULID: 48 bits of milliseconds, 80 random bits, in Crockford's base 32.
"""

import re

#: Crockford's base 32.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUES = {letter: value for value, letter in enumerate(ALPHABET)}
_PATTERN = re.compile(rf"[0-7][{ALPHABET}]{{25}}")

_URI = re.compile(rf"memory://{_PATTERN.pattern}")

#: Of an id so much is shown: 40 random bits.
SHORT_ID_CHARS = 8
#: An id or the end of one, as it may stand in a text in bytes.
_SHOWN = re.compile(rf"(?<![0-9A-Za-z])(?:[0-7][{ALPHABET}]{{17}})?([{ALPHABET}]{{{SHORT_ID_CHARS}}})(?![0-9A-Za-z])".encode())
#: Random bytes that :func:`make_id` wants.
ENTROPY_BYTES = 10


def make_id(time_ms: int, entropy: bytes) -> str:
    """Return the id for something that came to be at `time_ms` (milliseconds since 1970, UTC).

    Args:
        time_ms: 0 to 2**48 - 1.
        entropy: exactly ENTROPY_BYTES random bytes.

    Raises:
        ValueError: when either is out of range.
    """
    if not 0 <= time_ms < 1 << 48 or len(entropy) != ENTROPY_BYTES:
        raise ValueError(f"an id takes 48 bits of milliseconds and {ENTROPY_BYTES} bytes of entropy")
    number = time_ms << 80 | int.from_bytes(entropy, "big")
    return "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


def behind(newest: str, fresh: str) -> str:
    """Return a fresh id that sorts behind another one ("" for none): with a later time, where its own is not."""
    if fresh > newest:
        return fresh
    number = 0
    for letter in fresh:
        number = number << 5 | _VALUES[letter]
    return make_id(id_time_ms(newest) + 1, (number & ((1 << 80) - 1)).to_bytes(ENTROPY_BYTES, "big"))


def is_id(text: str) -> bool:
    """Return whether `text` has the form of an id."""
    return _PATTERN.fullmatch(text) is not None


def short_id(reference: str) -> str:
    """Return how people and models read the id of a memory: its last characters, which are random; what is no memory as it is.

    Args:
        reference: an id or a URI. A ref may be that short wherever it names a memory; should two end so, both are told.
    """
    bare = reference.removeprefix("memory://")
    return bare[-SHORT_ID_CHARS:] if is_id(bare) else reference


def ids_shown(data: bytes) -> frozenset[str]:
    """Return the short ids that stand in a text, and what only looks like one."""
    return frozenset(result.decode() for result in _SHOWN.findall(data))


def shortened(text: str) -> str:
    """Return a text with every URI of a memory in it as :func:`short_id` has it."""
    return _URI.sub(lambda match: short_id(match.group()), text)


def id_time_ms(identity: str) -> int:
    """Return milliseconds since 1970 (UTC) at which the id was allocated."""
    number = 0
    for letter in identity[:10]:
        number = number << 5 | _VALUES[letter]
    return number
