"""One attempt at an answer, from an endpoint or a program: an object, or a text that should contain one."""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct

from vademecum.domain.errors import BadAnswer
from vademecum.domain.llm import NOTHING, Prompt, Usage
from vademecum.domain.tokens import estimate_tokens

#: Fields with the tokens that a model of Anthropic read.
READ_BY_CLAUDE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Completion(Struct, frozen=True):
    """The answer of one attempt.

    Attributes:
        said: the object, or the text as written. complaint: why it is incomplete ("it was cut off ..."), else "".
    """

    said: Mapping[str, Any] | str
    usage: Usage = NOTHING
    complaint: str = ""


class Complete(Protocol):
    """Makes one attempt."""

    def __call__(self, prompt: Prompt, /) -> Completion:
        """Return the model's answer to `prompt`.

        Raises:
            LLMRefused, LLMUnavailable: as the port says.
        """


def odd(where: str) -> BadAnswer:
    """Return the error of an answer that does not follow the protocol."""
    return BadAnswer(f"{where} gave an answer that does not follow its protocol.", "Is the address right?")


def counted(given: object, inputs: tuple[str, ...], output: str, prompt: Prompt, said: str) -> Usage:
    """Return the tokens that the endpoint reports; estimates if it reports none.

    Args:
        inputs: names of counts that add up to the input tokens. output: name of the count of output tokens.
    """
    counts = given if isinstance(given, Mapping) else {}
    read = [counts[name] for name in inputs if isinstance(counts.get(name), int)]
    written = counts.get(output)
    return Usage(
        sum(read) if read else estimate_tokens(prompt.task + prompt.text),
        written if isinstance(written, int) else estimate_tokens(said),
    )
