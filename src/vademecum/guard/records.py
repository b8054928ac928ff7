"""Secrets out of a transcript's bytes, before they reach our disk. A line that holds none keeps every byte.

A transcript is mostly lines of JSON. Their strings are judged unescaped and beside their keys: a private key written with `\\n`
and a value under "password" are found as in plain text, and what is put in their place cannot break the JSON.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from vademecum.guard.gate import cleanse
from vademecum.guard.hidden import strip_hidden
from vademecum.guard.private import find_private
from vademecum.model.guarding import USUAL, Policy

#: No rule finds a secret in less.
SHORTEST_CHARS = 8

_DECODER = json.JSONDecoder()


def cleanse_records(data: bytes, policy: Policy = USUAL) -> bytes:
    """`data` (whole lines of any text) without secrets. What is no JSON line by line is judged as one text."""
    done: list[bytes] = []
    plain: list[bytes] = []
    for line in data.splitlines(keepends=True) if b"\r" not in data else _lines(data):
        values = _values(_text(line)) if line.lstrip()[:1] in (b"{", b"[") else None
        if values is None:
            plain.append(line)
            continue
        done += _of_block(plain, policy)
        plain.clear()
        done.append(_of_record(line, values, policy))
    return b"".join([*done, *_of_block(plain, policy)])


def rewrite_records(data: bytes, change: Callable[[str], str]) -> bytes:
    """`data` (lines of JSON, one JSON document, or any text) with `change` made to every string; a line without change keeps every
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
    """Lines that end with a newline alone; a carriage return is part of its line."""
    parts = data.split(b"\n")
    yield from (part + b"\n" for part in parts[:-1])
    if parts[-1]:
        yield parts[-1]


def _text(data: bytes) -> str:
    """Bytes that are not UTF-8 survive the way back."""
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape") if not _has_other_half(text) else text.encode("utf-8", "replace")


def _has_other_half(text: str) -> bool:
    """Whether there are halves of characters that did not come from undecodable bytes, such as an escaped "\\ud83d"."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return True
    return False


def _values(line: str) -> list[Any] | None:
    """The JSON values that a line holds, usually one; None when it is something else."""
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


def _of_record(line: bytes, values: list[Any], policy: Policy) -> bytes:
    """The line itself, or its JSON written anew without the secrets."""
    if not _is_suspect(values, policy):
        return line
    clean = [_cleansed(value, "", policy) for value in values]
    if clean == values:
        return line
    end = line[len(line.rstrip(b"\r\n")) :]
    return b"".join(_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) for value in clean) + end


def _is_suspect(values: list[Any], policy: Policy) -> bool:
    """Whether there is a secret in what the values say; judged at once, which is several times faster than string by string."""
    said = "\n\n".join(dict.fromkeys(_said(values, "")))
    return bool(find_private(strip_hidden(said).text, policy))


def _said(value: Any, key: str) -> Iterator[str]:
    """Every string in a value with the key it stands under."""
    if isinstance(value, str):
        if len(value) >= SHORTEST_CHARS:
            yield f"{key}: {value}" if key else value
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from _said(entry, name)
    elif isinstance(value, list):
        for entry in value:
            yield from _said(entry, key)


def _cleansed(value: Any, key: str, policy: Policy) -> Any:
    if isinstance(value, str):
        return _string(value, key, policy)
    if isinstance(value, dict):
        return {name: _cleansed(entry, name, policy) for name, entry in value.items()}
    return [_cleansed(entry, key, policy) for entry in value] if isinstance(value, list) else value


def _string(value: str, key: str, policy: Policy) -> str:
    """The string without secrets; the very same when it has none, hidden characters included."""
    lead = f"{key}: " if key else ""
    if len(value) < SHORTEST_CHARS or not find_private(strip_hidden(lead + value).text, policy):
        return value
    clean = cleanse(lead + value, policy)
    return clean.removeprefix(lead) if clean.startswith(lead) else cleanse(value, policy)


def _of_block(lines: list[bytes], policy: Policy) -> list[bytes]:
    """Lines that are no JSON by themselves: one JSON document over many lines, or plain text."""
    if not lines:
        return []
    block = b"".join(lines)
    text = _text(block)
    values = _values(text) if block.lstrip()[:1] in (b"{", b"[") else None
    if values is not None:
        return [_of_record(block, values, policy)]
    if not find_private(strip_hidden(text).text, policy):
        return [block]
    return [_bytes(cleanse(text, policy))]
