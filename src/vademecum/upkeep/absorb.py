"""Read transcripts that grew: index every turn, mine what people said, route the candidates through the write gate.

The cursor is stored last. A reading that is killed is done again, and finds what it already wrote: turns keep their place,
equal memories are confirmed rather than doubled. Many small conversations go into the index together.
"""

import contextlib
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from vademecum.capture.follow_ups import follow_ups
from vademecum.capture.mine import mine
from vademecum.capture.paused import without_words
from vademecum.capture.read import Reading, head, head_of, read, read_member
from vademecum.capture.recovery import last_answer, snapshot
from vademecum.guard.gate import cleanse
from vademecum.guard.records import cleanse_records, rewrite_records
from vademecum.index.items import LOGS, SESSIONS, items_of
from vademecum.model.errors import ArchiveFull, NotFound, Problem, Refused
from vademecum.model.host import HookEvent
from vademecum.model.lifecycle import Marker, noted
from vademecum.model.ports import Hands, Parsed, TranscriptFormat, TranscriptLibrary
from vademecum.model.query import EXCLUDED
from vademecum.model.reports import Captured, CaptureReport, Saved
from vademecum.model.session import SPOKEN, Candidate, Cursor, Session
from vademecum.upkeep.follow import follow
from vademecum.upkeep.forgotten import forgotten
from vademecum.upkeep.gather import (
    COPY,
    LIBRARY,
    NOTHING,
    files_below,
    form_of,
    is_there,
    library_of,
    member_path,
    member_stamp,
    owner_of,
    stamp_of,
    transcript_bytes,
    usual_places,
)
from vademecum.upkeep.model_queue import enqueue
from vademecum.upkeep.parts import Parts, no_progress
from vademecum.upkeep.pausing import follow_stop
from vademecum.upkeep.propose import route_all
from vademecum.upkeep.refine import QUICK_BATCH, try_refine
from vademecum.upkeep.shelve import Shelving, shelve, shelve_ahead
from vademecum.upkeep.verify import verified
from vademecum.upkeep.whole import cleansed, own_part

#: Candidates among what was said, and ideas.
Found = tuple[tuple[Candidate, ...], tuple[Candidate, ...]]

#: Turns read before they go into the index; a conversation is never divided.
TURNS_AT_ONCE = 1000
#: A session found on disk that was written to within this time may still be going on.
ADOPTED_WITHIN = timedelta(days=1)
_TIME = re.compile(rb'"(?:timestamp|time)"\s*:\s*"(\d{4}-\d\d-\d\d[T ][\d:.]+)')


@dataclass(frozen=True, slots=True)
class _Growth:
    """What is new in a transcript.

    Attributes:
        session: its new turns, cleansed. stamp: stat of the file before it was read.
        fresh: what replaces everything that the index knows of the session; None when the new turns go behind it.
        begun: part of it was read before. killed: a reading was killed before it remembered how far it had come.
        known: refs of turns that were mined before, because the file was rewritten or moved.
        copied: how many turns another session had first. copy: the file is a second one of its session.
        found: gives what was found in it, when somebody was asked to look for it.
    """

    path: Path
    session: Session
    reading: Reading
    stamp: str
    fresh: Session | None
    begun: bool
    killed: bool = False
    known: frozenset[str] = frozenset()
    copied: int = 0
    copy: bool = False
    found: Callable[[], Found] | None = None


@dataclass(frozen=True, slots=True)
class _Round:
    """What one reading of all transcripts needs to know of the index, and what it finds wrong.

    Attributes:
        indexed: path -> stat of the transcript as the index keeps it. logged: path -> bytes, of what its tools did.
        places: session -> path of its transcript. strange: files of no format we know.
        libraries: how far they were read, to be kept when all of it is settled.
    """

    indexed: Mapping[str, str]
    logged: Mapping[str, int]
    places: dict[str, str]
    problems: list[Problem]
    strange: list[Path]
    libraries: dict[str, Cursor]


