"""The last words of a chat, kept so that it can be taken up where it stopped."""

from datetime import datetime, timedelta

from msgspec import Struct

from vademecum.domain.errors import Problem

#: Messages of a checkpoint, and how long it can be recovered.
MESSAGES_KEPT = 50
VALID = timedelta(days=7)


class Message(Struct, frozen=True):
    """One message of a chat.

    Attributes:
        role: "user" or "agent".
        internal: between a program and its agent; it never leaves the conversation it was made in.
    """

    role: str
    text: str
    internal: bool = False


class Checkpoint(Struct, frozen=True):
    """Where an agent's chat stood.

    Attributes:
        saved: aware, UTC. messages: the last ones, internal ones left out.
        chat: id under which the host can resume it, model: that answered; "" when not told.
        mined: mark of the last message that memories were taken from when the chat was shortened; "" for none.
    """

    agent: str
    saved: datetime
    messages: tuple[Message, ...]
    chat: str = ""
    model: str = ""
    mined: str = ""


class SyncedCheckpoints(Struct, frozen=True):
    """What reading a folder of conversations gave: agents with a newer checkpoint now, and how many were as new already."""

    written: tuple[str, ...] = ()
    unchanged: int = 0
    problems: tuple[Problem, ...] = ()
