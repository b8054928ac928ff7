"""Conversations that agents hand over themselves."""

from collections.abc import Mapping, Sequence
from typing import Any

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.ingest import conversations
from vademecum.ingest.transcripts import coverage
from vademecum.llm_reading import marked


class ConversationsAPI(Station[Context]):
    """Conversations that were handed over, and which of all were read."""

    close = use_case(conversations.close)
    confirm = use_case(conversations.confirm)
    list = use_case(conversations.newest)
    coverage = use_case(coverage)
    mark = use_case(marked.mark)

    def accept(self, interface: str, messages: Sequence[Mapping[str, Any]], **handling: Any) -> conversations.HandedOver:
        """Keep a conversation, or what is new in one that is known; `handling` as of :class:`vademecum.ingest.conversations.Handling`."""
        return conversations.accept(self.context, interface, messages, conversations.Handling(**handling))
