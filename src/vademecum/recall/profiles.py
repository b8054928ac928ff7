"""How to recall, as data: `auto` is what measured best, the others reproduce the published designs."""

from typing import Literal

from msgspec import Struct

from vademecum.domain.errors import UnknownWord

Fusion = Literal["evidence", "weighted", "rrf", "words", "importance"]


class Pool(Struct, frozen=True):
    """Memories to choose from without searching: the first `most` in `order` of those kinds (None: all).

    Attributes:
        on_topic: only those with a topic that the session is about.
    """

    most: int
    kinds: tuple[str, ...] | None = None
    order: Literal["priority", "recent", "importance", "confirmed"] = "recent"
    on_topic: bool = False


class Profile(Struct, frozen=True):
    """One way to recall.

    Attributes:
        fusion: "evidence" (absolute features, see evidence.py), "weighted" (meaning and words by `weights`), "rrf", "words" alone,
            "importance" (nothing is searched: memories of the `pools`, see composer.py).
        weights: of meaning and words in "weighted".
        per_arm: passages each arm gives. per_arm_of_notes: the same of memories and of the person's notes, where they are searched apart.
        limit: hits at most. budget_tokens: of a bundle.
        threshold: the gate opens at this confidence (0..1); 0 never closes.
        floor: once it is open, a single hit below this confidence is left out all the same.
        superseded, inbox, archived: factor on the score of items with that status; 0 leaves them out.
        ageing: whether effective importance breaks ties.
        topics: whether what the session is about raises what has the topic, and each question moves it.
        fuzzy, prefix: whether words are also found mistyped (edits by length) or by their beginning.
        kinds: kind -> hits of that kind at most; kinds that are not named have no quota. Empty: no quotas.
    """

    name: str
    fusion: Fusion
    weights: tuple[float, float] = (0.5, 0.5)
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
    fuzzy: float = 0.0
    prefix: bool = False
    pools: tuple[Pool, ...] = ()
    per_arm_of_notes: int = 60


#: The context composer: who the person is, what the session is about, what was confirmed last.
_COMPOSER_POOLS = (Pool(200, ("identity",), "importance"), Pool(200, on_topic=True), Pool(20, order="confirmed"))

_ROWS = (
    Profile("auto", "evidence", per_arm=120, floor=0.01),
    Profile("vault", "weighted", (0.7, 0.3), 50, 5, 20_000, 0.0, superseded=0.0, ageing=False),
    Profile("swarm", "weighted", (0.6, 0.4), 20, 20, 15_000, 0.2, superseded=0.1, ageing=False),
    Profile("agent", "words", (0.0, 1.0), 50, 10, 2_000, 0.0, superseded=0.0, ageing=False,
            kinds=(("decision", 3), ("lesson", 2)), fuzzy=0.2, prefix=True),
    Profile("facts", "rrf", (0.5, 0.5), 50, 8, 2_000, 0.0, superseded=0.0, topics=True),
    Profile("composer", "importance", limit=8, threshold=0.0, superseded=0.0, inbox=0.0, topics=True, pools=_COMPOSER_POOLS),
    Profile("wiki", "words", (0.0, 1.0), 50, 5, 3_000, 0.0, superseded=0.1, ageing=False),
    Profile("wiki-quick", "words", (0.0, 1.0), 50, 3, 1_500, 0.0, superseded=0.1, ageing=False),
    Profile("wiki-deep", "words", (0.0, 1.0), 200, 20, 8_000, 0.0, superseded=0.1, ageing=False),
)  # fmt: skip

PROFILES: dict[str, Profile] = {row.name: row for row in _ROWS}


def profile_named(name: str) -> Profile:
    """Return the profile of that name.

    Raises:
        UnknownWord: there is none; the message names the nearest.
    """
    if name not in PROFILES:
        raise UnknownWord("profile", name, PROFILES)
    return PROFILES[name]
