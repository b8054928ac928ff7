"""Tidy up without losing what was learnt (IN-32, IN-33, IN-39, IN-41): what has served its time goes, long chats in checkpoints are
mined and shortened, the index follows the files and gives space back.

Designs before this one also merged old entries into digests of 200 characters. No memory is shortened here, so that count is always 0.
"""

from typing import Any

from vademecum.model.errors import Refused
from vademecum.model.reports import Compacted
from vademecum.upkeep.checkpoint import drop_expired
from vademecum.upkeep.follow import follow
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.trim import trim


def compact(parts: Parts) -> Compacted:
    """Remove checkpoints that nobody can recover any more, shorten long ones, and make the index as small as it can be.

    Raises:
        Refused: memory is switched off. VaultEmptied, VaultMissing: as of a sync. IndexDamaged.
    """
    if not parts.enabled:
        raise Refused("Memory is switched off; nothing was compacted.", "Switch it on with: vade resume, or enabled = true")
    before = parts.index.health().bytes
    dropped = drop_expired(parts)
    follow(parts, quick=True)
    trimmed = trim(parts)
    parts.index.compact()
    parts.markers.compact()
    done = Compacted(parts.clock.now(), dropped, before, parts.index.health().bytes, trimmed)
    if parts.compactions is not None:
        parts.compactions.write(
            {"checkpoints": dropped, "trimmed": trimmed, "before": before, "after": done.index_bytes}, done.time
        )
    return done


def last_compaction(parts: Parts) -> dict[str, Any] | None:
    """What is noted of the last one, with its moment as `at`; None when there was none within thirty days."""
    noted = list(parts.compactions.lines()) if parts.compactions is not None else []
    return noted[-1] if noted else None
