"""Branches of a repository, as memories name them.

Knowledge learnt on an unmerged branch holds only there until the branch is merged:

1. `write/hold_for_branch.py`: a memory is held when it is saved; it gets the property `branch`.
2. `inject/scope.py`: it is hidden everywhere else.
3. `maintenance/release_held.py`: it is released when the branch is merged, or put up for review when the branch is gone.
"""

from msgspec import Struct

from vademecum.domain.kinds import KINDS
from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.memory import Draft
from vademecum.domain.procedural import BRIEFED

#: Replaces the commit of a branch that was deleted without being merged.
GONE = "gone"
#: Kinds that always hold on every branch: the person and their preferences, events, and things that no branch changes.
_EVERYWHERE = frozenset({
    "preference", "identity", "style", "self", "skill", "idea", "event", "incident", "handoff", "project", "source", "entity",
})  # fmt: skip
_NOTE = late_pattern(r"([a-z0-9-]+):([^\s:]+)(?: ([0-9a-f]{7,64}|gone))?")


class Branch(Struct, frozen=True):
    """The branch on which something was learnt. As text, a memory's property: `shop:feature/pay 1f2e3d4c5b6a`.

    Attributes:
        repository: slug of its project. name: as in git.
        commit: head of the branch, if the default branch did not contain it; "": it had no commits of its own; GONE: it was
            deleted.
    """

    repository: str
    name: str
    commit: str = ""

    def __str__(self) -> str:
        return f"{self.repository}:{self.name} {self.commit}".rstrip()


def branch_in(note: str) -> Branch | None:
    """Return the branch that a memory's property names; None for none, or for a value in another format."""
    match = _NOTE.fullmatch(note)
    return Branch(match[1], match[2], match[3] or "") if match else None


def is_gone(note: str) -> bool:
    """Return whether a memory's property names a branch that was deleted without being merged."""
    branch = branch_in(note)
    return branch is not None and branch.commit == GONE


def is_same(note: str, other: str) -> bool:
    """Return whether two properties name the same branch, whatever the commits."""
    branch, two = branch_in(note), branch_in(other)
    return branch is not None and two is not None and (branch.repository, branch.name) == (two.repository, two.name)


def is_held(draft: Draft, repository: str) -> bool:
    """Return whether a draft learnt on a branch holds only there: project knowledge that is not always shown."""
    given, kind = draft.properties, KINDS[draft.kind]
    standing = given.get("always_load") or given.get("pin") or not {given.get("facet"), *draft.tags}.isdisjoint(BRIEFED)
    project = given.get("project") or ("" if kind.home == "personal" else repository)
    return kind.name not in _EVERYWHERE and not standing and project == repository
