"""Rebuild a damaged or incomplete index from the files; until then answer from the files themselves."""

import contextlib
from collections.abc import Collection, Iterable

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import IndexDamaged, Locked, Problem, VademecumError, VaultEmptied, VaultMissing, WriteFailed
from vademecum.domain.query import Query, Recall
from vademecum.domain.session import Cursor
from vademecum.domain.why_nothing import COULD_NOT_SEARCH
from vademecum.index.items import SESSIONS
from vademecum.ingest.archiver import records as archived_records
from vademecum.ingest.discover import COPY, is_there, owner_of
from vademecum.ingest.load_session import archived_conversation, archived_versions
from vademecum.ingest.transcripts import absorb
from vademecum.ports.index import Index
from vademecum.recall.pipeline import Searcher
from vademecum.sync.index import SyncReport, follow


def rebuild(context: Context, *, quick: bool = False) -> SyncReport:
    """Delete the index and rebuild it from vault and transcripts. Answers stay the same; nothing is mined twice.

    Args:
        quick: postpone most vectors, because somebody is waiting.

    Raises:
        Locked: another process is writing to it.
        VaultEmptied: most notes vanished at once. A rebuild does not confirm that (X-41); an index that still has them is left
            unchanged.
    """
    with contextlib.suppress(IndexDamaged):
        if context.index.stats().passages:
            follow(context, quick=True)  # detects an emptied vault while the old index still allows a comparison
    context.index.wipe()
    return _fill(context, quick=quick)


def _fill(context: Context, *, quick: bool) -> SyncReport:
    """Add to the index what it lacks of vault, transcripts and archive, and mark it as complete."""
    cursors = context.state.cursors.all()
    transcripts = tuple(dict.fromkeys(map(owner_of, cursors)))
    for path, cursor in cursors.items():
        if cursor.carry.startswith(COPY):
            context.state.cursors.set(path, Cursor())  # read it again: a second file may have turns that the first one lacks
    report = follow(context, quick=quick)
    if not transcripts:
        return report  # follow marked it as complete
    again = absorb(context, transcripts, mined=False)
    given_back = {owner_of(path) for path in from_archive(context, _archived_only(context))}
    gone = [problem for problem in again.problems if problem.path in transcripts and problem.path not in given_back]
    context.index.note_complete()
    problems = [
        Problem(problem.path, f"This conversation can no longer be read, so it is no longer searchable. {problem.message}")
        for problem in gone
    ]
    return replace(report, problems=report.problems + tuple(problems))


def read_again(context: Context, paths: Iterable[str]) -> None:
    """Index conversations again from their transcripts or the archive, and update notes. Nothing is mined again."""
    if not context.enabled:
        return
    wanted = list(dict.fromkeys(paths))
    for path in wanted:
        context.state.cursors.set(path, Cursor())
    there = {owner_of(path) for path in wanted if is_there(path)}
    for owner in there:
        context.state.cursors.set(owner, Cursor())
    if there:
        absorb(context, tuple(there), mined=False)
    known = context.index.fingerprints(SESSIONS)
    gone = _archived_at(context, {path for path in wanted if owner_of(path) not in there})
    # Conversations whose path belongs to another one now.
    replaced = [uri for uri in _archived_at(context, set(wanted)) if uri not in known]
    from_archive(context, dict.fromkeys((*gone, *replaced)))
    follow(context, quick=True)


def _archived_only(context: Context) -> list[str]:
    """Return archived conversations that the index lacks."""
    known = context.index.fingerprints(SESSIONS)
    return list(dict.fromkeys(record.session for record in archived_records(context) if record.session not in known))


def _archived_at(context: Context, paths: Collection[str]) -> list[str]:
    """Return conversations with an archived version from one of these paths."""
    return list(dict.fromkeys(record.session for record in archived_records(context) if record.path in paths))


def from_archive(context: Context, sessions: Iterable[str]) -> set[str]:
    """Index conversations from the archive that their hosts no longer have (X-42).

    All versions are merged. Returns the paths of their transcripts.
    """
    given_back = set()
    for uri in sessions:
        records = archived_versions(context, uri)
        session = archived_conversation(context, records)
        if session is not None:
            context.indexer.put_sessions([(replace(session, path=records[-1].path), records[-1].stat)])
            given_back |= {record.path for record in records}
    return given_back


def complete_index(context: Context) -> None:
    """Fill an index that was never completed: it was deleted, made by another version, or its build was interrupted.

    Existing content and vectors stay. While another process fills it, answers come from what is there.
    """
    if context.index.is_complete() or not context.enabled:
        return
    with context.state.jobs.lease("rebuild") as free, contextlib.suppress(Locked, WriteFailed, VaultEmptied, VaultMissing):
        if free and not context.index.is_complete():
            _fill(context, quick=True)


def answer_and_complete(context: Context, searcher: Searcher, query: Query) -> Recall:
    """Answer a query after completing an incomplete index that had found nothing."""
    complete_index(context)
    result = searcher.recall(query)
    return replace(result, missing=(*result.missing, "a complete index, which was then filled from your files"))


def answer_and_heal(context: Context, searcher: Searcher, query: Query, substitute: Index) -> Recall:
    """Answer a query after the index turned out to be damaged: from the rebuilt index, else from the files alone.

    Args:
        substitute: an empty index in memory.
    """
    try:
        rebuild(context, quick=True)
        healed = searcher.recall(query)
        if healed.verdict != COULD_NOT_SEARCH:
            return replace(healed, missing=(*healed.missing, "a sound index, which was then built again from your files"))
        why = "; ".join(healed.missing)
    except (VademecumError, OSError) as error:
        why = str(error)
    return _from_files(context, searcher, query, substitute, why)


def _from_files(context: Context, searcher: Searcher, query: Query, substitute: Index, why: str) -> Recall:
    """Answer by words from the current memory files. Documents and conversations are not read for one question."""
    context.indexer.over(substitute).put_notes((memory, "") for memory in context.vault.list())
    result = replace(searcher, index=substitute, embedder=None).recall(query)
    missing = (f"the index could not be used ({why}); memories were read from their files, by words alone", *result.missing)
    return replace(result, missing=tuple(dict.fromkeys(missing)))
