"""The text of a memory, read from the passages of the index."""

import re
from collections.abc import Sequence

from vademecum.domain.item import Passage
from vademecum.domain.late_pattern import late_pattern
from vademecum.ports.index import Index

_BULLET = late_pattern(r"^[-*] ", re.MULTILINE)


def text_of_memory(index: Index, most_passages: int | None, key: str) -> str:
    """Return the first passages of a memory; of a handoff all of them, one line per part."""
    handoff = any(item.source == "handoff" for item in index.items([key]).values())
    passages = [stored.passage for stored in index.passages_of(key, 0, None if handoff else most_passages)]
    return _parts(passages) if handoff else "\n".join(passage.text for passage in passages)


def _parts(passages: Sequence[Passage]) -> str:
    """Return one line per part of a handoff, headed by its name. Text before the first heading is used only if there are no parts."""
    parts = [(passage.heading.partition(" / ")[2], _BULLET.sub("", passage.text)) for passage in passages]
    named = [f"{heading}: {'; '.join(text.splitlines())}" for heading, text in parts if heading]
    return "\n".join(named or [text for _, text in parts])
