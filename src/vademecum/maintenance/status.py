"""Collect the state of memory: where it is stored, how much there is, and what does not work."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from vademecum.context import llm_queue as model_queue
from vademecum.context.context import Context
from vademecum.domain.archive import ArchiveSize
from vademecum.domain.backup import Backup
from vademecum.domain.query import Scope
from vademecum.domain.reading import ModelState
from vademecum.ingest import pauses as pausing
from vademecum.ingest.archiver import ArchiveState, state_of
from vademecum.ingest.transcripts import coverage, not_understood
from vademecum.maintenance import jobs
from vademecum.maintenance.last_backup import last_backup
from vademecum.ports.index import IndexHealth
from vademecum.recall.conflicts import open_conflicts
from vademecum.sessions import lifecycle
from vademecum.vault.scan import obsidian_excluded
from vademecum.write import waiting
from vademecum.write.inbox import inbox

#: A transcript that was not read for this long is reported (MV-47).
UNREAD_FOR = timedelta(days=7)


class Sizes(Struct, frozen=True):
    """Where memory is stored and how much there is. Fast, whatever its size.

    Attributes:
        memories: status -> count.
        vectors: model -> number of passages with a vector.
        waiting: number of passages without a vector of the current model.
    """

    home: str
    vault: str
    memories: Mapping[str, int]
    documents: int
    sessions: int
    passages: int
    index_bytes: int
    vectors: Mapping[str, int]
    waiting: int
    embedder: str


class Status(Sizes, frozen=True):
    """State of everything, for `vade status`.

    Attributes:
        backup: the last backup made; None when none is known.
        archive: size of the archive; None when there is none, or it cannot be read.
        unarchived: number of transcripts whose latest version is not archived.
        cut: what hosts removed from archived conversations, one sentence each.
        conflicts: number of memories that may have replaced others.
        excluded: what the person excluded in Obsidian, so that it is not searched.
        damage: damage of the index; "": none. If damaged, memories are counted in the files, and counts known only to the index
            are 0.
    """

    inbox: int
    degraded: tuple[str, ...] = ()
    helper: Mapping[str, object] | None = None
    inbox_oldest: datetime | None = None
    inbox_alarm: str = ""
    model: ModelState | None = None
    archive: ArchiveSize | None = None
    unarchived: int = 0
    cut: tuple[str, ...] = ()
    conflicts: int = 0
    damage: str = ""
    backup: Backup | None = None
    excluded: tuple[str, ...] = ()


def sizes(context: Context, health: IndexHealth | None = None) -> Sizes:
    """Return where memory is stored and how much there is.

    Args:
        health: state of the index, if known already.
    """
    health = health or context.index.health()
    counts = {} if health.damage else context.index.counts()
    memories: Mapping[str, int] = {status: count for (source, status), count in counts.items() if source == "memory"}
    if health.damage:
        memories = Counter(memory.status for memory in context.vault.list() if memory.kind != "handoff")
    return Sizes(
        home=context.vault.spaces[0].root,
        vault=context.vault.spaces[0].documents_root,
        memories=memories,
        documents=sum(count for (source, _), count in counts.items() if source == "document"),
        sessions=sum(count for (source, _), count in counts.items() if source == "session"),
        passages=health.passages,
        index_bytes=health.bytes,
        vectors=dict(health.vectors),
        waiting=0 if health.damage else context.indexer.waiting(),
        embedder=context.models.embedder.model_id if context.models.embedder else "none",
    )


def status(context: Context, deep: bool = False) -> Status:
    """Collect the data for `vade status`.

    Args:
        deep: read the whole index, looking for damage.
    """
    health = context.index.health(deep=deep)
    damaged = [f"index: {health.damage} Rebuild it with: vade rebuild"] if health.damage else []
    archive = ArchiveState() if health.damage else state_of(context)
    kept = [archive.wrong] if archive.wrong else []
    degraded = [*damaged, *(f"setting: {wrong}" for wrong in context.choices.wrong_settings), *context.models.missing, *kept]
    degraded += [f"device: {problem}" for problem in context.state.problems()]
    degraded += [
        *pausing.warnings(context),
        *lifecycle.warnings(context),
        *model_queue.warnings(context),
        *jobs.warnings(context),
    ]
    degraded += [] if health.damage else [*_unread(context), *_not_understood(context), *waiting.warnings(context)]
    waits = None if health.damage else inbox(context)
    there = sizes(context, health)
    return Status(
        **asdict(there),
        inbox=there.memories.get("inbox", 0),
        degraded=tuple(degraded),
        helper=context.outside.helper(),
        inbox_oldest=waits.oldest if waits else None,
        inbox_alarm=waits.alarm if waits else "",
        model=model_queue.state(context),
        archive=archive.size,
        unarchived=archive.behind,
        cut=archive.cut,
        damage=health.damage,
        backup=last_backup(context),
        excluded=obsidian_excluded(Path(there.vault)) if there.vault else (),
        conflicts=0 if health.damage else len(open_conflicts(context.index, Scope(sources=("memory",)))),
    )


def _unread(context: Context) -> list[str]:
    """Return a warning if transcripts have not been read for a week."""
    now = context.clock.now()
    late = [path for path in coverage(context)[1] if now - _changed(path, now) >= UNREAD_FOR] if context.enabled else []
    count = f"{len(late)} {'transcript was' if len(late) == 1 else 'transcripts were'}"
    return [f"sessions: {count} not read for {UNREAD_FOR.days} days or more: vade capture"] if late else []


def _not_understood(context: Context) -> list[str]:
    """Return a warning if hosts store conversations in files that are not understood."""
    problems = not_understood(context) if context.enabled else []
    others = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    return [f"sessions: {problems[0].path}: {problems[0].message}{others}"] if problems else []


def _changed(path: str, now: datetime) -> datetime:
    try:
        return datetime.fromtimestamp(Path(path).stat().st_mtime, UTC)
    except OSError:
        return now
