"""Read the end of a transcript that is still growing, for the last messages, while a prompt waits."""

import re
from pathlib import Path

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.ids import ids_shown
from vademecum.domain.session import SPOKEN, Cursor
from vademecum.ingest.discover import form_of
from vademecum.ingest.reader import head_of

#: Bytes read at the end and the beginning: the last answers, in a millisecond or two.
END_BYTES, HEAD_BYTES = 24 << 10, 4 << 10
#: What hosts write when they clear the agent's context; the agent no longer has anything before it.
_EMPTIED = re.compile(rb'"(?:subtype"\s*:\s*"compact_boundary|isCompactSummary"\s*:\s*true|type"\s*:\s*"compacted)')


class Ending(Struct, frozen=True):
    """The end of a transcript.

    Attributes:
        said: the last messages, one text for each change of speaker, the latest last.
        ids: short ids of memories that occur in it; the agent knows these, however it got them.
    """

    said: tuple[str, ...] = ()
    ids: frozenset[str] = frozenset()


def ending_of(context: Context, transcript: str, prompt: str, host: str = "") -> Ending:
    """Return the end of a transcript without the prompt itself; empty when it is not a readable file of lines.

    Args:
        host: host that writes it; only its formats are tried. "": all.
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
    return Ending(tuple(text for _, text in spoken), ids_shown(lines))
