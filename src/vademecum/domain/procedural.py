"""What an agent must not do again and what it has learnt to do: words for facets and tags. Every hook loads this, so it is small."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vademecum.domain.item import Item

#: Facets that every session is told, whatever it is about; they are tags too, so that they are found at once.
BRIEFED = ("correction", "competence")

#: Contexts of styles are tags below this one; a style without any holds everywhere.
CONTEXT = "context/"
DEFAULT_CONTEXT = "default"
#: Context of every session that works in a project.
CODING = "coding"

#: Kind of what an agent holds about itself, and a tag of it, so that it is found at once.
SELF = "self"
#: What an agent can hold about itself (VO-42), and how many of each are shown.
SOUL_CATEGORIES = ("value", "anti_pattern", "identity", "communication")
SOUL_SHOWN = 3
#: The agent that is meant when none is named: one self over all tools.
ANY_AGENT = "assistant"


def contexts_of(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the contexts that a style is for, by its tags."""
    named = tuple(tag.removeprefix(CONTEXT) for tag in tags if tag.startswith(CONTEXT))
    return named or (DEFAULT_CONTEXT,)


def own_notes(items: Iterable[Item]) -> dict[str, tuple[Item, ...]]:
    """Return category -> what an agent holds about itself: the most important, the newest first among equals, three at most (VO-42)."""
    ordered = sorted(sorted(items, key=lambda item: item.key, reverse=True), key=lambda item: -item.importance)
    return {name: tuple(item for item in ordered if item.facet == name)[:SOUL_SHOWN] for name in SOUL_CATEGORIES}
