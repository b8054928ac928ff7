"""Decide for every write which properties of a memory its note shows, and which are evidence in the journal only.

Verbs work on the note with the evidence in its frontmatter. The writer separates the two again.
"""

import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from vademecum.domain.memory import RELATIONS, By
from vademecum.vault import places
from vademecum.vault.evidence import CARRIED, CONFIRMATIONS, TIMES, Known, count_of, together
from vademecum.vault.files import etag_of
from vademecum.vault.frontmatter import Frontmatter, Value, can_set, read, set_properties, with_lines_of
from vademecum.vault.journal import Change

#: Maximum number of program-set properties in the note of a saved memory.
SHOWN_MOST = 8
#: Always kept in the journal: two devices that changed them would conflict in the file.
FOLDED = frozenset({CONFIRMATIONS, *TIMES})
#: Source of a memory, and the reason for saving it.
EVIDENCE = frozenset({
    "source_interface", "source_span", "mining_rationale", "mining_excerpt", "mining_route", "mining_confidence", "mining_occurrences",
    "mining_sessions", "mining_relation", "mining_target", "mining_replaces", "mining_change",
})  # fmt: skip
#: The part of the evidence that a person needs to decide about a proposal in an editor.
DECIDING = frozenset(name for name in EVIDENCE if name.startswith("mining_")) - {"mining_sessions", "mining_change"}
#: Properties that a note shows if a program set them. All others, for instance the confidence, are kept in the journal.
SHOWN = frozenset({
    "id", "kind", "title", "status", "tags", "aliases", "created", "said", "valid_until", *RELATIONS, "superseded_at", "superseded_reason",
    "source", "project", "branch", "profile", "visibility", "trust", "always_load", "priority", "pin", "when",
    "unless", "level", "reviewed",
})  # fmt: skip
#: Properties to hide first, in this order, if a program set too many.
_SPARED = ("reviewed", "related", "derived_from", "refines", "profile", "priority", "tags", "project")
_PROGRAMS = ("agent", "extraction")
#: A time as this program writes it; in another form it is the person's own.
_OUR_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def whole(text: str, known: Known, status: str) -> str:
    """Return a note with its evidence added to the frontmatter; unchanged if that cannot be edited.

    Args:
        status: of the memory. It is added because the note may leave it to the path, which may change.
    """
    front = read(text)
    if not known or not _can_be_taken_apart(front, known):
        return text
    written = front.values()
    missing: dict[str, Value] = {name: value for name, value in {**known, "status": status}.items() if name not in written}
    return set_properties(text, {**missing, **together(written, known)})


def _can_be_taken_apart(front: Frontmatter, known: Known) -> bool:
    """Return whether evidence can be added to a frontmatter and removed again. Otherwise the note keeps all its properties."""
    return can_set(front, {*known, *FOLDED, *EVIDENCE, "status"})


def apart(change: Change, known: Known, by: By) -> Change:
    """Return a change as it is written: visible properties in the note, the others as evidence for the journal.

    Args:
        known: evidence before the change.
    """
    after = change.after
    if after is None or after.text is None:
        return change
    front = read(after.text)
    if not _can_be_taken_apart(front, known):
        return change
    before = read(change.before.text or "") if change.before else Frontmatter("", "", "", "")
    made, shown = front.values(), before.values()
    hidden = _hidden(made, shown, known, by, after.path)
    by_hand = {name for name in TIMES & made.keys() & shown.keys() if not _OUR_TIME.fullmatch(str(shown[name]))}
    gone = hidden - by_hand | _active_by_place(made, shown, after.path)
    text = set_properties(after.text, dict.fromkeys(gone)) if gone else after.text
    text = with_lines_of(text, before, by_hand)
    hidden -= {name for name in by_hand if made[name] == shown[name]}
    return replace(
        change, after=replace(after, etag=etag_of(text.encode()), text=text), evidence=_difference(made, hidden, shown, known)
    )


def _hidden(made: Mapping[str, Any], shown: Mapping[str, Any], known: Known, by: By, path: str) -> set[str]:
    """Return names of the properties to hide. Those already visible in the note stay, except evidence of a proposal that is accepted."""
    waits, waited = made.get("status") == "inbox", shown.get("status") == "inbox"
    program = by.actor in _PROGRAMS
    stands = {name for name in shown if not (waited and not waits and name in EVIDENCE)} | (DECIDING if waits else frozenset())
    open_to_hide = made.keys() - FOLDED - stands
    by_program = {name for name in open_to_hide if program or (name in known and known[name] == made[name])}
    hidden = {*(FOLDED & made.keys())} | (EVIDENCE & open_to_hide) | (by_program - SHOWN)
    if "project" in by_program and places.said_by_path(path)[2] == f"projects/{made['project']}":
        hidden |= {"project"}
    if program and not waits:
        spare = [name for name in _SPARED if name in open_to_hide - hidden]
        hidden |= set(spare[: max(0, len(made.keys() - hidden) - SHOWN_MOST)])
    return hidden


def _active_by_place(made: Mapping[str, Any], shown: Mapping[str, Any], path: str) -> set[str]:
    """Return {"status"} if the status is active, the path implies it, and the note did not state it before."""
    is_active = made.get("status") == "active" == places.said_by_path(path)[1]
    return {"status"} if is_active and shown.get("status") != "active" else set()


def _difference(made: Mapping[str, Any], hidden: set[str], shown: Mapping[str, Any], known: Known) -> dict[str, Any]:
    """Return the evidence that the journal must add so that the hidden properties have their new values."""
    fields: dict[str, Any] = {name: made[name] for name in sorted(hidden - {CONFIRMATIONS}) if known.get(name) != made[name]}
    fields |= dict.fromkeys(sorted(name for name in known.keys() - hidden - {CONFIRMATIONS}))
    number, held, count = count_of(shown), count_of(known), count_of(made)
    if count == 0 and held:
        fields[CONFIRMATIONS] = None
    elif number:
        fields[CARRIED] = number
    if count and count != number + held:
        fields[CONFIRMATIONS] = count - number - held
    return fields
