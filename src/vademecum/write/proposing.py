"""What an agent wants to change of the person's: put before them as a proposal that names it and shows both texts.

A new text waits as a memory that takes the old one's place when it is approved. Any other change (a tag, a status, a flag, a place) waits
as a description, with the properties that each memory would get; approving carries them out as one operation.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, NeedsPerson, NotFound, Proposed, Refused
from vademecum.domain.memory import Draft, Memory
from vademecum.domain.relations import REPLACES
from vademecum.language.text import brief
from vademecum.vault.callouts import without_callouts
from vademecum.vault.frontmatter import read
from vademecum.vault.journal import Change
from vademecum.vault.relate import Wanted
from vademecum.write.gate import WAITS, Saved, keep

#: Property of a proposal: what would be changed of which memories, as JSON.
CHANGE = "mining_change"
#: Of a text beside another so many characters are shown.
_SHOWN_CHARS = 1_000
#: What a new text takes over from the one that it would replace.
_INHERITED = ("project", "agent", "facet", "topics", "always_load", "priority", "pin", "profile", "visibility", "importance")
#: Set by every write; no part of what is proposed.
_STAMPS = frozenset({"id", "updated", "created"})


def propose(context: Context, error: NeedsPerson) -> Saved:
    """Put what was refused before the person, and say that it waits.

    Raises:
        Refused: it cannot be put as a proposal, or the guard does not let its text in. Nothing was written.
    """
    if any(change.memory and change.before and change.before.text is None for change in error.changes):
        raise Refused(error.message, error.hint)
    made = _as_new_text(context, error) or _as_description(context, error)
    saved = keep(context, made, by=error.by, unique=True)
    return Saved("inbox", saved.memory, warnings=saved.warnings, note=f"{error.message} {WAITS}")


def proposed(context: Context, error: NeedsPerson) -> Proposed:
    """Return the error that says that a refused change waits as a proposal."""
    memory = propose(context, error).memory
    assert memory is not None
    return Proposed(memory.id, memory.title, memory.path, error.message)


def _as_new_text(context: Context, error: NeedsPerson) -> Draft | None:
    """Return the proposal of a text that takes the place of others; None when the change is no such."""
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
    if not older:  # a new memory that would stand in every session: it waits as it is
        return Draft(
            str(fields.get("kind")), str(fields.get("title")), front.body, _tags(fields), properties=_waiting(fields, error, "")
        )
    old = context.vault.get(older[0])
    given = {name: getattr(old, name) for name in _INHERITED} | {REPLACES: tuple(older)}
    why = f"would replace {old.title!r}: {_shown(old.body)}"
    properties = _waiting({**given, "mining_relation": "update", "mining_target": old.id}, error, why)
    return Draft(old.kind, str(fields.get("title") or old.title), front.body, old.tags, properties=properties)


def _as_description(context: Context, error: NeedsPerson) -> Draft:
    """Return the proposal of a change that is no new text."""
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
        lines += [f"**{memory.title}** ({memory.id})", "", *_told(fields, memory), ""]
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
    """Return what one memory would get: other properties, a body, a place."""
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


def _told(fields: Mapping[str, Any], memory: Memory) -> list[str]:
    """Return what a memory says now, and what would become of it, as lines."""
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
    """Return what approving a proposal would change of which memories; nothing when it proposes a text.

    Raises:
        InvalidInput: what it holds cannot be read.
    """
    written = proposal.extra.get(CHANGE)
    if not written:
        return ()
    try:
        result = json.loads(str(written))
        return tuple(
            Wanted(
                entry["memory"],
                entry["set"],
                entry.get("body"),
                entry.get("instead_of"),
                entry.get("path"),
                entry.get("space", ""),
            )
            for entry in result
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput("What this proposal would change cannot be read any more.", "Reject it.") from error


def replaced_by(proposal: Memory) -> tuple[str, ...]:
    """Return ids of the memories that a proposal takes the place of."""
    value = proposal.extra.get(REPLACES)
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),) if value else ()


def _waiting(given: Mapping[str, object], error: NeedsPerson, why: str) -> dict[str, object]:
    """Return properties of a proposal: those given, that it waits for the person alone, and why."""
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
