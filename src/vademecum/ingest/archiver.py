"""Archive transcripts before their host deletes them (X-42), and restore them.

The archive is append-only: when a host cut, rewrote or replaced a transcript, the earlier version is stored beside the new one.

Secrets that the guard finds are removed before anything is written. Of a transcript that grew, only the last pieces are added;
an unchanged one is not opened. Of a database, an export or a compressed file, each conversation is stored as its format reads
it: the file itself could not be cleared of secrets, and contains much besides conversations.
"""

import hashlib
import io
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.tombstones import of_stones
from vademecum.domain.archive import Archived, ArchiveSize, Packed
from vademecum.domain.errors import (
    AlreadyExists,
    ArchiveDamaged,
    ArchiveFull,
    InvalidInput,
    Problem,
    Refused,
    VademecumError,
    WriteFailed,
)
from vademecum.domain.forgotten import Tombstone
from vademecum.domain.item import Fingerprint, Item
from vademecum.domain.places import place_named
from vademecum.domain.session import Cursor, Session
from vademecum.guard import Guard
from vademecum.guard.records import rewrite_records
from vademecum.index.items import SESSIONS, log_key
from vademecum.ingest.chunking import pieces
from vademecum.ingest.discover import copied_session, form_of, is_there, library_of, name_of, owner_of, stamp_of
from vademecum.ingest.load_session import UNREADABLE, archived_session, session_in
from vademecum.ingest.paused_copies import copied_from_paused
from vademecum.ingest.paused_turns import bytes_to_keep
from vademecum.ingest.reader import HEAD_BYTES, head, head_of, is_prefix, prefix_hash, steps_of
from vademecum.ingest.versions import lost_turns, spoken_turns
from vademecum.ports.archive import Archive
from vademecum.ports.worker import Worker
from vademecum.vault.scan import stat_text

#: Errors of the archive that do not stop reading: transcripts become searchable, and are archived once it is usable again.
UNUSABLE = (ArchiveFull, ArchiveDamaged, WriteFailed)

#: Bytes of new pieces that are written together, and bytes that may wait for packing.
TOGETHER_BYTES, AHEAD_BYTES = 4 << 20, 32 << 20
_COMPRESSED = ".zst"


class ArchivedNow(Struct, frozen=True):
    """Result of a round of archiving.

    Attributes:
        transcripts: number archived, including those archived again because they grew.
        bytes: bytes read from them.
        let_go: number of transcripts removed because of the retention setting.
        cut: earlier versions that are kept because the host was just seen to have removed turns.
    """

    transcripts: int = 0
    bytes: int = 0
    let_go: int = 0
    problems: tuple[Problem, ...] = ()
    cut: tuple[Archived, ...] = ()


@dataclass(slots=True)
class _Load:
    """Pieces of a transcript on their way into the archive.

    Attributes:
        pieces: source hash -> function that returns the packed piece.
        size: bytes held in memory for them.
        record: record of the transcript, with its last pieces; None when more pieces follow.
        sources: source hashes of all its pieces, in order.
        cut: its last version, if the transcript lost turns of it.
        gone: earlier versions that the transcript contains completely.
    """

    pieces: dict[bytes, Callable[[], Packed]]
    size: int
    record: Archived | None = None
    sources: tuple[bytes, ...] = ()
    cut: Archived | None = None
    gone: tuple[Archived, ...] = ()


