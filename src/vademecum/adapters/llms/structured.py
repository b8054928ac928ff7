"""The LLM port around any way of asking: parses the answer, checks it against the schema, and repairs it once."""

import json
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from vademecum.adapters.llms.checking import fault_in, object_in
from vademecum.adapters.llms.completion import Complete, Completion
from vademecum.domain.errors import BadAnswer
from vademecum.domain.llm import Answer, Prompt

#: Most characters of an invalid answer that the model gets in order to repair it.
SHOWN_MAX_CHARS = 4000


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
