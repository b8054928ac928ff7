"""The write gate: validate, guard, detect duplicates, write, journal, index. Every entry point writes through it (rule 4)."""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.llm_queue import queue_comparison
from vademecum.context.tombstones import forgotten
from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.item import Item
from vademecum.domain.memory import QUARANTINED, TRUST_OF, TRUSTS, By, Draft, Memory
from vademecum.domain.query import Scope
from vademecum.domain.relations import MAY_REPLACE, REPLACES, Joining, Relation
from vademecum.domain.saved import Saved
from vademecum.guard import Verdict
from vademecum.language.text import common_words
from vademecum.plugin import observed
from vademecum.reconcile.decide import STANDING, Step, step_for
from vademecum.vault.authority import is_for_the_person
from vademecum.write.binding import binds
from vademecum.write.hold_for_branch import on_branch
from vademecum.write.incoming import incoming, without_envelope

_NOTICES = {
    "secret": "a secret ({rule}) was replaced by a placeholder",
    "personal": "personal data ({rule}) was replaced by a placeholder",
    "hidden": "{count} hidden characters were taken out ({rule})",
    "command": "it speaks to an agent ({rule})",
}

#: Notice for the caller about a memory that is held for a branch.
HELD = "it is shown only on the branch it was learned on ({}) until that is merged; to show it everywhere: vade edit REF --set branch="

#: Notices for an agent whose own text would be an instruction to agents, and the rationale shown to the person.
BINDS = "it instructs agents, so it waits in the inbox until the person approves it; quote their typed words to save it at once"
WAITS = "It is not shown yet: it is a proposal and waits in the inbox until the person decides."
ASKED = "agent.order: an agent asks to have this followed"

#: Replaces a line that the guard withholds.
LEFT_OUT = "(left out: it speaks to an agent)"
#: Boolean properties that a repeated save can set.
_FLAGS = ("always_load", "pin")
_ACTIONS = {"inbox": "inbox", "disputed": "disputed"}
#: Relation of a statement -> property of its note that links to the other memory.
LINKED_BY = {"extend": "refines", "derive": "derived_from"}

#: Maximum number of sources named by a memory besides the first.
SOURCES_NAMED = 10


class Stated(Struct, frozen=True, kw_only=True):
    """Facts about a draft besides its text.

    Attributes:
        relation: to existing memories, as the reader of the conversation states it. target: id of the memory meant; "": the closest.
        may_replace: id of a memory that it may replace according to its words; both stay. "" for none.
        named: the person's own words state the relation to `target`, so it always applies.
        vouched: the person's own typed words support it, whoever writes; it counts as theirs.
        learned: adds the branch on which a conversation stated it (:func:`vademecum.write.hold_for_branch.on_branch`).
    """

    relation: Relation = "new"
    target: str = ""
    may_replace: str = ""
    named: bool = False
    vouched: bool = False
    learned: Callable[[Draft], Draft] = lambda draft: draft


UNSTATED = Stated()


@observed("save", attrgetter("clock"))
def keep(
    context: Context,
    draft: Draft,
    *,
    by: By,
    replaces: Iterable[str] = (),
    unique: bool = False,
    stated: Stated = UNSTATED,
) -> Saved:
    """Save a draft: as a new memory, as confirmation of an equal one, in place of an older one, or in conflict with another.

    :mod:`vademecum.reconcile.decide` decides which.

    Args:
        by: the author and interface.
        replaces: ids of memories that the caller explicitly replaces.
        unique: number the file if its name is taken, instead of refusing.
        stated: facts about the draft besides its text.

    Raises:
        Refused: memory is switched off, or the guard rejects the text.
        InvalidInput: no title or text. AlreadyExists: there is another memory at the place.
    """
    context.must_be_enabled("nothing was written")
    draft = stated.learned(draft)
    if by.actor != "extraction":  # extracted text is a sentence of a conversation, never a complete note
        draft = on_branch(context, context.folder)(incoming(draft), None)
    if not draft.title.strip():
        raise InvalidInput("A memory needs a title.")
    draft, warnings, quarantined = guarded(context, draft if stated.vouched else signed(draft, by), by)
    must_not_be_forgotten(context, draft, by)
    if quarantined:
        draft = replace(draft, properties={**draft.properties, "status": "inbox", "trust": QUARANTINED})
    elif by.actor == "agent" and not stated.vouched and draft.properties.get("status") != "inbox" and binds(draft):
        warnings = (*warnings, BINDS)
        draft = replace(
            draft, properties={**draft.properties, "status": "inbox", "mining_route": "pending", "mining_rationale": ASKED}
        )
    if draft.properties.get("status") == "inbox" or draft.properties.get("branch"):
        draft, replaces = _touching_nothing(draft, tuple(replaces), stated.relation, stated.target)
    step = step_for(context, draft, stated.relation, stated.target, approved=stated.named)
    if step.relation == "same":
        return _confirmed(context, draft, step.others[0], replaces, by, warnings)
    if stated.may_replace and not step.others and draft.properties.get("status") != "inbox":
        step = replace(step, likely=step.likely or stated.may_replace)
    joining = joining_of(step, replaces=replaces)
    numbered = unique or bool(step.likely) or step.relation in ("update", "contradict")
    saved = _result(context, context.vault.save(draft, by=by, unique=numbered, joining=joining), step, joining, warnings)
    return replace(saved, note=WAITS) if saved.action == "inbox" and by.actor == "agent" else saved


