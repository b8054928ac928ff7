"""The write gate: validate, guard, recognise what is known, write, journal, index. Every entrance passes here (rule 4)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from vademecum.guard.gate import Verdict, inspect
from vademecum.model.errors import InvalidInput, Refused
from vademecum.model.item import Item
from vademecum.model.memory import By, Draft, Memory, Trust
from vademecum.model.query import Scope
from vademecum.model.relations import MAY_REPLACE, Joining, Relation
from vademecum.model.reports import Saved
from vademecum.recall.shape import STOP
from vademecum.upkeep.follow import index_memories
from vademecum.upkeep.forgotten import forgotten
from vademecum.upkeep.integrate import STANDING, Step, step_for
from vademecum.upkeep.model_queue import doubt
from vademecum.upkeep.parts import Parts

_TRUST_OF: dict[str, Trust] = {"user": "user", "hand": "user", "agent": "agent", "extraction": "extracted"}
_TOLD = {
    "secret": "a secret ({rule}) was replaced by a placeholder",
    "personal": "personal data ({rule}) was replaced by a placeholder",
    "hidden": "{count} hidden characters were taken out ({rule})",
    "command": "it speaks to an agent ({rule})",
}

_ACTIONS = {"inbox": "inbox", "disputed": "disputed"}
#: Relation that a statement has -> how its note names the other.
LINKED_BY = {"extend": "refines", "derive": "derived_from"}

#: Trust of what waits because it speaks to an agent. It is told to nobody before the person approved it.
QUARANTINED: Trust = "external"
#: Who may say how much: nobody gives a memory more trust than they have themselves.
_TRUST_ORDER: tuple[Trust, ...] = ("external", "extracted", "agent", "user")


def keep(
    parts: Parts,
    draft: Draft,
    *,
    by: By,
    replaces: Iterable[str] = (),
    unique: bool = False,
    relation: Relation = "new",
    target: str = "",
    step: Step | None = None,
) -> Saved:
    """Keep what the draft says: as a new memory, as the confirmation of an equal one, in place of an older one, or beside one that
    says otherwise (:mod:`vademecum.upkeep.integrate`).

    Args:
        by: who writes, through which door.
        replaces: ids of memories that it does away with.
        unique: number the file when its name is taken, instead of refusing.
        relation: to what is known, as stated by whoever read the conversation. target: id of the memory meant; "": the nearest.
        step: what the draft is to what is known, where that was looked at already. What waits touches nothing whatever it says.

    Raises:
        Refused: memory is switched off, or the guard does not let the text in.
        InvalidInput: no title or text. AlreadyExists: another memory stands where this one would go.
    """
    if not parts.enabled:
        raise Refused("Memory is switched off; nothing was written.", "Switch it on with: vade resume, or enabled = true")
    if not draft.title.strip():
        raise InvalidInput("A memory needs a title.")
    draft, warnings, quarantined = _guarded(parts, _signed(draft, by), by)
    _must_not_be_forgotten(parts, draft, by)
    if quarantined:
        draft = replace(draft, properties={**draft.properties, "status": "inbox", "trust": QUARANTINED})
    if draft.properties.get("status") == "inbox":
        draft, replaces = _touching_nothing(draft, tuple(replaces))
    if step is None or draft.properties.get("status") == "inbox":
        step = step_for(parts, draft, relation, target)
    if step.relation == "same":
        return _confirmed(parts, draft, step.others[0], replaces, by, warnings)
    joining = joining_of(step, replaces=replaces)
    numbered = unique or step.relation in ("update", "contradict")
    return _told(parts, parts.vault.save(draft, by=by, unique=numbered, joining=joining), step, joining, warnings)


def _touching_nothing(draft: Draft, replaces: tuple[str, ...]) -> tuple[Draft, tuple[str, ...]]:
    """What waits does away with nothing yet; it says what it would, so that approving it does."""
    if not replaces or "mining_target" in draft.properties:
        return draft, ()
    return replace(draft, properties={**draft.properties, "mining_relation": "update", "mining_target": replaces[0]}), ()


def _confirmed(parts: Parts, draft: Draft, known: str, replaces: Iterable[str], by: By, warnings: tuple[str, ...]) -> Saved:
    """An equal memory confirmed, in place of those that it shall replace and that still stand. One that only waits is taken in, when
    whoever says it now would have been believed."""
    waiting = parts.vault.get(known)
    believed = draft.properties.get("status", "active") == "active"
    older = tuple(one.id for one in map(parts.vault.get, replaces) if one.id != known and one.status in STANDING)
    if waiting.status == "inbox" and believed and (by.actor in ("user", "hand") or not is_for_the_person(waiting)):
        memory, action = parts.vault.take_in(known, Joining(replaces=older), by=by), "saved"
    else:
        memory, action = parts.vault.confirm(known, replaces=older, by=by), "confirmed"
    gone = [parts.vault.get(old) for old in older]
    index_memories(parts, [memory, *gone])
    titles = tuple(old.title for old in gone)
    return Saved("superseded" if older else action, memory, older, warnings, titles=titles)  # type: ignore[arg-type]


def is_for_the_person(proposal: Memory) -> bool:
    """Whether only the person may decide about it: it speaks to agents, came from outside, or would be a standing rule."""
    return proposal.trust == QUARANTINED or proposal.extra.get("mining_route") == "pending"


def joined(parts: Parts, memory: Memory, step: Step, *, by: By) -> Saved:
    """A memory that stands already, joined to those that it replaces, adds to, follows from or contradicts, as one operation."""
    joining = joining_of(step)
    kept = parts.vault.take_in(memory.id, joining, properties={"status": memory.status}, op=joining.op, by=by)
    return _told(parts, kept, step, joining)


def _told(parts: Parts, memory: Memory, step: Step, joining: Joining, warnings: tuple[str, ...] = ()) -> Saved:
    """Index a memory that was written and joined, with those that changed with it, and say what was done."""
    replaced = [parts.vault.get(old) for old in joining.replaces]
    disputed = [parts.vault.get(other) for other in joining.contradicts]
    index_memories(parts, [memory, *replaced, *disputed])
    action = _ACTIONS.get(memory.status, "superseded" if replaced else "saved")
    linked = tuple(other for relation, other in joining.links if relation != MAY_REPLACE)
    likely = next((other for relation, other in joining.links if relation == MAY_REPLACE), "")
    return Saved(
        action,  # type: ignore[arg-type]
        memory,
        joining.replaces,
        warnings,
        related=tuple(other.id for other in disputed) or linked,
        unclear=step.unclear,
        likely=likely,
        asked=bool(step.unclear) and doubt(parts, memory.uri, step.unclear),
        titles=tuple(old.title for old in replaced),
    )


def joining_of(step: Step, body: str | None = None, replaces: Iterable[str] = ()) -> Joining:
    """The step as one operation of the vault.

    Args:
        body: what the memory shall say; None: as it does. replaces: ids of memories that give way whatever the step says.
    """
    older = tuple(dict.fromkeys([*replaces, *(step.others if step.relation == "update" else ())]))
    links = tuple((LINKED_BY[step.relation], other) for other in step.others) if step.relation in LINKED_BY else ()
    if step.likely and step.likely not in older:
        links += ((MAY_REPLACE, step.likely),)
    return Joining(
        same_as=step.others[0] if step.relation == "same" else "",
        replaces=older,
        contradicts=tuple(other for other in step.others if other not in older) if step.relation == "contradict" else (),
        links=links,
        body=body,
    )


def merged(parts: Parts, memory: Memory, known: str, *, by: By) -> Saved:
    """A memory put away because the known one says the same, which is confirmed."""
    kept = parts.vault.take_in(memory.id, Joining(same_as=known), op="merge", by=by)
    index_memories(parts, [kept, parts.vault.get(memory.id)])
    return Saved("confirmed", kept, (memory.id,))


def evolve(parts: Parts, ref: str, reason: str, body: str, *, title: str, by: By) -> Saved:
    """Put a new memory in the place of one, which is archived whole; the index is not told.

    Raises:
        InvalidInput: no reason, or the memory is not active. Refused: by guard or settings.
    """
    text, warnings = cleaned(parts, body, by)
    why, name = cleaned(parts, reason, by)[0], cleaned(parts, title, by)[0]
    old = parts.vault.get(ref)
    new = parts.vault.evolve(old.id, text, why, new_title=name or None, by=by)
    return Saved("superseded", new, (old.id,), warnings, titles=(old.title,))


def _must_not_be_forgotten(parts: Parts, draft: Draft, by: By) -> None:
    """What was forgotten stays so, unless the person says it again (X-36).

    Raises:
        Refused: an agent or extraction brings it back.
    """
    gone = forgotten(parts)
    if by.actor not in ("user", "hand") and gone:
        source = str(draft.properties.get("source", ""))
        if source in gone.sources or gone.holds(f"{draft.title}\n{draft.body}"):
            raise Refused("The person had this forgotten; it is not written again.", "Only the person can say it again.")


def _signed(draft: Draft, by: By) -> Draft:
    """The draft saying who stands behind it, when it is not the person. What it claims beyond that does not count (X-37)."""
    own = _TRUST_OF.get(by.actor, "extracted")
    if own == "user":
        return draft
    claimed = draft.properties.get("trust")
    trust = claimed if claimed in _TRUST_ORDER[: _TRUST_ORDER.index(own)] else own
    return replace(draft, properties={**draft.properties, "trust": trust})


def _guarded(parts: Parts, draft: Draft, by: By) -> tuple[Draft, tuple[str, ...], bool]:
    """The draft as it may be written, what was noticed about it, and whether it must wait for a person."""
    title, said, wait = _judged(parts, draft.title, by)
    body, said_of_body, wait_for_body = _judged(parts, draft.body, by)
    properties, said_of_properties, wait_for_properties = _judged_values(parts, {**draft.properties, "tags": draft.tags}, by)
    tags = properties.pop("tags")
    warnings = tuple(dict.fromkeys(said + said_of_body + said_of_properties))
    waits = wait or wait_for_body or wait_for_properties
    return replace(draft, title=title, body=body, tags=tags, properties=properties), warnings, waits


def cleaned(parts: Parts, text: str, by: By) -> tuple[str, tuple[str, ...]]:
    """A text as it may be written into a memory that is already told, and what was noticed about it.

    Raises:
        Refused: the guard does not let it in, or would have it wait for the person, which only a new memory can.
    """
    clean, said, waits = _judged(parts, text, by)
    if waits:
        raise Refused(
            "Only the person may write this here: " + "; ".join(said), "Save it as a new memory: it waits in the inbox."
        )
    return clean, said


def cleaned_values(parts: Parts, values: Mapping[str, object], by: By) -> dict[str, Any]:
    """Properties as they may be written.

    Raises:
        Refused: as :func:`cleaned`.
    """
    if "trust" in values and by.actor not in ("user", "hand"):
        raise Refused("Only the person decides how far a memory is trusted.", "Leave trust out.")
    clean, said, waits = _judged_values(parts, values, by)
    if waits:
        raise Refused(
            "Only the person may write this here: " + "; ".join(said), "Save it as a new memory: it waits in the inbox."
        )
    return clean


def _judged_values(parts: Parts, values: Mapping[str, object], by: By) -> tuple[dict[str, Any], tuple[str, ...], bool]:
    """Every text among the values judged; what is no text passes as it is."""
    clean: dict[str, Any] = dict(values)
    said: tuple[str, ...] = ()
    waits = False
    for name, value in values.items():
        if not isinstance(value, str | list | tuple):
            continue
        judged = [_judged(parts, text, by) for text in ([value] if isinstance(value, str) else value)]
        clean[name] = judged[0][0] if isinstance(value, str) else tuple(text for text, _, _ in judged)
        said += tuple(notice for _, noticed, _ in judged for notice in noticed)
        waits = waits or any(wait for _, _, wait in judged)
    return clean, said, waits


def _judged(parts: Parts, text: str, by: By) -> tuple[str, tuple[str, ...], bool]:
    verdict = inspect(text, trust=_TRUST_OF.get(by.actor, "extracted"), interface=by.interface, policy=parts.policy)
    if verdict.findings and parts.guard_log is not None:
        parts.guard_log.write(_noted(verdict, by), parts.clock.now())
    said = tuple(_TOLD[finding.kind].format(rule=finding.rule, count=finding.count) for finding in verdict.findings)
    if verdict.action == "refuse":
        raise Refused("The guard lets nothing of this text in: " + "; ".join(said))
    return verdict.text_clean, said, verdict.action == "quarantine"


def _noted(verdict: Verdict, by: By) -> dict[str, object]:
    """What the log tells of a verdict: who, through which door, what sort; never what the text said."""
    found = sorted({f"{one.kind}:{one.rule}" for one in verdict.findings})
    return {"action": verdict.action, "actor": by.actor, "interface": by.interface, "found": found}


def similar(parts: Parts, text: str, scope: Scope, limit: int) -> tuple[Item, ...]:
    """Items that share the rarest words of `text`, best first."""
    found = parts.index.words(parts.index.terms(text, STOP), scope, limit * 4, budget=4000)
    keys = list(dict.fromkeys(one.item for one in found))[:limit]
    items = parts.index.items(keys)
    return tuple(items[key] for key in keys if key in items)


def changed(parts: Parts, *memories: Memory, gone: Iterable[str] = ()) -> Memory:
    """Index memories that a verb has just changed; gives back the first."""
    index_memories(parts, memories, gone)
    return memories[0]