class ArchiveRun:
    """Archives transcripts one after the other, while a worker packs their pieces ahead.

    A transcript is recorded only after all of its pieces are stored.

    Attributes:
        kept: path -> last archived version.
        done: number of transcripts archived.
        cut: versions whose turns the host was found to have removed.
    """

    def __init__(self, context: Context, archive: Archive, worker: Worker) -> None:
        self._context, self._archive, self._worker = context, archive, worker
        self._stones = context.vault.erasure.tombstones()
        self._loads: deque[_Load] = deque()
        self._ahead = 0
        versions = sorted(archive.records(), key=lambda record: (record.path, record.version))
        self._versions = {path: tuple(some) for path, some in groupby(versions, key=lambda record: record.path)}
        self.kept = {path: some[-1] for path, some in self._versions.items()}
        self.done = 0
        self.cut: list[Archived] = []

    def put(self, file: BinaryIO, record: Archived, written: float) -> int:
        """Start archiving one transcript; return the number of bytes read.

        Args:
            written: when its host last wrote to it, in seconds since 1970.

        Raises:
            OSError: it cannot be read.
            ArchiveFull: the size limit is reached.
            Refused: turns said during a pause cannot be removed from it.
        """
        whole = _unpaused(self._context, file, record, written)
        known = self.kept.get(record.path)
        cut: Archived | None = None
        gone: tuple[Archived, ...] = ()
        given = record.session
        if known is not None:
            record = replace(record, version=known.version, session=known.session)
            grew = known.prefix != "" and is_prefix(file, known.source_bytes, known.prefix)
            if not grew or any(
                archived.cut and archived.source_bytes <= record.source_bytes for archived in self._versions[record.path]
            ):
                record, cut, gone = self._beside(whole, record, known)
                if _is_damaged(self._context, whole, record.path):
                    whole = io.BytesIO()  # keep the earlier version; these bytes are not a conversation
            if record.session != given:
                record = _described(self._context, record)
        start, sources = self._standing(file, known) if known and whole is file else (0, [])
        whole.seek(start)
        end = last = start
        for group in _grouped(pieces(whole)):
            sources += group
            end += sum(map(len, group.values()))
            last = end - len(next(reversed(group.values())))
            self._load(group)
        if whole is file:
            record = replace(record, source_bytes=end, last_at=last, before=prefix_hash(file, last))
        record = replace(record, prefix=prefix_hash(file, record.source_bytes))
        self._loads.append(_Load({}, 0, record, tuple(sources), cut, gone))
        return end - start

    def _beside(
        self, file: BinaryIO, record: Archived, known: Archived
    ) -> tuple[Archived, Archived | None, tuple[Archived, ...]]:
        """Compare a transcript that did not only grow with its archived versions.

        Returns:
            The record to store; the last version if the transcript lost turns of it, else None; and the versions that it
            contains completely.
        """
        file.seek(0)
        now = session_in(self._context, file, record.path, placed=False)
        lost = {archived.version: self._lost(file, now, archived) for archived in self._versions[record.path]}
        if now is not None:
            record = replace(record, session=now.uri)
        gone = tuple(
            archived for archived in self._versions[record.path] if lost[archived.version] == (0, 0) and archived is not known
        )
        had, missing = lost[known.version]
        if not missing:
            return record, None, gone
        left = spoken_turns(now) if record.session == known.session else 0
        cut = replace(known, cut=self._context.clock.now(), had=had, left=left, missing=missing)
        return replace(record, version=known.version + 1), cut, gone

    def _lost(self, file: BinaryIO, now: Session | None, known: Archived) -> tuple[int, int]:
        """Return (spoken turns of a version, turns of it that the transcript lacks); (0, 0) if it lacks none.

        An unreadable version counts as one missing turn, so that it is kept.
        """
        try:
            before = archived_session(self._context, known)
        except UNREADABLE:
            return 0, 1
        if before is None:
            return 0, int(known.bytes > 0)
        spoken = spoken_turns(before)
        if now is None or now.uri != before.uri:
            lost = len(lost_turns(before, replace(before, turns=())))
        else:
            lost = len(lost_turns(before, now))
            if lost:  # archived records were cleaned one by one, which may differ from cleaned turns
                file.seek(0)
                clean = io.BytesIO(self._context.guard.clean_records(file.read()))
                lost = len(lost_turns(before, session_in(self._context, clean, known.path, placed=False) or now))
        return (spoken, lost) if lost else (0, 0)

    def _standing(self, file: BinaryIO, known: Archived) -> tuple[int, list[bytes]]:
        """Return where to continue splitting a transcript, and the source hashes of the pieces before.

        This applies if its beginning is unchanged; else the result is (0, []). Its last piece is split again because it may
        have grown.
        """
        if not known.last_at or not is_prefix(file, known.last_at, known.before):
            return 0, []
        return known.last_at, list(self._archive.sources(known)[:-1])

    def _load(self, group: Mapping[bytes, bytes]) -> None:
        known = self._archive.known(group.keys())
        fresh = {source: data for source, data in group.items() if source not in known}
        begin, guard, pack = self._worker.begin, self._context.guard, self._archive.pack
        size = sum(map(len, fresh.values()))
        self._loads.append(_Load({s: begin(prepared, data, guard, self._stones, pack) for s, data in fresh.items()}, size))
        self._ahead += size
        self._settle(AHEAD_BYTES)

    def finish(self) -> None:
        """Archive everything that was started.

        Raises:
            ArchiveFull: the size limit is reached; the rest was not archived.
        """
        self._settle(-1)

    def _settle(self, ahead: int) -> None:
        while self._loads and self._ahead > ahead:
            load = self._loads.popleft()
            self._ahead -= load.size
            if load.pieces:
                self._archive.keep({source: taken() for source, taken in load.pieces.items()})
            if load.record is not None:
                self._archive.put(load.record, load.sources, cut=load.cut, gone=load.gone)
                self._note(load.record, load.cut, load.gone)

    def _note(self, record: Archived, cut: Archived | None, gone: tuple[Archived, ...]) -> None:
        """Remember a stored version, because the same transcript may come again in this run."""
        left_out = {record.version, *(archived.version for archived in gone), *([cut.version] if cut else [])}
        others = [archived for archived in self._versions.get(record.path, ()) if archived.version not in left_out]
        self._versions[record.path] = (*others, *([cut] if cut else []), record)
        self.kept[record.path] = record
        self.cut += [cut] if cut else []
        self.done += 1


