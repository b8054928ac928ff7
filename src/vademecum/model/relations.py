"""What a new statement can be to a known one."""

from typing import Literal, get_args

#: same: says the same. update: takes its place. contradict: both cannot hold and nothing tells which does. extend: adds to it.
#: derive: follows from it. new: about something else.
Relation = Literal["same", "update", "contradict", "extend", "derive", "new"]

RELATIONS_STATED: tuple[Relation, ...] = get_args(Relation)
