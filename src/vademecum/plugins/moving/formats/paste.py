"""Pasted text in which a chat wrote down its memory: ChatGPT, Claude, Gemini, Copilot or Grok (7.2, first).

As of 2026-11 every vendor exports memories so: a prompt asks for everything remembered, and the answer has lines under
headings, often in one fenced block, often with the date in brackets first. Nothing else is common, so any list or paragraph is
read.
"""

import re
from collections.abc import Iterator, Sequence

from vademecum.domain.session import Session, Turn
from vademecum.plugin_api.conversations import mine
from vademecum.plugins.moving.flat_files import kind_of
from vademecum.plugins.moving.formats.blocks import blocks
from vademecum.plugins.moving.formats.record import Format, Given, Record, moment

_DATED = re.compile(r"[\[(]?(?P<date>\d{4}-\d{2}-\d{2})[^\])\s]*[\])]?\s*[-–—:]*\s*")
_NO_DATE = re.compile(r"\[(?:unknown|no date|undated|date unknown|n/a)\]\s*[-–—:]*\s*", re.IGNORECASE)
_WHOLE_FENCE = re.compile(r"\A(?P<before>[^`]*?)^```[\w-]*\n(?P<text>.*?)^```\s*(?P<after>[^`]*)\Z", re.DOTALL | re.MULTILINE)
#: Maximum length of the text around a fenced block, as a fraction of the block's.
_AROUND = 0.3


def _read(files: Sequence[Given]) -> Iterator[Record]:
    for given in files:
        yield from lines_of(given, unfenced(given.text), project="")


def unfenced(text: str) -> str:
    """Return the text inside a fence if that is nearly everything.

    Earlier lines become empty, so that line numbers stay correct.
    """
    match = _WHOLE_FENCE.match(text)
    if not match or len(match["before"]) + len(match["after"]) > _AROUND * len(match["text"]):
        return text
    return "\n" * (match["before"].count("\n") + 1) + match["text"]


def lines_of(given: Given, text: str, *, project: str) -> Iterator[Record]:
    """Yield one record for each entry; its kind follows from the heading, else from the wording."""
    for block in blocks(text):
        dated = _DATED.match(block.text)
        entry = block.text[dated.end() :] if dated else _NO_DATE.sub("", block.text, count=1)
        if entry.strip():
            at = moment(dated["date"]) if dated else None
            kind = kind_of(block.heading) if block.heading else ""
            yield Record(given.path, entry, kind=kind or said_like(entry), line=block.line, at=at, project=project)


def said_like(text: str) -> str:
    """Return the kind that mining would give a sentence alone; "" if none."""
    candidates = mine(Session("paste", "paste", "", (Turn("1", "user", text),)))
    return candidates[0].kind if candidates else ""


FORMAT = Format(
    "paste",
    "text that a chat wrote about you",
    lambda given: given.is_named and not given.note.entries and not given.path.endswith((".json", ".jsonl", ".af")),
    _read,
    cuts=True,
)
