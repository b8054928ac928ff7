"""Take a snapshot of the last messages of an interrupted session, so that the next session can go on.

A session was interrupted if somebody spoke or a tool answered, and no message of the agent followed. The snapshot holds the
last three messages, a hundred characters of each, cut between words. It is taken whenever a transcript is read; inject/recovery.py
decides when to show it.
"""

from collections.abc import Sequence
from datetime import datetime

from vademecum.domain.session import SPOKEN, Session, Snapshot, Turn
from vademecum.extract.numbers import MESSAGE_CHARS, MESSAGES
from vademecum.language.text import brief


def snapshot(session: Session, before: Snapshot | None, now: datetime) -> Snapshot | None:
    """Return the snapshot of a session after new turns were read; None when no person has spoken yet.

    Args:
        before: the previous snapshot, which the new turns follow. Messages that occur in both are included once.
        now: aware, UTC; used when the transcript gives no time.
    """
    own = [turn for turn in session.turns if not turn.sidechain and turn.speaker != "document"]
    fields = {turn.ref: _message(turn) for turn in own if turn.role in SPOKEN}
    if before is None and not any(turn.is_persons for turn in own):
        return None  # a session of a program or a schedule belongs to nobody who could go on with it
    earlier = tuple(message for message in before.messages if message[0] not in fields) if before else ()
    messages = (*earlier, *fields.items())[-MESSAGES:]
    if not messages:
        return None
    finished = before is not None and before.finished if not own else _answered(own)
    when = session.ended or (before.when if before else now)
    return Snapshot(session.uri, session.project, when, messages, finished)


def _message(turn: Turn) -> str:
    return f"[{turn.role}]: {brief(' '.join(turn.text.split()), MESSAGE_CHARS)}"


def _answered(turns: Sequence[Turn]) -> bool:
    """Return whether the last spoken turn or tool turn is an agent's message."""
    last = next((turn for turn in reversed(turns) if turn.role in (*SPOKEN, "tool")), None)
    return last is None or (last.role == "agent" and not last.tools)
