"""Scopes of searches, and the rules for what is withheld.

Returned only if the scope names them: quarantined memories, memories tagged `visibility/...`, and agents' own notes.
"""

import contextlib
from collections.abc import Mapping

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.branches import branch_in
from vademecum.domain.clocks import stopped_at
from vademecum.domain.errors import IndexDamaged
from vademecum.domain.item import Item
from vademecum.domain.memory import HIDDEN_WHILE_WAITING, By
from vademecum.domain.procedural import SELF
from vademecum.domain.query import RECALLED_STATUSES, WITHHELD_TAGS, Query, Scope, is_withheld
from vademecum.domain.session import Snapshot
from vademecum.inject.numbers import HANDOFFS_FROM, SCOPE_USUALLY_S, SCOPE_WITHHELD_FROM
from vademecum.ports.index import Index
from vademecum.ports.repository import Unanswered


def last_handoffs(context: Context, scope: Scope, project: str, most: int, agent: str = "") -> tuple[Item, ...]:
    """Return the handoffs in scope of the sessions of a project that stopped last; `project` "" means those of no project (IN-26).

    Args:
        agent: include this agent's own handoffs of no project; "" for none.
    """
    items = context.index.select(replace(scope, sources=("handoff",)), order="recent", limit=HANDOFFS_FROM)
    ahead, now = context.state.clocks_ahead.all(), context.clock.now()
    items = tuple(sorted(items, key=lambda item: stopped_at(item.origin, item.updated, ahead, now), reverse=True))
    return tuple(
        [item for item in items if item.project == project or (agent and item.agent == agent and not item.project)][:most]
    )


def last_words(context: Context, project: str) -> list[Snapshot]:
    """Return the last words of a project's sessions, ordered by the time they stopped, newest first."""
    ahead, now = context.state.clocks_ahead.all(), context.clock.now()
    words = context.state.snapshots.of_project(project)
    return sorted(words, key=lambda snapshot: stopped_at(snapshot.session, snapshot.when, ahead, now), reverse=True)


def of_agent(query: Query, own_project: str) -> Query:
    """Restrict an agent's query: nothing of other projects (X-43) or of other agents (IN-07), unless the scope names them.

    Args:
        own_project: slug of the current project, for a query that names none; "" for none.
    """
    project = query.project or own_project
    projects = (project,) if project and query.scope.projects is None else query.scope.projects
    agents = ("",) if query.scope.agents is None else query.scope.agents
    return replace(query, scope=replace(query.scope, projects=projects, agents=agents))


def open_scope(context: Context, scope: Scope, seconds: float = SCOPE_USUALLY_S) -> Scope:
    """Restrict the scope to the current branch and exclude the memories that are withheld from it.

    Args:
        seconds: maximum time for git.
    """
    scope = _in_place(context, scope, seconds)
    with contextlib.suppress(IndexDamaged):  # the search itself reports the damage, and hits are checked once more
        withheld = _withheld(context.index, scope)
        return replace(scope, without=scope.without | withheld) if withheld else scope
    return scope


def scope_for(context: Context, scope: Scope, by: By) -> Scope:
    """Return the scope as this actor may see it: the person sees everything, others nothing that is withheld (HW-37).

    Without a working folder, as on the web pages, the person also sees what is limited to any branch.
    """
    if by.actor != "user":
        return open_scope(context, scope)
    if not context.folder and scope.branches == ():
        return replace(scope, branches=None)
    return _in_place(context, scope, SCOPE_USUALLY_S)


def _in_place(context: Context, scope: Scope, seconds: float) -> Scope:
    """Include memories limited to branches that apply in the working folder; exclude those limited to other branches."""
    if scope.branches != ():
        return scope
    with contextlib.suppress(IndexDamaged):
        held = context.index.held()
        here = _holding(context, held, seconds) if held else frozenset()
        elsewhere = frozenset(key for key, branch in held.items() if branch not in here)
        return replace(scope, branches=tuple(sorted(here)), without=scope.without | elsewhere) if held else scope
    return scope


def _holding(context: Context, held: Mapping[str, str], seconds: float) -> frozenset[str]:
    """Return the branches named by memories that apply in the working folder; if git does not answer in time, none apply."""
    repository = context.outside.projects.slug_of(context.folder)
    named = [branch for branch in map(branch_in, dict.fromkeys(held.values())) if branch and branch.repository == repository]
    branches = context.outside.branches(context.folder, seconds) if named else None
    with contextlib.suppress(Unanswered):
        return frozenset(map(str, branches.holding(named))) if branches else frozenset()
    return frozenset()


def _withheld(index: Index, scope: Scope) -> set[str]:
    withheld: set[str] = set()
    if scope.statuses == RECALLED_STATUSES:
        waiting = index.select(Scope(sources=("memory",), statuses=("inbox",), branches=None), limit=SCOPE_WITHHELD_FROM)
        withheld |= {item.key for item in waiting if item.trust in HIDDEN_WHILE_WAITING}
    tagged = index.select(Scope(statuses=None, tags=(*WITHHELD_TAGS, SELF), branches=None), limit=SCOPE_WITHHELD_FROM)
    withheld |= {item.key for item in tagged if not may_be_shown(item, scope)}
    return withheld


def may_be_shown(item: Item, scope: Scope) -> bool:
    """Return whether an item may be returned by a query that does not ask for it by status or tag."""
    if item.branch and scope.branches is not None and item.branch not in scope.branches:
        return False
    if item.status == "inbox" and item.trust in HIDDEN_WHILE_WAITING and scope.statuses == RECALLED_STATUSES:
        return False
    if item.kind == SELF and scope.kinds is None and not (item.agent and item.agent in (scope.agents or ())):
        return False  # an agent's note about itself answers no question about the person
    return not is_withheld(item.tags) or is_withheld(scope.tags or ())
