"""Tidy up without losing what was learnt (IN-32, IN-33, IN-39, IN-41).

Expired data is deleted, long chats in checkpoints are mined and shortened, the index is updated and shrunk. Earlier designs
also merged old entries into digests of 200 characters; this one shortens no memory.
"""

from datetime import datetime
from typing import Any

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.sessions.checkpoints import drop_expired
from vademecum.sessions.shorten import trim
from vademecum.sync.index import follow


class Compacted(Struct, frozen=True):
    """Result of tidying up.

    Attributes:
        time: aware, UTC.
        checkpoints: number of expired checkpoints removed.
        bytes_before, index_bytes: size of the index before and after.
        trimmed: number of long chats in checkpoints that were shortened.
    """

    time: datetime
    checkpoints: int
    bytes_before: int
    index_bytes: int
    trimmed: int = 0


def compact(context: Context) -> Compacted:
    """Remove expired checkpoints, shorten long ones, and shrink the index.

    Raises:
        Refused: memory is switched off.
        VaultEmptied, VaultMissing: see sync.
        IndexDamaged: the index cannot be read.
    """
    context.must_be_enabled("nothing was compacted")
    before = context.index.health().bytes
    follow(context, quick=True)
    dropped, trimmed = tidy_chats(context)
    context.index.compact()
    context.storage.markers.compact()
    done = Compacted(context.clock.now(), dropped, before, context.index.health().bytes, trimmed)
    if context.storage.compactions is not None:
        context.storage.compactions.write(
            {"checkpoints": dropped, "trimmed": trimmed, "before": before, "after": done.index_bytes}, done.time
        )
    return done


def tidy_chats(context: Context) -> tuple[int, int]:
    """Remove expired checkpoints and shorten long ones; return (number removed, number shortened)."""
    return drop_expired(context), trim(context)


def last_compaction(context: Context) -> dict[str, Any] | None:
    """Return the log entry of the last compaction, with its time as `at`; None when there was none within thirty days."""
    noted = list(context.storage.compactions.lines()) if context.storage.compactions is not None else []
    return noted[-1] if noted else None
