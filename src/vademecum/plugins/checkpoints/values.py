"""The last messages of a chat, saved so that the chat can be resumed."""

from datetime import datetime, timedelta

from msgspec import Struct

from vademecum.domain.errors import Problem

#: Most messages of a checkpoint, and how long it can be recovered.
MESSAGES_KEPT = 50
VALID = timedelta(days=7)


class Message(Struct, frozen=True):
    """One message of a chat.

    Attributes:
        role: "user" or "agent".
        internal: between a program and its agent; it never leaves its conversation.
    """

    role: str
    text: str
    internal: bool = False


class Checkpoint(Struct, frozen=True):
    """The state of an agent's chat.

    Attributes:
        saved: aware, UTC. messages: the last ones, internal ones excluded.
        chat: id with which the host can resume it. model: the model that answered. Both "" when unknown.
        mined: mark of the last message from which memories were extracted when the chat was shortened; "" for none.
    """

    agent: str
    saved: datetime
    messages: tuple[Message, ...]
    chat: str = ""
    model: str = ""
    mined: str = ""


class SyncedCheckpoints(Struct, frozen=True):
    """Result of reading a folder of conversations.

    Attributes:
        written: agents whose checkpoint was replaced by a newer one.
        unchanged: number of agents whose checkpoint was up to date.
    """

    written: tuple[str, ...] = ()
    unchanged: int = 0
    problems: tuple[Problem, ...] = ()
