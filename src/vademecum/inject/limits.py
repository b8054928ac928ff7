"""How much an answer may hold and how long it may take."""

from msgspec import Struct

from vademecum.domain.query import TOLD_STATUSES, Query, Scope


class Limits(Struct, frozen=True):
    """What the settings say of answers, briefings and prompts.

    Attributes:
        profile: recall profile of a question that names none.
        recall_limit, recall_tokens: most hits of an answer and most tokens of a bundle; 0: as the profile says.
        briefing_tokens: most tokens of a briefing.
        prompt_limit, prompt_tokens: most hits and tokens of what a prompt is told.
        prompt_deadline_s: seconds after which a prompt is told nothing; None: no deadline.
    """

    profile: str = "auto"
    recall_limit: int = 0
    recall_tokens: int = 0
    briefing_tokens: int = 2000
    prompt_limit: int = 5
    prompt_tokens: int = 1200
    prompt_deadline_s: float | None = None

    @property
    def late_briefing_tokens(self) -> int:
        """Most tokens of a briefing that comes with a first prompt: both together take no more than one at a start does."""
        return max(1, self.briefing_tokens - self.prompt_tokens)

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
