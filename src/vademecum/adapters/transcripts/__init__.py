"""Transcript formats: those of Claude Code, Codex and of plain files, and those that plugins add (docs/plugins.md)."""

from functools import cache

from vademecum.adapters.transcripts.agent_memory import AgentMemory
from vademecum.adapters.transcripts.antigravity import Antigravity
from vademecum.adapters.transcripts.archives import Compressed, Encoded, Export, ExportList
from vademecum.adapters.transcripts.chats import ChatGpt, ClaudeChat
from vademecum.adapters.transcripts.claude_code import ClaudeCode
from vademecum.adapters.transcripts.codex import Codex
from vademecum.adapters.transcripts.copilot import Copilot
from vademecum.adapters.transcripts.cursor import Cursor, CursorEditor, CursorText
from vademecum.adapters.transcripts.databases import CopilotDatabase, CursorDatabase, KiroDatabase, OpenCodeDatabase
from vademecum.adapters.transcripts.droid import Droid
from vademecum.adapters.transcripts.gemini import Gemini
from vademecum.adapters.transcripts.kiro import Kiro, KiroDocument
from vademecum.adapters.transcripts.opencode import OpenCode
from vademecum.adapters.transcripts.opencode_files import OpenCodeFiles
from vademecum.adapters.transcripts.pi import Pi
from vademecum.adapters.transcripts.plain import Plain
from vademecum.adapters.transcripts.specstory import SpecStory
from vademecum.plugin import added
from vademecum.ports.transcripts import TranscriptFormat, TranscriptLibrary

#: Those that are one document come first: an entry of theirs, on a line of its own, may look like a line of another host.
FORMATS: tuple[TranscriptFormat, ...] = (
    OpenCode(), CursorEditor(), KiroDocument(), ClaudeCode(), Codex(), Gemini(), Antigravity(), Copilot(), Droid(), Pi(), Kiro(), Cursor(),
    AgentMemory(), ChatGpt(), ClaudeChat(), SpecStory(), CursorText(), Plain(),
)  # fmt: skip

#: Files that hold many transcripts, or one packed.
LIBRARIES: tuple[TranscriptLibrary, ...] = (
    Compressed(), Encoded(), OpenCodeDatabase(), OpenCodeFiles(), CursorDatabase(), CopilotDatabase(), KiroDatabase(), Export(),
    ExportList(),
)  # fmt: skip


@cache
def formats() -> tuple[TranscriptFormat, ...]:
    """Return the formats in the order in which they are asked: those of plugins first, of these the ones of documents, since a part of a
    document that stands on a line of its own may look like a line of another host.
    """
    added_ones: list[TranscriptFormat] = [form for _, form in added("formats")]
    added_ones.sort(key=lambda form: not getattr(form, "spanning", False))
    return (*added_ones, *FORMATS)


@cache
def libraries() -> tuple[TranscriptLibrary, ...]:
    """Return the kinds of files that hold many transcripts, or one packed: those of plugins first."""
    return (*(library for _, library in added("libraries")), *LIBRARIES)


__all__ = ["formats", "libraries"]
