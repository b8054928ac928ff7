"""JSON Schema of what the verbs give back, read off the values themselves, so that it cannot drift from them."""

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Literal, get_args, get_origin, get_type_hints

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string"},
    type(None): {"type": "null"},
    object: {},
    Any: {},
}


def answer_schema(run: Callable[..., Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """What :func:`vademecum.doors.show.answer` makes of a verb's result; several results stand under "results".

    Args:
        definitions: gets the schema of every value met, by name, as OpenAPI's components hold them.
    """
    given = get_type_hints(run).get("return", Any)
    found = value_schema(given, definitions)
    if found.get("type") == "array":
        return {"type": "object", "properties": {"results": found}, "required": ["results"]}
    return found


def value_schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of a type as JSON shows it."""
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [value_schema(one, definitions) for one in inner]}
    if origin in (tuple, list, frozenset, set):
        rows = {"items": value_schema(inner[0], definitions)} if inner[-1] is Ellipsis or len(inner) == 1 else {}
        return {"type": "array", **rows}
    if isinstance(origin or kind, type) and issubclass(origin or kind, Mapping):
        return {"type": "object", "additionalProperties": value_schema(inner[1], definitions) if inner else {}}
    return _named(kind, definitions) if dataclasses.is_dataclass(kind) else {}


def _named(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # holds the place while its own fields are looked at
        hints = get_type_hints(kind)
        names = [row.name for row in dataclasses.fields(kind)]
        definitions[name] = {
            "type": "object",
            "properties": {one: value_schema(hints[one], definitions) for one in names},
            "required": names,
        }
    return {"$ref": f"#/components/schemas/{name}"}
