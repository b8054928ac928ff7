"""What an agent must not do again and what it has learnt to do: words for facets, tags and sections."""

from collections.abc import Iterable
from dataclasses import dataclass

from vademecum.model.memory import Memory

#: Facets that every session is told, whatever it is about; they are tags too, so that they are found at once.
BRIEFED = ("correction", "competence")

#: Contexts of styles are tags below this one; a style without any holds everywhere.
CONTEXT = "context/"
DEFAULT_CONTEXT = "default"

#: Kind of what an agent holds about itself, and a tag of it, so that it is found at once.
SELF = "self"
#: What an agent can hold about itself (VO-42), and how many of each are shown.
SOUL_CATEGORIES = ("value", "anti_pattern", "identity", "communication")
SOUL_SHOWN = 3
#: The agent that is meant when none is named: one self over all tools.
ANY_AGENT = "assistant"


@dataclass(frozen=True, slots=True)
class EvolutionSection:
    """One section of the page of what was learnt: heading, the facet it holds, the letter of its ids."""

    heading: str
    facet: str
    letter: str


EVOLUTION = (
    EvolutionSection("Corrections", "correction", "C"),
    EvolutionSection("Competence", "competence", "K"),
    EvolutionSection("Optimizations", "optimization", "O"),
    EvolutionSection("Capabilities", "capability", "E"),
    EvolutionSection("Failed Evolutions", "failed_evolution", "F"),
)


@dataclass(frozen=True, slots=True)
class Evolved:
    """A line of that page: the section's heading, the id in it (C001), and the memory."""

    heading: str
    key: str
    memory: Memory


@dataclass(frozen=True, slots=True)
class Style:
    """How to talk with the person in a context (VO-10).

    Attributes:
        context: "default" for everywhere. examples: sentences as they should sound.
    """

    id: str
    context: str
    description: str
    examples: tuple[str, ...]
    importance: float


def contexts_of(tags: Iterable[str]) -> tuple[str, ...]:
    """The contexts that a style is for, by its tags."""
    named = tuple(tag.removeprefix(CONTEXT) for tag in tags if tag.startswith(CONTEXT))
    return named or (DEFAULT_CONTEXT,)
