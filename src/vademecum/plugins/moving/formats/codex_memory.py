"""Codex's own memory: `~/.codex/memories`.

As of 2026-11: `MEMORY.md` is what it keeps, `memory_summary.md` what it tells each session. Both are read section by section. What they
were made from, `raw_memories.md` and `rollout_summaries`, repeats conversations, which are captured anyway.
"""

import re
from collections.abc import Iterator, Sequence

from vademecum.plugins.moving.flat_files import kind_of
from vademecum.plugins.moving.formats.blocks import sections
from vademecum.plugins.moving.formats.record import Format, Given, Record

_PLACE = re.compile(r"(?:^|[/\\])\.codex[/\\]memories[/\\][^/\\]+$")
_KEPT = ("MEMORY.md", "memory_summary.md")


def _fits(given: Given) -> bool:
    return given.name in _KEPT and _PLACE.search(given.place) is not None


def _read(files: Sequence[Given]) -> Iterator[Record]:
    for given in files:
        if given.name in _KEPT:
            for block in sections(given.text):
                yield Record(given.path, block.text, block.heading, kind_of(block.heading), "fact", line=block.line)


FORMAT = Format("codex-memory", "memory of Codex", _fits, _read, beside=frozenset({"raw_memories.md"}))
