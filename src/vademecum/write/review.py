"""The inbox: pending proposals, the person's decisions on them, and what these say about the patterns that proposed them.

A decision can be undone. Acceptances and rejections by the person are counted per pattern; an agent's are not, so that it
cannot raise the confidence of its own proposals.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.llm_queue import queue_comparison
from vademecum.domain.branches import is_gone
from vademecum.domain.errors import InvalidInput, NotFound, Refused
from vademecum.domain.item import Item, place_of
from vademecum.domain.memory import BY_PERSON, By, Draft, Memory
from vademecum.domain.query import Scope
from vademecum.domain.relations import STATED, Relation
from vademecum.language.patterns import patterns
from vademecum.language.text import brief, common_words
from vademecum.ports.index import Term
from vademecum.reconcile.decide import STANDING, Step, conflicts, step_for
from vademecum.vault.authority import is_for_the_person
from vademecum.vault.frontmatter import Value
from vademecum.vault.journal import Record
from vademecum.vault.places import INBOX
from vademecum.write.candidates import steps_down
from vademecum.write.gate import cleaned, joining_of, similar
from vademecum.write.proposing import replaced_by, wanted_of
from vademecum.write.related import RELATED_MAX, Find, memories_among, nothing, with_related
from vademecum.write.repetition import graduates

Decision = Literal["approve", "edit", "reject", "skip", "supersede"]

#: Maximum number of pending proposals read; higher than any real inbox.
_LOOKED_AT = 20_000
#: Number of memories shown beside a proposal.
SIMILAR_SHOWN = 3
#: Maximum length of a title derived from an edited text, in characters.
TITLE_CHARS = 80
#: Minimum share of the smaller proposal's words that two proposals of a kind have in common to be grouped.
_TOGETHER = 0.5
#: Pattern of proposals by an import: the source text of a known memory has changed.
CHANGED_AT_SOURCE = "import.changed"
#: Default reason in history for a change of a known memory by a proposal.
_BECAUSE = {"update": "superseded in review", "same": "it says the same", "contradict": "it says otherwise"}


class Proposal(Struct, frozen=True):
    """One pending memory.

    Attributes:
        cluster: number of its group, from 0. of: size of that group.
        excerpt: the passage that it was extracted from, with context. rationale: why it was proposed.
    """

    memory: Memory
    cluster: int
    of: int
    excerpt: str
    rationale: str


class Decided(Struct, frozen=True):
    """A decision on a proposal, carried out as one operation of the journal (none for "skip").

    Attributes:
        memory: the memory that has the content now: the proposal, or an existing duplicate. proposal: id of the proposal.
        relation: of the proposal to `others`: "same" confirmed, "update" replaced, "contradict" disputed, "extend" and "derive" linked.
        asked: a language model will be asked about its relation to a known memory. pattern: the pattern it was counted for.
        likely: as in :class:`Saved`. page: the person's list of ideas, if an approved idea was added there. note: why it was not.
    """

    decision: Literal["approve", "edit", "reject", "skip", "supersede"]
    memory: Memory
    proposal: str
    relation: Relation = "new"
    others: tuple[Memory, ...] = ()
    asked: bool = False
    pattern: str = ""
    likely: str = ""
    page: str = ""
    note: str = ""


class Foreseen(Struct, frozen=True):
    """The effect that approving a proposal would have on existing memories: `relation` as in :class:`Decided`, "new" for none.

    Attributes:
        likely: the memory that it may replace; both would stay.
    """

    relation: Relation = "new"
    others: tuple[Memory, ...] = ()
    likely: Memory | None = None


class PatternFare(Struct, frozen=True):
    """Decisions on the proposals of one pattern.

    Attributes:
        confidence: default confidence of the pattern; "" for a removed pattern. lowered: number of levels subtracted from it.
        extractor: source of the pattern: "patterns", "model", "agent", or "upkeep" for this program's own proposals.
    """

    name: str
    accepted: int
    rejected: int
    confidence: str
    lowered: int
    extractor: str = "patterns"


def proposals(context: Context, limit: int = 0, project: str = "", *, after: str = "") -> tuple[Proposal, ...]:
    """Return pending proposals in groups, the largest group first, and the likeliest first within a group.

    Args:
        limit: read only this many of the last changed; 0: all. after: cursor of the item to continue after (`cursor_of`).
    """
    scope = Scope(sources=("memory",), statuses=("inbox",), projects=(project,) if project else None, branches=None)
    waiting = [
        context.vault.get(item.key.removeprefix("memory://"))
        for item in context.index.select(scope, limit=limit or _LOOKED_AT, after=place_of(after))
    ]
    clusters = sorted(
        _clusters(context, waiting), key=lambda members: (-len(members), min(memory.created for memory in members))
    )
    return tuple(
        Proposal(memory, number, len(members), _text(memory, "mining_excerpt"), _text(memory, "mining_rationale"))
        for number, members in enumerate(clusters)
        for memory in sorted(members, key=lambda other: (other.confidence != "medium", other.created, other.id))
    )


def _clusters(context: Context, waiting: Sequence[Memory]) -> list[list[Memory]]:
    """Group proposals of one kind that share most of their words, or come from the same pattern."""
    clusters: list[tuple[Memory, frozenset[Term], list[Memory]]] = []
    for memory in waiting:
        text = f"{memory.title} {memory.body}"
        words = frozenset(context.index.terms(text, common_words(text)))
        for first, held, members in clusters:
            if first.kind == memory.kind and (_share(words, held) >= _TOGETHER or _pattern(memory) == _pattern(first) != ""):
                members.append(memory)
                break
        else:
            clusters.append((memory, words, [memory]))
    return [members for _, _, members in clusters]


def _share(words: frozenset[Term], others: frozenset[Term]) -> float:
    return len(words & others) / max(1, min(len(words), len(others)))


def rivals(context: Context, proposal: Memory) -> tuple[Item, ...]:
    """Return active memories on the same subject, best first: conflicting ones of any kind, then similar ones of the same kind.

    The person may decide to replace one of them.
    """
    scope = Scope(
        sources=("memory",),
        kinds=(proposal.kind,),
        statuses=("active",),
        projects=(proposal.project,) if proposal.project else None,
    )
    place = {name: value for name, value in (("project", proposal.project), ("agent", proposal.agent)) if value}
    draft = Draft(proposal.kind, proposal.title, proposal.body, properties={**place, "topics": proposal.topics})
    clashing = context.index.items([f"memory://{conflict}" for conflict in conflicts(context, draft, STANDING)])
    alike = similar(context, f"{proposal.title} {proposal.body}", scope, SIMILAR_SHOWN)
    return tuple({item.key: item for item in (*clashing.values(), *alike)}.values())[:SIMILAR_SHOWN]


class Word(Struct, frozen=True):
    """A decision on a proposal.

    Attributes:
        body: new text, for "edit". older: the memory that it replaces, for "supersede".
    """

    decision: Decision
    reason: str = ""
    body: str | None = None
    older: str = ""


class Which(Struct, frozen=True, kw_only=True):
    """Filter for proposals: kind, confidence, minimum age in hours, pattern; empty: any."""

    kind: str = ""
    confidence: str = ""
    older_than_hours: int = 0
    pattern: str = ""


def decide(context: Context, ref: str, word: Word, *, find: Find = nothing, by: By = BY_PERSON) -> Decided:
    """Carry out a decision on one proposal.

    Args:
        find: search for related items; an approved idea is linked to them.

    Raises:
        InvalidInput: it is not pending, or `body` or `older` is missing. Refused: only the person may decide this.
        NotFound, Ambiguous.
    """
    waiting = context.vault.get(ref)
    was_saved = word.decision == "reject" and waiting.status == "active" and bool(_pattern(waiting))
    if waiting.status != "inbox" and not was_saved:
        raise InvalidInput(
            f"{waiting.title!r} is {waiting.status}; only what waits in the inbox can be reviewed.", "See: vade inbox"
        )
    harmless = (
        word.decision == "reject" and _text(waiting, "mining_route") != "pending"
    )  # any agent may reject a proposal that does not need the person
    if by.actor != "user" and is_for_the_person(waiting) and not harmless:
        raise Refused("Only the person may decide about this.", "They decide in their inbox.")
    if word.decision == "skip":
        return Decided(word.decision, waiting, waiting.id)
    done = _done(context, waiting, word, find, by)
    accepted = word.decision != "reject"
    if by.actor != "user" or not _pattern(waiting):
        return done
    context.state.verdicts.record(_pattern(waiting), accepted=int(accepted), rejected=int(not accepted))
    return replace(done, pattern=_pattern(waiting))


def wrong(context: Context, ref: str, *, by: By = BY_PERSON) -> Decided:
    """Archive a memory that should never have been saved. It counts as a rejection for the pattern that proposed it, if any."""
    memory = context.vault.get(ref)
    if memory.status == "inbox" or (memory.status == "active" and _pattern(memory)):
        return decide(context, memory.id, Word("reject", "wrong"), by=by)
    return Decided("reject", context.vault.archive(memory.id, "wrong", by=by), memory.id)


def foreseen(context: Context, proposal: Memory) -> Foreseen:
    """Return the effect that approving a proposal unchanged would have on existing memories."""
    step = step_of(context, proposal, By())
    likely = context.vault.get(step.likely) if step.likely else None
    return Foreseen(step.relation, tuple(context.vault.get(other) for other in step.others), likely)


def _done(context: Context, waiting: Memory, word: Word, find: Find, by: By) -> Decided:
    """Carry out the decision."""
    decision, body = word.decision, word.body
    word = replace(word, reason=cleaned(context, word.reason, by)[0])
    if decision == "reject":
        rejected = context.vault.archive(waiting.id, word.reason or "rejected in review", op="reject", by=by)
        return Decided(decision, rejected, waiting.id)
    if decision == "edit":
        if body is None or not body.strip():
            raise InvalidInput("To edit a proposal, give its new text.", "Give it with: --body TEXT")
        text = cleaned(context, body, by)[0]
        waiting = replace(waiting, body=text, title=brief(text.strip().split("\n")[0].lstrip("#-* "), TITLE_CHARS).rstrip("."))
    if decision == "approve" and (wanted := wanted_of(waiting)):
        carried = context.vault.carry_out(waiting.id, wanted, word.reason, by=by)
        return Decided(decision, carried[0], waiting.id, "update", carried[1:])
    if decision == "supersede":
        if not word.older:
            raise InvalidInput("To supersede, name the memory that it replaces.", "Give it with: --older REF")
        step = Step("update", (context.vault.get(word.older).id,))
    else:
        step = step_of(context, waiting, by)
    properties: dict[str, Value] = {"title": waiting.title} if decision == "edit" else {}
    properties |= {"branch": None} if is_gone(waiting.branch) else {}
    if waiting.kind == "idea":
        waiting, more = _incubating(context, waiting, find)
        properties |= more
    return _taken_in(context, waiting, word, step, properties, by)


def step_of(context: Context, waiting: Memory, by: By) -> Step:
    """Compare a proposal with existing memories like any save, with the trust of the person or agent who approves it (VO-31 to VO-34)."""
    older = replaced_by(waiting) or tuple(filter(None, [graduates(waiting) or _renewed(waiting)]))
    if older:  # a standing rule replaces the correction that it was derived from (SW-44)
        there = context.index.items([f"memory://{entry}" for entry in older])
        standing = tuple(
            entry for entry in older if f"memory://{entry}" in there and there[f"memory://{entry}"].status in STANDING
        )
        return Step("update", standing) if standing else Step()
    named = {"project": waiting.project, "agent": waiting.agent, "profile": waiting.profile, "topics": waiting.topics}
    trust = "user" if by.actor == "user" else "external" if waiting.trust == "external" else "agent"
    moment = waiting.said_at
    held = {"branch": waiting.branch} if waiting.branch and not is_gone(waiting.branch) else {}
    draft = Draft(waiting.kind, waiting.title, waiting.body, properties={**named, **held, "trust": trust, "valid_from": moment})
    stated: Relation = next((word for word in STATED if word == _text(waiting, "mining_relation")), "new")
    target, approved = _text(waiting, "mining_target"), by.actor == "user"
    return step_for(context, draft, stated, target, among=STANDING, approved=approved)


def _renewed(waiting: Memory) -> str:
    """Return the id of the memory imported from the same place before its text changed, "" for none."""
    return _text(waiting, "mining_target") if _pattern(waiting) == CHANGED_AT_SOURCE else ""


def _taken_in(context: Context, waiting: Memory, word: Word, step: Step, properties: Mapping[str, Value], by: By) -> Decided:
    """Activate a proposal and join it to the memories it concerns."""
    has_other_text = word.decision == "edit" or waiting.kind == "idea"
    joining = joining_of(step, waiting.body if has_other_text else None)
    why = word.reason or _BECAUSE.get(step.relation, "")
    kept = context.vault.take_in(waiting.id, joining, why, properties=properties, by=by)
    others = tuple(context.vault.get(other) for other in step.others)
    asked = bool(step.unclear) and queue_comparison(context, kept.uri, step.unclear)
    return Decided(word.decision, kept, waiting.id, step.relation, others, asked, likely=step.likely)


def _incubating(context: Context, waiting: Memory, find: Find) -> tuple[Memory, dict[str, Value]]:
    """Return an idea with related items listed below its text, and its properties for incubation: status, session, links."""
    came_up = waiting.source if waiting.source.startswith("session://") else None
    items = [item for item in find(f"{waiting.title}. {waiting.body}") if item.key != waiting.uri][:RELATED_MAX]
    related = tuple(dict.fromkeys([*waiting.related, *memories_among(items)]))
    properties: dict[str, Value] = {"status": "incubating", "surfaced_in_session": came_up}
    return replace(waiting, body=with_related(context, waiting.body, items)), properties | (
        {"related": related} if related else {}
    )


def take_back(context: Context, decided: Decided, *, by: By = BY_PERSON) -> Memory:
    """Undo a decision of this review.

    The proposal is pending again, and its effects on memories and on the pattern's counts are reverted.

    Raises:
        Conflict: a memory was changed since.
    """
    if decided.decision != "skip":
        context.vault.history.undo(decided.memory.id, by=by)
    if decided.pattern:
        accepted = decided.decision != "reject"
        context.state.verdicts.record(decided.pattern, accepted=-int(accepted), rejected=-int(not accepted))
    return context.vault.get(decided.proposal)


def undone(context: Context, record: Record, *, by: By) -> None:
    """Revert the pattern's count when a decision is undone from outside the review.

    Args:
        record: of the undo.
    """
    for change in record.changes:
        if by.actor != "user" or change.after is None or not change.after.path.startswith(f"{INBOX}/"):
            continue
        try:
            pattern = _pattern(context.vault.get(change.memory))
        except NotFound:  # the memory's creation was undone as well
            continue
        done = next((earlier for earlier in context.vault.history.of(change.memory) if earlier.id == record.undoes), None)
        if pattern and done is not None and done.actor == "user" and done.op in ("approve", "reject"):
            accepted = done.op == "approve"
            context.state.verdicts.record(pattern, accepted=-int(accepted), rejected=-int(not accepted))


def decide_all(
    context: Context, decision: Literal["approve", "reject"], which: Which, *, find: Find = nothing, by: By = BY_PERSON
) -> tuple[Decided, ...]:
    """Make the same decision on all matching proposals, oldest first (X-24)."""
    now = context.clock.now()
    chosen = [
        proposal.memory
        for proposal in proposals(context)
        if which.kind in ("", proposal.memory.kind)
        and which.confidence in ("", proposal.memory.confidence)
        and which.pattern in ("", _pattern(proposal.memory))
        and now - proposal.memory.created >= timedelta(hours=which.older_than_hours)
    ]
    done = []
    for number, memory in enumerate(sorted(chosen, key=lambda other: (other.created, other.id)), 1):
        done.append(decide(context, memory.id, Word(decision), find=find, by=by))
        context.progress("Deciding proposals", number, len(chosen))
    return tuple(done)


def fares(context: Context) -> tuple[PatternFare, ...]:
    """Return the decisions per pattern, those with the lowest acceptance rate first."""
    defaults = {pattern.name: pattern.confidence for pattern in patterns()}
    pattern_fares = [
        PatternFare(name, judged.accepted, judged.rejected, defaults.get(name, ""), steps_down(judged), _extractor(name))
        for name, judged in context.state.verdicts.all().items()
        if judged.judged
    ]
    return tuple(sorted(pattern_fares, key=lambda fare: (fare.accepted / max(1, fare.accepted + fare.rejected), fare.name)))


def _extractor(pattern: str) -> str:
    """Return the source of a pattern, by its name."""
    first = pattern.replace(" ", ".").partition(".")[0]
    return {"model": "model", "agent": "agent", "rule": "upkeep", "observed": "agent"}.get(first, "patterns")


def _pattern(memory: Memory) -> str:
    """Return the pattern that proposed a memory, or ""."""
    return _text(memory, "mining_rationale").partition(":")[0]


def _text(memory: Memory, name: str) -> str:
    return str(memory.extra.get(name) or "")
