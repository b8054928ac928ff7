"""Validates an object against the part of JSON Schema used for models: members and their types, no list entries."""

import json
from collections.abc import Mapping
from typing import Any

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": Mapping, "array": list, "string": str, "number": (int, float), "integer": int, "boolean": bool,
}  # fmt: skip


def fault_in(value: object, schema: Mapping[str, Any], name: str = "the answer") -> str:
    """Return the first fault of `value` as a sentence for the model; "" for none. Entries of lists are not checked."""
    kind = str(schema.get("type", "object"))
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        return f"{name} must be of type {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{name} must be one of {', '.join(map(str, schema['enum']))}"
    if not isinstance(value, Mapping):
        return ""
    properties: Mapping[str, Any] = schema.get("properties", {})
    missing = [member for member in schema.get("required", ()) if member not in value]
    if missing:
        return f"{name} lacks {', '.join(missing)}"
    faults = (fault_in(value[member], properties[member], member) for member in properties if member in value)
    return next(filter(None, faults), "")


def object_in(text: str) -> Any:
    """Return the JSON object in a text, since models often add fences or a sentence around it. None: there is none."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            value, _ = decoder.raw_decode(text, start)
        except ValueError:
            start = text.find("{", start + 1)
            continue
        return value
    return None
