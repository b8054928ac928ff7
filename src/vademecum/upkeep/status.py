"""Where things lie, how many there are, and what does not work."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from vademecum.model.query import Scope
from vademecum.model.reports import Status
from vademecum.recall.doubts import open_doubts
from vademecum.upkeep import model_queue, pausing
from vademecum.upkeep.absorb import coverage
from vademecum.upkeep.attend import sorrows
from vademecum.upkeep.follow import waiting
from vademecum.upkeep.inbox import inbox
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.shelve import state_of

#: Transcripts that nobody read for so long are told (MV-47).
UNREAD_FOR = timedelta(days=7)


def status(parts: Parts, *, deep: bool = False) -> Status:
    """Everything a person is told who asks how memory fares.

    Args:
        deep: read the whole index, looking for damage.
    """
    health = parts.index.health(deep=deep)
    damaged = [f"index: {health.damage}"] if health.damage else []
    archive, unarchived, archive_sorrow = (None, 0, "") if health.damage else state_of(parts)
    kept = [archive_sorrow] if archive_sorrow else []
    degraded = [*parts.missing, *damaged, *kept, *pausing.sorrows(parts), *sorrows(parts), *model_queue.sorrows(parts)]
    degraded += [] if health.damage else _unread(parts)
    counts = {} if health.damage else parts.index.counts()
    waits = None if health.damage else inbox(parts)
    memories = {status: count for (source, status), count in counts.items() if source == "memory"}
    return Status(
        home=parts.vault.spaces[0].root,
        vault=parts.vault.spaces[0].documents_root,
        memories=memories,
        documents=sum(count for (source, _), count in counts.items() if source == "document"),
        sessions=sum(count for (source, _), count in counts.items() if source == "session"),
        passages=health.passages,
        index_bytes=health.bytes,
        vectors=dict(health.vectors),
        waiting=0 if health.damage else waiting(parts),
        embedder=parts.embedder.model_id if parts.embedder else "none",
        inbox=memories.get("inbox", 0),
        degraded=tuple(degraded),
        helper=parts.helper(),
        inbox_oldest=waits.oldest if waits else None,
        inbox_alarm=waits.alarm if waits else "",
        model=model_queue.state(parts),
        archive=archive,
        unarchived=unarchived,
        doubts=0 if health.damage else len(open_doubts(parts.index, Scope(sources=("memory",)))),
    )


def _unread(parts: Parts) -> list[str]:
    """Whether conversations wait for a week without anybody having looked for memories in them."""
    now = parts.clock.now()
    late = [path for path in coverage(parts)[1] if now - _changed(path, now) >= UNREAD_FOR] if parts.enabled else []
    count = f"{len(late)} {'transcript was' if len(late) == 1 else 'transcripts were'}"
    return [f"sessions: {count} not read for {UNREAD_FOR.days} days or more: vade capture"] if late else []


def _changed(path: str, now: datetime) -> datetime:
    try:
        return datetime.fromtimestamp(Path(path).stat().st_mtime, UTC)
    except OSError:
        return now
