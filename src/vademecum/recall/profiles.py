"""Limits and thresholds of the recall profiles."""

from msgspec import Struct

from vademecum.recall.threshold import THRESHOLD


class Profile(Struct, frozen=True):
    """The numbers of one recall profile; the ranking itself is its :class:`vademecum.recall.ranker.Ranker`.

    Attributes:
        per_arm: passages per arm. per_arm_of_notes: the same for memories and the person's notes, where pools are separate.
        limit: maximum hits. budget_tokens: of a bundle.
        threshold: minimum confidence (0..1) of the whole answer; 0 always passes.
        floor: minimum confidence of a single hit, once the answer passes.
        superseded, inbox, archived: factor on the score of items with that status; 0 excludes them.
        ageing: whether effective importance breaks ties.
        topics: whether items of the session's topics are raised, and each question moves the topics.
        kinds: kind -> maximum hits of that kind; any other kind gets none. Empty: no quotas.
    """

    name: str
    per_arm: int = 200
    limit: int = 8
    budget_tokens: int = 2_000
    threshold: float = THRESHOLD
    floor: float = 0.0
    superseded: float = 0.1
    inbox: float = 0.6
    archived: float = 0.0
    ageing: bool = True
    kinds: tuple[tuple[str, int], ...] = ()
    topics: bool = False
    per_arm_of_notes: int = 60
