"""Parses the JSON object that a host passes to a hook, from arbitrary bytes."""

import codecs
import json
from collections.abc import Mapping
from typing import Any

from vademecum.domain.errors import InvalidInput

#: Byte order marks and their encodings; longer marks come first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_decoder = json.JSONDecoder(strict=False)


def payload_of(data: bytes) -> Mapping[str, Any]:
    """Return the first JSON object in `data`.

    Invalid bytes become U+FFFD, so that one bad byte costs a character and not the event. UTF-16 and UTF-32 are detected by
    their mark or by the NUL beside the opening brace. Text after the closing brace is ignored.

    Raises:
        InvalidInput: there is no complete object.
    """
    text = text_of(data)
    begin = text.find("{")
    if begin < 0 or text[:begin].strip(" \t\r\n\0\ufeff"):
        raise InvalidInput("The hook's input is not a JSON object.")
    try:
        return _decoder.raw_decode(text, begin)[0]  # type: ignore[no-any-return]
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"The hook's input is not a complete JSON object: {error}") from error


def mark_of(data: bytes) -> tuple[bytes, str]:
    """Return the byte order mark that `data` begins with, and its encoding; without one (b"", "utf-8")."""
    return next(((mark, encoding) for mark, encoding in _MARKS if data.startswith(mark)), (b"", "utf-8"))


def text_by_mark(data: bytes) -> str | None:
    """Return the text of `data` that begins with a byte order mark; None without one."""
    mark, encoding = mark_of(data)
    return data[len(mark) :].decode(encoding, "replace") if mark else None


def text_of(data: bytes) -> str:
    """Return `data` as text: by its byte order mark, as UTF-16 by the NULs of a first brace, else as UTF-8 with replacement."""
    marked = text_by_mark(data)
    if marked is not None:
        return marked
    stripped = data.lstrip(b" \t\r\n")
    if stripped.startswith(b"{\0"):
        return stripped.decode("utf-16-le", "replace")
    if data.startswith(b"\0{"):
        return data.decode("utf-16-be", "replace")
    return data.decode("utf-8", "replace")