def absorb(parts: Parts, paths: Sequence[str], *, mined: bool = True) -> CaptureReport:
    """Everything new in the transcripts at `paths` (files or folders; none: the folders of the settings).

    Raises:
        Refused: memory is switched off.
    """
    follow_stop(parts)
    if not parts.enabled:
        raise Refused("Memory is switched off; nothing was captured.", "Switch it on with: vade resume, or enabled = true")
    start = parts.clock.elapsed_s()
    done: list[Captured] = []
    problems: list[Problem] = []
    files = list(files_below(paths or usual_places(parts), problems))
    now = _round(parts, problems)
    strange = now.strange
    held = _held(now.indexed)
    due = sorted((path for path in files if not _is_known(parts, path, now.indexed, held)), key=_begun)
    total = sum(_size(stamp_of(path)) for path in due)
    hands = parts.open_hands(sum(_unread(parts, path, now.indexed) for path in due))
    try:
        _read_all(parts, due, now, _Intake(parts, hands, mined=mined, done=done), total)
        for library, read_to in now.libraries.items():
            parts.state.set_cursor(library, read_to)
        shelved = shelve(parts, map(str, files), hands)
    finally:
        hands.close()
    problems += shelved.problems
    _, missing = try_refine(parts.index, parts.quick, parts.clock, parts.progress, batch=QUICK_BATCH)
    told = {found.path for found in done} | {problem.path for problem in problems}
    unchanged = sum(str(path) not in told for path in files) - len(strange)
    problems += [Problem("vectors", missing)] if missing else []
    return CaptureReport(tuple(done), unchanged, len(strange), tuple(problems), (parts.clock.elapsed_s() - start) * 1000)


class _Intake:
    """Takes in what was read, a batch behind the reading: while one is read, what was said in the one before is mined. When there
    are hands to spare, it goes into the archive meanwhile.

    Attributes:
        done: what was taken in.
    """

    def __init__(self, parts: Parts, hands: Hands, *, mined: bool, done: list[Captured]) -> None:
        self._parts, self._hands, self._mined = parts, hands, mined
        self._before: list[_Growth] = []
        self._waiting: list[_Growth] = []
        self._turns = 0
        self._followed = False
        self._shelving = Shelving(parts, parts.archive, hands) if parts.archive and hands.spare else None
        self.done = done

    def add(self, growth: _Growth) -> None:
        """Take something in that was read, sooner or later."""
        if growth.killed and self._mined and not self._followed:
            follow(self._parts, quick=True)  # a memory that a killed reading wrote is known before it would be written again
            self._followed = True
        if self._mined and not growth.copy and _is_mined(self._parts, growth):
            growth = replace(growth, found=self._hands.begin(found_in, _new(self._parts, growth), soon=True))
        self._waiting.append(growth)
        self._turns += len(growth.session.turns)
        if self._turns >= TURNS_AT_ONCE:
            self._next()

    def finish(self) -> None:
        """Take in everything."""
        self._next()
        self._next()
        with contextlib.suppress(ArchiveFull):  # told by the round over all transcripts, which counts what is left
            if self._shelving is not None:
                self._shelving.finish()

    def _next(self) -> None:
        before, self._before, self._waiting, self._turns = self._before, self._waiting, [], 0
        if not before:
            return
        self.done += _taken_in(self._parts, before, mined=self._mined)
        try_refine(self._parts.index, self._parts.quick, self._parts.clock, no_progress, batch=QUICK_BATCH)
        if self._shelving is not None:
            try:
                shelve_ahead(self._parts, self._shelving, _by_themselves(before))
            except ArchiveFull:
                self._shelving = None


def _by_themselves(growths: Iterable[_Growth]) -> Iterator[tuple[str, str]]:
    """(session, path) of what lies in a file of its own."""
    for growth in growths:
        path = str(growth.path)
        if not growth.copy and owner_of(path) == path:
            yield growth.session.uri, path


