"""Results and errors as JSON, the same for all interfaces.

Each object begins with id, title, kind and path, if it has them. :func:`members` defines the members of each class, also for
:mod:`vademecum.entrypoints.schemas`.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from msgspec import Struct

from vademecum.domain.errors import Proposed, VademecumError
from vademecum.domain.item import Item
from vademecum.domain.query import Hit, Query, Recall, Scope, SessionHit

#: Members that come first, in this order.
_FIRST = ("id", "title", "kind", "path")
#: Class -> field -> name under which it is shown.
_RENAMED: Mapping[type, Mapping[str, str]] = {Item: {"key": "id"}}
#: Class -> (field whose members come first among its own, class of that field).
_FLATTENED: Mapping[type, tuple[str, type]] = {Hit: ("item", Item), SessionHit: ("item", Item)}
#: Class -> fields that come last: the question after the answer.
_LAST: Mapping[type, tuple[str, ...]] = {Recall: ("query",)}
#: Classes of which only fields that differ from their default are shown.
SPARSE = (Query, Scope)
_MEMORY = "memory://"


class Member(NamedTuple):
    """A member of a JSON object: its name, the field that holds its owner ("" for the object itself), and the name of the field."""

    name: str
    of: str
    field: str


@cache
def members(kind: Any) -> tuple[Member, ...]:
    """Return the JSON members of a class, in order."""
    flat, inner = _FLATTENED.get(kind) or ("", None)
    own = [Member(_RENAMED.get(kind, {}).get(name, name), "", name) for name in kind.__struct_fields__]
    whole = [Member(member.name, flat, member.field) for member in members(inner)] if inner else []
    taken = {member.name for member in whole}
    whole += [member for member in own if member.field != flat and member.name not in taken]
    last = _LAST.get(kind, ())
    return tuple(sorted(whole, key=lambda member: (member.name in last, _place(member.name))))


def _place(name: str) -> int:
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


def error_answer(problem: VademecumError) -> dict[str, str]:
    """Return an error as JSON: a stable code, what happened, what to do next."""
    return {"error": problem.code, "message": problem.message, "hint": problem.hint}


def proposed_answer(waiting: Proposed) -> dict[str, Any]:
    """Return the answer to a change that waits for the person as a proposal."""
    fields = {"action": "inbox", "id": f"{_MEMORY}{waiting.proposal}", "title": waiting.title, "path": waiting.path}
    return {**fields, "replaced": [], "warnings": [], "note": f"{waiting.message} {waiting.hint}"}


def json_line(value: Any) -> str:
    """Return one JSON object on one line; datetimes are ISO 8601, absent values are null, several results stand under "results"."""
    return json.dumps(as_answer(value), ensure_ascii=False)


def as_answer(value: Any) -> dict[str, Any]:
    """Return one JSON object: the result of a verb, or its entries under "results"."""
    known = as_plain(value)
    return {"results": known} if isinstance(known, list) else known


def as_plain(value: Any) -> Any:
    """Convert records, datetimes and tuples to JSON values."""
    if isinstance(value, Struct):
        return dict(_shown(value))
    if isinstance(value, date):  # also datetimes
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): as_plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [as_plain(entry) for entry in value]
    if isinstance(value, set | frozenset):
        return sorted(as_plain(entry) for entry in value)
    known = value is None or isinstance(value, str | int | float | bool)
    return value if known else value.hex() if isinstance(value, bytes) else str(value)


def _shown(value: Any) -> Iterator[tuple[str, Any]]:
    kind: Any = type(value)
    for member in members(kind):
        entry = getattr(getattr(value, member.of) if member.of else value, member.field)
        if member.name == "id" and isinstance(entry, str):
            entry = entry.removeprefix(_MEMORY)
        if not isinstance(value, SPARSE) or entry not in (None, "", False, (), frozenset()):
            yield member.name, as_plain(entry)
