"""The inbox: proposals, and decisions about them."""

from typing import Literal

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
        self,
        ref: str,
        decision: review.Decision,
        reason: str = "",
        body: str | None = None,
        older: str = "",
        *,
        by: By = BY_PERSON,
    ) -> review.Decided:
        """Carry out a decision on one proposal; arguments as in :class:`vademecum.write.review.Word`."""
        word = review.Word(decision, reason, body, older)
        return review.decide(self.context, ref, word, find=self._recall.about, by=by)

    def decide_all(
        self,
        decision: Literal["approve", "reject"],
        kind: str = "",
        confidence: str = "",
        older_than_hours: int = 0,
        pattern: str = "",
        *,
        by: By = BY_PERSON,
    ) -> tuple[review.Decided, ...]:
        """Carry out one decision on all that match, as :class:`vademecum.write.review.Which` says."""
        which = review.Which(kind=kind, confidence=confidence, older_than_hours=older_than_hours, pattern=pattern)
        return review.decide_all(self.context, decision, which, find=self._recall.about, by=by)
