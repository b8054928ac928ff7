"""Size and time limits of answers."""

from msgspec import Struct

from vademecum.domain.query import SHOWN_STATUSES, Query, Scope
from vademecum.inject.numbers import PROMPT_TOKENS


class Limits(Struct, frozen=True):
    """Settings for answers, briefings and prompts.

    Attributes:
        profile: recall profile of a query that names none.
        briefing_tokens: maximum tokens of a briefing.
        prompt_limit: maximum number of hits shown at a prompt.
        prompt_deadline_s: seconds after which nothing is shown at a prompt; None: no deadline.
    """

    profile: str = "auto"
    briefing_tokens: int = 2000
    prompt_limit: int = 5
    prompt_deadline_s: float | None = None

    @property
    def late_briefing_tokens(self) -> int:
        """Maximum tokens of a briefing delivered with a first prompt: briefing and hits together take no more than a normal briefing."""
        return max(1, self.briefing_tokens - PROMPT_TOKENS)

    def prompt(self, project: str, waited_s: float) -> Query:
        """Return the query settings for a prompt; the seconds already waited are subtracted from its deadline."""
        left = None if self.prompt_deadline_s is None else max(0.0, self.prompt_deadline_s - waited_s)
        return Query(
            "",
            scope=Scope(statuses=SHOWN_STATUSES),
            profile=self.profile,
            limit=self.prompt_limit,
            deadline_s=left,
            project=project,
            unasked=True,
        )