def prepared(data: bytes, guard: Guard, stones: tuple[Tombstone, ...], pack: Callable[[bytes], Packed]) -> Packed:
    """Return a packed piece without secrets and forgotten text."""
    clean, gone = guard.clean_records(data), of_stones(stones)
    return pack(rewrite_records(clean, gone.blank) if gone else clean)


def archive_run_ahead(context: Context, worker: Worker) -> ArchiveRun | None:
    """Return a run that archives transcripts while others are read; None without a spare processor or a usable archive."""
    if context.storage.archive is None or not worker.spare:
        return None
    try:
        return ArchiveRun(context, context.storage.archive, worker)
    except UNUSABLE:
        return None


def archive_ahead(context: Context, archive_run: ArchiveRun, growths: Iterable[tuple[str, str]]) -> None:
    """Start archiving transcripts that were just indexed, given as (session, path). Failures are left to :func:`archive_all`.

    Raises:
        ArchiveFull, ArchiveDamaged, WriteFailed: see `UNUSABLE`.
    """
    due = dict(growths)
    for key, item in context.index.items(list(due)).items():
        stat = _stat(due[key])
        if (
            stat is None
            or _is_old(context, stat.st_mtime)
            or stat_text(stat) == (archive_run.kept[due[key]].stat if due[key] in archive_run.kept else "")
        ):
            continue
        try:
            with Path(due[key]).open("rb") as file:
                _begin(context, archive_run, file, due[key], item)
        except (OSError, Refused):
            continue  # reported by the round over all transcripts, which tries it again


def _begin(context: Context, archive_run: ArchiveRun, file: BinaryIO, path: str, item: Item) -> int:
    """Archive a file with one transcript; return the number of bytes read."""
    stat = os.fstat(file.fileno())
    return archive_run.put(file, _record(context, path, item, stat_text(stat), stat.st_size), stat.st_mtime)


def archive_all(context: Context, paths: Iterable[str] | None = None, worker: Worker | None = None) -> ArchivedNow:
    """Archive every indexed transcript whose current version is not archived.

    Args:
        paths: only these files; None: every transcript in the index.
        worker: packs the pieces; None: the calling thread does.
    """
    archive = context.storage.archive
    if archive is None or not context.enabled:
        return ArchivedNow()
    try:
        return _archived_all(context, archive, paths, worker)
    except (ArchiveDamaged, WriteFailed) as error:
        return ArchivedNow(problems=(Problem("the archive", f"Nothing was archived. {error.message} {error.hint}"),))


