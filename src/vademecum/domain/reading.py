"""Who reads conversations: how a model stands, what waits for it, what it took, and what would leave the machine."""

from collections.abc import Mapping

from msgspec import Struct

from vademecum.domain.extraction import Trial
from vademecum.domain.llm import NOTHING, DayUse, ReaderChoice, Usage


class ModelState(Struct, frozen=True):
    """A language model and what waits for it.

    Attributes:
        name: as in the setting; "none". failing: waiting after a failure. parked: given up until somebody asks.
        stopped: why it is not asked any more, paused: why not today; else "".
        input_tokens, output_tokens: of today.
        week: what it took in the last seven days.
    """

    name: str
    waiting: int = 0
    parked: int = 0
    failing: int = 0
    stopped: str = ""
    paused: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    week: Usage = NOTHING


class ReaderState(Struct, frozen=True):
    """Who reads ended conversations, and who could.

    Attributes:
        state: of the model. projects: of the conversations that wait -> how many; "" for those of none.
        excluded: projects whose conversations are never read. trial: how it stands before it may read.
        choices: programs and services here that could read.
    """

    state: ModelState
    projects: Mapping[str, int]
    excluded: tuple[str, ...]
    trial: Trial
    choices: tuple[ReaderChoice, ...]


class ReadingPreview(Struct, frozen=True):
    """What a reader would be shown of one conversation.

    Attributes:
        session: its URI; "": there is none. tokens: of the whole question. text: the material, as it would leave.
    """

    session: str = ""
    title: str = ""
    project: str = ""
    tokens: int = 0
    text: str = ""


class ModelUsage(Struct, frozen=True):
    """What language models took.

    Attributes:
        days: each day and model, the last first. input_tokens, output_tokens: of today. input_limit, output_limit: of a day.
        paused: a sentence when today's are used up, else "".
    """

    days: tuple[DayUse, ...]
    input_tokens: int
    output_tokens: int
    input_limit: int
    output_limit: int
    paused: str = ""
