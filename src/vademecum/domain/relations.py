"""Relations of a new statement to known memories."""

from typing import Literal, get_args

from msgspec import Struct

#: same: states the same. update: replaces it. contradict: both cannot be true, and it is unclear which is. extend: adds to it.
#: derive: follows from it. new: about something else.
Relation = Literal["same", "update", "contradict", "extend", "derive", "new"]

RELATIONS: tuple[Relation, ...] = get_args(Relation)
#: Relations that a reader of a conversation may state for a candidate (VO-29). A statement that is the same as a known memory
#: is no candidate.
STATED: tuple[Relation, ...] = tuple(word for word in RELATIONS if word != "same")


#: Property of a proposal: ids of the memories that it replaces when it is approved.
REPLACES = "mining_replaces"
#: Properties that name a memory it has probably replaced, without certainty, or that it contradicts. Both memories stay
#: current.
MAY_REPLACE, CONTRADICTS = "may_replace", "contradicts"
#: Properties that name a memory's successors, and its predecessors.
SUPERSEDING = ("superseded_by", "supersedes")
SUPERSEDES, RELATED = SUPERSEDING[1], "related"


#: Type of an edge to something that a memory's text names: something external, or a memory by its key.
MENTION = "mentions"


class Bands(Struct, frozen=True):
    """Similarity thresholds for each step: to confirm, to replace or dispute, to link, to ask a model."""

    same: float
    changed: float
    linked: float
    asked: float


#: As published, for the embedders that the authors used.
PUBLISHED = Bands(0.95, 0.85, 0.80, 0.85)


class Joining(Struct, frozen=True):
    """Relations of a pending memory to others when it is approved. Ids.

    Attributes:
        same_as: memory that states the same: it is confirmed, and this one is superseded. "": none.
        replaces: memories that it supersedes. contradicts: memories that it disputes; both stay.
        links: (property that names a relation, id).
        body: new text; None: unchanged.
    """

    same_as: str = ""
    replaces: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    body: str | None = None

    @property
    def op(self) -> str:
        """Name of the operation in history."""
        return "supersede" if self.replaces else "dispute" if self.contradicts else "link"