def records(context: Context) -> tuple[Archived, ...]:
    """Return all archived records; none when the archive cannot be read, which `vade status` reports."""
    try:
        return context.storage.archive.records() if context.storage.archive else ()
    except UNUSABLE:
        return ()


def _archived_all(context: Context, archive: Archive, paths: Iterable[str] | None, worker: Worker | None) -> ArchivedNow:
    let_go = _let_go_old(context, archive)
    archive_run = ArchiveRun(context, archive, worker or context.outside.open_worker(0))
    due = _due(context, {path: record.stat for path, record in archive_run.kept.items()}, None if paths is None else set(paths))
    items = context.index.items([key for key, _ in due])
    read = 0
    problems: list[Problem] = []
    by_file = groupby(due, key=lambda pair: owner_of(pair[1]))
    try:
        for path, pairs in by_file:
            for size in _put_all(context, archive_run, path, {mark: items[key] for key, mark in pairs}, problems):
                read += size
                context.progress("Archiving conversations", min(archive_run.done, len(due)), len(due))
        archive_run.finish()
    except ArchiveFull as error:
        left = len(due) - archive_run.done
        text = f"{error.message} {left} transcripts are not archived in their latest version. {error.hint}"
        problems.append(Problem(due[min(archive_run.done, len(due) - 1)][1], text))
    return ArchivedNow(archive_run.done, read, let_go, tuple(problems), tuple(archive_run.cut))


class ArchiveState(Struct, frozen=True):
    """State of the archive.

    Attributes:
        size: None when there is no archive, or it cannot be read.
        behind: number of transcripts whose latest version is not archived.
        wrong: what is wrong with the archive, "" for nothing.
        cut: what hosts removed from conversations, one sentence each, latest first.
    """

    size: ArchiveSize | None = None
    behind: int = 0
    wrong: str = ""
    cut: tuple[str, ...] = ()


def state_of(context: Context) -> ArchiveState:
    """Return the state of the archive, from its lists only."""
    archive = context.storage.archive
    if archive is None:
        return ArchiveState()
    try:
        size = archive.size()
        marks = context.index.fingerprints(SESSIONS)
        due = _due(context, archive.stats(), None)
        behind = sum(owner_of(path) != path or marks[key].stat == stamp_of(Path(path)) for key, path in due)
        cut = tuple(f"{record.session}: {record.removed}" for record in archive.records() if record.cut)
        incomplete = archive.incomplete()
    except VademecumError as error:
        return ArchiveState(wrong=f"archive: {error.message}")
    wrong = ""
    if incomplete:
        wrong = f"archive: parts of {len(incomplete)} transcripts are missing, {incomplete[0].session} for one."
    elif behind and size.cap_bytes:
        full = ArchiveFull(size.disk_bytes, size.cap_bytes)
        wrong = f"archive: {full.message} {behind} transcripts are not archived in their latest version. {full.hint}"
    return ArchiveState(size, behind, wrong, cut)


def _due(context: Context, kept: Mapping[str, str], wanted: set[str] | None) -> list[tuple[str, str]]:
    """Return (item key, path) of the transcripts to archive, oldest first, because hosts delete those first.

    Transcripts in one file are consecutive.
    """
    due = []
    indexed = context.index.fingerprints(SESSIONS)
    files = [(key, mark.path, mark.stat) for key, mark in indexed.items()]
    copies = ((copied_session(cursor), path) for path, cursor in context.state.cursors.all().items())
    files += [(key, path, "") for key, path in copies if key in indexed and owner_of(path) == path]
    for key, path, known in files:
        owner = owner_of(path)
        if wanted is not None and owner not in wanted:
            continue
        stat = _stat(owner)
        if stat is None or _is_old(context, stat.st_mtime):
            continue
        now = stat_text(stat) if owner == path else known
        if now != kept.get(path, ""):
            due.append((stat.st_mtime, owner, key, path))
    return [(key, path) for _, _, key, path in sorted(due)]


