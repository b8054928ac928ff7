"""JSON Schema of the results of verbs, derived from their types, so that both always agree."""

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct

from vademecum.entrypoints.answers import SPARSE, Member, members

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"}, int: {"type": "integer"}, float: {"type": "number"}, bool: {"type": "boolean"},
    datetime: {"type": "string"}, date: {"type": "string"}, type(None): {"type": "null"}, object: {}, Any: {},
}  # fmt: skip


#: The types of a class's fields, which are asked for once for each field.
_hints = cache(get_type_hints)


def answer_schema(run: Callable[..., Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return what :func:`vademecum.entrypoints.x` makes of a verb's result; several results stand under "results".

    Args:
        definitions: gets the schema of every value met, by name, as OpenAPI's components hold them.
    """
    function = inspect.unwrap(run)
    given = get_type_hints(function).get("return", Any)
    fields = value_schema(given, definitions)
    answers = [
        {"type": "object", "properties": {"results": entry}, "required": ["results"]} if entry.get("type") == "array" else entry
        for entry in fields.get("anyOf", [fields])
    ]
    return answers[0] if len(answers) == 1 else {"anyOf": answers}


def value_schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a type."""
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [value_schema(entry, definitions) for entry in inner]}
    if origin in (tuple, list, frozenset, set):
        rows = {"items": value_schema(inner[0], definitions)} if inner[-1] is Ellipsis or len(inner) == 1 else {}
        return {"type": "array", **rows}
    if isinstance(origin or kind, type) and issubclass(origin or kind, Mapping):
        return {"type": "object", "additionalProperties": value_schema(inner[1], definitions) if inner else {}}
    return _named(kind, definitions) if isinstance(kind, type) and issubclass(kind, Struct) else {}


def _named(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    name = _name_of(kind, definitions)
    if name not in definitions:
        definitions[name] = {}  # a placeholder, for types that refer to themselves
        shown = {member.name: value_schema(_type_of(kind, member), definitions) for member in members(kind)}
        required = [] if kind in SPARSE else list(shown)
        definitions[name] = {"type": "object", "properties": shown, "required": required}
    return {"$ref": f"#/components/schemas/{name}"}


def _name_of(kind: Any, definitions: Mapping[str, Any]) -> str:
    """Return the name of a class, with its module if the name is taken."""
    known = definitions.get(kind.__name__, {}).get("properties")
    if known is None or set(known) == {member.name for member in members(kind)}:
        return str(kind.__name__)
    return f"{kind.__module__.rpartition('.')[2].title().replace('_', '')}{kind.__name__}"


def _type_of(kind: Any, member: Member) -> Any:
    hints = _hints(kind)
    return _hints(hints[member.of])[member.field] if member.of else hints[member.field]
