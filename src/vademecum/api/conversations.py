"""Conversations that agents hand over themselves."""

from collections.abc import Mapping, Sequence
from typing import Any

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.domain.conversation import Conversation
from vademecum.ingest import conversations
from vademecum.ingest.transcripts import coverage
from vademecum.llm_reading import marked
from vademecum.llm_reading.marked import Marked


class ConversationsAPI(Station[Context]):
    """Conversations that were handed over, and which of all were read.

    Args:
        project: slug of the project the work goes on in; "" for none.
    """

    def __init__(self, context: Context, project: str) -> None:
        super().__init__(context)
        self._project = project

    accept = use_case(conversations.accept)
    close = use_case(conversations.close)
    confirm = use_case(conversations.confirm)
    list = use_case(conversations.newest)
    coverage = use_case(coverage)

    def get(self, conversation_id: str) -> Conversation:
        """Return one conversation that an agent handed over, whole.

        Raises:
            NotFound: no conversation of that id.
        """
        return self.context.storage.conversations.get(conversation_id)

    def mark(
        self, session: str = "", reason: str = "", since: int = 0, least: int = 0, facts: Sequence[Mapping[str, Any]] = ()
    ) -> Marked:
        """Extract memories from a conversation now, however short it is; the last one of the project when none is named.

        Args:
            facts: what its agent found worth remembering in it, all at once.
        """
        return marked.mark(self.context, session, reason=reason, project=self._project, since=since, least=least, facts=facts)