def _put_all(
    context: Context, archive_run: ArchiveRun, path: str, items: Mapping[str, Item], problems: list[Problem]
) -> Iterator[int]:
    """Archive the conversations in one file; yield the bytes of each.

    What cannot be read is added to `problems` and tried again later.

    Args:
        items: path of a conversation (the file's own path if it contains only one) -> its item in the index.

    Raises:
        ArchiveFull: the size limit is reached.
    """
    try:
        beginning = head(Path(path))
        if isinstance(beginning, Problem):
            problems.append(Problem(path, f"This transcript cannot be archived now: {beginning.message}"))
            return
        library = library_of(context.outside.libraries, beginning, Path(path))
        if library is None:
            if path in items:  # otherwise it was a database or an export, whose archived content stays
                with Path(path).open("rb") as file:
                    yield _begin(context, archive_run, file, path, items[path])
            return
        names = {name_of(member): member for member in items}
        for name, data in library.read(path, list(names)):
            member = names[name]
            mark = items[member].stat if name else stamp_of(Path(path))
            record = _record(context, member, items[member], mark, len(data))
            try:
                yield archive_run.put(io.BytesIO(data), record, Path(path).stat().st_mtime)
            except Refused as error:
                problems.append(Problem(member, error.message))
    except Refused as error:
        problems.append(Problem(path, error.message))
    except OSError as error:
        problems.append(Problem(path, f"This transcript cannot be archived now: {error.strerror or error}."))


def _unpaused(context: Context, file: BinaryIO, record: Archived, written: float) -> BinaryIO:
    """Return the transcript without what was said while memory was paused.

    Raises:
        OSError: it cannot be read.
        Refused: its format stores paused and other turns in one record.
    """
    last, begun = datetime.fromtimestamp(written, UTC), record.started
    about = [
        pause
        for pause in context.storage.pauses.all()
        if pause.session == record.session  # also about a copy whose times differ
        or record.path in pause.written
        or (
            (pause.folder or not pause.session)
            and pause.start <= last
            and (pause.end is None or begun is None or begun < pause.end)
        )
    ]
    if not about and record.session not in context.storage.pauses.unsaid():
        return file
    beginning = head_of(file.read(HEAD_BYTES))
    form = form_of(context.outside.formats, beginning, Path(record.path))
    file.seek(0)
    session = None
    if form is not None:
        steps = [step.parsed.session for step in steps_of(file, form, Cursor(), record.path)]
        session = replace(steps[-1], turns=tuple(turn for step in steps for turn in step.turns))
    unsaid = copied_from_paused(context, session, context.state.turns.of).unsaid.keys() if session else frozenset()
    kept = bytes_to_keep(session, about, record.source_bytes, unsaid) if session else None
    if kept is None:
        raise Refused("It is not archived: part of it was said while memory was paused, and its format cannot be divided.")
    data = io.BytesIO()
    for first, end in kept:
        file.seek(first)
        data.write(file.read(end - first))
    data.seek(0)
    return data


def _is_damaged(context: Context, file: BinaryIO, path: str) -> bool:
    """Return whether the file of a transcript is no longer text: zeros after a crash, or the bytes of another file."""
    file.seek(0)
    beginning = file.read(HEAD_BYTES)
    if b"\0" not in beginning and beginning.decode("utf-8", "replace").replace("\ufffd", "").strip():
        return False
    return form_of(context.outside.formats, head_of(beginning), Path(path), lambda: beginning) is None


def _grouped(result: Iterator[bytes]) -> Iterator[dict[bytes, bytes]]:
    """Yield groups of pieces by the hash of what the host wrote.

    Equal pieces go into different groups, so that none is lost.
    """
    group: dict[bytes, bytes] = {}
    size = 0
    for data in result:
        source = hashlib.blake2b(data, digest_size=16).digest()
        if size >= TOGETHER_BYTES or source in group:
            yield group
            group, size = {}, 0
        group[source] = data
        size += len(data)
    if group:
        yield group


