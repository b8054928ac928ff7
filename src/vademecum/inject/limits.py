"""How much an answer may hold and how long it may take."""

from msgspec import Struct

from vademecum.domain.query import TOLD_STATUSES, Query, Scope
from vademecum.inject.numbers import PROMPT_TOKENS


class Limits(Struct, frozen=True):
    """What the settings say of answers, briefings and prompts.

    Attributes:
        profile: recall profile of a question that names none.
        briefing_tokens: most tokens of a briefing.
        prompt_limit: most hits shown at a prompt.
        prompt_deadline_s: seconds after which a prompt is told nothing; None: no deadline.
    """

    profile: str = "auto"
    briefing_tokens: int = 2000
    prompt_limit: int = 5
    prompt_deadline_s: float | None = None

    @property
    def late_briefing_tokens(self) -> int:
        """Most tokens of a briefing that comes with a first prompt: both together take no more than one at a start does."""
        return max(1, self.briefing_tokens - PROMPT_TOKENS)

    def prompt(self, project: str, waited_s: float) -> Query:
        """Return how a prompt of a project asks that has waited for so many seconds: of its time that much is gone."""
        left = None if self.prompt_deadline_s is None else max(0.0, self.prompt_deadline_s - waited_s)
        return Query(
            "",
            scope=Scope(statuses=TOLD_STATUSES),
            profile=self.profile,
            limit=self.prompt_limit,
            deadline_s=left,
            project=project,
            unasked=True,
        )
