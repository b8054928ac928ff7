"""Secrets out of a transcript's bytes, before they reach our disk. A line that holds none keeps every byte.

A transcript is mostly lines of JSON. Their strings are judged unescaped and beside their keys: a private key written with `\\n`
and a value under "password" are found as in plain text, and what is put in their place cannot break the JSON.
"""

import json
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

from vademecum.domain.guarding import Policy
from vademecum.guard.gate import cleanse
from vademecum.guard.hidden import strip_hidden
from vademecum.guard.private import find_private
from vademecum.guard.screen import suspects

#: No rule finds a secret in less.
SHORTEST_CHARS = 8

_DECODER = json.JSONDecoder()


def cleanse_all(texts: Sequence[str], policy: Policy) -> list[str]:
    """Return :func:`vademecum.guard.gate.cleanse` of each text; much faster for many, of which few hold anything."""
    doubtful = suspects(texts, policy)
    return [
        cleanse(text, policy) if is_doubtful or strip_hidden(text).removed else text
        for text, is_doubtful in zip(texts, doubtful, strict=True)
    ]


def cleanse_records(data: bytes, policy: Policy) -> bytes:
    """Return `data` (whole lines of any text) without secrets. What is no JSON line by line is judged as one text."""
    records = list(_records(data))
    texts = ["\n\n".join(dict.fromkeys(_said(values, ""))) if values else _text(lines) for lines, values in records]
    doubtful = suspects(texts, policy)
    if not any(doubtful):
        return data
    return b"".join(
        _of_record(lines, values, policy) if is_doubtful else lines
        for (lines, values), is_doubtful in zip(records, doubtful, strict=True)
    )


def _records(data: bytes) -> Iterator[tuple[bytes, list[Any] | None]]:
    """Yield (bytes, JSON values) of each line that is JSON; lines that are not, up to the next that is, count as one record."""
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
    """Yield lines that are no JSON by themselves: one JSON document over many lines, or plain text."""
    if lines:
        block = b"".join(lines)
        yield block, _values(_text(block)) if block.lstrip()[:1] in (b"{", b"[") else None


def rewrite_records(data: bytes, change: Callable[[str], str]) -> bytes:
    """Return `data` (lines of JSON, one JSON document, or any text) with `change` made to every string; a line without change keeps every
    byte.
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
    """Yield lines that end with a newline alone; a carriage return is part of its line."""
    parts = data.split(b"\n")
    yield from (part + b"\n" for part in parts[:-1])
    if parts[-1]:
        yield parts[-1]


def _text(data: bytes) -> str:
    """Decode bytes; those that are not UTF-8 survive the way back."""
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape") if not _has_other_half(text) else text.encode("utf-8", "replace")


def _has_other_half(text: str) -> bool:
    r"""Return whether there are halves of characters that did not come from undecodable bytes, such as an escaped "\ud83d"."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return True
    return False


def _values(line: str) -> list[Any] | None:
    """Return the JSON values that a line holds, usually one; None when it is something else."""
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
    """Return the record itself, or what it says written anew without the secrets."""
    if values is None:
        text = _text(lines)
        return _bytes(cleanse(text, policy)) if find_private(strip_hidden(text).text, policy) else lines
    strings = list(dict.fromkeys(_said(values, "")))
    doubtful = {text for text, is_doubtful in zip(strings, suspects(strings, policy), strict=True) if is_doubtful}
    clean = [_cleansed(value, "", doubtful, policy) for value in values] if doubtful else values
    if clean == values:
        return lines
    end = lines[len(lines.rstrip(b"\r\n")) :]
    return b"".join(_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) for value in clean) + end


def _said(value: Any, key: str) -> Iterator[str]:
    """Yield every string in a value with the key it stands under."""
    if isinstance(value, str):
        if len(value) >= SHORTEST_CHARS:
            yield beside(key, value)
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from _said(entry, name)
    elif isinstance(value, list):
        for entry in value:
            yield from _said(entry, key)


def _cleansed(value: Any, key: str, doubtful: Set[str], policy: Policy) -> Any:
    """Return the value without secrets in its strings; only those that are doubtful, each beside its key, are looked at."""
    if isinstance(value, str):
        return _string(value, key, policy) if beside(key, value) in doubtful else value
    if isinstance(value, dict):
        return {name: _cleansed(entry, name, doubtful, policy) for name, entry in value.items()}
    return [_cleansed(entry, key, doubtful, policy) for entry in value] if isinstance(value, list) else value


def beside(key: str, value: str) -> str:
    """Return a string as it is judged: behind the name that it stands under."""
    return f"{key}: {value}" if key else value


def _string(value: str, key: str, policy: Policy) -> str:
    """Return the string without secrets; the very same when it has none, hidden characters included."""
    text = beside(key, value)
    if not find_private(strip_hidden(text).text, policy):
        return value
    return without_lead(cleanse(text, policy), key, value, policy)


def without_lead(clean: str, key: str, value: str, policy: Policy) -> str:
    """Return the clean string without the name that :func:`beside` put before it."""
    lead = beside(key, "") if key else ""
    return clean.removeprefix(lead) if clean.startswith(lead) else cleanse(value, policy)
