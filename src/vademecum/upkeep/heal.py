"""An index that cannot be trusted is dropped and built again from the files; until then the files themselves answer."""

import contextlib
from collections.abc import Iterable
from dataclasses import replace

from vademecum.index.items import SESSIONS, items_of, memory_item
from vademecum.model.errors import IndexDamaged, Problem, VademecumError
from vademecum.model.ports import Index
from vademecum.model.query import Query, Recall
from vademecum.model.reports import SyncReport
from vademecum.model.session import Cursor
from vademecum.recall.pipeline import Searcher
from vademecum.upkeep.absorb import absorb
from vademecum.upkeep.follow import follow
from vademecum.upkeep.gather import is_there, owner_of
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.whole import archived_session


def rebuild(parts: Parts, *, quick: bool = False) -> SyncReport:
    """Delete the index and build it again from vault and transcripts. Answers stay the same; nothing is mined twice.

    Args:
        quick: leave the finer vectors for later, because somebody waits.

    Raises:
        Locked: another process is writing to it.
        VaultEmptied: most notes vanished at once. A rebuild is no confirmation of that (X-41); an index that still knew them
            is left as it was.
    """
    transcripts = tuple(dict.fromkeys(map(owner_of, parts.state.cursor_paths())))
    with contextlib.suppress(IndexDamaged):
        if parts.index.stats().passages:
            follow(parts, quick=True)  # notices an emptied vault while there is still something to compare it with
    parts.index.wipe()
    report = follow(parts, quick=quick)
    if not transcripts:
        return report
    again = absorb(parts, transcripts, mined=False)
    given_back = {owner_of(path) for path in from_archive(parts, _archived_only(parts))}
    gone = [problem for problem in again.problems if problem.path in transcripts and problem.path not in given_back]
    problems = [
        Problem(one.path, f"This conversation can no longer be read, so it is no longer searchable. {one.message}")
        for one in gone
    ]
    return replace(report, problems=report.problems + tuple(problems))


def read_again(parts: Parts, paths: Iterable[str]) -> None:
    """Index conversations anew, as their transcripts or the archive have them now, and follow the notes. Nothing is mined again."""
    if not parts.enabled:
        return
    wanted = list(dict.fromkeys(paths))
    for path in wanted:
        parts.state.set_cursor(path, Cursor())
    there = {owner_of(path) for path in wanted if is_there(path)}
    for owner in there:
        parts.state.set_cursor(owner, Cursor())
    if there:
        absorb(parts, tuple(there), mined=False)
    from_archive(parts, [path for path in wanted if owner_of(path) not in there])
    follow(parts, quick=True)


def _archived_only(parts: Parts) -> list[str]:
    """Paths of archived transcripts whose conversations the index lacks."""
    known = parts.index.fingerprints(SESSIONS)
    return [record.path for record in parts.archive.records() if record.session not in known] if parts.archive else []


def from_archive(parts: Parts, paths: Iterable[str]) -> set[str]:
    """Index the transcripts that their host deleted as the archive has them (X-42); the paths of those that it has."""
    given_back = set()
    records = {record.path: record for record in parts.archive.records()} if parts.archive else {}
    for path in paths:
        session = archived_session(parts, records[path]) if path in records else None
        if session is not None:
            parts.index.apply(items_of(session, records[path].stat))
            given_back.add(path)
    return given_back


def is_lost(parts: Parts) -> bool:
    """Whether an empty index stands where there is something to know: it was deleted, or never built."""
    return not parts.index.stats().passages and bool(parts.state.cursor_paths() or parts.vault.scan().files)


def answer_and_heal(parts: Parts, searcher: Searcher, query: Query, substitute: Index) -> Recall:
    """The answer to a question that found the index damaged: from the rebuilt index, else from the files alone.

    Args:
        substitute: an empty index in memory.
    """
    try:
        rebuild(parts, quick=True)
        healed = searcher.recall(query)
        if healed.verdict != "could not search":
            return replace(
                healed, missing=(*healed.missing, "the index was damaged or gone; it was built again from your files")
            )
        why = "; ".join(healed.missing)
    except (VademecumError, OSError) as error:
        why = str(error)
    return _from_files(parts, searcher, query, substitute, why)


def _from_files(parts: Parts, searcher: Searcher, query: Query, substitute: Index, why: str) -> Recall:
    """By words, over the memories' files as they are now. Documents and conversations are not read for one question."""
    substitute.apply([memory_item(memory, "") for memory in parts.vault.list()])
    found = replace(searcher, index=substitute, embedder=None, quick=None).recall(query)
    missing = (f"the index could not be used ({why}); memories were read from their files, by words alone", *found.missing)
    return replace(found, missing=tuple(dict.fromkeys(missing)))