def _described(context: Context, record: Archived) -> Archived:
    """Return the record with title, project and times from the index."""
    item = context.index.items([record.session]).get(record.session)
    if item is None:
        return replace(record, title="", project="", started=None, ended=None)
    return replace(record, title=item.title, project=item.project, started=item.created, ended=item.updated)


def _record(context: Context, path: str, item: Item, stat: str, size: int) -> Archived:
    return Archived(
        path=path,
        session=item.key,
        stat=stat,
        kept=context.clock.now(),
        title=item.title,
        project=item.project,
        started=item.created,
        ended=item.updated,
        source_bytes=size,
    )


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 -- asked of every transcript at once, and a Path takes longer than that
    except OSError:
        return None


def _is_old(context: Context, changed: float) -> bool:
    """Return whether a file is older than the retention setting, so that archiving it would be pointless."""
    return (
        bool(context.choices.archive_days) and context.clock.now().timestamp() - changed > context.choices.archive_days * 86_400
    )


def _let_go_old(context: Context, archive: Archive) -> int:
    if not context.choices.archive_days:
        return 0
    limit = context.clock.now() - timedelta(days=context.choices.archive_days)
    records = archive.records()
    lasting = {record.path for record in records if (_changed(record.stat) or record.kept) >= limit}
    old = [record for record in records if record.path not in lasting]
    archive.drop(old)
    lost = [key for key, mark in context.index.fingerprints(SESSIONS).items() if _is_past(mark, limit)]
    if lost:
        context.indexer.remove([name for key in lost for name in (key, log_key(key))])
    return len({record.path for record in old})


def _is_past(mark: Fingerprint, limit: datetime) -> bool:
    """Return whether a conversation is older than the retention setting and gone from its host.

    Then it is removed from search too.
    """
    changed = _changed(mark.stat)
    return changed is not None and changed < limit and not is_there(mark.path)


def _changed(stat: str) -> datetime | None:
    """Return when the host last wrote to a transcript; None when unknown."""
    nanoseconds = int(stat.partition(":")[2] or 0)
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC) if nanoseconds else None


def restore(archive: Archive, record: Archived, target: str = "") -> Path:
    """Write a transcript back to where its host finds it, or to `target`. Nothing is ever overwritten.

    The file gets the current time: with its old one, a host that deletes after 30 days would delete it again at once. A
    transcript that the host had compressed is written uncompressed, which the host also reads.

    Raises:
        InvalidInput: it comes from a database or an export and no `target` is given, or `target` is not a valid path.
        AlreadyExists: there is a file already.
        ArchiveDamaged: it cannot be restored completely; nothing was written.
        WriteFailed: the file could not be written.
    """
    path = place_named(target or _place_of(record)).absolute()
    if path.exists() or path.is_symlink():
        raise AlreadyExists(f"{path} is there already; nothing was written.", "Name another path with --to.")
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            for piece in archive.read(record):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        _put_in_place(part, path)
    except FileExistsError as error:
        raise AlreadyExists(f"{path} is there already; nothing was written.", "Name another path with --to.") from error
    except OSError as error:
        raise WriteFailed(f"{path} could not be written: {error.strerror or error}.", "Name another path with --to.") from error
    finally:
        part.unlink(missing_ok=True)
    return path


def _place_of(record: Archived) -> str:
    """Return the path where a host finds the transcript.

    Raises:
        InvalidInput: it belongs inside another file of its host, which is never written to.
    """
    owner = owner_of(record.path)
    if owner != record.path:
        raise InvalidInput(
            f"{record.session} lies in {owner}, which belongs to its host and is never changed.",
            "Name a file to write it to with --to.",
        )
    return record.path.removesuffix(_COMPRESSED)


def _put_in_place(part: Path, path: Path) -> None:
    """Give a finished file its name, unless the name is taken.

    Raises:
        FileExistsError: it is taken.
    """
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        with path.open("xb") as file:
            file.write(part.read_bytes())
