"""The inbox: what waits for the person, their word on it, and what that says about the patterns that proposed it.

A decision can be taken back. What the person accepts and rejects is counted for each pattern; an agent's word is not counted, so that
it cannot praise itself.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from vademecum.capture.patterns import PATTERNS
from vademecum.capture.routing import steps_down
from vademecum.model.errors import InvalidInput, Refused
from vademecum.model.item import Item
from vademecum.model.memory import By, Memory
from vademecum.model.ports import Term
from vademecum.model.query import Scope
from vademecum.model.reports import Decided, PatternFare, Proposal
from vademecum.recall.shape import STOP
from vademecum.upkeep.keep import changed, cleaned, similar
from vademecum.upkeep.parts import Parts

Decision = Literal["approve", "edit", "reject", "skip", "supersede"]

#: More than ever wait; what is beyond is not looked at.
_LOOKED_AT = 20_000
#: Memories shown beside a proposal.
SIMILAR_SHOWN = 3
#: Two proposals of a kind belong together when they share this part of the smaller one's words.
_TOGETHER = 0.5


def proposals(parts: Parts, limit: int = 0, project: str = "") -> tuple[Proposal, ...]:
    """What waits, those that belong together side by side, the largest clusters first, and in them what is likeliest."""
    scope = Scope(sources=("memory",), statuses=("inbox",), projects=(project,) if project else None)
    waiting = [
        parts.vault.get(item.key.removeprefix("memory://")) for item in parts.index.select(scope, limit=limit or _LOOKED_AT)
    ]
    clusters = sorted(_clusters(parts, waiting), key=lambda members: (-len(members), min(one.created for one in members)))
    return tuple(
        Proposal(one, number, len(members), _text(one, "mining_excerpt"), _text(one, "mining_rationale"))
        for number, members in enumerate(clusters)
        for one in sorted(members, key=lambda one: (one.confidence != "medium", one.created, one.id))
    )


def _clusters(parts: Parts, waiting: Sequence[Memory]) -> list[list[Memory]]:
    """Proposals of one kind that share most of their words, else those that one pattern proposed."""
    clusters: list[tuple[Memory, frozenset[Term], list[Memory]]] = []
    for one in waiting:
        words = frozenset(parts.index.terms(f"{one.title} {one.body}", STOP))
        for first, held, members in clusters:
            if first.kind == one.kind and (_share(words, held) >= _TOGETHER or _pattern(one) == _pattern(first) != ""):
                members.append(one)
                break
        else:
            clusters.append((one, words, [one]))
    return [members for _, _, members in clusters]


def _share(words: frozenset[Term], others: frozenset[Term]) -> float:
    return len(words & others) / max(1, min(len(words), len(others)))


def rivals(parts: Parts, proposal: Memory) -> tuple[Item, ...]:
    """Active memories of the same kind that say something like it, best first; the decision may be to replace one."""
    scope = Scope(
        sources=("memory",),
        kinds=(proposal.kind,),
        statuses=("active",),
        projects=(proposal.project,) if proposal.project else None,
    )
    return similar(parts, f"{proposal.title} {proposal.body}", scope, SIMILAR_SHOWN)


def decide(
    parts: Parts, ref: str, decision: Decision, *, by: By, reason: str = "", body: str | None = None, older: str = ""
) -> Decided:
    """The word on one proposal.

    Args:
        body: what it shall say, for "edit". older: the memory that it replaces, for "supersede".

    Raises:
        InvalidInput: it does not wait, or `body` or `older` is missing. Refused: only the person may decide this.
        NotFound, Ambiguous.
    """
    waiting = parts.vault.get(ref)
    was_saved = decision == "reject" and waiting.status == "active" and bool(_pattern(waiting))
    if waiting.status != "inbox" and not was_saved:
        raise InvalidInput(
            f"{waiting.title!r} is {waiting.status}; only what waits in the inbox is reviewed.", "See: vade inbox"
        )
    if by.actor != "user" and _text(waiting, "mining_route") == "pending":
        raise Refused("This came from outside; only the person may decide about it.", "They do with: vade review")
    if decision == "skip":
        return Decided(decision, waiting)
    after, steps = _done(parts, waiting, decision, by, reason, body, older)
    accepted = decision != "reject"
    if by.actor == "user" and _pattern(waiting):
        parts.state.record_verdict(_pattern(waiting), accepted=int(accepted), rejected=int(not accepted))
    return Decided(decision, after, steps, _pattern(waiting) if by.actor == "user" else "")


def _done(
    parts: Parts, waiting: Memory, decision: Decision, by: By, reason: str, body: str | None, older: str
) -> tuple[Memory, int]:
    """The memory after the decision, and in how many writes it was done."""
    vault, key = parts.vault, waiting.id
    if decision == "reject":
        return changed(parts, vault.archive(key, cleaned(parts, reason, by)[0] or "rejected in review", by=by)), 1
    if decision == "approve":
        return changed(parts, vault.restore(key, by=by)), 1
    if decision == "edit":
        if body is None or not body.strip():
            raise InvalidInput("To edit a proposal, say what it shall say.", "Give it with: --body TEXT")
        vault.edit(key, body=cleaned(parts, body, by)[0], by=by)
        return changed(parts, vault.restore(key, by=by)), 2
    if not older:
        raise InvalidInput("To supersede, name the memory that gives way.", "Give it with: --older REF")
    gone = vault.get(older).id
    vault.restore(key, by=by)
    kept = vault.supersede(gone, key, cleaned(parts, reason, by)[0] or "superseded in review", by=by)
    return changed(parts, kept, vault.get(gone)), 2


def take_back(parts: Parts, decided: Decided, *, by: By) -> Memory:
    """Undo a decision of this review: the proposal waits again, and its pattern is judged as before.

    Raises:
        Conflict: the memory was changed since.
    """
    for _ in range(decided.writes):
        parts.vault.undo(decided.memory.id, by=by)
    if decided.pattern and decided.decision != "skip":
        accepted = decided.decision != "reject"
        parts.state.record_verdict(decided.pattern, accepted=-int(accepted), rejected=-int(not accepted))
    again = parts.vault.get(decided.memory.id)
    gone = [parts.vault.get(ref) for ref in decided.memory.supersedes]
    return changed(parts, again, *gone)


def decide_all(
    parts: Parts,
    decision: Literal["approve", "reject"],
    *,
    by: By,
    kind: str = "",
    confidence: str = "",
    older_than_hours: int = 0,
) -> tuple[Decided, ...]:
    """The same word on all that fit, oldest first (X-24)."""
    now = parts.clock.now()
    chosen = [
        one.memory
        for one in proposals(parts)
        if kind in ("", one.memory.kind)
        and confidence in ("", one.memory.confidence)
        and now - one.memory.created >= timedelta(hours=older_than_hours)
    ]
    done = []
    for number, one in enumerate(sorted(chosen, key=lambda one: (one.created, one.id)), 1):
        done.append(decide(parts, one.id, decision, by=by))
        parts.progress("inbox", number, len(chosen))
    return tuple(done)


def fares(parts: Parts) -> tuple[PatternFare, ...]:
    """How each pattern that was judged fares, the worst first."""
    defaults = {pattern.name: pattern.confidence for pattern in PATTERNS}
    found = [
        PatternFare(name, judged.accepted, judged.rejected, defaults.get(name, ""), steps_down(judged))
        for name, judged in parts.state.verdicts().items()
        if judged.judged
    ]
    return tuple(sorted(found, key=lambda fare: (fare.accepted / max(1, fare.accepted + fare.rejected), fare.name)))


def _pattern(memory: Memory) -> str:
    """The pattern that proposed it, "" when none did."""
    return _text(memory, "mining_rationale").partition(":")[0]


def _text(memory: Memory, name: str) -> str:
    return str(memory.extra.get(name) or "")
