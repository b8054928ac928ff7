"""The person's word that nothing is to be learnt from one conversation, or that it may be again.

The conversation itself is kept as any other: archived, read back and found by searching conversations. But no memory, handoff or note
of a day is made of it, no language model reads it, and no answer tells of it. What must not even be kept is paused, marked
`<private>`, or forgotten.
"""

from dataclasses import replace

from vademecum.index.items import log_key
from vademecum.model.errors import NotFound
from vademecum.model.query import EXCLUDED, Scope
from vademecum.model.reports import Eligible
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.session_texts import named

#: Memories looked through for those that came of a conversation.
LOOKED_THROUGH = 100_000


def set_eligible(parts: Parts, ref: str, *, eligible: bool) -> Eligible:
    """Note whether memories may be taken from a conversation, now and when its transcript is read again.

    Args:
        ref: a URI (also of one that nobody has read yet), an id or its beginning, a path or a title; "": the last one that anything
            was said in.

    Raises:
        NotFound, Ambiguous: the conversation.
    """
    uri = ref if ref.startswith("session://") else named(parts, ref) if ref else _last(parts)
    parts.pauses.exclude(uri, parts.clock.now(), out=not eligible)
    if not eligible:
        parts.extractions.change(uri, lambda known: None)
    items = parts.index.items([uri, log_key(uri)])
    for item in items.values():
        tags = tuple(tag for tag in item.tags if tag != EXCLUDED)
        parts.index.extend(replace(item, tags=tags if eligible else (*tags, EXCLUDED), passages=(), touches=()))
    learnt = parts.index.select(Scope(sources=("memory",)), limit=LOOKED_THROUGH)
    title = items[uri].title if uri in items else ""
    return Eligible(uri, title, eligible, tuple(item.key.removeprefix("memory://") for item in learnt if item.origin == uri))


def _last(parts: Parts) -> str:
    last = parts.index.select(Scope(sources=("session",), statuses=None), limit=1)
    if not last:
        raise NotFound("No conversation is known yet.", "Read them with: vade capture")
    return last[0].key
