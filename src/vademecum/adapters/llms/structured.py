"""The LLM port around any way of asking: parses the answer, checks it against the schema, and repairs it once."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from vademecum.adapters.llms.completion import Complete, Completion
from vademecum.domain.errors import BadAnswer
from vademecum.domain.llm import Answer, Prompt

#: Most characters of an invalid answer that the model gets in order to repair it.
SHOWN_MAX_CHARS = 4000
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": Mapping, "array": list, "string": str, "number": (int, float), "integer": int, "boolean": bool,
}  # fmt: skip


class Structured:
    """Asks `complete`; a second time when the first answer is invalid."""

    def __init__(self, model_id: str, complete: Complete) -> None:
        self.model_id = model_id
        self._complete = complete

    def ask(self, prompt: Prompt) -> Answer:
        first = self._complete(prompt)
        value, fault = _read(first, prompt.schema)
        if not fault:
            return Answer(value, first.usage)
        second = self._complete(_repairing(prompt, first, fault))
        value, fault = _read(second, prompt.schema)
        if fault:
            raise BadAnswer(f"{self.model_id} did not answer in the form asked for, not even at the second attempt: {fault}.")
        return Answer(value, first.usage + second.usage)


def _read(got: Completion, schema: Mapping[str, Any]) -> tuple[Mapping[str, Any], str]:
    """Return (the object, its fault or "")."""
    if got.complaint:
        return {}, got.complaint
    value = object_in(got.said) if isinstance(got.said, str) else got.said
    if value is None:
        return {}, "the answer contains no JSON object"
    return value, fault_in(value, schema)


def _repairing(prompt: Prompt, got: Completion, fault: str) -> Prompt:
    text = got.said if isinstance(got.said, str) else json.dumps(got.said, ensure_ascii=False)
    request = f"Your last answer cannot be used: {fault}. It began so:\n{text[:SHOWN_MAX_CHARS]}\nAnswer again, with the JSON object alone."
    return replace(prompt, material=(*prompt.material, request))


def fault_in(value: object, schema: Mapping[str, Any], name: str = "the answer") -> str:
    """Return the first fault of `value` by its JSON Schema, as a sentence for the model; "" for none. Lists' entries are not checked."""
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
