"""Question -> ranked hits: shape, scope, arms, fusion, adjustment, gate. One pipeline; a profile is data.

Each part is loaded when it is first asked for: a briefing asks nothing, and arithmetic alone takes longer to load than it to write.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vademecum.recall import pipeline, profiles, stages, story, topics, verbatim

__all__ = ["pipeline", "profiles", "stages", "story", "topics", "verbatim"]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
