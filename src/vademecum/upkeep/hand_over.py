"""Write down where a session stopped: one handoff for each session, and a newer one in its place when the session went on (X-11)."""

from vademecum.compose.handoff import handoff_text, handoff_title, short_handoff_text
from vademecum.model.errors import Refused
from vademecum.model.item import Item
from vademecum.model.memory import By, Draft
from vademecum.model.outline import Outline
from vademecum.model.query import Scope
from vademecum.model.reports import Saved
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
    """The handoff that an outline makes; None when it says too little, or what stands says the same already."""
    if not found.asked or (found.turns < parts.min_turns and not found.changed):
        return None
    former = handoff_of(parts, found.session)
    if former is not None and former.status == "active" and _covers(parts, former, found):
        return Saved("confirmed", parts.vault.get(former.key.removeprefix("memory://")))
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
    older = [former.key.removeprefix("memory://")] if former is not None and former.status == "active" else []
    try:
        return keep(parts, draft, by=BY_HANDOFF, replaces=older, unique=True)
    except Refused as error:
        return Saved("refused", None, warnings=(error.message,))


def handoff_of(parts: Parts, session: str) -> Item | None:
    """The newest handoff of a session, replaced ones left out; None when there is none."""
    scope = Scope(sources=("memory",), kinds=("handoff",), statuses=("active", "inbox"))
    return next((item for item in parts.index.select(scope, limit=LOOKED_THROUGH) if item.origin == session), None)


def _covers(parts: Parts, former: Item, found: Outline) -> bool:
    """Whether a handoff was written from the same last turn."""
    return parts.vault.get(former.key.removeprefix("memory://")).source_span == found.cursor
