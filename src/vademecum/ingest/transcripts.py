"""Ingest transcripts that grew: index every turn, mine what people said, route the candidates through the write gate.

The cursor is stored last. An interrupted run is repeated and recognises what it already wrote: turns keep their position, and
equal memories are confirmed rather than duplicated. Many small conversations are indexed together.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.tombstones import forgotten
from vademecum.domain.archive import Archived
from vademecum.domain.clocks import AHEAD, ClockAhead
from vademecum.domain.errors import Locked, Problem
from vademecum.domain.query import Scope
from vademecum.domain.session import Cursor, Session
from vademecum.index.items import LOGS, SESSIONS
from vademecum.ingest.archiver import archive_all
from vademecum.ingest.batch import Intake
from vademecum.ingest.discover import (
    COPY,
    LIBRARY,
    NOTHING,
    STOPPED,
    files_below,
    form_of,
    is_there,
    library_of,
    member_path,
    member_stamp,
    names_below,
    owner_of,
    stamp_of,
    usual_places,
)
from vademecum.ingest.duplicates import goes_on_here, growth_of_copy, is_settled, refs_known
from vademecum.ingest.earlier import was_cut, with_earlier
from vademecum.ingest.growth import Captured, Growth, Round, kept_cursor, note_unknown, size_in
from vademecum.ingest.identity import identified
from vademecum.ingest.ledger import Ledger, fill_from_index
from vademecum.ingest.load_session import cleansed, latest_time, no_later_than, taken_by_name, without_copies
from vademecum.ingest.paused_copies import (
    Copied,
    copied_from_paused,
    inherit_pauses,
    note_from_elsewhere,
    note_paused,
    without_unsaid,
)
from vademecum.ingest.paused_originals import note_originals
from vademecum.ingest.pauses import follow_clock, follow_stop, is_stopped
from vademecum.ingest.reader import Reading, head, head_of, read, read_member
from vademecum.ingest.stop_files import stop_above
from vademecum.ports.transcripts import TranscriptFormat, TranscriptLibrary
from vademecum.write.projects import folders_to_record, record_projects

_TIME = re.compile(rb'"(?:timestamp|time)"\s*:\s*"(\d{4}-\d\d-\d\d[T ][\d:.]+)')


#: Seconds that a capture waits for another one; less in the helper, whose thread also answers prompts.
WAIT_S, SHORT_WAIT_S = 60.0, 2.0

#: Maximum sessions searched for the last ones with a correct clock.
_LOOKED_AT = 50
#: Beginning of an SQLite database.
_DATABASE = b"SQLite format 3"
#: Cursor of a file that was never read.
_UNREAD = Cursor()


class CaptureReport(Struct, frozen=True):
    """Result of ingesting transcripts.

    Attributes:
        unchanged: number of files without new content.
        unrecognised: number of files in no known format.
        cut: archived versions whose turns the host has removed since.
    """

    sessions: tuple[Captured, ...] = ()
    unchanged: int = 0
    unrecognised: int = 0
    problems: tuple[Problem, ...] = ()
    ms: float = 0.0
    cut: tuple[Archived, ...] = ()


def absorb(context: Context, paths: Sequence[str], *, mined: bool = True, wait_s: float = WAIT_S) -> CaptureReport:
    """Ingest everything new in the transcripts at `paths` (files or folders; none: the folders in the settings).

    Only one process ingests at a time, because storing turns and cursors belongs together. The lock is the operating system's
    and ends with the process.

    Args:
        wait_s: seconds to wait for another process.

    Raises:
        Refused: memory is switched off.
        Locked: another process ingests for longer than `wait_s`; nothing was read.
    """
    follow_stop(context)
    follow_clock(context)
    context.must_be_enabled("nothing was captured")
    with context.state.jobs.lease("capture", wait_s) as free:
        if not free:
            raise Locked("Another process is reading transcripts; nothing was captured.", "Try again when it is done.")
        return _absorbed(context, paths, mined=mined)


def _absorbed(context: Context, paths: Sequence[str], *, mined: bool) -> CaptureReport:
    """Ingest everything new; the caller holds the lock."""
    start = context.clock.elapsed_s()
    done: list[Captured] = []
    problems: list[Problem] = []
    files = list(files_below(paths or usual_places(context), problems, context.outside.place_of))
    now = _round(context, problems)
    fill_from_index(context, partial(is_settled, context, now))
    strange = now.strange
    is_known = _Known(context.state.cursors.all(), now.indexed)
    due = [path for path in files if not is_known(path)]
    due = sorted(dict.fromkeys((*due, *note_originals(context, due, now))), key=_begun)
    total = sum(size_in(stamp_of(path)) for path in due)
    worker = context.outside.open_worker(sum(_unread(context, path, now.indexed) for path in due))
    try:
        intake = Intake(context, worker, now.ledger, mined=mined, done=done)
        _read_all(context, due, now, intake, total)
        for library, read_to in now.libraries.items():
            context.state.cursors.set(library, read_to)
        archive_report = archive_all(context, map(str, dict.fromkeys((*files, *due))), worker)
    finally:
        worker.close()
    problems += archive_report.problems
    names = {captured.path for captured in done} | {problem.path for problem in problems} | set(map(str, strange))
    unchanged = sum(str(path) not in names for path in files)
    ms = (context.clock.elapsed_s() - start) * 1000
    return CaptureReport(tuple(done), unchanged, len(strange), tuple(problems), ms, (*intake.cut, *archive_report.cut))


def _read_all(context: Context, due: Sequence[Path], now: Round, intake: Intake, total: int) -> None:
    """Read the new content of these files and process it."""
    read_bytes = 0
    for path in due:
        for growth in _growths(context, path, now):
            intake.add(growth)
        read_bytes += size_in(stamp_of(path))
        context.progress("Reading conversations, kB", min(read_bytes, total) // 1000, total // 1000)
    intake.finish()


def _round(context: Context, problems: list[Problem]) -> Round:
    marks = context.index.fingerprints(SESSIONS)
    # of two conversations that a path had, the one that was written later is current
    indexed = {mark.path: mark.stat for mark in sorted(marks.values(), key=lambda mark: int(mark.stat.partition(":")[2] or 0))}
    logged = {mark.path: size_in(mark.stat) for mark in context.index.fingerprints(LOGS).values()}
    places = {key: mark.path for key, mark in marks.items()}
    ahead = dict(context.state.clocks_ahead.all())
    known = context.index.select(Scope(sources=("session",), statuses=None), order="recent", limit=_LOOKED_AT)
    limit = context.clock.now() + AHEAD
    ended = [(item.key, item.updated) for item in known if item.updated and item.updated <= limit and item.key not in ahead]
    return Round(indexed, logged, places, problems, [], {}, Ledger(context), ahead, tuple(ended[:2]))


class HowFar(Struct, frozen=True):
    """How far a transcript was read.

    Attributes:
        offset: bytes read.
        gave_nothing: whether nobody said anything in it.
        stopped: whether it belongs to a stopped project.
    """

    offset: int
    gave_nothing: bool = False
    stopped: bool = False


def how_far(context: Context) -> Mapping[str, HowFar]:
    """Return how far each transcript was read, by path."""
    return {
        path: HowFar(cursor.offset, cursor.carry.startswith(NOTHING), cursor.carry.startswith(STOPPED))
        for path, cursor in context.state.cursors.all().items()
    }


def coverage(context: Context) -> tuple[int, tuple[str, ...]]:
    """Return the number of transcripts, and the paths of those that were not read to their end."""
    is_known = _Known(context.state.cursors.all(), _round(context, []).indexed)
    seen, behind = 0, []
    for path in names_below(usual_places(context), [], context.outside.place_of):
        if is_known(path):
            seen += 1
        elif _is_transcript(context, Path(path)):
            seen += 1
            behind.append(path)
    return seen, tuple(behind)


def _is_transcript(context: Context, path: Path) -> bool:
    beginning = head(path)
    if isinstance(beginning, Problem):
        return False
    try:
        return (
            library_of(context.outside.libraries, beginning, path) is not None
            or form_of(context.outside.formats, beginning, path) is not None
        )
    except OSError:
        return False


class _Known:
    """Tells whether a file is unchanged since it was read to its end, so that it need not be opened."""

    def __init__(self, cursors: Mapping[str, Cursor], indexed: Mapping[str, str]) -> None:
        self._cursors, self._indexed = cursors, indexed
        self._held = Counter(owner_of(path) for path in indexed)  # library -> number of its conversations in the index

    def __call__(self, file: Path | str) -> bool:
        path = str(file)
        stamp, cursor = stamp_of(path), self._cursors.get(path, _UNREAD)
        if not stamp:
            return False
        if path in self._indexed:
            return self._indexed[path] == stamp and str(cursor.offset) == stamp.partition(":")[0]
        if cursor.carry.startswith(f"{STOPPED}{stamp} "):
            return stop_above(cursor.carry.removeprefix(f"{STOPPED}{stamp} ")) is not None
        if cursor.carry.startswith(COPY):
            return f"{cursor.carry} ".startswith(f"{COPY}{stamp} ")
        return cursor.carry in (f"{NOTHING}{stamp}", f"{LIBRARY}{stamp} {self._held[path]}")


def _unread(context: Context, path: Path, indexed: Mapping[str, str]) -> int:
    """Return the unread bytes of a file, estimated without opening it."""
    size, read_to = size_in(stamp_of(path)), context.state.cursors.get(str(path)).offset if str(path) in indexed else 0
    return size - read_to if read_to <= size else size


def _begun(path: Path) -> tuple[str, int, str]:
    """Return a key that sorts conversations by when they began, so that later decisions replace earlier ones.

    It uses the first time inside the file, because file times change when files are copied. Of two with the same beginning the
    shorter comes first: a resumed conversation begins with a copy of the previous one.
    """
    beginning = head(path)
    written = None if isinstance(beginning, Problem) else _TIME.search(beginning)
    return (written[1].decode() if written else "", size_in(stamp_of(path)), str(path))


def _growths(context: Context, path: Path, now: Round) -> Iterator[Growth]:
    """Yield the new content of a file, which may contain many conversations. Unreadable parts are recorded as problems."""
    beginning = head(path)
    if isinstance(beginning, Problem):
        now.problems.append(beginning)
        return
    try:
        library = library_of(context.outside.libraries, beginning, path)
        if library is not None:
            yield from _members(context, library, path, now)
            return
        form = form_of(context.outside.formats, beginning, path)
    except OSError as error:
        now.problems.append(Problem(str(path), f"This file cannot be read now: {error}. It is tried again next time."))
        return
    growth = _growth(context, path, form, now) if form else None
    if form is None:
        now.strange.append(path)
        now.problems.extend(_not_understood(context, path, beginning))
    elif growth is not None:
        yield growth


def _not_understood(context: Context, path: Path, beginning: bytes) -> list[Problem]:
    """Return the problem of a file that no format recognises; none if it is not where a host stores conversations."""
    rule = context.outside.place_of(str(path))
    if rule.verdict not in ("conversation", "side") or not beginning.strip(b" \t\r\n\x00"):
        return []
    what = "database" if beginning.startswith(_DATABASE) else "file"
    message = f"{rule.host} stores conversations there, but this version of Vademecum cannot read this {what}."
    return [Problem(str(path), message)]


def not_understood(context: Context) -> list[Problem]:
    """Return the problems of all files where a host stores conversations that no format recognises."""
    is_known = _Known(context.state.cursors.all(), _round(context, []).indexed)
    problems: list[Problem] = []
    for path in names_below(usual_places(context), [], context.outside.place_of):
        if not is_known(path) and not _is_transcript(context, Path(path)):
            beginning = head(Path(path))
            problems += [beginning] if isinstance(beginning, Problem) else _not_understood(context, Path(path), beginning)
    return problems


def _members(context: Context, library: TranscriptLibrary, path: Path, now: Round) -> Iterator[Growth]:
    """Yield the new content of conversations in a library. Each is read completely, because it has no end to continue from.

    Raises:
        OSError: the library cannot be read.
    """
    stamp = stamp_of(path)
    members = library.members(str(path))
    marks = {name: member_stamp(mark, stamp) if name else stamp for name, mark in members}
    places = {name: member_path(path, name) for name in marks}
    due = [
        name
        for name, mark in marks.items()
        if size_in(now.indexed.get(places[name], "")) != size_in(mark) or not is_settled(context, now, places[name])
    ]
    held, stopped = len(members) - len(due), False
    for name, data in library.read(str(path), due):
        place = places[name]
        form = form_of(context.outside.formats, head_of(data), Path(place), partial(_given, data))
        if form is None:
            now.strange.append(Path(place))
            continue
        got = read_member(data, form, place)
        if is_stopped(context, got.parsed.session.cwd):
            stopped = True
            continue
        got = replace(got, parsed=replace(got.parsed, cursor=Cursor(size_in(marks[name]), carry=marks[name] if name else "")))
        growth = _grown(context, Path(place), Loaded(got, marks[name]), now)
        if growth is not None:
            held += 1
            yield growth
    if stamp == stamp_of(path) and "" not in marks and not stopped:  # otherwise it is read again next time
        now.libraries[str(path)] = Cursor(carry=f"{LIBRARY}{stamp} {held}")


def _growth(context: Context, path: Path, form: TranscriptFormat, now: Round) -> Growth | None:
    """Return the new content of a transcript; None when there is none, or it cannot be read."""
    # A rebuilt index reads everything again.
    cursor = context.state.cursors.get(str(path)) if str(path) in now.indexed else Cursor()
    if cursor.carry.startswith((COPY, NOTHING, STOPPED)):
        cursor = Cursor()  # this cursor records that the file was read, but no position in it
    stamp = stamp_of(path)
    got = read(path, form, cursor)
    if isinstance(got, Problem):
        now.problems.append(got)
        return None
    if is_stopped(context, got.parsed.session.cwd):
        if str(path) not in now.indexed:
            context.state.cursors.set(str(path), Cursor(carry=f"{STOPPED}{stamp} {got.parsed.session.cwd}"))
        return None
    is_forgotten = got.parsed.session.uri in forgotten(context).sources
    if is_forgotten or (not got.parsed.session.turns and not got.restarted):
        if not got.parsed.cursor.offset and size_in(stamp):
            now.problems.append(Problem(str(path), "No record in this file is complete. It is read again when it changes."))
        _pass_over(context, path, got, stamp, now)
        return None
    whole: Reading | Problem | None = None
    known = not got.restarted and cursor.offset > 0
    if known and (not is_settled(context, now, str(path)) or was_cut(context, got.parsed.session.uri)):
        # The index has some of these turns, or turns of an earlier version under the same refs.
        whole = read(path, form, Cursor())
    if isinstance(whole, Problem):
        now.problems.append(whole)
        return None
    return _grown(context, path, Loaded(got, stamp, cursor, whole), now)


class Loaded(Struct, frozen=True):
    """What was read of a transcript.

    Attributes:
        got: its new part.
        stamp: stamp of its file.
        cursor: where reading began.
        whole: the complete transcript, if the index may have some of the new turns.
    """

    got: Reading
    stamp: str
    cursor: Cursor = Cursor()
    whole: Reading | None = None


def _grown(context: Context, path: Path, loaded: Loaded, now: Round) -> Growth | None:
    """Return the new turns without those that belong elsewhere; None when none are left."""
    got, stamp, cursor, whole = loaded.got, loaded.stamp, loaded.cursor, loaded.whole
    folders = folders_to_record(context, got.parsed.session)
    record_projects(context, [folder for folder in folders if not is_stopped(context, folder)])
    from_start = cursor.offset == 0 or got.restarted
    parsed = identified(context, got.parsed.session, str(path), now, whole=from_start)
    note_paused(context, parsed)
    copied = _copied(context, parsed, now)
    session = cleansed(context, without_unsaid(parsed, copied))
    if got.parsed.session.turns and not session.turns and str(path) not in now.indexed:
        _pass_over(context, path, got, stamp, now)
        return None
    elsewhere = now.places.get(session.uri, "")
    second = elsewhere not in ("", str(path)) and is_there(elsewhere)
    if second and not (from_start and goes_on_here(context, session, now)):
        return growth_of_copy(context, path, session, got, stamp, now)
    now.places[session.uri] = str(path)
    follows = whole is None and cursor.offset > 0 and not got.restarted
    entire = session
    if whole is not None:
        entire = replace(whole.parsed.session, id=parsed.id)
        copied = _copied(context, entire, now)
        entire = cleansed(context, without_unsaid(entire, copied))
    ledger = now.ledger.sort(entire, copied.said, follows=follows, second=False)
    if ledger.sources and inherit_pauses(context, session.uri, _laid_on(context, ledger.sources)):
        return _grown(context, path, loaded, now)
    taken = ledger.copied | taken_by_name(context, entire)
    own = without_copies(session, taken | ledger.standing if follows else taken)
    fresh = None if follows else with_earlier(context, without_copies(entire, taken), stamp)
    mined_before = not follows and whole is None and elsewhere and is_settled(context, now, elsewhere)
    own, fresh = _with_true_times(context, own, fresh, now)
    return Growth(
        path,
        own,
        whole or got,
        stamp,
        fresh,
        begun=cursor.offset > 0,
        killed=not is_settled(context, now, str(path)),
        known=ledger.known | (refs_known(context, session) if mined_before else frozenset()),
        copied=len(session.turns) - len(own.turns),
    )


def _with_true_times(context: Context, own: Session, fresh: Session | None, now: Round) -> tuple[Session, Session | None]:
    """Return the new part and the whole of a conversation with plausible times; record whether its clock is ahead."""
    latest, whole = latest_time(context, own), fresh or own
    is_ahead = whole.ended is not None and whole.ended > latest + AHEAD
    known = now.ahead.get(whole.uri)
    if is_ahead:
        clock_ahead = ClockAhead(latest, next((time for key, time in now.last if key != whole.uri), None))
        if known is not None and fresh is not None and clock_ahead.after is None:  # a lost index is being rebuilt
            clock_ahead = known
        now.ahead[whole.uri] = clock_ahead
        context.state.clocks_ahead.set(whole.uri, clock_ahead)
    elif known is not None and (fresh is not None or own.turns):
        del now.ahead[whole.uri]
        context.state.clocks_ahead.set(whole.uri, None)
    return no_later_than(own, latest), no_later_than(fresh, latest) if fresh else None


def _copied(context: Context, session: Session, now: Round) -> Copied:
    """Return the turns of a conversation that are copied from paused ones; the conversation inherits their pauses."""
    copied = copied_from_paused(context, session, now.ledger.of)
    note_from_elsewhere(context, session, copied)
    inherit_pauses(context, session.uri, set(copied.unsaid.values()))
    return copied


def _laid_on(context: Context, sources: Collection[int]) -> set[str]:
    """Return URIs of the given sessions that are paused or excluded."""
    ruled = {pause.session for pause in context.storage.pauses.all() if pause.session} | context.storage.pauses.excluded()
    return {uri for uri in ruled if context.state.turns.number(uri) in sources}


def _pass_over(context: Context, path: Path, got: Reading, stamp: str, now: Round) -> None:
    """Record that a transcript was read without yielding anything to store, so that it is skipped until it grows."""
    cursor = kept_cursor(context, got.parsed)
    note_unknown(context, str(path), got, anew=got.restarted or str(path) not in now.indexed)
    if str(path) not in now.indexed:
        cursor = replace(cursor, carry=f"{NOTHING}{stamp}")
    context.state.cursors.set(str(path), cursor)


def _given(data: bytes) -> bytes:
    return data
