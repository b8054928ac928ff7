"""How much a way to recall reads, returns and demands, as data."""

from msgspec import Struct


class Profile(Struct, frozen=True):
    """The numbers of one way to recall; how it ranks is its :class:`vademecum.recall.ranker.Ranker`.

    Attributes:
        per_arm: passages each arm gives. per_arm_of_notes: the same of memories and of the person's notes, where they are searched apart.
        limit: hits at most. budget_tokens: of a bundle.
        threshold: the gate opens at this confidence (0..1); 0 never closes.
        floor: once it is open, a single hit below this confidence is left out all the same.
        superseded, inbox, archived: factor on the score of items with that status; 0 leaves them out.
        ageing: whether effective importance breaks ties.
        topics: whether what the session is about raises what has the topic, and each question moves it.
        kinds: kind -> hits of that kind at most; kinds that are not named have no quota. Empty: no quotas.
    """

    name: str
    per_arm: int = 200
    limit: int = 8
    budget_tokens: int = 2_000
    threshold: float = 0.5
    floor: float = 0.0
    superseded: float = 0.1
    inbox: float = 0.6
    archived: float = 0.0
    ageing: bool = True
    kinds: tuple[tuple[str, int], ...] = ()
    topics: bool = False
    per_arm_of_notes: int = 60