def _touching_nothing(
    draft: Draft, replaces: tuple[str, ...], relation: Relation, target: str
) -> tuple[Draft, tuple[str, ...]]:
    """Return a pending or branch-held draft that replaces nothing yet. Its properties say what it would replace on approval or merge."""
    relation, target = ("update", replaces[0]) if replaces else (relation, target)
    if not target or "mining_target" in draft.properties:
        return draft, ()
    named = {REPLACES: replaces} if replaces else {}
    return replace(draft, properties={**draft.properties, "mining_relation": relation, "mining_target": target, **named}), ()


def _confirmed(context: Context, draft: Draft, known: str, replaces: Iterable[str], by: By, warnings: tuple[str, ...]) -> Saved:
    """Confirm an equal memory, and supersede the memories in `replaces` that are still active.

    A pending memory is accepted if the new speaker is trusted enough to have saved it directly. Tags and flags are merged, and
    history saves the words. A source that already stated the memory does not confirm it, however often it is read.
    """
    waiting = context.vault.get(known)
    believed = draft.properties.get("status", "active") == "active"
    older = tuple(other.id for other in map(context.vault.get, replaces) if other.id != known and other.status in STANDING)
    given = _given_too(draft, waiting) if believed and by.actor != "extraction" else {}
    text = f"said again: {draft.title}: {draft.body}" if draft.body.strip() else f"said again: {draft.title}"
    if waiting.status == "inbox" and believed and (by.actor in ("user", "hand") or not is_for_the_person(waiting)):
        memory, action = (
            context.vault.take_in(known, Joining(replaces=older), "" if older else text, properties=given, by=by),
            "saved",
        )
    elif (_has_source(draft, waiting) or is_left_out(context, waiting, draft.properties.get("source"))) and not (
        older or given
    ):
        memory, action = waiting, "confirmed"
    else:
        given |= _sources_with(draft, waiting)
        memory, action = context.vault.confirm(known, replaces=older, said=text, properties=given, by=by), "confirmed"
    gone = [context.vault.get(old) for old in older]
    titles = tuple(old.title for old in gone)
    return Saved("superseded" if older else action, memory, older, warnings, titles=titles)  # type: ignore[arg-type]


def _given_too(draft: Draft, known: Memory) -> dict[str, object]:
    """Return the properties of the draft that the known memory lacks: tags, aliases, and flags that are set."""
    tags = [*dict.fromkeys((*known.tags, *draft.tags))]
    given = draft.properties.get("aliases")
    aliases = [*dict.fromkeys((*known.aliases, *(given if isinstance(given, list | tuple) else ())))]
    lists = {"tags": (tags, known.tags), "aliases": (aliases, known.aliases)}
    flags = {name: True for name in _FLAGS if draft.properties.get(name) and not getattr(known, name)}
    return {**flags, **{name: new for name, (new, old) in lists.items() if new != list(old)}}


def _has_source(draft: Draft, known: Memory) -> bool:
    """Return whether the memory already has the draft's source."""
    return bool(draft.properties.get("source")) and draft.properties["source"] in (known.source, *sources_of(known))


def is_left_out(context: Context, known: Memory, source: object) -> bool:
    """Return whether a memory was hidden in this session on purpose (hold-out).

    Repeating it there does not confirm it, since hiding it would otherwise make it stronger.
    """
    return bool(source) and known.uri in context.state.lots.left_out(str(source))


