"""Lessons as values: the page of corrections and competence."""

from msgspec import Struct

from vademecum.domain.memory import Memory


class EvolutionSection(Struct, frozen=True):
    """One section of the page of lessons: heading, facet of its memories, letter of its ids."""

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


class Evolved(Struct, frozen=True):
    """A line of that page: the section's heading, the id in it (C001), and the memory."""

    heading: str
    key: str
    memory: Memory
