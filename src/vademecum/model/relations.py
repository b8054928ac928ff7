"""What a new statement can be to a known one."""

from dataclasses import dataclass
from typing import Literal, get_args

#: same: says the same. update: takes its place. contradict: both cannot hold and nothing tells which does. extend: adds to it.
#: derive: follows from it. new: about something else.
Relation = Literal["same", "update", "contradict", "extend", "derive", "new"]

RELATIONS_STATED: tuple[Relation, ...] = get_args(Relation)


@dataclass(frozen=True, slots=True)
class Bands:
    """Least nearness for each step: to confirm, to replace or dispute, to link, to ask a model."""

    same: float
    changed: float
    linked: float
    asked: float


#: As published, for the embedders that their author used.
PUBLISHED = Bands(0.95, 0.85, 0.80, 0.85)
