"""Tidy up without losing what was learnt (IN-32, IN-33, IN-39, IN-41): what has served its time goes, long chats in checkpoints are
mined and shortened, the index follows the files and gives space back.

Designs before this one also merged old entries into digests of 200 characters. No memory is shortened here, so that count is always 0.
"""

from datetime import datetime
from typing import Any

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.sessions.checkpoints import drop_expired
from vademecum.sessions.shorten import trim
from vademecum.sync.index import follow


class Compacted(Struct, frozen=True):
    """What tidying up did.

    Attributes:
        time: aware, UTC. checkpoints: removed, because nobody can recover them any more.
        bytes_before, index_bytes: size of the index before and after. trimmed: long chats in checkpoints that were shortened.
    """

    time: datetime
    checkpoints: int
    bytes_before: int
    index_bytes: int
    trimmed: int = 0


def compact(context: Context) -> Compacted:
    """Remove checkpoints that nobody can recover any more, shorten long ones, and make the index as small as it can be.

    Raises:
        Refused: memory is switched off. VaultEmptied, VaultMissing: as of a sync. IndexDamaged.
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
    """Remove the checkpoints that nobody can recover any more and shorten long ones; how many of each."""
    return drop_expired(context), trim(context)


def last_compaction(context: Context) -> dict[str, Any] | None:
    """Return what is noted of the last one, with its moment as `at`; None when there was none within thirty days."""
    noted = list(context.storage.compactions.lines()) if context.storage.compactions is not None else []
    return noted[-1] if noted else None
