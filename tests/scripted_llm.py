"""The LLM port without any model: answers come from a function or a list. The reference, for tests and demonstrations."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from vademecum.adapters.llms.completion import Completion
from vademecum.adapters.llms.structured import Structured
from vademecum.domain.errors import LLMUnavailable, VademecumError
from vademecum.domain.llm import Prompt, Usage
from vademecum.domain.tokens import estimate_tokens

Reply: TypeAlias = "Mapping[str, Any] | str | VademecumError"


class Scripted(Structured):
    """Answers with what it was given: objects, texts that should hold one, errors to raise; or with what a function makes.

    Attributes:
        asked: every prompt so far.
    """

    def __init__(self, replies: "Sequence[Reply] | Callable[[Prompt], Reply]", model_id: str = "scripted") -> None:
        super().__init__(model_id, self._next)
        self.asked: list[Prompt] = []
        self._replies = replies

    def _next(self, prompt: Prompt) -> Completion:
        number = len(self.asked)
        self.asked.append(prompt)
        if callable(self._replies):
            reply = self._replies(prompt)
        elif number < len(self._replies):
            reply = self._replies[number]
        else:
            raise LLMUnavailable("The script is at its end.")
        if isinstance(reply, VademecumError):
            raise reply
        return Completion(reply, Usage(estimate_tokens(prompt.task + prompt.text), estimate_tokens(str(reply))))
