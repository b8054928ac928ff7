"""Conversations that agents hand over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from vademecum.domain.conversation import Conversation, Message


class Conversations(Protocol):
    """All conversations that were handed over on this device, each a transcript in the plain format.

    What a call wrote is on disk when it returns. Writing raises WriteFailed when the disk is full or refuses.
    """

    @property
    def folder(self) -> Path:
        """Folder of the transcripts that ingestion reads; those that wait for the person lie elsewhere."""

    def get(self, identity: str) -> Conversation:
        """Return the conversation of that id.

        Raises:
            NotFound: there is none. InvalidInput: the id cannot be one.
        """

    def newest(self, limit: int, *, interface: str = "", pending: bool | None = None) -> tuple[Conversation, ...]:
        """Return conversations by when they were last added to, newest first.

        Args:
            interface: of this tool only; "": of any. pending: only those that wait for the person, or only the others; None: all.
        """

    def start(self, conversation: Conversation) -> Conversation:
        """Keep a new conversation without messages; return it with its path.

        Raises:
            AlreadyExists: there is one of that id.
        """

    def add(
        self, conversation: Conversation, messages: Sequence[Message], moment: datetime, about: Mapping[str, str]
    ) -> Conversation:
        """Put messages behind those that stand there, and open the conversation again.

        Args:
            about: replaces what was noted by these names.
        """

    def close(self, conversation: Conversation, moment: datetime) -> Conversation:
        """Note that it ended."""

    def confirm(self, conversation: Conversation) -> Conversation:
        """Let ingestion read one that waited for the person."""

    def drop(self, conversation: Conversation) -> None:
        """Remove it. No error when it is gone already."""
