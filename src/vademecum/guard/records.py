"""Remove secrets from a transcript's bytes before they are stored. Lines without any stay byte for byte the same.

A transcript consists mostly of lines of JSON. Their strings are judged unescaped and together with their keys: a private key
written with `\\n` and a value under "password" are found as in plain text, and replacements cannot break the JSON.
"""

import json
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

from vademecum.domain.guarding import Policy
from vademecum.guard.gate import cleanse
from vademecum.guard.hidden import strip_hidden
from vademecum.guard.private import find_private
from vademecum.guard.screen import suspects

#: Minimum characters of a secret in any rule.
SHORTEST_CHARS = 8

_DECODER = json.JSONDecoder()


def cleanse_all(texts: Sequence[str], policy: Policy) -> list[str]:
    """Return :func:`vademecum.guard.gate.cleanse` of each text. Much faster for many texts, few of which contain anything."""
    suspected = suspects(texts, policy)
    return [
        cleanse(text, policy) if may_hold or strip_hidden(text).removed else text
        for text, may_hold in zip(texts, suspected, strict=True)
    ]


def cleanse_records(data: bytes, policy: Policy) -> bytes:
    """Return `data` (complete lines of any text) without secrets.

    Consecutive lines that are not JSON are judged as one text.
    """
    records = list(_records(data))
    texts = ["\n\n".join(dict.fromkeys(_said(values, ""))) if values else _text(lines) for lines, values in records]
    suspected = suspects(texts, policy)
    if not any(suspected):
        return data
    return b"".join(
        _of_record(lines, values, policy) if may_hold else lines
        for (lines, values), may_hold in zip(records, suspected, strict=True)
    )


def _records(data: bytes) -> Iterator[tuple[bytes, list[Any] | None]]:
    """Yield (bytes, JSON values) of each JSON line. Consecutive lines that are not JSON form one record."""
    plain: list[bytes] = []
    for line in data.splitlines(keepends=True) if b"\r" not in data else _lines(data):
        values = _values(_text(line)) if line.lstrip()[:1] in (b"{", b"[") else None
        if values is None:
            plain.append(line)
            continue
        yield from _block(plain)
        plain.clear()
        yield line, values
    yield from _block(plain)


def _block(lines: list[bytes]) -> Iterator[tuple[bytes, list[Any] | None]]:
    """Yield lines that are not JSON one by one as one record: a JSON document of several lines, or plain text (values None)."""
    if lines:
        block = b"".join(lines)
        yield block, _values(_text(block)) if block.lstrip()[:1] in (b"{", b"[") else None


def rewrite_records(data: bytes, change: Callable[[str], str]) -> bytes:
    """Apply `change` to every string in `data` (lines of JSON, one JSON document, or any text).

    Lines without a change stay byte for byte the same.
    """
    whole = _values(_text(data)) if data.lstrip()[:1] in (b"{", b"[") else None
    if whole is not None and len(whole) == 1:
        return _rewritten(data, whole, change)
    done: list[bytes] = []
    for line in _lines(data):
        values = _values(_text(line)) if line.lstrip()[:1] in (b"{", b"[") else None
        done.append(_bytes(change(_text(line))) if values is None else _rewritten(line, values, change))
    return b"".join(done)


def _rewritten(line: bytes, values: list[Any], change: Callable[[str], str]) -> bytes:
    fresh = [_changed(value, change) for value in values]
    if fresh == values:
        return line
    end = line[len(line.rstrip(b"\r\n")) :]
    return b"".join(_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) for value in fresh) + end


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _changed(entry, change) for name, entry in value.items()}
    return [_changed(entry, change) for entry in value] if isinstance(value, list) else value


def _lines(data: bytes) -> Iterator[bytes]:
    """Yield lines, split at newlines only; a carriage return is part of its line."""
    parts = data.split(b"\n")
    yield from (part + b"\n" for part in parts[:-1])
    if parts[-1]:
        yield parts[-1]


def _text(data: bytes) -> str:
    """Decode bytes; bytes that are not UTF-8 survive a round trip."""
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape") if not _has_other_half(text) else text.encode("utf-8", "replace")


def _has_other_half(text: str) -> bool:
    r"""Return whether there are unpaired surrogates that did not come from undecodable bytes, such as an escaped "\ud83d"."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return True
    return False


def _values(line: str) -> list[Any] | None:
    """Return the JSON values in a line, usually one; None when it is not JSON."""
    values, place, line = [], 0, line.strip()
    while place < len(line):
        try:
            value, place = _DECODER.raw_decode(line, place)
        except (ValueError, RecursionError):
            return None
        values.append(value)
        while place < len(line) and line[place].isspace():
            place += 1
    return values


def _of_record(lines: bytes, values: list[Any] | None, policy: Policy) -> bytes:
    """Return the record unchanged, or serialised again without secrets."""
    if values is None:
        text = _text(lines)
        return _bytes(cleanse(text, policy)) if find_private(strip_hidden(text).text, policy) else lines
    strings = list(dict.fromkeys(_said(values, "")))
    suspected = {text for text, may_hold in zip(strings, suspects(strings, policy), strict=True) if may_hold}
    clean = [_cleansed(value, "", suspected, policy) for value in values] if suspected else values
    if clean == values:
        return lines
    end = lines[len(lines.rstrip(b"\r\n")) :]
    return b"".join(_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) for value in clean) + end


def _said(value: Any, key: str) -> Iterator[str]:
    """Yield every string in a value, prefixed with its key."""
    if isinstance(value, str):
        if len(value) >= SHORTEST_CHARS:
            yield beside(key, value)
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from _said(entry, name)
    elif isinstance(value, list):
        for entry in value:
            yield from _said(entry, key)


def _cleansed(value: Any, key: str, suspected: Set[str], policy: Policy) -> Any:
    """Return the value without secrets; only strings in `suspected` are checked."""
    if isinstance(value, str):
        return _string(value, key, policy) if beside(key, value) in suspected else value
    if isinstance(value, dict):
        return {name: _cleansed(entry, name, suspected, policy) for name, entry in value.items()}
    return [_cleansed(entry, key, suspected, policy) for entry in value] if isinstance(value, list) else value


def beside(key: str, value: str) -> str:
    """Return a string in the form in which it is judged: after its key."""
    return f"{key}: {value}" if key else value


def _string(value: str, key: str, policy: Policy) -> str:
    """Return the string without secrets; unchanged, including hidden characters, when it has none."""
    text = beside(key, value)
    if not find_private(strip_hidden(text).text, policy):
        return value
    return without_lead(cleanse(text, policy), key, value, policy)


def without_lead(clean: str, key: str, value: str, policy: Policy) -> str:
    """Return the clean string without the key that :func:`beside` put before it."""
    lead = beside(key, "") if key else ""
    return clean.removeprefix(lead) if clean.startswith(lead) else cleanse(value, policy)
