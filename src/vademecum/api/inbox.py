"""What waits for the person, and their word on it."""

from typing import Any, Literal

from vademecum.api.recall import RecallAPI
from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.write import inbox, review, waiting


class InboxAPI(Station[Context]):
    """Proposals: how many wait, which, and what becomes of them.

    Args:
        recall: finds what is known about an idea that is approved.
    """

    def __init__(self, context: Context, recall: RecallAPI) -> None:
        super().__init__(context)
        self._recall = recall

    likeliest_first = staticmethod(waiting.likeliest_first)
    summary = use_case(inbox.inbox)
    proposals = use_case(review.proposals)
    rivals = use_case(review.rivals)
    foreseen = use_case(review.foreseen)
    wrong = use_case(review.wrong)
    take_back = use_case(review.take_back)
    patterns = use_case(review.fares)

    def decide(self, ref: str, decision: review.Decision, reason: str = "", **how: Any) -> review.Decided:
        """Carry out the word on one proposal; see :func:`vademecum.write.review.decide`."""
        return review.decide(self.context, ref, decision, reason, find=self._recall.about, **how)

    def decide_all(self, decision: Literal["approve", "reject"], **which: Any) -> tuple[review.Decided, ...]:
        """Carry out the same word on all that fit; see :func:`vademecum.write.review.decide_all`."""
        return review.decide_all(self.context, decision, find=self._recall.about, **which)
