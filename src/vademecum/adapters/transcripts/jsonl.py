"""Records of a JSON Lines file as hosts really write them: two objects on a line, no last newline, bytes that are not UTF-8.

A JSON object is complete at its closing brace and at no earlier place. So a last line without newline is read when its
braces are closed, and waits when they are not; whatever is appended later starts a new record.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

_decoder = json.JSONDecoder(strict=False)
_NO_CHARACTER = re.compile("[\ud800-\udfff\x00]")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
#: Words that a value may be, and the longest escape: a text that ends within one of them is cut, not wrong.
_WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_ESCAPE_CHARS = 7
#: What may stand between records; the byte order mark only at the beginning, where it does no harm to pass over it.
_BLANK = b" \t\r\n"
_GAP = re.compile(r"[ \t\r\n\ufeff]*")


class Record(Struct, frozen=True):
    """One JSON object of the file.

    Attributes:
        value: the object; None for the rest of a line that could not be read.
        start, end: byte offsets in the file, end exclusive.
        replaced: whether it held bytes that are not UTF-8.
    """

    value: dict[str, Any] | None
    start: int
    end: int
    replaced: bool = False


def records(data: bytes, offset: int) -> Iterator[Record]:
    """Yield every object in `data`, whose first byte stands at `offset` of the file, in order."""
    start = 0
    while start < len(data):
        newline = data.find(b"\n", start)
        end = len(data) if newline < 0 else newline + 1
        yield from _records_of_line(data[start:end], offset + start)
        start = end


def complete(data: bytes) -> int:
    """Return bytes of `data` up to the last newline, and behind it those of objects that are closed."""
    end = data.rfind(b"\n") + 1
    for record in _records_of_line(data[end:], end):
        if record.value is not None:
            end = record.end
    return end


def documents(data: bytes, offset: int, *, closed: bool = False) -> Iterator[Record]:
    """Yield every object in `data`, which may span lines, as a file holds that is rewritten as one JSON document.

    What is no JSON is broken up to its line's end.

    Args:
        closed: nothing will follow, so an object that is not closed at the end of `data` is broken; else it waits.
    """
    text, valid = _decoded(data)
    position, passed = 0, offset
    while (begin := _GAP.match(text, position).end()) < len(text):  # type: ignore[union-attr]  # matches everywhere
        passed += _bytes(text[position:begin])
        value, position = _object(text, begin)
        if value is None:
            if not closed and _is_cut(text, begin):
                return
            newline = text.find("\n", begin)
            position = len(text) if newline < 0 else newline + 1
        piece = text[begin:position]
        start, passed = passed, passed + _bytes(piece)
        yield Record(value, start, passed, value is not None and not valid and _NOT_UTF8.search(piece) is not None)


def complete_documents(data: bytes) -> int:
    """Return bytes of `data` up to the end of the last object that is closed, or line that is broken, and the gap behind it."""
    end = 0
    for record in documents(data, 0):
        if record.value is not None or data[record.end - 1 : record.end] == b"\n":
            end = record.end
    return len(data) - len(data[end:].lstrip(_BLANK))


def as_lines(about: Mapping[str, Any], name: str, entries: Iterable[Any]) -> bytes:
    """Return a JSON document of `about` and, under `name`, a list with each entry on a line of its own.

    So what is cut at lines shares with an earlier state of the document all that stayed the same, and an entry can be judged by
    itself: it is a line of JSON, which one with a comma behind it is not.
    """
    head = json.dumps({**about, name: []}, ensure_ascii=False)
    body = "\n,\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f"{head[:-2]}\n{body}\n]}}".encode()


def clean(text: str) -> str:
    """Return `text` without what no database can store: NUL and halves of surrogate pairs become U+FFFD."""
    return _NO_CHARACTER.sub("\ufffd", text)


def _decoded(data: bytes) -> tuple[str, bool]:
    """Return `data` as text, and whether all of it was UTF-8; other bytes become surrogates, so that offsets stay right."""
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape"), False


def _records_of_line(line: bytes, offset: int) -> Iterator[Record]:
    text, valid = _decoded(line)
    position = passed = 0
    while (begin := _GAP.match(text, position).end()) < len(text):  # type: ignore[union-attr]  # matches everywhere
        passed += _bytes(text[position:begin])
        value, position = _object(text, begin)
        if value is None:
            yield Record(None, offset + passed, offset + len(line))
            return
        piece = text[begin:position]
        start, passed = passed, passed + _bytes(piece)
        yield Record(value, offset + start, offset + passed, not valid and _NOT_UTF8.search(piece) is not None)


def _object(text: str, begin: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object at `begin` and where it ends; None when there is none that is whole."""
    if text[begin] != "{":
        return None, begin
    try:
        value, end = _decoder.raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None, begin
    return value, end


def _is_cut(text: str, begin: int) -> bool:
    """Return whether what stands at `begin` may be the beginning of an object that goes on behind the end of `text`."""
    if text[begin] != "{":
        return False
    try:
        _decoder.raw_decode(text, begin)
    except json.JSONDecodeError as error:
        rest = text[error.pos :].rstrip()
        return (
            error.msg.startswith("Unterminated string")
            or not rest
            or any(word.startswith(rest) for word in _WORDS)
            or ("escape" in error.msg and len(rest) < _ESCAPE_CHARS)
        )
    except RecursionError:
        return False
    return False


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
