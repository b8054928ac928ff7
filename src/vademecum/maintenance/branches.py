"""What becomes of memories that are held for a branch: git is asked what became of the branch, wherever its repository lies here."""

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
#: Seconds that git may take for one branch; folders of a repository that are asked, the last used first.
_ASKED_S, _FOLDERS_MAX = 10.0, 5
#: What nothing is known of any more is offered to the person when it did not change for so long.
_UNKNOWN_FOR = timedelta(days=30)


class Tended(Struct, frozen=True):
    """How many memories joined because their branch came in, are offered because it is gone, and are held on."""

    joined: int = 0
    offered: int = 0
    held: int = 0


def tend_branches(context: Context) -> Tended:
    """Join what was held for branches that came in, and offer what was held for those that are gone."""
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
        elif fate == "dropped" or (fate == "unknown" and _is_old(context, memory)):
            _offer(context, memory)
            offered += 1
        else:
            held += 1
            if now != branch:
                context.vault.edit(memory.id, properties={"branch": str(now)}, by=BY_GIT)
    return Tended(joined, offered, held)


def _join(context: Context, memory: Memory) -> None:
    """Have what was held for a branch hold everywhere, joined to what is known as anything that is saved; what waits waits on."""
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
    """Return the id of the memory that the person said it replaces, while that stands; nothing else is done away with."""
    target = str(memory.extra.get("mining_target") or "")
    if memory.trust != "user" or not target or memory.extra.get("mining_relation") != "update":
        return ()
    return (target,) if any(item.status in STANDING for item in context.index.items([f"memory://{target}"]).values()) else ()


def _offer(context: Context, memory: Memory) -> None:
    """Put what was held for a branch that is gone before the person, who keeps it or puts it away; until then it is told nowhere."""
    here = branch_in(memory.branch)
    if here is None:
        return
    why = f"rule.branch: learnt on {here.name} of {here.repository}, which is gone without having come in"
    values: dict[str, Value] = {"branch": str(replace(here, commit=GONE)), "mining_route": "pending", "mining_rationale": why}
    waits: dict[str, Value] = {"status": "inbox"} if memory.status in ("active", "disputed", "inbox") else {}
    context.vault.edit(memory.id, properties=values | waits, by=BY_GIT)


def _is_old(context: Context, memory: Memory) -> bool:
    return context.clock.now() - memory.updated >= _UNKNOWN_FOR


def _fate(context: Context, branch: Branch) -> tuple[Fate, Branch]:
    """Return what the clones here say became of a branch: one that has it, or has it merged, knows more than one that lost it."""
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
    """Yield folders of a repository on this device: where the work goes on, where sessions were, where a project's memories lie."""
    sessions = [marker.cwd for marker in reversed(context.storage.markers.all())]
    spaces = [str(Path(space.root).parent) for space in context.vault.spaces if space.project]
    left = _FOLDERS_MAX
    for folder in dict.fromkeys(filter(None, (context.folder, *sessions, *spaces))):
        if left and context.outside.projects.slug_of(folder) == repository:
            left -= 1
            yield folder