def _read_all(parts: Parts, due: Sequence[Path], now: _Round, intake: _Intake, total: int) -> None:
    """Read what is new in these files and take it in."""
    read_bytes = 0
    for path in due:
        for growth in _growths(parts, path, now):
            intake.add(growth)
        read_bytes += _size(stamp_of(path))
        parts.progress("transcripts (kB)", min(read_bytes, total) // 1000, total // 1000)
    intake.finish()


def _round(parts: Parts, problems: list[Problem]) -> _Round:
    marks = parts.index.fingerprints(SESSIONS)
    indexed = {mark.path: mark.stat for mark in marks.values()}
    logged = {mark.path: _size(mark.stat) for mark in parts.index.fingerprints(LOGS).values()}
    return _Round(indexed, logged, {key: mark.path for key, mark in marks.items()}, problems, [], {})


def _held(indexed: Mapping[str, str]) -> Mapping[str, int]:
    """Library -> how many of its conversations the index holds."""
    return Counter(owner_of(path) for path in indexed)


def coverage(parts: Parts) -> tuple[int, tuple[str, ...]]:
    """How many transcripts there are, and the paths of those that were not read to their end."""
    indexed = _round(parts, []).indexed
    held = _held(indexed)
    seen, behind = 0, []
    for path in files_below(usual_places(parts), []):
        if _is_known(parts, path, indexed, held):
            seen += 1
        elif _is_transcript(parts, path):
            seen += 1
            behind.append(str(path))
    return seen, tuple(behind)


def _is_transcript(parts: Parts, path: Path) -> bool:
    beginning = head(path)
    if isinstance(beginning, Problem):
        return False
    try:
        return library_of(parts.libraries, beginning, path) is not None or form_of(parts.formats, beginning, path) is not None
    except OSError:
        return False


def _is_known(parts: Parts, path: Path, indexed: Mapping[str, str], held: Mapping[str, int]) -> bool:
    """Whether the file is as it was when it was read to its end, so that it need not be opened."""
    stamp = stamp_of(path)
    if not stamp:
        return False
    cursor = parts.state.cursor(str(path))
    if str(path) in indexed:
        return indexed[str(path)] == stamp and str(cursor.offset) == stamp.partition(":")[0]
    return cursor.carry in (f"{COPY}{stamp}", f"{NOTHING}{stamp}", f"{LIBRARY}{stamp} {held.get(str(path), 0)}")


def _unread(parts: Parts, path: Path, indexed: Mapping[str, str]) -> int:
    """Bytes of a file that were not read yet, as far as that can be told without opening it."""
    size, read_to = _size(stamp_of(path)), parts.state.cursor(str(path)).offset if str(path) in indexed else 0
    return size - read_to if read_to <= size else size


def _begun(path: Path) -> tuple[str, int, str]:
    """When a conversation began, as text that sorts, so that a changed mind is met in the order in which it changed.

    By the first time written in it, since file times tell of copying. Of two that begin alike the shorter comes first: a
    resumed conversation begins with a copy of the one before.
    """
    beginning = head(path)
    written = None if isinstance(beginning, Problem) else _TIME.search(beginning)
    return (written[1].decode() if written else "", _size(stamp_of(path)), str(path))


def _growths(parts: Parts, path: Path, now: _Round) -> Iterator[_Growth]:
    """What is new in a file, which may hold many conversations. What cannot be read is noted, and the others go on."""
    beginning = head(path)
    if isinstance(beginning, Problem):
        now.problems.append(beginning)
        return
    try:
        library = library_of(parts.libraries, beginning, path)
        if library is not None:
            yield from _members(parts, library, path, now)
            return
        form = form_of(parts.formats, beginning, path)
    except OSError as error:
        now.problems.append(Problem(str(path), f"This file cannot be read now: {error}. It is tried again next time."))
        return
    growth = _growth(parts, path, form, now) if form else None
    if form is None:
        now.strange.append(path)
    elif growth is not None:
        yield growth


def _members(parts: Parts, library: TranscriptLibrary, path: Path, now: _Round) -> Iterator[_Growth]:
    """What changed of the conversations in a library. Each is read whole: it has no end to read on from.

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
        if _size(now.indexed.get(places[name], "")) != _size(mark) or not _is_settled(parts, now, places[name])
    ]
    held = len(members) - len(due)
    for name, data in library.read(str(path), due):
        place = places[name]
        form = form_of(parts.formats, head_of(data), Path(place), partial(_given, data))
        if form is None:
            now.strange.append(Path(place))
            continue
        got = read_member(data, form, place)
        got = replace(got, parsed=replace(got.parsed, cursor=Cursor(_size(marks[name]), carry=marks[name] if name else "")))
        growth = _grown(parts, Path(place), got, marks[name], Cursor(), now)
        if growth is not None:
            held += 1
            yield growth
    if stamp == stamp_of(path) and "" not in marks:  # else it changed meanwhile, and is looked at again
        now.libraries[str(path)] = Cursor(carry=f"{LIBRARY}{stamp} {held}")


def _growth(parts: Parts, path: Path, form: TranscriptFormat, now: _Round) -> _Growth | None:
    """What is new in a transcript; None when nothing is, or it cannot be read."""
    cursor = parts.state.cursor(str(path)) if str(path) in now.indexed else Cursor()  # a rebuilt index reads all anew
    stamp = stamp_of(path)
    got = read(path, form, cursor)
    if isinstance(got, Problem):
        now.problems.append(got)
        return None
    is_forgotten = got.parsed.session.uri in forgotten(parts).sources
    if is_forgotten or (not got.parsed.session.turns and not got.restarted):
        _pass_over(parts, path, got, stamp, now)
        return None
    whole: Reading | Problem | None = None
    if not got.restarted and cursor.offset and not _is_settled(parts, now, str(path)):  # the index has some of these turns
        whole = read(path, form, Cursor())
    if isinstance(whole, Problem):
        now.problems.append(whole)
        return None
    return _grown(parts, path, got, stamp, cursor, now, whole)


def _grown(
    parts: Parts, path: Path, got: Reading, stamp: str, cursor: Cursor, now: _Round, whole: Reading | None = None
) -> _Growth | None:
    """New turns, without those that stand elsewhere already; None when that is all of them.

    Args:
        whole: all of the transcript, when the index may hold some of the new turns.
    """
    session = cleansed(parts, got.parsed.session)
    if got.parsed.session.turns and not session.turns and str(path) not in now.indexed:
        _pass_over(parts, path, got, stamp, now)
        return None
    elsewhere = now.places.get(session.uri, "")
    if elsewhere not in ("", str(path)) and is_there(elsewhere):
        return _of_a_copy(parts, path, session, got, stamp, now)
    now.places[session.uri] = str(path)
    own = own_part(parts, session)
    fresh = own if got.restarted or not cursor.offset else None
    if whole is not None:
        got, fresh = whole, own_part(parts, cleansed(parts, whole.parsed.session))
    mined_before = fresh is not None and whole is None and elsewhere and _is_settled(parts, now, elsewhere)
    return _Growth(
        path,
        own,
        got,
        stamp,
        fresh,
        begun=cursor.offset > 0,
        killed=not _is_settled(parts, now, str(path)),
        known=_refs(parts, session) if mined_before else frozenset(),
        copied=len(session.turns) - len(own.turns),
    )


def _pass_over(parts: Parts, path: Path, got: Reading, stamp: str, now: _Round) -> None:
    """Remember that a transcript was read and gave nothing to keep, until it grows."""
    cursor = _kept(parts, got.parsed)
    _note_strange(parts, str(path), got, anew=got.restarted or str(path) not in now.indexed)
    if str(path) not in now.indexed:
        cursor = replace(cursor, carry=f"{NOTHING}{stamp}")
    parts.state.set_cursor(str(path), cursor)


def _is_settled(parts: Parts, now: _Round, place: str) -> bool:
    """Whether all that the index holds of a transcript was mined as well; a reading that was killed leaves some."""
    stamp = now.indexed.get(place, "")
    cursor = parts.state.cursor(place)
    if owner_of(place) != place:
        return cursor.carry == stamp
    return max(_size(stamp), now.logged.get(place, 0)) <= cursor.offset


def _of_a_copy(parts: Parts, path: Path, session: Session, got: Reading, stamp: str, now: _Round) -> _Growth | None:
    """What a second file of the same session may hold that the first lacks. The index goes on naming the first."""
    there = now.places[session.uri]
    known = _refs(parts, session)
    mark = replace(got.parsed.cursor, carry=f"{COPY}{stamp}")
    if all(turn.ref in known for turn in session.turns if turn.role in SPOKEN):
        parts.state.set_cursor(str(path), mark)
        return None
    read_so = replace(got, parsed=replace(got.parsed, cursor=mark))
    kept = now.indexed.get(there) or stamp_of(Path(there))
    return _Growth(path, replace(session, path=there), read_so, kept, None, begun=True, copy=True)


def _lacking(parts: Parts, session: Session) -> Session:
    """The turns of a copy that the index lacks, and what tools did behind the last one that it has."""
    there = _refs(parts, session)
    last = max((number for number, turn in enumerate(session.turns) if turn.ref in there), default=-1)
    turns = (turn for number, turn in enumerate(session.turns) if number > last or turn.role in SPOKEN)
    return replace(session, turns=tuple(turn for turn in turns if turn.ref not in there))


def _refs(parts: Parts, session: Session) -> frozenset[str]:
    return frozenset(stored.passage.ref for stored in parts.index.passages_of(session.uri))


def _given(data: bytes) -> bytes:
    return data


def _size(stat: str) -> int:
    """Bytes of a file by its stat; 0 for none."""
    return int(stat.partition(":")[0] or 0)


def _taken_in(parts: Parts, growths: Iterable[_Growth], *, mined: bool) -> Iterator[Captured]:
    """Index what was read and settle it, in the order given: new sessions together, each that grew by itself."""
    for fresh, some in itertools.groupby(growths, key=lambda growth: growth.fresh is not None):
        group = list(some)
        if fresh:
            parts.index.apply([item for one in group if one.fresh for item in items_of(one.fresh, one.stamp)])
        for one in group:
            growth = one
            if growth.copy:
                growth = replace(growth, session=_lacking(parts, growth.session))
            if not fresh:
                _extend(parts, growth)
            yield _settled(parts, growth, mined=mined)


def _extend(parts: Parts, growth: _Growth) -> None:
    """Put new turns behind those that stand. What was known of the conversation as a whole stays known."""
    said, log = items_of(growth.session, growth.stamp)
    standing = parts.index.items([said.key, log.key])
    for item in (log, said):  # the conversation last: its stamp says that both were read so far
        known = standing.get(item.key)
        parts.index.extend(replace(item, tags=tuple(dict.fromkeys((*(known.tags if known else ()), *item.tags)))))


def _adopt(parts: Parts, growth: _Growth) -> None:
    """Note a session that was found on disk, so that one whose host tells us nothing is attended to as well.

    Only those that somebody may still be in: what happened long ago is read, and no more is made of it by itself.
    """
    session, path = growth.session, str(growth.path)
    changed = datetime.fromtimestamp(int(growth.stamp.partition(":")[2] or 0) / 1e9, UTC)
    if parts.clock.now() - changed >= ADOPTED_WITHIN:
        return
    event = HookEvent(session.host, "other", "", session.id, session.cwd, transcript=path)

    def step(known: Marker | None) -> Marker:
        return replace(known, transcript=known.transcript or path) if known else noted(None, event, changed)

    parts.markers.change(session.uri, step)


def _settled(parts: Parts, growth: _Growth, *, mined: bool) -> Captured:
    """Mine what was read and indexed, and only then remember that it was read."""
    spoken = _spoken(growth)
    host = growth.session.host
    found: tuple[Candidate, ...] = ()
    if mined and _is_mined(parts, growth):
        said, ideas = growth.found() if growth.found else found_in(_new(parts, growth))
        found = (*verified(parts, said, growth.session.cwd), *ideas)
    saved = route_all(parts, found, host)
    last_words = (
        None
        if EXCLUDED in growth.session.tags
        else snapshot(growth.session, None if growth.fresh else parts.state.snapshot(growth.session.uri), parts.clock.now())
    )
    if last_words is not None:
        parts.state.set_snapshot(last_words)
    _adopt(parts, growth)
    if mined and spoken and _is_mined(parts, growth):
        enqueue(parts, growth.session.uri, str(growth.path))
    _note_strange(parts, str(growth.path), growth.reading, anew=growth.fresh is not None)
    parts.state.set_cursor(str(growth.path), _kept(parts, growth.reading.parsed))
    return replace(_told(growth.session, growth.path, growth.reading, saved), copied=growth.copied)


def _note_strange(parts: Parts, path: str, got: Reading, *, anew: bool) -> None:
    """Count the kinds of lines that nobody knows, so that `doctor` can tell when a host has changed what it writes."""
    found = Counter({"": got.parsed.broken})
    for kind, count in got.parsed.unknown.items():
        found[cleanse(kind, parts.policy)] += count
    parts.state.note_strange(path, got.parsed.session.host, found, anew=anew)


def _spoken(growth: _Growth) -> int:
    return sum(turn.role in SPOKEN and not turn.sidechain for turn in growth.session.turns)


def _is_mined(parts: Parts, growth: _Growth) -> bool:
    """Whether enough was said for anything to be looked for in it, and the person did not opt it out."""
    return EXCLUDED not in growth.session.tags and (growth.begun or _spoken(growth) >= parts.min_turns)


def _new(parts: Parts, growth: _Growth) -> Session:
    """What was read and never mined."""
    session = growth.session
    turns = tuple(turn for turn in session.turns if turn.ref not in growth.known)
    before = parts.state.snapshot(session.uri) if growth.begun else None
    return replace(
        session, turns=turns, continued=growth.begun or len(turns) < len(session.turns), answered=last_answer(before)
    )


def found_in(session: Session) -> Found:
    """What was said that is worth remembering, and the ideas that were left behind."""
    return mine(session), follow_ups(session)


def mine_again(parts: Parts, path: str, *, since: int = 0, least: int = 0) -> tuple[Session, Captured]:
    """Mine a whole conversation once more because somebody asks for it, however short it is. What is known is confirmed.

    Args:
        since: spoken turns to pass over. least: with fewer spoken turns behind them nothing is mined.

    Returns:
        The session with the turns that were looked at, and what became of its candidates.

    Raises:
        NotFound: there is no transcript at `path` that can be read. Refused: the person opted the conversation out.
    """
    try:
        data = transcript_bytes(parts, path)
        form = form_of(parts.formats, head_of(data), Path(path), lambda: data)
    except OSError as error:
        raise NotFound(f"There is no conversation at {path}: {error}", "First: vade capture") from error
    if form is None:
        raise NotFound(f"There is no conversation at {path}.", "First: vade capture")
    got = read_member(data, form, path)
    whole = cleansed(parts, got.parsed.session)
    if EXCLUDED in whole.tags:
        raise Refused(
            "The person wants nothing to be learnt from this conversation.",
            f"They allow it with: vade sessions include {whole.id}",
        )
    spoken = [turn for turn in whole.turns if turn.role in SPOKEN and not turn.sidechain]
    answers = [turn.text for turn in spoken[:since] if turn.role == "agent"]
    session = replace(whole, turns=tuple(spoken[since:]), continued=since > 0, answered="".join(answers[-1:]))
    enough = len(session.turns) >= max(least, 1)
    said, ideas = found_in(session) if enough else ((), ())
    found = (*verified(parts, said, session.cwd), *ideas)
    saved = route_all(parts, found, session.host)
    return session, _told(session, Path(path), got, saved)


def _kept(parts: Parts, parsed: Parsed) -> Cursor:
    """The cursor as it may lie on our disk: what a format carries along holds words of the conversation (X-37)."""
    carry = cleanse_records(parsed.cursor.carry.encode("utf-8", "replace"), parts.policy)
    unsaid = without_words(parsed.session, parts.pauses.all())
    carry = rewrite_records(carry, lambda text: unsaid(forgotten(parts).blank(text)))
    return replace(parsed.cursor, carry=carry.decode("utf-8", "replace"))


def _told(session: Session, path: Path, got: Reading, saved: tuple[Saved, ...]) -> Captured:
    return Captured(
        path=str(path),
        session=session.uri,
        title=session.title,
        turns=dict(Counter(turn.role for turn in session.turns)),
        saved=saved,
        unknown=got.parsed.unknown,
        broken=got.parsed.broken,
    )
