"""Conversations with agents: read, mined and handed over."""

from vademecum.extract.activity import activities
from vademecum.extract.mine import met, mine
from vademecum.extract.outline import outline
from vademecum.ingest.conversations import LIVES
from vademecum.ingest.discover import files_below, is_there, owner_of, paths_within
from vademecum.ingest.load_session import own_part, whole_session
from vademecum.ingest.transcripts import absorb
from vademecum.sessions.handoff import write_handoff
from vademecum.sessions.pages import Happened, SessionPage

__all__ = [
    "LIVES",
    "Happened",
    "SessionPage",
    "absorb",
    "activities",
    "files_below",
    "is_there",
    "met",
    "mine",
    "outline",
    "own_part",
    "owner_of",
    "paths_within",
    "whole_session",
    "write_handoff",
]
