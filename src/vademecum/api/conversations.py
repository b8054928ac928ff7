"""Conversations that agents hand over themselves."""

from vademecum.api.station import Station, use_case
from vademecum.context.context import Context
from vademecum.ingest import conversations
from vademecum.ingest.transcripts import coverage
from vademecum.llm_reading import marked


class ConversationsAPI(Station[Context]):
    """Conversations that were handed over, and which of all were read."""

    accept = use_case(conversations.accept)
    close = use_case(conversations.close)
    confirm = use_case(conversations.confirm)
    list = use_case(conversations.newest)
    coverage = use_case(coverage)
    mark = use_case(marked.mark)
