"""Conversations that agents submit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from vademecum.domain.conversation import Conversation, Message


class Conversations(Protocol):
    """All conversations submitted on this device, each a transcript in the plain format.

    Changes are on disk when the call returns. Writing raises WriteFailed when the disk is full or refuses.
    """

    @property
    def folder(self) -> Path:
        """Folder of the transcripts that ingestion reads; pending ones are stored elsewhere."""

    def get(self, identity: str) -> Conversation:
        """Return the conversation with that id.

        Raises:
            NotFound: there is none. InvalidInput: the id is not valid.
        """

    def newest(self, limit: int, *, interface: str = "", pending: bool | None = None) -> tuple[Conversation, ...]:
        """Return conversations by the time of their last addition, newest first.

        Args:
            interface: only of this tool; "": of any. pending: True: only those waiting for confirmation, False: only the
                others, None: all.
        """

    def start(self, conversation: Conversation) -> Conversation:
        """Save a new conversation without messages; return it with its path.

        Raises:
            AlreadyExists: there is one with that id.
        """

    def add(
        self, conversation: Conversation, messages: Sequence[Message], moment: datetime, about: Mapping[str, str]
    ) -> Conversation:
        """Append messages, and reopen the conversation if it was closed.

        Args:
            about: properties to set; others stay.
        """

    def close(self, conversation: Conversation, moment: datetime) -> Conversation:
        """Mark it as ended."""

    def confirm(self, conversation: Conversation) -> Conversation:
        """Make a pending conversation available to ingestion."""

    def drop(self, conversation: Conversation) -> None:
        """Remove it. A missing one is no error."""
