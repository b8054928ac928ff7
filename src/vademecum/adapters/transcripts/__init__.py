"""Transcript formats: those of Claude Code, Codex and of plain files, and those that plugins add (docs/plugins.md)."""

from functools import cache

from vademecum.adapters.transcripts.agent_memory import AgentMemory
from vademecum.adapters.transcripts.archives import Compressed, Encoded, Export, ExportList
from vademecum.adapters.transcripts.chats import ChatGpt, ClaudeChat
from vademecum.adapters.transcripts.claude_code import ClaudeCode
from vademecum.adapters.transcripts.codex import Codex
from vademecum.adapters.transcripts.plain import Plain
from vademecum.adapters.transcripts.specstory import SpecStory
from vademecum.plugin import added
from vademecum.ports.transcripts import TranscriptFormat, TranscriptLibrary

#: Those of the core, most telling first.
FORMATS: tuple[TranscriptFormat, ...] = (
    ClaudeCode(), Codex(), AgentMemory(), ChatGpt(), ClaudeChat(), SpecStory(), Plain(),
)  # fmt: skip

#: Those of the core.
LIBRARIES: tuple[TranscriptLibrary, ...] = (
    Compressed(), Encoded(), Export(), ExportList(),
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
