"""Question -> ranked hits: shape, scope, arms, fusion, adjustment, gate. One pipeline; a profile is data.

Each part is loaded when it is first asked for: a briefing asks nothing, and arithmetic alone takes longer to load than it to write.
"""

from typing import TYPE_CHECKING

from vademecum.model.late import late

if TYPE_CHECKING:
    from vademecum.recall import (
        composer,
        doubts,
        graph,
        hops,
        pipeline,
        profiles,
        questions,
        relevance,
        stages,
        story,
        topics,
        verbatim,
    )

__all__ = [
    "composer",
    "doubts",
    "graph",
    "hops",
    "pipeline",
    "profiles",
    "questions",
    "relevance",
    "stages",
    "story",
    "topics",
    "verbatim",
]


__getattr__ = late(__name__, {name: name for name in __all__})
