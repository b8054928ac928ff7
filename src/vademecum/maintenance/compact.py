"""Make the index and the state of this device as small as they can be; plugins clean up what they keep (IN-32, IN-39, IN-41).

Designs before this one also merged old entries into digests of 200 characters. No memory is shortened here.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.plugin import compacted_by_plugins
from vademecum.sync.index import follow


class Compacted(Struct, frozen=True):
    """What was cleaned up.

    Attributes:
        time: aware, UTC. bytes_before, index_bytes: size of the index before and after.
        counts: what plugins removed, name -> how many.
    """

    time: datetime
    bytes_before: int
    index_bytes: int
    counts: Mapping[str, int]


def compact(context: Context) -> Compacted:
    """Have plugins clean up what they keep, and make the index as small as it can be.

    Raises:
        Refused: memory is switched off.
        VaultEmptied, VaultMissing: see sync.
        IndexDamaged: the index cannot be read.
    """
    context.must_be_enabled("nothing was compacted")
    before = context.index.health().bytes
    follow(context, quick=True)
    counts = compacted_by_plugins(context)
    context.index.compact()
    context.storage.markers.compact()
    done = Compacted(context.clock.now(), before, context.index.health().bytes, counts)
    if context.storage.compactions is not None:
        context.storage.compactions.write({**counts, "before": before, "after": done.index_bytes}, done.time)
    return done


def last_compaction(context: Context) -> dict[str, Any] | None:
    """Return the log entry of the last compaction, with its time as `at`; None when there was none within thirty days."""
    noted = list(context.storage.compactions.lines()) if context.storage.compactions is not None else []
    return noted[-1] if noted else None
