"""Proposals for an agent's changes to the person's memories: each names the change and shows both texts.

A new text waits as a memory that replaces the old one when it is approved. Any other change (a tag, a status, a flag, a place)
waits as a description, with the new properties of each memory; approving carries them out as one operation.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, NeedsPerson, NotFound, Proposed, Refused
from vademecum.domain.memory import Draft, Memory
from vademecum.domain.relations import REPLACES
from vademecum.domain.saved import Saved
from vademecum.language.text import brief
from vademecum.vault.callouts import without_callouts
from vademecum.vault.frontmatter import read
from vademecum.vault.journal import Change
from vademecum.vault.relate import Wanted
from vademecum.write.gate import WAITS, keep

#: Property of a proposal: the changes to memories, as JSON.
CHANGE = "mining_change"
#: Maximum characters shown of each text.
_SHOWN_CHARS = 1_000
#: Properties that a new text inherits from the one it would replace.
_INHERITED = ("project", "agent", "facet", "topics", "always_load", "priority", "pin", "profile", "visibility", "importance")
#: Properties set by every write; not part of a proposal.
_STAMPS = frozenset({"id", "updated", "created"})


def propose(context: Context, error: NeedsPerson) -> Saved:
    """Save a refused change as a proposal, and return that it waits.

    Raises:
        Refused: it cannot be a proposal, or the guard rejects its text. Nothing was written.
    """
    if any(change.memory and change.before and change.before.text is None for change in error.changes):
        raise Refused(error.message, error.hint)
    made = _as_new_text(context, error) or _as_description(context, error)
    saved = keep(context, made, by=error.by, unique=True)
    return Saved("inbox", saved.memory, warnings=saved.warnings, note=f"{error.message} {WAITS}")


def proposed(context: Context, error: NeedsPerson) -> Proposed:
    """Return the error that reports a refused change as a pending proposal."""
    memory = propose(context, error).memory
    assert memory is not None
    return Proposed(memory.id, memory.title, memory.path, error.message)


def _as_new_text(context: Context, error: NeedsPerson) -> Draft | None:
    """Return a proposal with a text that replaces others; None if the change is of another type."""
    changed = [change for change in error.changes if change.memory and change.before and change.after]
    fresh = [change for change in error.changes if change.memory and change.before is None and change.after]
    if len({change.memory for change in fresh}) == 1:
        new = fresh[0].memory
        last = [change.after for change in error.changes if change.memory == new and change.after][-1]
        older = [change.memory for change in changed if change.memory != new and _gives_way_to(change, new)]
        text = last.text or ""
    elif len(changed) == 1 and not fresh and _body(changed[0].before) != _body(changed[0].after):
        older, text = [changed[0].memory], changed[0].after.text or ""
    else:
        return None
    front = read(text)
    fields = front.values()
    if not older:  # a new memory that would be loaded into every session: the proposal is the memory itself
        return Draft(
            str(fields.get("kind")), str(fields.get("title")), front.body, _tags(fields), properties=_waiting(fields, error, "")
        )
    old = context.vault.get(older[0])
    given = {name: getattr(old, name) for name in _INHERITED} | {REPLACES: tuple(older)}
    why = f"would replace {old.title!r}: {_shown(old.body)}"
    properties = _waiting({**given, "mining_relation": "update", "mining_target": old.id}, error, why)
    return Draft(old.kind, str(fields.get("title") or old.title), front.body, old.tags, properties=properties)


def _as_description(context: Context, error: NeedsPerson) -> Draft:
    """Return a proposal that describes a change without a new text."""
    wanted, lines, first = list[dict[str, Any]](), list[str](), None
    for change in error.changes:
        if not change.memory or change.before is None:
            continue
        try:
            memory = context.vault.get(change.memory)
        except NotFound as gone:
            raise Refused(error.message, error.hint) from gone
        first = first or memory
        fields = _wanted(context, change, memory)
        wanted.append(fields)
        lines += [f"**{memory.title}** ({memory.id})", "", *_change_lines(fields, memory), ""]
    if first is None:
        raise Refused(error.message, error.hint)
    properties = _waiting(
        {"project": first.project, "mining_target": first.id, CHANGE: json.dumps(wanted, ensure_ascii=False, default=_dated)},
        error,
        f"would {error.op} {first.title!r}",
    )
    asked = f"An agent asks to {error.op} this:" if not error.reason else f"An agent asks to {error.op} this ({error.reason}):"
    title = brief(f"{error.op}: {first.title}", 200)
    return Draft(first.kind, title, "\n".join([asked, "", *lines]), first.tags, properties=properties)


def _wanted(context: Context, change: Change, memory: Memory) -> dict[str, Any]:
    """Return the changes to one memory: properties, body, place."""
    if change.after is None or change.after.text is None:
        return {"memory": memory.id, "set": {"status": "archived"}}
    before, after = read(context.vault.file(memory.id)[1]), read(change.after.text)
    was, will = before.values(), after.values()
    differ = {name: will.get(name) for name in {**was, **will} if name not in _STAMPS and was.get(name) != will.get(name)}
    fields: dict[str, Any] = {"memory": memory.id, "set": differ}
    if without_callouts(before.body) != without_callouts(after.body):
        fields |= {"body": after.body, "instead_of": before.body}
    if change.after.path != memory.path:
        fields["path"] = change.after.path
    if change.after.space != memory.space:
        fields["space"] = change.after.space
    return fields


def _change_lines(fields: Mapping[str, Any], memory: Memory) -> list[str]:
    """Return the current content of a memory and its proposed changes, as lines."""
    lines = [f"> {line}".rstrip() for line in (_shown(memory.body) or memory.title).splitlines()] + [""]
    for name, value in fields["set"].items():
        held = getattr(memory, name, memory.extra.get(name, ""))
        lines.append(f"- {name}: {_value(held)} → {_value(value)}")
    lines += [f"- place: {memory.path} → {fields['path']}"] if "path" in fields else []
    lines += ["- text:", "", *(f"> {line}" for line in _shown(fields["body"]).splitlines())] if "body" in fields else []
    return lines


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value in (None, "", False) else str(value)


def wanted_of(proposal: Memory) -> tuple[Wanted, ...]:
    """Return the changes that approving a proposal would make; empty if it proposes a text.

    Raises:
        InvalidInput: its content cannot be read.
    """
    written = proposal.extra.get(CHANGE)
    if not written:
        return ()
    try:
        return msgspec.json.decode(str(written), type=tuple[Wanted, ...])
    except msgspec.DecodeError as error:
        raise InvalidInput("What this proposal would change cannot be read any more.", "Reject it.") from error


def replaced_by(proposal: Memory) -> tuple[str, ...]:
    """Return ids of the memories that a proposal would replace."""
    value = proposal.extra.get(REPLACES)
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),) if value else ()


def _waiting(given: Mapping[str, object], error: NeedsPerson, why: str) -> dict[str, object]:
    """Return the properties of a proposal that only the person may decide: those given, its status, and the rationale."""
    named = {
        name: value
        for name, value in given.items()
        if name in (*_INHERITED, REPLACES, CHANGE, "mining_relation", "mining_target")
    }
    fields = {
        "status": "inbox",
        "mining_route": "pending",
        "mining_rationale": f"agent.{error.op}: {why or 'binds every session'}",
    }
    because = {"mining_excerpt": error.reason} if error.reason else {}
    return {name: value for name, value in {**named, **fields, **because}.items() if value not in (None, "", False, (), [])}


def _dated(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _gives_way_to(change: Change, new: str) -> bool:
    return change.after is not None and new in str(read(change.after.text or "").texts().get("superseded_by") or "")


def _body(entry: Any) -> str:
    return without_callouts(read(entry.text or "").body).strip() if entry else ""


def _tags(fields: Mapping[str, object]) -> tuple[str, ...]:
    tags = fields.get("tags") or ()
    return tuple(map(str, tags)) if isinstance(tags, Sequence) and not isinstance(tags, str) else (str(tags),)


def _shown(text: str) -> str:
    return brief(without_callouts(text).strip(), _SHOWN_CHARS)
