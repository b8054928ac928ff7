"""Branches of a repository, as memories name them: what is learnt on one that is not merged holds there only, until it is."""

import re

from msgspec import Struct

from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import Draft
from vademecum.domain.procedural import BRIEFED

#: Stands in the place of the commit where the branch went without having been merged.
GONE = "gone"
#: Of these nothing is held for a branch: the person, how they want to be worked with, what happened, what is the same on every branch.
_EVERYWHERE = frozenset({
    "preference", "identity", "style", "self", "skill", "idea", "event", "incident", "handoff", "project", "source", "entity",
})  # fmt: skip
_NOTE = re.compile(r"([a-z0-9-]+):([^\s:]+)(?: ([0-9a-f]{7,64}|gone))?")


class Branch(Struct, frozen=True):
    """Where something was learnt. As text, a memory's property: `shop:feature/pay 1f2e3d4c5b6a`.

    Attributes:
        repository: slug of its project. name: as git has it.
        commit: that the branch stood at, where the default branch had not got it; "": it had none of its own; GONE: it is there no more.
    """

    repository: str
    name: str
    commit: str = ""

    def __str__(self) -> str:
        return f"{self.repository}:{self.name} {self.commit}".rstrip()


def branch_in(note: str) -> Branch | None:
    """Return the branch that a memory's property names; None for none, or for a word of somebody else's."""
    match = _NOTE.fullmatch(note)
    return Branch(match[1], match[2], match[3] or "") if match else None


def is_gone(note: str) -> bool:
    """Return whether a memory's property names a branch that is gone without having been merged."""
    branch = branch_in(note)
    return branch is not None and branch.commit == GONE


def is_same(note: str, other: str) -> bool:
    """Return whether two memories are held for one branch, whatever it stood at."""
    branch, two = branch_in(note), branch_in(other)
    return branch is not None and two is not None and (branch.repository, branch.name) == (two.repository, two.name)


def is_held(draft: Draft, repository: str) -> bool:
    """Return whether what is learnt on a branch of that repository holds there only: knowledge of its project, nothing of the person's."""
    given, kind = draft.properties, KINDS[draft.kind]
    standing = given.get("always_load") or given.get("pin") or not {given.get("facet"), *draft.tags}.isdisjoint(BRIEFED)
    project = given.get("project") or ("" if kind.home == "personal" else repository)
    return kind.name not in _EVERYWHERE and not standing and project == repository