def _sources_with(draft: Draft, known: Memory) -> dict[str, object]:
    """Return the sources of an accepted memory plus the draft's; those of a proposal are counted when it is routed."""
    source = draft.properties.get("source")
    return {"mining_sessions": (*sources_of(known), source)[-SOURCES_NAMED:]} if source and known.status != "inbox" else {}


def sources_of(known: Memory) -> tuple[object, ...]:
    """Return the sources of a memory besides the first, or those of a proposal."""
    sources = known.extra.get("mining_sessions")
    return tuple(sources) if isinstance(sources, list | tuple) else ()


def joined(context: Context, memory: Memory, step: Step, *, by: By) -> Saved:
    """Join an existing memory to those that it replaces, extends, derives from or contradicts, as one operation."""
    joining = joining_of(step)
    kept = context.vault.take_in(memory.id, joining, properties={"status": memory.status}, op=joining.op, by=by)
    return _result(context, kept, step, joining)


def _result(context: Context, memory: Memory, step: Step, joining: Joining, warnings: tuple[str, ...] = ()) -> Saved:
    """Return the result for a memory that was written and joined."""
    replaced = [context.vault.get(old) for old in joining.replaces]
    disputed = [context.vault.get(other) for other in joining.contradicts]
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
        asked=bool(step.unclear) and queue_comparison(context, memory.uri, step.unclear),
        titles=tuple(old.title for old in replaced),
        note=HELD.format(memory.branch) if memory.branch else "",
    )


def joining_of(step: Step, body: str | None = None, replaces: Iterable[str] = ()) -> Joining:
    """Convert a step to one operation of the vault.

    Args:
        body: new text of the memory; None: unchanged. replaces: ids of memories to supersede in any case.
    """
    older = tuple(dict.fromkeys([*replaces, *(step.others if step.relation == "update" else ())]))
    links = tuple((LINKED_BY[step.relation], other) for other in step.others) if step.relation in LINKED_BY else ()
    links += tuple((MAY_REPLACE, entry) for entry in (step.likely, *step.also_likely) if entry and entry not in older)
    return Joining(
        same_as=step.others[0] if step.relation == "same" else "",
        replaces=older,
        contradicts=tuple(other for other in step.others if other not in older) if step.relation == "contradict" else (),
        links=links,
        body=body,
    )


def merged(context: Context, memory: Memory, known: str, *, by: By) -> Saved:
    """Archive a memory as a duplicate of a known one, which is confirmed."""
    kept = context.vault.take_in(memory.id, Joining(same_as=known), op="join", by=by)
    return Saved("confirmed", kept, (memory.id,))


def must_not_be_forgotten(context: Context, draft: Draft, by: By) -> None:
    """Refuse forgotten content, unless the person says it again (X-36).

    Raises:
        Refused: an agent or extraction brings it back.
    """
    gone = forgotten(context)
    if by.actor not in ("user", "hand") and gone:
        source = str(draft.properties.get("source", ""))
        if source in gone.sources or gone.holds(f"{draft.title}\n{draft.body}"):
            raise Refused("The person had this forgotten, so it is not saved again.", "Only the person can say it again.")


def signed(draft: Draft, by: By) -> Draft:
    """Return the draft with the trust of its author, if that is not the person: nobody can grant more trust than they have (X-37)."""
    own = TRUST_OF[by.actor]
    if own == "user":
        return draft
    claimed = draft.properties.get("trust")
    trust = claimed if claimed in TRUSTS[TRUSTS.index(own) + 1 :] else own
    return replace(draft, properties={**draft.properties, "trust": trust})


def guarded(context: Context, draft: Draft, by: By) -> tuple[Draft, tuple[str, ...], bool]:
    """Return the draft with cleaned texts, the guard's notices, and whether it must wait for the person."""
    title, texts, wait = _judged(context, draft.title, by)
    body, said_of_body, wait_for_body = _judged(context, draft.body, by)
    properties, said_of_properties, wait_for_properties = _judged_values(context, {**draft.properties, "tags": draft.tags}, by)
    tags = properties.pop("tags")
    warnings = tuple(dict.fromkeys(texts + said_of_body + said_of_properties))
    waits = wait or wait_for_body or wait_for_properties
    return replace(draft, title=title, body=body, tags=tags, properties=properties), warnings, waits


def cleaned(context: Context, text: str, by: By) -> tuple[str, tuple[str, ...]]:
    """Return a text cleaned for writing into an existing memory, and the guard's notices.

    Raises:
        Refused: the guard rejects it, or would hold it for the person, which is only possible for a new memory.
    """
    values, texts = _only_of_the_person(_judged_values(context, {"text": text}, by))
    return values["text"], texts


