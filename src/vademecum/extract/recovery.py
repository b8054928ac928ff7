"""The last words of a session that broke off, so that the next one can go on. Taken whenever a transcript is read.

A session broke off when it ended in the middle: somebody spoke, or a tool answered, and no answer of the agent followed.
Figures of the design this reproduces: the last three messages, a hundred characters each. Whom to tell is decided in
inject/recovery.py.
"""

from collections.abc import Sequence
from datetime import datetime

from vademecum.domain.session import SPOKEN, Session, Snapshot, Turn
from vademecum.extract.numbers import MESSAGE_CHARS, MESSAGES


def snapshot(session: Session, before: Snapshot | None, now: datetime) -> Snapshot | None:
    """Return what to remember of a session after new turns of it were read; None when no person spoke yet.

    Args:
        before: what was remembered of it; the new turns follow. Turns that it holds already are not told twice.
        now: aware, UTC; stands in for a time that the transcript does not give.
    """
    own = [turn for turn in session.turns if not turn.sidechain and turn.speaker != "document"]
    fields = {turn.ref: _message(turn) for turn in own if turn.role in SPOKEN}
    if before is None and not any(turn.is_persons for turn in own):
        return None  # nobody's session stops where a program or a schedule stopped
    earlier = tuple(message for message in before.messages if message[0] not in fields) if before else ()
    messages = (*earlier, *fields.items())[-MESSAGES:]
    if not messages:
        return None
    finished = before is not None and before.finished if not own else _answered(own)
    when = session.ended or (before.when if before else now)
    return Snapshot(session.uri, session.project, when, messages, finished)


def _message(turn: Turn) -> str:
    return f"[{turn.role}]: {' '.join(turn.text.split())[:MESSAGE_CHARS]}"


def _answered(turns: Sequence[Turn]) -> bool:
    """Return whether the last thing that matters is the agent's; bookkeeping behind it does not count."""
    last = next((turn for turn in reversed(turns) if turn.role in (*SPOKEN, "tool")), None)
    return last is None or (last.role == "agent" and not last.tools)
