"""JSON Schema of what the verbs give back, read off the values themselves, so that it cannot drift from them."""

import collections.abc
import dataclasses
import importlib
import pkgutil
import types
import typing
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from vademecum import model

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string"},
    date: {"type": "string"},
    type(None): {"type": "null"},
    object: {},
    Any: {},
}


def answer_schema(run: Callable[..., Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """What :func:`vademecum.doors.show.answer` makes of a verb's result; several results stand under "results".

    Args:
        definitions: gets the schema of every value met, by name, as OpenAPI's components hold them.
    """
    said = types.SimpleNamespace(__annotations__={"return": getattr(run, "__annotations__", {}).get("return", Any)})
    given = get_type_hints(said, _names())["return"]
    found = value_schema(given, definitions)
    answers = [
        {"type": "object", "properties": {"results": one}, "required": ["results"]} if one.get("type") == "array" else one
        for one in found.get("anyOf", [found])
    ]
    return answers[0] if len(answers) == 1 else {"anyOf": answers}


@cache
def _names() -> dict[str, Any]:
    """What the result of a verb may be called: verbs name it without importing it, so that they load only what they use."""
    parts = [importlib.import_module(f"{model.__name__}.{part.name}") for part in pkgutil.iter_modules(model.__path__)]
    return {**vars(collections.abc), **{name: kind for part in (typing, *parts) for name, kind in vars(part).items()}}


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
