"""A conversation that an agent submits itself, and the tools it may come from."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

import msgspec
from msgspec import Struct

from vademecum.domain.errors import InvalidInput

#: Tools that may name themselves as the source. UNKNOWN replaces any other name.
UNKNOWN = "unknown"
INTERFACES = (
    "claude-ai", "claude-code", "chatgpt", "perplexity", "codex", "gemini", "cursor", "vscode", "antigravity", "opencode", UNKNOWN,
)  # fmt: skip

#: A name that another program reserves for itself.
RESERVED = "obsilo"

_CONVERSATION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,79}")

SpokenBy = Literal["user", "assistant", "system", "tool"]


def interface_named(word: str) -> str:
    """Return the tool that `word` names; "unknown" for any other name.

    Raises:
        InvalidInput: the name is reserved.
    """
    plain = word.strip().lower()
    if plain == RESERVED:
        raise InvalidInput(f"{RESERVED!r} is reserved for that program itself.", "Use one of: " + ", ".join(INTERFACES))
    return plain if plain in INTERFACES else UNKNOWN


def check_conversation_id(text: str) -> str:
    """Return `text` if it is a valid conversation id, which is also a file name.

    Raises:
        InvalidInput: it is not.
    """
    if not _CONVERSATION_ID.fullmatch(text):
        raise InvalidInput(f"{text[:80]!r} is no id of a conversation.", "Use the conversation_id that saving gave back.")
    return text


class Message(Struct, frozen=True):
    """One message of one side."""

    role: SpokenBy
    text: str


class Conversation(Struct, frozen=True):
    """A conversation as it was submitted so far.

    Attributes:
        interface: of INTERFACES. thread: joins conversations across tools, `thread-YYYY-MM-DD-<6 hex>`.
        started, used: aware, UTC; `used` is the time of the last addition.
        closed: it has ended. pending: it is not read until the person confirms it.
        confirmed: the person confirmed it; else the words it attributes to the person are only an agent's report.
        path: absolute path of its file.
        about: further properties that its program wants returned, such as the id of its chat.
    """

    id: str
    interface: str
    thread: str
    title: str
    started: datetime
    used: datetime
    closed: bool
    pending: bool
    path: str
    messages: tuple[Message, ...] = ()
    about: Mapping[str, str] = msgspec.field(default_factory=dict)
    confirmed: bool = False

    @property
    def uri(self) -> str:
        """The URI by which memories refer to it after it was read."""
        return f"session://{self.interface}/{self.id}"