def cleaned_values(context: Context, values: Mapping[str, object], by: By) -> dict[str, Any]:
    """Return properties with cleaned texts.

    Raises:
        Refused: as :func:`cleaned`.
    """
    if "trust" in values and by.actor not in ("user", "hand"):
        raise Refused("Only the person decides how far a memory is trusted.", "Leave trust out.")
    return _only_of_the_person(_judged_values(context, values, by))[0]


def _only_of_the_person(judged: tuple[dict[str, Any], tuple[str, ...], bool]) -> tuple[dict[str, Any], tuple[str, ...]]:
    clean, texts, waits = judged
    if waits:
        raise Refused(
            "Only the person may write this here: " + "; ".join(texts), "Save it as a new memory: it waits in the inbox."
        )
    return clean, texts


def _judged_values(context: Context, values: Mapping[str, object], by: By) -> tuple[dict[str, Any], tuple[str, ...], bool]:
    """Return the values with every text cleaned; other types pass unchanged."""
    clean: dict[str, Any] = dict(values)
    texts: tuple[str, ...] = ()
    waits = False
    for name, value in values.items():
        if not isinstance(value, str | list | tuple):
            continue
        judged = [_judged(context, text, by) for text in ([value] if isinstance(value, str) else value)]
        clean[name] = judged[0][0] if isinstance(value, str) else tuple(text for text, _, _ in judged)
        texts += tuple(notice for _, noticed, _ in judged for notice in noticed)
        waits = waits or any(wait for _, _, wait in judged)
    return clean, texts, waits


def _judged(context: Context, text: str, by: By) -> tuple[str, tuple[str, ...], bool]:
    verdict = context.guard.judge(without_envelope(text), trust=TRUST_OF[by.actor], interface=by.interface)
    if verdict.findings and context.storage.guard_log is not None:
        context.storage.guard_log.write(_noted(verdict, by), context.clock.now())
    said = tuple(_NOTICES[finding.kind].format(rule=finding.rule, count=finding.count) for finding in verdict.findings)
    if verdict.action == "refuse":
        raise Refused("The guard refuses this text: " + "; ".join(said))
    return verdict.text_clean, said, verdict.action == "quarantine"


def _noted(verdict: Verdict, by: By) -> dict[str, object]:
    """Return the log entry of a verdict: actor, interface and kind of finding; never the text."""
    texts = sorted({f"{finding.kind}:{finding.rule}" for finding in verdict.findings})
    return {"action": verdict.action, "actor": by.actor, "interface": by.interface, "found": texts}


def line_of(context: Context, text: str, by: By) -> str:
    """Return a cleaned line by `by` for a page with lines of several speakers, without forgotten content.

    A line that the guard rejects or holds becomes LEFT_OUT.
    """
    try:
        clean, _, waits = _judged(context, text, by)
    except Refused:
        return LEFT_OUT
    return LEFT_OUT if waits else forgotten(context).blank(clean)


def record(context: Context, draft: Draft, slug: str, *, by: By, known: str = "", replaces: Iterable[str] = ()) -> Saved:
    """Write a page whose lines were cleaned one by one (:func:`line_of`): a new one, or new content of `known` under its id.

    Args:
        slug: file name, numbered if it is taken. replaces: ids of memories that a new page supersedes.

    Raises:
        Refused: memory is switched off, or its source was forgotten.
    """
    context.must_be_enabled("nothing was written")
    if draft.properties.get("source") in forgotten(context).sources:
        raise Refused("The person had this forgotten, so it is not saved again.", "Only the person can say it again.")
    older = tuple(replaces)
    if known:
        memory = context.vault.rewrite(known, draft, slug, by=by)
    else:
        memory = context.vault.save(draft, by=by, slug=slug, unique=True, joining=Joining(replaces=older))
    gone = [context.vault.get(entry) for entry in older]
    return Saved("superseded" if older else "saved", memory, older, titles=tuple(other.title for other in gone))


def similar(context: Context, text: str, scope: Scope, limit: int) -> tuple[Item, ...]:
    """Return items that share the rarest words of `text`, best first."""
    hit = context.index.words(context.index.terms(text, common_words(text)), scope, limit * 4, budget=4000)
    keys = list(dict.fromkeys(found.item for found in hit))[:limit]
    items = context.index.items(keys)
    return tuple(items[key] for key in keys if key in items)
