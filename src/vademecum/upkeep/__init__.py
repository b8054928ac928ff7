"""Jobs that keep memory true: the write gate, following the files, absorbing transcripts, finer vectors.

Each is loaded when it is first asked for. A question needs none of them, and loading all takes longer than answering it.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vademecum.upkeep import (
        absorb,
        attend,
        audit,
        belief,
        checkpoint,
        converse,
        corpus,
        follow,
        forget,
        guard_scan,
        heal,
        keep,
        marked,
        memory_files,
        process,
        refine,
        review,
        session_texts,
        sources,
    )

__all__ = [
    "absorb",
    "attend",
    "audit",
    "belief",
    "checkpoint",
    "converse",
    "corpus",
    "follow",
    "forget",
    "guard_scan",
    "heal",
    "keep",
    "marked",
    "memory_files",
    "process",
    "refine",
    "review",
    "session_texts",
    "sources",
]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
