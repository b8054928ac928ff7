"""The end of a transcript that is being written: what was said last, read while a prompt waits."""

import re
from pathlib import Path

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.ids import ids_shown
from vademecum.domain.session import SPOKEN, Cursor, Turn
from vademecum.ingest.discover import form_of
from vademecum.ingest.reader import head_of

#: So many bytes are read: the last answers, in a millisecond or two.
END_BYTES, HEAD_BYTES = 24 << 10, 4 << 10
#: What hosts write where they emptied the agent's context: what stands before it the agent has no more.
_EMPTIED = re.compile(rb'"(?:subtype"\s*:\s*"compact_boundary|isCompactSummary"\s*:\s*true|type"\s*:\s*"compacted)')


class Ending(Struct, frozen=True):
    """What the end of a transcript holds.

    Attributes:
        said: what was said last, one text for each time that somebody spoke, the last one last.
        ids: short ids of memories that stand there: the agent has them, whoever told it or however it got them.
    """

    said: tuple[str, ...] = ()
    ids: frozenset[str] = frozenset()


def ending_of(context: Context, transcript: str, prompt: str, host: str = "") -> Ending:
    """Return what the end of a transcript holds, without the prompt itself; nothing when it cannot be read in lines.

    Args:
        host: name of the host that writes it, whose formats are tried alone; "": all.
    """
    if not transcript:
        return Ending()
    path = Path(transcript)
    try:
        with path.open("rb") as file:
            head = head_of(file.read(HEAD_BYTES))
            size = file.seek(0, 2)
            start = file.seek(max(0, size - END_BYTES))
            data = file.read()
        formats = [form for form in context.outside.formats if not host or form.name == host]
        form = form_of(formats, head, path, lambda: head)
    except OSError:
        return Ending()
    if form is None or form.whole:
        return Ending()
    skipped = data.find(b"\n") + 1 if start else 0
    lines = data[skipped:]
    emptied = [match.start() for match in _EMPTIED.finditer(lines)]
    begin = lines.rfind(b"\n", 0, emptied[-1]) + 1 if emptied else 0
    lines = lines[begin : begin + form.complete(lines[begin:])]
    turns = form.parse(lines, Cursor(start + skipped + begin), transcript).session.turns
    return Ending(_said(turns, prompt), ids_shown(lines))


def _said(turns: tuple[Turn, ...], prompt: str) -> tuple[str, ...]:
    """Return the texts of those who spoke, what one said in several turns as one."""
    spoken: list[tuple[str, str]] = []
    for turn in turns:
        if turn.role not in SPOKEN or turn.sidechain:
            continue
        if spoken and spoken[-1][0] == turn.role:
            spoken[-1] = (turn.role, f"{spoken[-1][1]}\n{turn.text}")
        else:
            spoken.append((turn.role, turn.text))
    if spoken and spoken[-1][1].strip().endswith(prompt.strip()):
        spoken.pop()
    return tuple(text for _, text in spoken)
