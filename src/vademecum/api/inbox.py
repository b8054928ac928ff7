"""What waits for the person, and their word on it."""

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.write import inbox, review


class InboxAPI(Station[Context]):
    """Proposals: how many wait, which, and what becomes of them."""

    summary = use_case(inbox.inbox)
    proposals = use_case(review.proposals)
    rivals = use_case(review.rivals)
    foreseen = use_case(review.foreseen)
    decide = use_case(review.decide)
    decide_all = use_case(review.decide_all)
    take_back = use_case(review.take_back)
    patterns = use_case(review.fares)
