"""Integration with Obsidian: a base that lists memories, a monthly `reviewed` date, and a comparison of property types."""

import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

from vademecum.context.context import Context
from vademecum.domain.memory import By, personal_space
from vademecum.domain.query import Scope
from vademecum.vault.change import Placing
from vademecum.vault.places import ARCHIVE, from_root
from vademecum.vault.view_page import mark_of

BASE, REVIEWED = "Memories.base", "reviewed"
#: Age after which a note without a review counts as stale.
STALE_AFTER = "180d"
#: Confirmations within this time may still get their month's date; and the maximum number of memories read.
LATELY, LOOKED_AT = timedelta(days=35), 20_000
_MADE = "# Made by vade sync --views {mark}. Once you change this file, it is yours."
_BASE = """\
filters:
  and:{folder}
    - file.hasProperty("id")
    - file.hasProperty("kind")
formulas:
  looked_at: 'date(if(reviewed, reviewed, if(created, created, file.ctime)).toString().slice(0, 10))'
properties:
  file.name:
    displayName: Memory
  formula.looked_at:
    displayName: Reviewed
views:
  - type: table
    name: Inbox
    filters: 'status == "inbox"'
    order: [file.name, kind, created, source, mining_rationale]
  - type: table
    name: Recent
    filters: 'file.mtime > now() - "7d"'
    order: [file.name, kind, project, tags, file.mtime]
  - type: table
    name: By kind
    filters:{standing}
    groupBy:
      property: kind
      direction: ASC
    order: [file.name, project, tags, created]
  - type: table
    name: Going stale
    filters:{standing}
        - 'formula.looked_at < now() - "{stale}"'
    order: [formula.looked_at, file.name, kind, project]
  - type: table
    name: Contradicted
    filters:
      or:
        - 'status == "disputed"'
        - file.hasProperty("contradicts")
        - file.hasProperty("may_replace")
    order: [file.name, kind, contradicts, may_replace, created]
  - type: list
    name: This note
    filters: file.hasLink(this.file)
    order: [file.name, kind]
"""
_STANDING = """
      and:
        - '!status || status == "active" || status == "disputed"'
        - '!file.inFolder("{archive}")'"""

#: Obsidian types of the properties in our notes; a property name has one type in the whole vault.
_TYPES = {
    **dict.fromkeys(("id", "kind", "title", "status", "source", "project", "profile", "visibility", "trust"), "text"),
    **dict.fromkeys(("created", "valid_until", "superseded_at"), "datetime"),
    **dict.fromkeys(("always_load", "pin"), "checkbox"),
    **dict.fromkeys(("contradicts", "supersedes", "superseded_by", "may_replace", "refines", "derived_from", "related"), "multitext"),
    "priority": "number",
    REVIEWED: "date",
}  # fmt: skip


def base_text(folder: str) -> str:
    """Return the base for the memories in a folder of the vault; "": the vault is the memory folder.

    Syntax: help.obsidian.md/bases/syntax and /functions, as of Obsidian 1.10.
    """
    inside = f"\n    - file.inFolder({json.dumps(folder, ensure_ascii=False)})" if folder else ""
    archive = f"{folder}/{ARCHIVE}" if folder else ARCHIVE
    body = _BASE.format(folder=inside, standing=_STANDING.format(archive=archive.replace("'", "''")), stale=STALE_AFTER)
    return f"{_MADE.format(mark=mark_of(body))}\n{body}"


def keep_base(context: Context) -> frozenset[str]:
    """Write the base beside the memories, unless somebody edited it. Returns the paths written."""
    space = personal_space(context.vault.spaces)
    folder = from_root(space.root, space.documents_root, ".")
    fresh = base_text("" if folder == "." else folder)

    def change(texts: Sequence[str | None]) -> Sequence[str | None]:
        return [fresh if old is None or _is_ours(old) else old for old in texts]

    return context.vault.pages.revise((BASE,), change, op="views", by=By("extraction", "views"))


def _is_ours(text: str) -> bool:
    first, _, body = text.replace("\r\n", "\n").partition("\n")
    return first == _MADE.format(mark=mark_of(body))


def note_reviews(context: Context) -> int:
    """Write the month's `reviewed` date into notes of recently confirmed memories. Returns their number.

    Confirmations are in the journal, so that they do not change the file each time; they change a note once a month at most.
    """
    since = context.clock.now() - LATELY
    items = context.index.select(Scope(sources=("memory",), statuses=("active", "disputed")), limit=LOOKED_AT)
    due = []
    for item in items:
        day = context.local_time(item.last_confirmed).date() if item.last_confirmed and item.last_confirmed > since else None
        memory = context.vault.get(item.key) if day else None
        if memory and day and _month(memory.extra.get(REVIEWED)) < _month(day):
            due.append(Placing(memory.id, {REVIEWED: day, "updated": memory.updated}, memory.path))
    if due:
        context.vault.place_together("reviewed", due, reason="confirmed", by=By("extraction", "views"))
    return len(due)


def _month(value: object) -> str:
    return value.isoformat()[:7] if isinstance(value, date) else str(value or "")[:7]


def type_clashes(context: Context) -> Mapping[str, tuple[str, str]]:
    """Return properties whose type in this vault differs from ours: name -> (its type, ours)."""
    root = context.vault.spaces[0].documents_root
    try:
        result = json.loads((Path(root) / ".obsidian" / "types.json").read_bytes()) if root else None
    except (OSError, ValueError):
        return {}
    theirs = result.get("types") if isinstance(result, dict) else None
    if not isinstance(theirs, dict):
        return {}
    return {name: (str(theirs[name]), ours) for name, ours in _TYPES.items() if theirs.get(name, ours) != ours}
