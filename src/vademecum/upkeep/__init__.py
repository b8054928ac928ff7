"""Jobs that keep memory true: the write gate, following the files, absorbing transcripts, finer vectors.

Each is loaded when it is first asked for. A question needs none of them, and loading all takes longer than answering it.
"""

from typing import TYPE_CHECKING

from vademecum.model.late import late

if TYPE_CHECKING:
    from vademecum.upkeep import (
        absorb,
        attend,
        audit,
        belief,
        checkpoint,
        compact,
        converse,
        corpus,
        daily,
        eligible,
        follow,
        forget,
        guard_scan,
        heal,
        ideas,
        inbox,
        keep,
        marked,
        memory_files,
        migrate,
        model_queue,
        model_reading,
        onboarding,
        pausing,
        procedural,
        process,
        refine,
        review,
        session_texts,
        soul,
        sources,
        status,
        styles,
        versions,
    )

__all__ = [
    "absorb",
    "attend",
    "audit",
    "belief",
    "checkpoint",
    "compact",
    "converse",
    "corpus",
    "daily",
    "eligible",
    "follow",
    "forget",
    "guard_scan",
    "heal",
    "ideas",
    "inbox",
    "keep",
    "marked",
    "memory_files",
    "migrate",
    "model_queue",
    "model_reading",
    "onboarding",
    "pausing",
    "procedural",
    "process",
    "refine",
    "review",
    "session_texts",
    "soul",
    "sources",
    "status",
    "styles",
    "versions",
]


__getattr__ = late(__name__, {name: name for name in __all__})
