"""A conversation that somebody wants remembered: mined at once, however short it is and whenever it was read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vademecum.capture.by_model import Known, candidates_of, shown_of
from vademecum.guard import cleanse
from vademecum.model.errors import InvalidInput, NotFound, Refused
from vademecum.model.query import Scope
from vademecum.model.reports import Marked, Saved
from vademecum.upkeep.absorb import absorb, mine_again
from vademecum.upkeep.model_queue import enqueue
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.propose import route_all
from vademecum.upkeep.verify import verified
from vademecum.upkeep.whole import whole_session


def mark(
    parts: Parts,
    session: str = "",
    *,
    reason: str = "",
    project: str = "",
    since: int = 0,
    least: int = 0,
    facts: Sequence[Mapping[str, Any]] = (),
) -> Marked:
    """Mine a conversation now.

    Args:
        session: its URI, its id, or that of a conversation that was handed over; "": the last one that anything was said in,
            in `project` if one is given.
        reason: why, in words; told back without secrets.
        since, least: as of :func:`vademecum.upkeep.absorb.mine_again`.
        facts: what the agent of the conversation found worth remembering in it, as the schema of a model's answer has it; `target`
            is a reference to a memory. Each goes the way of a candidate: it must be found in what was said.

    Raises:
        NotFound: there is no such conversation. Refused: memory is switched off, or it waits for the person's word.
    """
    if not parts.enabled:
        raise Refused("Memory is switched off; nothing was read.", "Switch it on with: vade resume, or enabled = true")
    path = _path(parts, session, project)
    looked_at, told = mine_again(parts, path, since=since, least=least)
    turns = since + len(looked_at.turns) if looked_at.turns else since
    rejected: tuple[tuple[str, str], ...] = ()
    if facts:
        saved, rejected = _from_agent(parts, told.session, path, facts)
        told = replace(told, saved=(*told.saved, *saved))
    return Marked(told, turns, cleanse(reason), enqueue(parts, told.session, path, forced=True), rejected)


def _from_agent(
    parts: Parts, session: str, path: str, facts: Sequence[Mapping[str, Any]]
) -> tuple[tuple[Saved, ...], tuple[tuple[str, str], ...]]:
    """(what became of the facts, the rejected ones and why)."""
    whole, _ = whole_session(parts, session, path)
    known, named = _known(parts, facts)
    candidates, rejected = candidates_of(named, shown_of(whole.turns), known, whole, "agent")
    return route_all(parts, verified(parts, candidates, whole.cwd), whole.host), rejected


def _known(parts: Parts, facts: Sequence[Mapping[str, Any]]) -> tuple[list[Known], list[Mapping[str, Any]]]:
    """(the memories that facts are about, the facts naming them by their place in that list)."""
    known: list[Known] = []
    named: list[Mapping[str, Any]] = []
    for fact in facts:
        target = ""
        if fact.get("target"):
            memory = parts.vault.get(str(fact["target"]))
            known.append(Known(memory.id, memory.kind, memory.title))
            target = f"m{len(known)}"
        named.append({"relation": "new", **fact, "target": target})
    return known, named


def _path(parts: Parts, session: str, project: str) -> str:
    if session and "://" not in session:
        try:
            handed_over = parts.conversations.get(session)
        except (NotFound, InvalidInput):
            handed_over = None
        if handed_over is not None and handed_over.pending:
            raise Refused(
                f"Conversation {handed_over.id} waits for the person's word.", "They confirm it with: vade confirm-conversation"
            )
        if handed_over is not None:
            return handed_over.path
    absorb(parts, ())
    if not session:
        scope = Scope(sources=("session",), statuses=None, projects=(project,) if project else None)
        newest = parts.index.select(scope, limit=1)
    else:
        keys = [key for key in parts.index.named(session) if key.startswith("session://")]
        newest = tuple(parts.index.items(keys[:1]).values())
    if not newest:
        raise NotFound(
            f"There is no conversation {session}." if session else "No conversation was captured yet.",
            "Save it with save_conversation, or read transcripts with: vade capture",
        )
    return newest[0].path
