"""Questions to a language model, and its answers. Every model is optional; none is used by default."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Prompt(Struct, frozen=True):
    """One question to a model, whose answer is a JSON object.

    Attributes:
        name: name of the object; includes the version of the question if there are several: "memories/6".
        task: the instruction, always the same for one type of question, so that endpoints may cache it.
        material: the data of the question, in order; never instructions.
        schema: JSON Schema of the object. Every property is required and none may be added, as strict endpoints demand.
        max_output_tokens: a longer answer is cut off and treated as invalid.
    """

    name: str
    task: str
    material: tuple[str, ...]
    schema: Mapping[str, Any]
    max_output_tokens: int = 2000

    @property
    def text(self) -> str:
        """The material as one text."""
        return "\n\n".join(self.material)

    @property
    def tool(self) -> str:
        """The name as one word, for endpoints that require one for their tool or schema."""
        return re.sub(r"\W", "_", self.name)


class Usage(Struct, frozen=True):
    """Resources used for an answer, in all attempts.

    `cost`: as the endpoint reports it, in its currency; None: not reported.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    calls: int = 1

    def __add__(self, other: "Usage") -> "Usage":
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            sum(costs) if costs else None,
            self.calls + other.calls,
        )


NOTHING = Usage(calls=0)


class Answer(Struct, frozen=True):
    """The object that a model returned, and the resources used."""

    value: Mapping[str, Any]
    usage: Usage


class DayUse(Struct, frozen=True):
    """Resources used by one model on one day.

    Attributes:
        day: in the person's time zone, YYYY-MM-DD. cost: as reported by the program.
    """

    day: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float


class Limits(Struct, frozen=True):
    """Token limits of a day (0: no use at all)."""

    input_tokens: int = 0
    output_tokens: int = 0


#: Median input and output tokens of reading one conversation (docs/measurements/keeping.md).
TOKENS_OF_A_READING, TOKENS_OF_AN_ANSWER = 3_000, 300


class StrongerModel(Struct, frozen=True):
    """A model that reads better than the default one of its service.

    Attributes:
        llm: the value of the setting that selects it. input_price, output_price: vendor's list price in dollars for a million
            tokens.
        listed: the month of that price list, such as "October 2026".
    """

    llm: str
    input_price: float
    output_price: float
    listed: str

    @property
    def price_of_a_reading(self) -> float:
        """Cost in dollars of reading a conversation of median length."""
        return (TOKENS_OF_A_READING * self.input_price + TOKENS_OF_AN_ANSWER * self.output_price) / 1_000_000


class ReaderChoice(Struct, frozen=True):
    """An installed program or available service that could read the person's ended conversations.

    Attributes:
        llm: the value of the setting that selects it. title: its usual name. leaves: where the text is sent, and who pays.
        stronger: the model to offer beside its default one; None: there is none.
    """

    llm: str
    title: str
    leaves: str
    stronger: StrongerModel | None
