"""Transcript formats: Claude Code, Codex and plain files, and those that plugins add (docs/plugins.md)."""

from functools import cache

from vademecum.adapters.transcripts.archives import Compressed, Encoded
from vademecum.adapters.transcripts.claude_code import ClaudeCode
from vademecum.adapters.transcripts.codex import Codex
from vademecum.adapters.transcripts.plain import Plain
from vademecum.plugin import added
from vademecum.ports.transcripts import TranscriptFormat, TranscriptLibrary

#: Formats of the core, the most distinctive first.
FORMATS: tuple[TranscriptFormat, ...] = (
    ClaudeCode(), Codex(), Plain(),
)  # fmt: skip

#: Libraries of the core.
LIBRARIES: tuple[TranscriptLibrary, ...] = (
    Compressed(), Encoded(),
)  # fmt: skip


@cache
def formats() -> tuple[TranscriptFormat, ...]:
    """Return the formats in the order in which they are tried: those of plugins first.

    Of these, document formats come first, because a single line of a document may look like a line of another host.
    """
    added_ones: list[TranscriptFormat] = [form for _, form in added("formats")]
    added_ones.sort(key=lambda form: not getattr(form, "spanning", False))
    return (*added_ones, *FORMATS)


@cache
def libraries() -> tuple[TranscriptLibrary, ...]:
    """Return the types of files that contain several transcripts or a compressed one: those of plugins first."""
    return (*(library for _, library in added("libraries")), *LIBRARIES)


__all__ = ["formats", "libraries"]
