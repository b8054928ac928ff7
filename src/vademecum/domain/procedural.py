"""Facets and tags of an agent's corrections, skills and self-notes. Every hook imports this module, so it is small."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vademecum.domain.item import Item

#: Facets that every session's briefing contains, whatever it is about. They are also tags, so that they can be searched
#: directly.
BRIEFED = ("correction", "competence")

#: Prefix of the tags that name a style's contexts; a style without any applies everywhere.
CONTEXT = "context/"
DEFAULT_CONTEXT = "default"
#: Context of every session in a project.
CODING = "coding"

#: Kind of an agent's notes about itself, and a tag of them, so that they can be searched directly.
SELF = "self"
#: Categories of an agent's notes about itself (VO-42), and the number of each that is shown.
SOUL_CATEGORIES = ("value", "anti_pattern", "identity", "communication")
SOUL_SHOWN = 3
#: Default agent name: one self for all tools.
ANY_AGENT = "assistant"


def contexts_of(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the contexts that a style's tags name, or the default one."""
    named = tuple(tag.removeprefix(CONTEXT) for tag in tags if tag.startswith(CONTEXT))
    return named or (DEFAULT_CONTEXT,)


def own_notes(items: Iterable[Item]) -> dict[str, tuple[Item, ...]]:
    """Return category -> an agent's notes about itself, most important first, then newest first; three at most (VO-42)."""
    ordered = sorted(sorted(items, key=lambda item: item.key, reverse=True), key=lambda item: -item.importance)
    return {name: tuple(item for item in ordered if item.facet == name)[:SOUL_SHOWN] for name in SOUL_CATEGORIES}
