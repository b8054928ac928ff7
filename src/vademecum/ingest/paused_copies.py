"""What a person laid on a conversation holds for its copies: turns said in a pause stay out of them, and they inherit pause and
exclusion."""

from collections.abc import Collection

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.copies import Mark, copies_in
from vademecum.domain.session import SPOKEN, Session
from vademecum.ingest.ledger import mark_of
from vademecum.ingest.paused_turns import paused


def note_paused(context: Context, session: Session) -> None:
    """Remember, as hashes, the turns of a conversation that were said in a pause."""
    about = [pause for pause in context.storage.pauses.all() if pause.is_about(session.uri, session.cwd)]
    if about:
        out = [
            mark_of(context.state.turns, turn)
            for turn in session.turns
            if turn.role in SPOKEN and turn in paused(session, about)
        ]
        context.storage.pauses.leave_out(session.uri, [(mark.words, mark.time) for mark in out])


def without_unsaid(context: Context, session: Session) -> Session:
    """Return the session without turns that were said in a pause of another conversation; it inherits that pause."""
    unsaid = context.storage.pauses.unsaid()
    spoken = [turn for turn in session.turns if turn.role in SPOKEN] if unsaid else []
    marks = [mark_of(context.state.turns, turn) for turn in spoken]
    out = set()
    for origin, turns in unsaid.items():
        found = copies_in(marks, [Mark(words, time) for words, time in turns], begins=True) if origin != session.uri else {}
        out |= {spoken[number].ref for number in found}
        if found:
            inherit_pauses(context, session.uri, {origin})
    return replace(session, turns=tuple(turn for turn in session.turns if turn.ref not in out)) if out else session


def inherit_pauses(context: Context, session: str, origins: Collection[str]) -> bool:
    """Pause a conversation as those are paused that it was copied from, and exclude it as they are; whether that changed anything."""
    pauses = context.storage.pauses
    before = (pauses.all(), pauses.excluded())
    own = {pause.start for pause in pauses.all() if pause.session == session}
    for pause in pauses.all():
        if pause.session in origins and pause.session != session and pause.start not in own:
            pauses.begin(pause.start, session)
            if pause.end is not None:
                pauses.end(pause.end, session)
    if pauses.excluded() & set(origins):
        pauses.exclude(session, context.clock.now())
    return before != (pauses.all(), pauses.excluded())
