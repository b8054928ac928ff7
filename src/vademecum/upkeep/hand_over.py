"""Write down where a session stopped: one handoff for each session, and a newer one in its place when the session went on (X-11)."""

from collections.abc import Sequence

from vademecum.compose.handoff import handoff_text, handoff_title, short_handoff_text
from vademecum.model.errors import Refused
from vademecum.model.item import Item
from vademecum.model.memory import By, Draft, Memory
from vademecum.model.outline import Outline
from vademecum.model.query import Scope
from vademecum.model.reports import Saved
from vademecum.upkeep.follow import index_memories
from vademecum.upkeep.keep import keep
from vademecum.upkeep.parts import Parts

#: Tags by which those who want them find what was made by itself. Without hyphens: some tools break tags at them.
HANDOFF_TAGS = ("autohandoff", "transcript")
BY_HANDOFF = By("extraction", "handoff")
#: Handoffs looked through for the one of this session, newest first.
LOOKED_THROUGH = 2000


def hand_over(parts: Parts, found: Outline) -> str:
    """Id of the handoff that stands for a session now; "" when there is nothing to hand over.

    A session that was only looked into (fewer spoken turns than are mined, no file changed) leaves none.
    """
    saved = write_handoff(parts, found)
    return saved.memory.id if saved is not None and saved.memory is not None else ""


def write_handoff(parts: Parts, found: Outline) -> Saved | None:
    """The handoff that an outline makes; None when it says too little, or the person opted the session out."""
    if found.session in parts.pauses.excluded() or not found.asked or (found.turns < parts.min_turns and not found.changed):
        return None
    formers = [item.key.removeprefix("memory://") for item in handoffs_of(parts, found.session)]
    former = parts.vault.get(formers[0]) if formers else None
    if former is not None and former.source_span == found.cursor:  # written from the same last turn
        _let_only(parts, former, formers[1:])
        return Saved("confirmed", former)
    properties = {
        "project": found.project,
        "source": found.session,
        "source_interface": "transcript",
        "source_span": found.cursor,
        "trust": "extracted",
        "valid_from": found.ended,
    }
    known = {name: value for name, value in properties.items() if value not in ("", None)}
    text = short_handoff_text(found) if parts.handoff_form == "short" else handoff_text(found)
    tags = HANDOFF_TAGS if parts.transcript_tags else ()
    draft = Draft("handoff", handoff_title(found), text, tags=tags, properties=known)
    try:
        return keep(parts, draft, by=BY_HANDOFF, replaces=formers, unique=True)
    except Refused as error:
        return Saved("refused", None, warnings=(error.message,))


def handoffs_of(parts: Parts, session: str) -> list[Item]:
    """The handoffs of a session that stand, newest first: one, or more when the writing of the last was cut short."""
    scope = Scope(sources=("memory",), kinds=("handoff",), statuses=("active",))
    return [item for item in parts.index.select(scope, limit=LOOKED_THROUGH) if item.origin == session]


def _let_only(parts: Parts, one: Memory, others: Sequence[str]) -> None:
    """Let one handoff of a session stand."""
    if others:
        latest = [parts.vault.supersede(other, one.id, "replaced by a newer memory", by=BY_HANDOFF) for other in others][-1]
        index_memories(parts, [latest, *map(parts.vault.get, others)])
