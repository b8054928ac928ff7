"""The language model that reads conversations."""

from vademecum.api.station import Station, use_case
from vademecum.context import llm_queue
from vademecum.context.context import Context
from vademecum.llm_reading import read_sessions
from vademecum.llm_reading.preview import preview
from vademecum.llm_reading.trial import try_reader


class LLMAPI(Station[Context]):
    """What a language model is still to read, and what it took."""

    queue = use_case(llm_queue.listed)
    run = use_case(read_sessions.drain)
    retry = use_case(llm_queue.retry)
    drop = use_case(read_sessions.drop)
    usage = use_case(llm_queue.usage)
    reader = use_case(llm_queue.reader_state)
    preview = use_case(preview)
    try_reader = use_case(try_reader)
