"""The inbox: proposals, and decisions about them."""

from typing import Any, Literal

from vademecum.api.recall import RecallAPI
from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.memory import BY_PERSON, By
from vademecum.write import inbox, review, waiting


class InboxAPI(Station[Context]):
    """Proposals.

    Args:
        recall: finds memories related to an approved idea.
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

    def decide(
        self, ref: str, decision: review.Decision, reason: str = "", *, by: By = BY_PERSON, **more: Any
    ) -> review.Decided:
        """Carry out a decision on one proposal; `more`: see :class:`vademecum.write.review.Word`."""
        word = review.Word(decision, reason, **more)
        return review.decide(self.context, ref, word, find=self._recall.about, by=by)

    def decide_all(
        self, decision: Literal["approve", "reject"], *, by: By = BY_PERSON, **which: Any
    ) -> tuple[review.Decided, ...]:
        """Carry out one decision on all that match; `which`: see :class:`vademecum.write.review.Which`."""
        return review.decide_all(self.context, decision, review.Which(**which), find=self._recall.about, by=by)
