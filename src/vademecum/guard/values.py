"""Remove secrets from values of any type on their way to an agent, a program, a person or the index.

A string in a mapping is judged together with its key, so that a value under "password" is found as in plain text.
"""

import dataclasses
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from msgspec import Struct, structs

from vademecum.domain.guarding import Policy
from vademecum.guard.records import beside, cleanse_all, without_lead

T = TypeVar("T")

#: Types that contain no string.
_PLAIN = frozenset((bool, int, float, bytes, datetime))
#: Class -> names of its fields, cached because inspecting a class is slow.
_FIELDS: dict[type[Any], tuple[str, ...]] = {}
#: (key, string) -> clean string.
_Clean = Mapping[tuple[str, str], str]


def clean_value(value: T, policy: Policy) -> T:
    """Return `value` with every string in it clean; the same object when nothing is found."""
    by_key: dict[tuple[str, str], None] = {}
    _collect(value, "", by_key)
    pairs = list(by_key)
    texts = [beside(name, text) for name, text in pairs]
    clean = {
        pair: without_lead(after, pair[0], pair[1], policy)
        for pair, before, after in zip(pairs, texts, cleanse_all(texts, policy), strict=True)
        if after != before
    }
    return _cleaned(value, "", clean) if clean else value


def _collect(value: Any, name: str, by_key: dict[tuple[str, str], None]) -> None:
    """Add (key, string) to `by_key` for every string in a value. Must be fast: everything that is indexed passes here."""
    kind = type(value)
    if kind is str:
        if value:
            by_key[name, value] = None
    elif rows := _names(kind):
        for row in rows:
            entry = getattr(value, row)
            if entry is not None and type(entry) not in _PLAIN:
                _collect(entry, "", by_key)
    elif isinstance(value, list | tuple | set | frozenset):
        for entry in value:
            _collect(entry, name, by_key)
    elif isinstance(value, Mapping):
        for key, entry in value.items():
            _collect(key, "", by_key)
            _collect(entry, str(key), by_key)


def _cleaned(value: Any, name: str, clean: _Clean) -> Any:
    """Return the value with the strings in `clean` replaced; parts without any stay the same objects."""
    if isinstance(value, str):
        return clean.get((name, value), value)
    if isinstance(value, Mapping):
        return {_cleaned(key, "", clean): _cleaned(entry, str(key), clean) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        entries = [_cleaned(entry, name, clean) for entry in value]
        return type(value)(*entries) if hasattr(value, "_fields") else type(value)(entries)
    if _names(type(value)):
        before = {row: getattr(value, row) for row in _names(type(value))}
        after = {row: _cleaned(entry, "", clean) for row, entry in before.items()}
        changed = {row: entry for row, entry in after.items() if entry != before[row]}
        replace = structs.replace if isinstance(value, Struct) else dataclasses.replace
        return replace(value, **changed) if changed else value
    return value


def _names(kind: type[Any]) -> tuple[str, ...]:
    """Return the field names of a class of records; none for any other class."""
    if kind not in _FIELDS:
        _FIELDS[kind] = _field_names(kind)
    return _FIELDS[kind]


def _field_names(kind: type[Any]) -> tuple[str, ...]:
    if issubclass(kind, Struct):
        return kind.__struct_fields__
    return tuple(row.name for row in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()
