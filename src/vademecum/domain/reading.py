"""Reading of conversations by a language model: its state, its queue, its use, and the text that would be sent to it."""

from collections.abc import Mapping

from msgspec import Struct

from vademecum.domain.extraction import Trial
from vademecum.domain.llm import NOTHING, DayUse, ReaderChoice, Usage


class ModelState(Struct, frozen=True):
    """A language model and its queue.

    Attributes:
        name: as in the setting; "none". failing: rows waiting after a failure. parked: rows given up until requested.
        stopped: why it is not used any more. paused: why it is not used today. Else "".
        input_tokens, output_tokens: of today.
        week: use in the last seven days.
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
    """The reader of ended conversations, and the alternatives.

    Attributes:
        state: of the model. projects: project -> number of waiting conversations; "" for those without a project.
        excluded: projects whose conversations are never read. trial: whether the reader is approved.
        choices: available programs and services that could read.
    """

    state: ModelState
    projects: Mapping[str, int]
    excluded: tuple[str, ...]
    trial: Trial
    choices: tuple[ReaderChoice, ...]


class ReadingPreview(Struct, frozen=True):
    """The text that a reader would receive for one conversation.

    Attributes:
        session: its URI; "": there is none. tokens: of the whole question. text: the material exactly as it would be sent.
    """

    session: str = ""
    title: str = ""
    project: str = ""
    tokens: int = 0
    text: str = ""


class ModelUsage(Struct, frozen=True):
    """Use of language models.

    Attributes:
        days: one entry for each day and model, the latest day first. input_tokens, output_tokens: of today. input_limit,
            output_limit: daily limits.
        paused: a sentence when today's limits are used up, else "".
    """

    days: tuple[DayUse, ...]
    input_tokens: int
    output_tokens: int
    input_limit: int
    output_limit: int
    paused: str = ""
