"""The write gate: validate, guard, recognise what is known already, write, journal, index. Every entrance passes here (rule 4)."""

from collections.abc import Iterable
from dataclasses import replace

from vademecum.guard import inspect
from vademecum.index.items import plain_text
from vademecum.model.errors import InvalidInput, Refused
from vademecum.model.item import Item
from vademecum.model.memory import Draft, Memory
from vademecum.model.query import Scope
from vademecum.model.reports import Saved
from vademecum.recall.shape import STOP
from vademecum.upkeep.follow import index_memories
from vademecum.upkeep.parts import Parts

#: Memories looked at when asking whether the same text is known.
TWINS_LOOKED_AT = 12


def keep(parts: Parts, draft: Draft, *, actor: str, interface: str, replaces: Iterable[str] = ()) -> Saved:
    """Keep what the draft says: as a new memory, as the confirmation of an equal one, or in place of an older one.

    Raises:
        Refused: memory is switched off, or the guard does not let the text in.
        InvalidInput: no title or text. AlreadyExists: another memory stands where this one would go.
    """
    if not parts.enabled:
        raise Refused("Memory is switched off; nothing was written.", "Switch it on with: enabled = true")
    if not draft.title.strip():
        raise InvalidInput("A memory needs a title.")
    draft, warnings, quarantined = _guarded(draft, actor, interface)
    twin = _twin(parts, draft)
    if twin is not None:
        confirmed = parts.vault.confirm(twin, actor=actor, interface=interface)
        index_memories(parts, [confirmed])
        return Saved("confirmed", confirmed, warnings=warnings)
    if quarantined:
        draft = replace(draft, properties={**draft.properties, "status": "inbox"})
    memory = parts.vault.save(draft, actor=actor, interface=interface)
    replaced = [parts.vault.supersede(old, memory.id, "replaced by a newer memory", actor=actor, interface=interface) for old in replaces]
    memory = parts.vault.get(memory.id)
    index_memories(parts, [memory, *replaced])
    action = "superseded" if replaced else "inbox" if memory.status == "inbox" else "saved"
    return Saved(action, memory, tuple(old.id for old in replaced), warnings)  # type: ignore[arg-type]


def _guarded(draft: Draft, actor: str, interface: str) -> tuple[Draft, tuple[str, ...], bool]:
    """The draft as it may be written, what was changed about it, and whether it must wait for a person."""
    trust = {"user": "user", "agent": "agent"}.get(actor, "extracted")
    title = inspect(draft.title, trust=trust, interface=interface)
    body = inspect(draft.body, trust=trust, interface=interface)
    for verdict in (title, body):
        if verdict.action == "refuse":
            raise Refused("The guard does not let this in: " + "; ".join(_told(verdict.findings)))
    cleaned = replace(draft, title=title.text, body=body.text)
    warnings = tuple(dict.fromkeys(_told(title.findings) + _told(body.findings)))
    return cleaned, warnings, "quarantine" in (title.action, body.action)


def _told(findings: Iterable[object]) -> list[str]:
    return [str(finding) for finding in findings]


def _twin(parts: Parts, draft: Draft) -> str | None:
    """Id of an active memory of the same kind that says the same, or None."""
    text = plain_text(draft.body) or plain_text(draft.title)
    terms = parts.index.terms(f"{draft.title} {draft.body[:400]}", STOP)
    found = parts.index.words(terms, Scope(sources=("memory",), kinds=(draft.kind,), statuses=("active", "inbox")), TWINS_LOOKED_AT, budget=4000)
    for key in dict.fromkeys(one.item for one in found):
        whole = "\n".join(stored.passage.text for stored in parts.index.passages_of(key))
        if plain_text(whole) == text:
            return key.removeprefix("memory://")
    return None


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
