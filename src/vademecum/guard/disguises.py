"""Decode hidden text: encoded, mirrored, spaced out, or in look-alike letters.

A model reads these as easily as plain words. Each disguise is first recognised by a cheap sign, so that plain prose costs
little.
"""

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from urllib.parse import unquote

from vademecum.language.load import languages

#: Minimum characters of an encoded run; shorter ones contain no sentence.
_RUN = 24
#: Minimum share of letters and white space in decoded text.
_TEXT_SHARE = 0.8

_BASE64 = re.compile(rf"[A-Za-z0-9+/_-]{{{_RUN},4000}}={{0,2}}")
_BASE32 = re.compile(rf"\b[A-Z2-7]{{{_RUN},4000}}={{0,6}}")
_HEX = re.compile(rf"\b(?:[0-9a-fA-F]{{2}}){{{_RUN // 2},4000}}\b")
_BINARY = re.compile(r"\b[01]{8}(?:[ \n]?[01]{8}){7,}")
_ASCII85 = re.compile(r"<~(.{20,4000}?)~>", re.DOTALL)
_BASE85 = re.compile(r"(?<!\S)[!-~]{60,4000}(?!\S)")
_MORSE = re.compile(r"(?:[.-]{1,6}(?: / | )){8,}[.-]{1,6}")
_PERCENT = re.compile(r"[^\s%]{0,30}(?:%[0-9A-Fa-f]{2}[^\s%]{0,30}){3,}")
_ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}){6,}")
_SPACED = re.compile(r"(?<!\S)(?:\S[ .\-_]){3,}\S(?!\S)")
_LEET = re.compile(r"\b(?=\w*[a-z])(?=\w*[0134578])[a-z0134578]{3,}\b", re.IGNORECASE)
_LEETS = str.maketrans("01345 78", "oieas tb")
_FOREIGN = re.compile("[\u0370-\u03ff\u0400-\u04ff\uff01-\uff5e\u2100-\u214f\U0001d400-\U0001d7ff]")
_LOOKALIKES = str.maketrans("абвгеіјкмнорсѕтухАВЕІЈКМНОРСТУХαεικνορτυχΑΒΕΗΙΚΜΝΟΡΤΥΧ", "abbreijkmhopcstyxABEIJKMHOPCTYXaeiknoptuxABEHIKMNOPTYX")  # fmt: skip
_CODES = ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split()
_LETTERS = dict(zip(_CODES, "abcdefghijklmnopqrstuvwxyz", strict=True))


def disguised(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, decoded text) of everything in `text` that may be disguised words."""
    for pattern, decode in _ENCODINGS:
        for match in pattern.finditer(text):
            entry = decode(match[0])
            if entry and _is_text(entry):
                yield match.start(), match.end(), entry
    rotated, mirrored = _in_disguise()
    if rotated.search(text):
        yield 0, len(text), codecs.encode(text, "rot13")
    if mirrored.search(text):
        yield 0, len(text), text[::-1]
    if len(_LEET.findall(text)) >= 3:
        yield 0, len(text), text.translate(_LEETS)
    if _SPACED.search(text):
        yield 0, len(text), _SPACED.sub(lambda match: match[0][::2], text)
    if _FOREIGN.search(text):
        plain = unicodedata.normalize("NFKC", text).translate(_LOOKALIKES)
        if plain != text:
            yield 0, len(text), plain


@cache
def _in_disguise() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of the words of override commands in ROT13 and mirrored."""
    words = languages().listed("orders", "overriding")
    rotated = "|".join(codecs.encode(word, "rot13") for word in words)
    return re.compile(rotated, re.IGNORECASE), re.compile("|".join(word[::-1] for word in words), re.IGNORECASE)


def _bytes_of(decode: Callable[[str], bytes]) -> Callable[[str], str]:
    def decoded(run: str) -> str:
        try:
            return decode(run).decode("utf-8", "strict")
        except (ValueError, binascii.Error):
            return ""

    return decoded


def _padded(run: str, size: int) -> str:
    plain = run.rstrip("=")
    return plain + "=" * (-len(plain) % size)


def _morse(run: str) -> str:
    return " ".join("".join(_LETTERS.get(code, "?") for code in word.split()) for word in run.split("/"))


def _escaped(run: str) -> str:
    return re.sub(r"\\[ux]([0-9a-fA-F]+)", lambda match: chr(int(match[1], 16)), run)


def _is_text(entry: str) -> bool:
    plain = sum(char.isalpha() or char.isspace() for char in entry)
    return len(entry) >= _RUN // 2 and plain >= _TEXT_SHARE * len(entry) and any(char.isspace() for char in entry)


_ENCODINGS: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
    (_BASE64, _bytes_of(lambda run: base64.b64decode(_padded(run.replace("-", "+").replace("_", "/"), 4)))),
    (_BASE32, _bytes_of(lambda run: base64.b32decode(_padded(run, 8)))),
    (_HEX, _bytes_of(bytes.fromhex)),
    (_BINARY, _bytes_of(lambda run: bytes(int(octet, 2) for octet in re.findall("[01]{8}", run)))),
    (_ASCII85, _bytes_of(lambda run: base64.a85decode(run, adobe=True))),
    (_BASE85, _bytes_of(base64.b85decode)),
    (_MORSE, _morse),
    (_PERCENT, unquote),
    (_ESCAPED, _escaped),
)
