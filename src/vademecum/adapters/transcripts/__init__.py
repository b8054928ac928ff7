"""Transcript formats, most telling first. To add one: its file, its line here, a sample and its row in the suite."""

from vademecum.adapters.transcripts.claude_code import ClaudeCode
from vademecum.adapters.transcripts.plain import Plain
from vademecum.model.ports import TranscriptFormat

FORMATS: tuple[TranscriptFormat, ...] = (ClaudeCode(), Plain())


def recognise(head: bytes, path: str) -> TranscriptFormat | None:
    """The format of a file that starts with `head` (some complete lines), or None. File names lie, so content decides."""
    return next((one for one in FORMATS if one.recognises(head, path)), None)


def named(name: str) -> TranscriptFormat:
    """The format of that name.

    Raises:
        KeyError: no format has it.
    """
    return {one.name: one for one in FORMATS}[name]


__all__ = ["FORMATS", "named", "recognise"]
