"""A reader of conversations that may begin: what would leave was shown, and it passed the samples."""

from datetime import UTC, datetime

from vademecum.domain.extraction import Trial


def may_read(memory):
    """Let the model of a memory read at once; gives the memory."""
    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    context = memory.context
    context.storage.extractions.note_trial(Trial(context.models.llm_name, shown=long_ago, tried=long_ago))
    return memory
