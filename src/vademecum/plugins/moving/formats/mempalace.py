"""Exports by `mempalace export`.

`<wing>/<room>.md` with a section for each drawer: id, quoted text, and a table with its origin.
"""

import re
from collections.abc import Iterator, Sequence

from vademecum.plugins.moving.formats.blocks import sections
from vademecum.plugins.moving.formats.record import Format, Given, Record, moment

_TITLE = re.compile(r"#\s+(?P<wing>.+?)\s+/\s+(?P<room>.+?)\s*$", re.MULTILINE)
_FIELD = re.compile(r"^\|\s*(?P<name>Source|Filed|Added by)\s*\|\s*(?P<value>.*?)\s*\|\s*$", re.MULTILINE)
_QUOTED = re.compile(r"^>[ \t]?(.*)$", re.MULTILINE)


def _fits(given: Given) -> bool:
    return bool(_TITLE.match(given.text) and "| Added by |" in given.text)


def _read(files: Sequence[Given]) -> Iterator[Record]:
    for given in files:
        title = _TITLE.match(given.text)
        for block in sections(given.text):
            text = "\n".join(_QUOTED.findall(block.text))
            fields = {match["name"]: match["value"] for match in _FIELD.finditer(block.text)}
            if title and text.strip() and fields:
                yield Record(given.path, text, kind=title["room"], key=block.heading, line=block.line, at=moment(fields.get("Filed")),
                             project=title["wing"], properties={"imported_from": fields.get("Source", "")})  # fmt: skip


FORMAT = Format("mempalace", "an export of MemPalace", _fits, _read)
