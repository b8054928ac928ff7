"""`vade soul --update` and `vade agent soul`."""

from collections.abc import Mapping, Sequence

from vademecum.domain.ids import short_id
from vademecum.domain.item import Item
from vademecum.domain.procedural import SOUL_CATEGORIES
from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import Param, Verb, saved_text
from vademecum.plugins.self_notes import self_notes
from vademecum.plugins.self_notes.self_notes import SelfNote


def soul_text(result: Mapping[str, Sequence[Item]]) -> str:
    """Return an agent's notes about itself by category."""
    lines: list[str] = []
    for category, notes in result.items():
        lines += [f"{category}:", *(f"  {one.title}  {short_id(one.key)}" for one in notes)] if notes else []
    return "\n".join(lines) or "The agent has no notes about itself yet."


VERBS = (
    Verb("soul --update", "Save one note that you, the agent, make about yourself; never shown as the person's.", (
        Param("category", "text", "What sort.", place=True, choices=SOUL_CATEGORIES),
        Param("text", "words", "What it is, in a sentence.", place=True, max_chars=2000),
        Param("importance", "share", "How much it matters, 0 to 1; 0.7 when not given.", None),
        Param("supersedes", "text", "The note of yours that it replaces.", "", max_chars=300),
        Param("agent", "text", "The agent it is about; empty: one for all tools.", "", max_chars=80),
    ), on_context(self_notes.update), saved_text, {"note": SelfNote}, writes=True, signed=True),
    Verb("soul", "An agent's notes about itself: at most three of each category.",
         (Param("agent", "text", "The agent; empty: the one for all tools.", "", place=True, max_chars=80),),
         on_context(self_notes.shown), soul_text, standing="agent"),
)  # fmt: skip
