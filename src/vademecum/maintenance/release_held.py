"""Release or question memories held for a branch, after asking git in local clones what became of the branch."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.branches import GONE, Branch, branch_in
from vademecum.domain.memory import By, Memory
from vademecum.ports.repository import Fate, Unanswered
from vademecum.reconcile.decide import STANDING, Step
from vademecum.vault.frontmatter import Value
from vademecum.write.gate import joining_of, merged
from vademecum.write.review import step_of

BY_GIT = By("extraction", "git")
#: Seconds that git may take per branch, and maximum folders of a repository to ask, most recently used first.
_ASKED_S, _FOLDERS_MAX = 10.0, 5
#: A memory whose branch is unknown is put up for review after this time without a change.
_UNKNOWN_FOR = timedelta(days=30)


class Tended(Struct, frozen=True):
    """How many memories were released, put up for review, or are still held.

    Released are those of merged branches, put up for review those of branches that are gone.
    """

    joined: int = 0
    offered: int = 0
    held: int = 0


def tend_branches(context: Context) -> Tended:
    """Release memories of merged branches, and put memories of branches that are gone up for review."""
    joined = offered = held = 0
    fates: dict[Branch, tuple[Fate, Branch]] = {}
    for key, note in context.index.held().items():
        branch = branch_in(note)
        if branch is None or branch.commit == GONE:
            continue
        memory = context.vault.get(key.removeprefix("memory://"))
        if branch not in fates:
            fates[branch] = _fate(context, branch)
        fate, now = fates[branch]
        if fate == "merged":
            _join(context, memory)
            joined += 1
        elif fate == "dropped" or (fate == "unknown" and (context.clock.now() - memory.updated >= _UNKNOWN_FOR)):
            _offer(context, memory)
            offered += 1
        else:
            held += 1
            if now != branch:
                context.vault.edit(memory.id, properties={"branch": str(now)}, by=BY_GIT)
    return Tended(joined, offered, held)


def _join(context: Context, memory: Memory) -> None:
    """Make a branch's memory valid everywhere, related to existing memories like any newly saved one.

    A memory in the inbox stays there.
    """
    reason = f"the branch came in: {memory.branch}"
    freed: dict[str, Value] = {"branch": None}
    if memory.status == "inbox":
        context.vault.edit(memory.id, properties=freed, by=BY_GIT)
        return
    older = _named_by_the_person(context, memory)
    step = Step() if older else step_of(context, replace(memory, branch=""), BY_GIT)
    if step.relation == "same":
        merged(context, memory, step.others[0], by=BY_GIT)
        return
    freed |= {"status": memory.status, "mining_relation": None, "mining_target": None}
    joining = joining_of(step, replaces=older)
    context.vault.take_in(memory.id, joining, reason, properties=freed, op="join", by=BY_GIT)


def _named_by_the_person(context: Context, memory: Memory) -> tuple[str, ...]:
    """Return the id of the memory that the person said it replaces, if that is still current.

    No other memory may be replaced.
    """
    target = str(memory.extra.get("mining_target") or "")
    if memory.trust != "user" or not target or memory.extra.get("mining_relation") != "update":
        return ()
    return (target,) if any(item.status in STANDING for item in context.index.items([f"memory://{target}"]).values()) else ()


def _offer(context: Context, memory: Memory) -> None:
    """Put a memory of a branch that is gone up for review, to be kept or archived; until then it is not shown anywhere."""
    here = branch_in(memory.branch)
    if here is None:
        return
    why = f"rule.branch: learnt on {here.name} of {here.repository}, which is gone without having come in"
    values: dict[str, Value] = {"branch": str(replace(here, commit=GONE)), "mining_route": "pending", "mining_rationale": why}
    waits: dict[str, Value] = {"status": "inbox"} if memory.status in ("active", "disputed", "inbox") else {}
    context.vault.edit(memory.id, properties=values | waits, by=BY_GIT)


def _fate(context: Context, branch: Branch) -> tuple[Fate, Branch]:
    """Return the fate of a branch according to local clones.

    A clone that has or merged the branch knows more than one that lacks it.
    """
    by_key: dict[Fate, Branch] = {}
    for folder in _folders(context, branch.repository):
        git = context.outside.branches(folder, _ASKED_S)
        try:
            now = git.follow(branch) if git else branch
            by_key.setdefault(git.fate(now) if git else "unknown", now)
        except Unanswered:
            continue
    order: tuple[Fate, ...] = ("merged", "open", "dropped")
    return next(((fate, by_key[fate]) for fate in order if fate in by_key), ("unknown", branch))


def _folders(context: Context, repository: str) -> Iterator[str]:
    """Yield folders of a repository on this device: the current one, those of sessions, and those of project memories."""
    sessions = [marker.cwd for marker in reversed(context.storage.markers.all())]
    spaces = [str(Path(space.root).parent) for space in context.vault.spaces if space.project]
    left = _FOLDERS_MAX
    for folder in dict.fromkeys(filter(None, (context.folder, *sessions, *spaces))):
        if left and context.outside.projects.slug_of(folder) == repository:
            left -= 1
            yield folder
