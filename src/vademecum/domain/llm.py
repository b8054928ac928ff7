"""What a language model is asked, and what it answers. Every model is optional; by default none is asked at all."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Prompt(Struct, frozen=True):
    """One question to a model, whose answer is a JSON object.

    Attributes:
        name: of the object, with the version of the question where there are several: "memories/6".
        task: what to do, always the same for one sort of question, so that endpoints may cache it.
        material: what to do it with, in order; data, never instructions.
        schema: JSON Schema of the object. Every property is required and none may be added, as strict endpoints want it.
        max_output_tokens: an answer that would be longer is cut off and counts as a bad one.
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
        """The name as one word: endpoints want one for their tool or schema."""
        return re.sub(r"\W", "_", self.name)


class Usage(Struct, frozen=True):
    """What an answer took, with every attempt at it. `cost`: as the endpoint reports it, in its currency; None: it does not."""

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
    """The object that a model gave, and what it took."""

    value: Mapping[str, Any]
    usage: Usage


class DayUse(Struct, frozen=True):
    """What one model took on one day.

    Attributes:
        day: of the person's own clock, YYYY-MM-DD. cost: as reported, else by the prices of the settings.
    """

    day: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float


class Limits(Struct, frozen=True):
    """What a day may take (tokens; 0: nothing at all), and what tokens cost where the endpoint does not say.

    Attributes:
        input_price, output_price: for a million tokens.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    input_price: float = 0.0
    output_price: float = 0.0

    def cost(self, usage: Usage) -> float:
        """Return the price of the tokens taken."""
        if usage.cost is not None:
            return usage.cost
        return (usage.input_tokens * self.input_price + usage.output_tokens * self.output_price) / 1_000_000


class ReaderChoice(Struct, frozen=True):
    """A program or service of the person's that could read their ended conversations.

    Attributes:
        llm: the value of the setting that chooses it. title: what they call it. leaves: where what it reads goes, and who pays.
    """

    llm: str
    title: str
    leaves: str


#: What reading one conversation takes at the median, in tokens sent and answered (docs/measurements/keeping.md).
TOKENS_OF_A_READING, TOKENS_OF_AN_ANSWER = 3_000, 300


class StrongerModel(Struct, frozen=True):
    """A model that reads better than the usual one of its service.

    Attributes:
        llm: the value of the setting that chooses it. input_price, output_price: dollars for a million tokens on its maker's list.
        listed: the month of that list, such as "October 2026".
    """

    llm: str
    input_price: float
    output_price: float
    listed: str

    @property
    def price_of_a_reading(self) -> float:
        """Return what a conversation of usual length costs, in dollars."""
        return (TOKENS_OF_A_READING * self.input_price + TOKENS_OF_AN_ANSWER * self.output_price) / 1_000_000
