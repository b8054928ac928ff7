"""Parses JSON Lines as hosts really write them: two objects on a line, no last newline, bytes that are not UTF-8.

A JSON object is complete exactly at its closing brace. So a last line without newline is read when its braces are closed, and
waits when they are not; text that is appended later starts a new record.

A crash leaves half a record, to which the next one is appended directly, or a run of NULs. Only the damaged record is lost:
parsing resumes at the next complete object that is not part of the damaged one, which the following characters show.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

_decoder = json.JSONDecoder(strict=False)
_NO_CHARACTER = re.compile("[\ud800-\udfff\x00]")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
#: Words that a value may be, and the longest escape: a text that ends within one of them is incomplete, not invalid.
_WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_ESCAPE_CHARS = 7
#: Characters allowed between records: a crash leaves NULs, joined files contain byte order marks.
_BLANK = b" \t\r\n\x00"
_WIDE = re.compile(rb'[\x00\xff\xfe]*\{\x00[\x00 ]*"\x00')
_GAP = re.compile(r"[ \t\r\n\x00\ufeff]*")
#: Remains of a damaged document after its objects were taken out.
_REST = re.compile(r"[ \t\r\n\x00\ufeff,\]}]*")
#: An object before a match of the first, or after one of the characters of the second, is part of another object.
_WITHIN, _PART_OF = re.compile(r"[ \t\x00]*[,:\]}]"), ",:["
_REST_OF_LINE = re.compile(r"[ \t\r\x00]*")
#: Most positions that are tried after a damaged record, and most open braces that are tried for an incomplete object.
_TRIES_MAX, _CUT_TRIES_MAX = 2000, 50
_LOOKED_BACK_CHARS = 64


class Record(Struct, frozen=True):
    """One JSON object of the file.

    Attributes:
        value: the object; None for the rest of a line that could not be parsed.
        start, end: byte offsets in the file, end exclusive.
        replaced: whether it contained bytes that are not UTF-8.
    """

    value: dict[str, Any] | None
    start: int
    end: int
    replaced: bool = False


def records(data: bytes, offset: int) -> Iterator[Record]:
    """Yield every object in `data`, whose first byte is at `offset` of the file, in order."""
    start = 0
    while start < len(data):
        wide = _WIDE.match(data, start)
        end = _end_of_wide(data, wide.end()) if wide else data.find(b"\n", start) + 1 or len(data)
        yield from _records_of_line(data[start:end], offset + start)
        start = end


def complete(data: bytes) -> int:
    """Return the number of complete bytes of `data`: up to the last newline, plus following closed objects and blanks."""
    end = data.rfind(b"\n") + 1
    for record in _records_of_line(data[end:], end, torn=False):
        if record.value is not None:
            end = record.end
    return len(data) - len(data[end:].lstrip(_BLANK))


def documents(data: bytes, offset: int, *, closed: bool = False) -> Iterator[Record]:
    """Yield every object in `data`, which may span lines, as in a file that is rewritten as one JSON document.

    In a damaged document, objects that begin on a line of their own and objects after damaged text are yielded.

    Args:
        closed: no more data will follow, so an object that is not closed at the end of `data` is broken; else it is left for
            later.
    """
    text, valid = _decoded(data)
    position, passed = 0, offset
    while (begin := _REST.match(text, position).end()) < len(text):  # type: ignore[union-attr]  # matches everywhere
        passed += _bytes(text[position:begin])
        value, position = _object(text, begin)
        if value is None:
            if not closed and _is_cut(text, begin):
                return
            position = _next_in_document(text, begin, closed=closed)
        piece = text[begin:position]
        start, passed = passed, passed + _bytes(piece)
        yield Record(value, start, passed, value is not None and not valid and _NOT_UTF8.search(piece) is not None)


def complete_documents(data: bytes) -> int:
    """Return the number of complete bytes of `data`: up to the last closed object or broken line, plus following blanks."""
    end = 0
    for record in documents(data, 0):
        if record.value is not None or data[record.end - 1 : record.end] == b"\n":
            end = record.end
    return len(data) - len(data[end:].lstrip(_BLANK + b",]}"))


def as_lines(about: Mapping[str, Any], name: str, entries: Iterable[Any]) -> bytes:
    """Return a JSON document of `about` and, under `name`, a list with each entry on a line of its own.

    A split at lines then shares all unchanged lines with an earlier state of the document, and each entry is valid JSON by
    itself, because its comma is on the next line.
    """
    head = json.dumps({**about, name: []}, ensure_ascii=False)
    body = "\n,\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f"{head[:-2]}\n{body}\n]}}".encode()


def clean(text: str) -> str:
    """Return `text` without characters that databases cannot store: NUL and lone surrogates become U+FFFD."""
    return _NO_CHARACTER.sub("\ufffd", text)


def _decoded(data: bytes) -> tuple[str, bool]:
    """Return `data` as text, and whether all of it was UTF-8; other bytes become surrogates, so that offsets remain correct."""
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape"), False


def _records_of_line(line: bytes, offset: int, *, torn: bool = True) -> Iterator[Record]:
    """Yield the objects of a line.

    Args:
        torn: continue after damaged text; not for a line that is still being written, in which an object may be part of
            another.
    """
    if _WIDE.match(line):
        yield Record(_wide_object(line), offset, offset + len(line))
        return
    text, valid = _decoded(line)
    position = passed = 0
    while (begin := _GAP.match(text, position).end()) < len(text):  # type: ignore[union-attr]  # matches everywhere
        passed += _bytes(text[position:begin])
        value, position = _object(text, begin)
        if value is None:
            if not torn:
                yield Record(None, offset + passed, offset + len(line))
                return
            position = _next_in_line(text, begin)
        piece = text[begin:position]
        start, passed = passed, passed + _bytes(piece)
        yield Record(
            value, offset + start, offset + passed, value is not None and not valid and _NOT_UTF8.search(piece) is not None
        )


def _wide_object(line: bytes) -> dict[str, Any] | None:
    """Return the object in a line of UTF-16, which a program appended to a file of UTF-8; None if it is incomplete."""
    wide = line[line.index(b"{") :].rstrip(b"\r\n\x00")
    return _object((wide + b"\x00" * (len(wide) % 2)).decode("utf-16-le", "replace"), 0)[0]


def _end_of_wide(data: bytes, begin: int) -> int:
    """Return the end of the line of UTF-16 with a character at `begin`: other characters contain the byte of a newline too."""
    newline = data.find(b"\n", begin)
    while newline >= 0 and ((newline - begin) % 2 or data[newline + 1 : newline + 2] not in (b"\x00", b"")):
        newline = data.find(b"\n", newline + 1)
    return newline + 1 or len(data)


def _next_in_line(text: str, begin: int) -> int:
    """Return the position of the next complete object after a damaged record at `begin`, else the end of `text`."""
    return next(
        (place for place, end in _objects_behind(text, begin, len(text)) if _WITHIN.match(text, end) is None), len(text)
    )


def _next_in_document(text: str, begin: int, *, closed: bool) -> int:
    """Return where to continue after damaged text at `begin`: at an object in its line, else after that line.

    In a file that is still being written the object may continue after the end of `text`, or the following characters may be
    missing.
    """
    newline = text.find("\n", begin)
    line_end = len(text) if newline < 0 else newline + 1
    for place, end in _objects_behind(text, begin, line_end):
        if not _is_part(text, begin, place) and _WITHIN.match(text, end) is None:
            at_end = _REST_OF_LINE.match(text, end).end() == len(text)  # type: ignore[union-attr]  # matches everywhere
            return place if closed or not at_end else len(text)
    if closed or newline < 0:
        return line_end
    cut = (place for place in _braces(text, begin, line_end) if _is_cut(text, place))
    return next((place for place in cut if not _is_part(text, begin, place)), line_end)


def _is_part(text: str, begin: int, place: int) -> bool:
    """Return whether the object at `place` is part of another one, by the character before it.

    After a torn record this cannot be decided, and the result is False.
    """
    return text[begin] != "{" and text[max(begin, place - _LOOKED_BACK_CHARS) : place].rstrip()[-1:] in _PART_OF


def _braces(text: str, begin: int, end: int) -> Iterator[int]:
    place = text.find("{", begin + 1, end)
    for _ in range(_CUT_TRIES_MAX):
        if place < 0:
            return
        yield place
        place = text.find("{", place + 1, end)


def _objects_behind(text: str, begin: int, line_end: int) -> Iterator[tuple[int, int]]:
    """Yield (begin, end) of complete, non-empty, non-nested objects that begin after `begin` in its line."""
    place, tries = text.find("{", begin + 1, line_end), 0
    while place >= 0 and tries < _TRIES_MAX:
        try:
            value, end = _decoder.raw_decode(text, place)
        except RecursionError:
            return
        except ValueError:
            tries += 1
            place = text.find("{", place + 1, line_end)
            continue
        if value:
            yield place, end
        place = text.find("{", end, line_end)


def _object(text: str, begin: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object at `begin` and its end; None when there is no complete one."""
    if text[begin] != "{":
        return None, begin
    try:
        value, end = _decoder.raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None, begin
    return value, end


def _is_cut(text: str, begin: int) -> bool:
    """Return whether the text at `begin` may be the beginning of an object that continues after the end of `text`."""
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
