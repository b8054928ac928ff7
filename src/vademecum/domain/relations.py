"""What a new statement can be to a known one."""

from typing import Literal, get_args

from msgspec import Struct

#: same: says the same. update: takes its place. contradict: both cannot hold and nothing tells which does. extend: adds to it.
#: derive: follows from it. new: about something else.
Relation = Literal["same", "update", "contradict", "extend", "derive", "new"]

RELATIONS: tuple[Relation, ...] = get_args(Relation)
#: Those that whoever read a conversation may state of a candidate (VO-29). What says the same as a known memory is no candidate.
STATED: tuple[Relation, ...] = tuple(word for word in RELATIONS if word != "same")


#: Property of a proposal: ids of the memories that it takes the place of when it is approved.
REPLACES = "mining_replaces"
#: Property by which a memory names one whose place it has likely taken, though nobody said so for sure. Both stay as they are.
MAY_REPLACE, CONTRADICTS = "may_replace", "contradicts"
#: Properties by which a memory names what took its place, and what it took the place of.
SUPERSEDING = ("superseded_by", "supersedes")
SUPERSEDES, RELATED = SUPERSEDING[1], "related"


#: Type of an edge to what a memory's text names: something outside, or a memory by its key.
MENTION = "mentions"


class Bands(Struct, frozen=True):
    """Least nearness for each step: to confirm, to replace or dispute, to link, to ask a model."""

    same: float
    changed: float
    linked: float
    asked: float


#: As published, for the embedders that their author used.
PUBLISHED = Bands(0.95, 0.85, 0.80, 0.85)


class Joining(Struct, frozen=True):
    """What a memory that waited is to others when it is taken in. Ids.

    Attributes:
        same_as: says the same: that one is confirmed, and this one gives way to it. "": none does.
        replaces: give way to it. contradicts: say otherwise; both stay, disputed.
        links: (property that names a relation, id).
        body: what it shall say; None: as it does.
    """

    same_as: str = ""
    replaces: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    body: str | None = None

    @property
    def op(self) -> str:
        """What history calls it."""
        return "supersede" if self.replaces else "dispute" if self.contradicts else "link"
