"""Hold a memory for the branch on which it was learnt; `domain/branches.py` has the rule and the way of a held memory."""

import contextlib
from collections.abc import Callable
from datetime import datetime
from functools import cache

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.branches import Branch, is_held
from vademecum.domain.memory import Draft
from vademecum.ports.repository import Unanswered

#: Maximum time for git to determine the branch, in seconds.
_LEARNT_S = 3.0


def on_branch(context: Context, folder: str) -> Callable[[Draft, datetime | None], Draft]:
    """Return a function that adds to a draft the branch checked out in a folder at a given time (None: now).

    Until that branch is merged, the memory is held for it (:mod:`vademecum.domain.branches`).
    """
    repository = context.outside.projects.slug_of(folder)
    branches = context.outside.branches(folder, _LEARNT_S) if repository else None

    @cache
    def learnt(at: datetime | None) -> str:
        with contextlib.suppress(Unanswered):
            pair = branches.learnt(at) if branches else None
            return str(Branch(repository, *pair)) if pair else ""
        return ""

    def noted(draft: Draft, at: datetime | None) -> Draft:
        here = learnt(at) if branches and "branch" not in draft.properties and is_held(draft, repository) else ""
        return replace(draft, properties={**draft.properties, "branch": here}) if here else draft

    return noted
