"""Conversations with agents: reading, mining, handoffs."""

from vademecum.extract.mine import met, mine
from vademecum.extract.numbers import MESSAGE_CHARS, MESSAGES
from vademecum.extract.outline import last_lines, outline, said
from vademecum.extract.report import report_sign
from vademecum.extract.voice import typed_text, voices
from vademecum.ingest.conversations import LIVES, HandedOver, Handling
from vademecum.ingest.discover import files_below, is_there, owner_of, paths_within
from vademecum.ingest.load_session import own_part, whole_session
from vademecum.ingest.transcripts import absorb
from vademecum.llm_reading.marked import Marked
from vademecum.sessions.handoff import handoffs_of, stand_alone, write_handoff
from vademecum.sessions.turn_pages import Happened, SessionPage
