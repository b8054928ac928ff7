"""Identity: 26 characters that sort by time. An id is allocated once and never reused.

The layout is that of a ULID: 48 bits of milliseconds, 80 random bits, in Crockford's base 32.
"""

from vademecum.domain.late_pattern import late_pattern

#: Crockford's base 32.
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_VALUES = {letter: value for value, letter in enumerate(ALPHABET)}
_FORM = rf"[0-7][{ALPHABET}]{{25}}"
_PATTERN = late_pattern(_FORM)
_URI = late_pattern(rf"memory://{_FORM}")

#: Length of a short id: 40 random bits.
SHORT_ID_CHARS = 8
#: A complete or short id in a text, as bytes.
_SHOWN = late_pattern(
    rf"(?<![0-9A-Za-z])(?:[0-7][{ALPHABET}]{{17}})?([{ALPHABET}]{{{SHORT_ID_CHARS}}})(?![0-9A-Za-z])".encode()
)
#: Number of random bytes that :func:`make_id` needs.
ENTROPY_BYTES = 10


def make_id(time_ms: int, entropy: bytes) -> str:
    """Return the id of something created at `time_ms` (milliseconds since 1970, UTC).

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
    """Return an id that sorts after `newest` ("" for none): `fresh` itself if it does, else its entropy with a later time."""
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
    """Return the short form of a memory's id, its random last characters; any other reference is returned unchanged.

    Args:
        reference: an id or a URI. The short form is accepted wherever a memory is named; if two ids share it, both are
            reported.
    """
    bare = reference.removeprefix("memory://")
    return bare[-SHORT_ID_CHARS:] if is_id(bare) else reference


def ids_shown(data: bytes) -> frozenset[str]:
    """Return the short ids in a text, including words that only look like one."""
    return frozenset(result.decode() for result in _SHOWN.findall(data))


def shortened(text: str) -> str:
    """Return a text with every memory URI replaced by the short id."""
    return _URI.sub(lambda match: short_id(match.group()), text)


def id_time_ms(identity: str) -> int:
    """Return when the id was allocated, in milliseconds since 1970 (UTC)."""
    number = 0
    for letter in identity[:10]:
        number = number << 5 | _VALUES[letter]
    return number
