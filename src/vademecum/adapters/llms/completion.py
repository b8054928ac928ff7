"""One attempt at an answer, as endpoints and programs give it: an object, or a text that should hold one."""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct

from vademecum.domain.errors import BadAnswer
from vademecum.domain.llm import NOTHING, Prompt, Usage
from vademecum.domain.tokens import estimate_tokens


class Completion(Struct, frozen=True):
    """What came back.

    Attributes:
        said: the object, or the text as written. complaint: why it cannot be whole ("it was cut off ..."), else "".
    """

    said: Mapping[str, Any] | str
    usage: Usage = NOTHING
    complaint: str = ""


class Complete(Protocol):
    """Asks once."""

    def __call__(self, prompt: Prompt, /) -> Completion:
        """Return the model's answer to `prompt`.

        Raises:
            LLMRefused, LLMUnavailable: as the port says.
        """


def odd(where: str) -> BadAnswer:
    """Make the error of an answer that does not speak the protocol."""
    return BadAnswer(f"{where} gave an answer that does not follow its protocol.", "Is the address right?")


def counted(given: object, inputs: tuple[str, ...], output: str, prompt: Prompt, said: str) -> Usage:
    """Return tokens as the endpoint counts them; estimated where it does not.

    Args:
        inputs: names of counts that add up to what was read. output: name of the count of what was written.
    """
    counts = given if isinstance(given, Mapping) else {}
    read = [counts[name] for name in inputs if isinstance(counts.get(name), int)]
    written = counts.get(output)
    return Usage(
        sum(read) if read else estimate_tokens(prompt.task + prompt.text),
        written if isinstance(written, int) else estimate_tokens(said),
    )
