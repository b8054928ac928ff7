"""A conversation that somebody wants remembered: mined at once, however short it is and whenever it was read."""

from vademecum.guard import cleanse
from vademecum.model.errors import InvalidInput, NotFound, Refused
from vademecum.model.query import Scope
from vademecum.model.reports import Marked
from vademecum.upkeep.absorb import absorb, mine_again
from vademecum.upkeep.parts import Parts


def mark(parts: Parts, session: str = "", *, reason: str = "", project: str = "", since: int = 0, least: int = 0) -> Marked:
    """Mine a conversation now.

    Args:
        session: its URI, its id, or that of a conversation that was handed over; "": the last one that anything was said in,
            in `project` if one is given.
        reason: why, in words; told back without secrets.
        since, least: as of :func:`vademecum.upkeep.absorb.mine_again`.

    Raises:
        NotFound: there is no such conversation. Refused: memory is switched off, or it waits for the person's word.
    """
    if not parts.enabled:
        raise Refused("Memory is switched off; nothing was read.", "Switch it on with: enabled = true")
    path = _path(parts, session, project)
    looked_at, told = mine_again(parts, path, since=since, least=least)
    return Marked(told, since + len(looked_at.turns) if looked_at.turns else since, cleanse(reason))


def _path(parts: Parts, session: str, project: str) -> str:
    if session and "://" not in session:
        try:
            handed_over = parts.conversations.get(session)
        except (NotFound, InvalidInput):
            handed_over = None
        if handed_over is not None and handed_over.pending:
            raise Refused(
                f"Conversation {handed_over.id} waits for the person's word.", "They confirm it with: vade confirm-conversation"
            )
        if handed_over is not None:
            return handed_over.path
    absorb(parts, ())
    if not session:
        scope = Scope(sources=("session",), statuses=None, projects=(project,) if project else None)
        newest = parts.index.select(scope, limit=1)
    else:
        keys = [key for key in parts.index.named(session) if key.startswith("session://")]
        newest = tuple(parts.index.items(keys[:1]).values())
    if not newest:
        raise NotFound(
            f"There is no conversation {session}." if session else "No conversation was captured yet.",
            "Save it with save_conversation, or read transcripts with: vade capture",
        )
    return newest[0].path
