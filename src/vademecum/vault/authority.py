"""Permissions of agents: a memory on the person's word is changed only by the person, or by quoting words they typed today.

Every change of a file is checked here (:class:`vademecum.vault.writer.Writer`), whatever verb, tool or route asked for it. An
agent may still add to a memory what does not change its content: a confirmation, a conflict with another memory, relations.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from vademecum.domain.errors import NeedsPerson
from vademecum.domain.memory import QUARANTINED, By, Memory
from vademecum.domain.query import is_withheld
from vademecum.vault.callouts import without_callouts
from vademecum.vault.journal import Change, Version

#: Trust levels of the person's word: typed, said in a conversation, or confirmed by them.
_THEIRS = ("user", "extracted")
#: Fields of the person's memory that an agent may change: links to others, counters, and facts about the file.
_FREE = frozenset(
    {
        "etag", "updated", "last_confirmed", "confirmations", "contradicts", "may_replace", "refines", "derived_from", "related",
        "extra", "edges", "evidence", "body", "status", "path",
    }
)  # fmt: skip
#: Fields that rank a memory higher or load it into every session; 0 and False have no effect.
_FAVOURS = ("always_load", "pin", "priority")
#: Levels at which a memory stops a tool call: only the person sets them.
_ACTING = ("pause", "barrier")
#: Statuses from which an agent may restore a memory only by undoing its own action.
_PUT_AWAY = ("archived", "superseded", "resolved")
#: From most to least visible.
_OPEN_FIRST = ("public", "internal", "private")


def stands_on_their_word(memory: Memory) -> bool:
    """Return whether a memory is the person's own word, or was confirmed by them."""
    if memory.status == "inbox":
        return memory.trust == "user"
    return memory.trust in _THEIRS or (memory.trust == "agent" and memory.last_confirmed is not None)


def is_for_the_person(proposal: Memory) -> bool:
    """Return whether only the person may decide about a proposal: it came from outside, instructs agents, or would be a standing rule."""
    return proposal.trust == QUARANTINED or proposal.extra.get("mining_route") == "pending"


def must_be_allowed(
    op: str, changes: Sequence[Change], by: By, reason: str, memory_of: Callable[[Version], Memory | None]
) -> None:
    """Refuse changes by an agent, without words that the person typed, that only the person may make.

    Args:
        memory_of: returns the memory in a version of a file; None for a note of the person's or a generated page.

    Raises:
        NeedsPerson: there are such changes. Nothing was written.
    """
    refused = list(_refused(op, changes, memory_of))
    if refused:
        raise NeedsPerson([memory.title for memory in refused], op, tuple(changes), by, reason)


def _refused(op: str, changes: Iterable[Change], memory_of: Callable[[Version], Memory | None]) -> Iterator[Memory]:
    """Yield the memories that the agent may not change in this way."""
    for change in changes:
        before = memory_of(change.before) if change.memory and change.before else None
        after = memory_of(change.after) if change.memory and change.after else None
        if before is None:
            if after is not None and (
                (after.status != "inbox" and any(getattr(after, name) for name in _FAVOURS)) or after.level in _ACTING
            ):
                yield after
        elif after is None:
            if stands_on_their_word(before):
                yield before
        elif _is_refused(before, after) or (op == "restore" and before.status in _PUT_AWAY):
            yield before


def _is_refused(before: Memory, after: Memory) -> bool:
    """Return whether an agent may not change a memory in this way."""
    decides = before.status == "inbox" and is_for_the_person(before) and after.status not in ("inbox", "archived")
    favours = (
        any(getattr(after, name) not in (0, False, getattr(before, name)) for name in _FAVOURS) and after.status != "inbox"
    )
    acts = after.level in _ACTING and after.level != before.level
    if decides or favours or acts or _opens(before, after):
        return True
    if not stands_on_their_word(before):
        return False
    if (before.status, after.status) not in ((before.status, before.status), ("active", "disputed")):
        return True
    if without_callouts(before.body).strip() != without_callouts(after.body).strip() or before.path != after.path:
        return True
    return any(getattr(before, name) != getattr(after, name) for name in Memory.__struct_fields__ if name not in _FREE)


def _opens(before: Memory, after: Memory) -> bool:
    """Return whether more readers would see a memory: by a removed withholding tag, a wider visibility or another agent."""
    wider = _OPEN_FIRST.index(after.visibility) < _OPEN_FIRST.index(before.visibility)
    other_agent = bool(before.agent) and before.agent != after.agent
    return wider or other_agent or (is_withheld(before.tags) and not is_withheld(after.tags))
