"""Read transcripts that grew: index every turn, mine what people said, route the candidates through the write gate.

The cursor is stored last. A reading that is killed is done again, and finds what it already wrote: turns keep their place,
equal memories are confirmed rather than doubled. Many small conversations go into the index together.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from vademecum.capture.mine import mine
from vademecum.capture.read import Reading, head, read
from vademecum.capture.recovery import snapshot
from vademecum.guard.records import cleanse_records, rewrite_records
from vademecum.index.items import LOGS, SESSIONS, items_of
from vademecum.model.errors import NotFound, Problem, Refused
from vademecum.model.host import HookEvent
from vademecum.model.lifecycle import Marker, noted
from vademecum.model.memory import By, Draft
from vademecum.model.query import Scope
from vademecum.model.reports import Captured, CaptureReport, Saved
from vademecum.model.session import SPOKEN, Candidate, Cursor, Session
from vademecum.upkeep.forgotten import forgotten
from vademecum.upkeep.keep import keep, similar
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.refine import try_refine
from vademecum.upkeep.shelve import shelve
from vademecum.upkeep.whole import cleansed

TRANSCRIPT_SUFFIXES = (".jsonl", ".json")
#: A candidate may replace a memory only when at most this many could be meant (X-44).
RIVALS_LOOKED_AT = 3
#: Turns read before they go into the index; a conversation is never divided.
TURNS_AT_ONCE = 1000
#: A session found on disk that was written to within this time may still be going on.
ADOPTED_WITHIN = timedelta(days=1)
_TIME = re.compile(rb'"(?:timestamp|time)"\s*:\s*"(\d{4}-\d\d-\d\d[T ][\d:.]+)')
BY_EXTRACTION = By("extraction", "capture")
_STATUS_OF = {"high": "active", "medium": "inbox", "low": "inbox"}


@dataclass(frozen=True, slots=True)
class _Growth:
    """What is new in a transcript.

    Attributes:
        session: its new turns, cleansed. stamp: stat of the file before it was read.
        fresh: what replaces everything that the index knows of the session; None when the new turns go behind it.
        begun: part of it was read before.
    """

    path: Path
    session: Session
    reading: Reading
    stamp: str
    fresh: Session | None
    begun: bool


def absorb(parts: Parts, paths: Sequence[str], *, mined: bool = True) -> CaptureReport:
    """Everything new in the transcripts at `paths` (files or folders; none: the folders of the settings).

    Raises:
        Refused: memory is switched off.
    """
    if not parts.enabled:
        raise Refused("Memory is switched off; nothing was captured.", "Switch it on with: enabled = true")
    start = parts.clock.elapsed_s()
    done: list[Captured] = []
    problems: list[Problem] = []
    files = list(transcripts_in(paths or _usual(parts), problems))
    indexed = {mark.path: mark.stat for mark in parts.index.fingerprints(SESSIONS).values()}
    logged = {mark.path: _size(mark.stat) for mark in parts.index.fingerprints(LOGS).values()}
    due = sorted((path for path in files if not _is_known(parts, path, indexed)), key=_begun)
    strange: list[Path] = []
    waiting: list[_Growth] = []
    for count, path in enumerate(due, 1):
        cursor = parts.state.cursor(str(path)) if str(path) in indexed else Cursor()  # a rebuilt index reads all anew
        held = max(_size(indexed.get(str(path), "")), logged.get(str(path), 0))
        growth = _growth(parts, path, cursor, held, problems, strange)
        waiting += [growth] if growth else []
        if count == len(due) or sum(len(one.session.turns) for one in waiting) >= TURNS_AT_ONCE:
            done += _taken_in(parts, waiting, mined=mined)
            waiting.clear()
            parts.progress("transcripts", count, len(due))
    shelved = shelve(parts, map(str, files))
    problems += shelved.problems
    _, missing = try_refine(parts.index, parts.quick, parts.clock, parts.progress)
    told = {found.path for found in done} | {problem.path for problem in problems}
    unchanged = sum(str(path) not in told for path in files) - len(strange)
    problems += [Problem("vectors", missing)] if missing else []
    return CaptureReport(tuple(done), unchanged, len(strange), tuple(problems), (parts.clock.elapsed_s() - start) * 1000)


def _usual(parts: Parts) -> list[str]:
    """Folders of the settings, and that of conversations that agents handed over once there is one."""
    own = parts.conversations.folder
    return [*parts.transcripts, *([str(own)] if own.is_dir() else [])]


def transcripts_in(paths: Iterable[str], problems: list[Problem]) -> Iterator[Path]:
    """Transcripts below the given paths, each once."""
    found: list[Path] = []
    for text in paths:
        path = Path(text).expanduser()
        if path.is_dir():
            found += [file for file in sorted(path.rglob("*")) if file.suffix in TRANSCRIPT_SUFFIXES and file.is_file()]
        elif path.is_file():
            found.append(path)
        else:
            problems.append(Problem(text, "There is no such file or folder."))
    yield from dict.fromkeys(path.absolute() for path in found)


def coverage(parts: Parts) -> tuple[int, tuple[str, ...]]:
    """How many transcripts there are, and the paths of those that were not read to their end."""
    indexed = {mark.path: mark.stat for mark in parts.index.fingerprints(SESSIONS).values()}
    seen, behind = 0, []
    for path in transcripts_in(_usual(parts), []):
        if _is_known(parts, path, indexed):
            seen += 1
        elif not isinstance(beginning := head(path), Problem) and any(
            form.recognises(beginning, str(path)) for form in parts.formats
        ):
            seen += 1
            behind.append(str(path))
    return seen, tuple(behind)


def _is_known(parts: Parts, path: Path, indexed: Mapping[str, str]) -> bool:
    """Whether the file is as it was when it was read to its end, so that it need not be opened."""
    stamp = _stamp(path)
    return indexed.get(str(path)) == stamp != "" and str(parts.state.cursor(str(path)).offset) == stamp.partition(":")[0]


def _stamp(path: Path) -> str:
    """Size and time of a file, as the index keeps them; "" when it has just gone."""
    try:
        stat = path.stat()
    except OSError:
        return ""
    return f"{stat.st_size}:{stat.st_mtime_ns}"


def _begun(path: Path) -> tuple[str, str]:
    """When a conversation began, as text that sorts, so that a changed mind is met in the order in which it changed.

    By the first time written in it, since file times tell of copying.
    """
    beginning = head(path)
    written = None if isinstance(beginning, Problem) else _TIME.search(beginning)
    return (written[1].decode() if written else "", str(path))


def _growth(
    parts: Parts, path: Path, cursor: Cursor, held: int, problems: list[Problem], strange: list[Path]
) -> _Growth | None:
    """What is new in a file; None when nothing is, or it cannot be read.

    Args:
        held: bytes of the file that the index holds something of; 0 for nothing.
    """
    beginning = head(path)
    if isinstance(beginning, Problem):
        problems.append(beginning)
        return None
    form = next((one for one in parts.formats if one.recognises(beginning, str(path))), None)
    if form is None:
        strange.append(path)
        return None
    stamp = _stamp(path)
    got = read(path, form, cursor)
    if isinstance(got, Problem):
        problems.append(got)
        return None
    is_forgotten = got.parsed.session.uri in forgotten(parts).sources
    if is_forgotten or (not got.parsed.session.turns and not got.restarted):
        parts.state.set_cursor(str(path), _kept(parts, got.parsed.cursor))
        return None
    session = cleansed(parts, got.parsed.session)
    fresh = session if got.restarted or not cursor.offset else None
    if fresh is None and held > cursor.offset:  # a reading was killed before its cursor was kept: the index has some of these
        whole = read(path, form, Cursor())
        if isinstance(whole, Problem):
            problems.append(whole)
            return None
        got, fresh = whole, cleansed(parts, whole.parsed.session)
    return _Growth(path, session, got, stamp, fresh, begun=cursor.offset > 0)


def _size(stat: str) -> int:
    """Bytes of a file by its stat; 0 for none."""
    return int(stat.partition(":")[0] or 0)


def _taken_in(parts: Parts, growths: Iterable[_Growth], *, mined: bool) -> Iterator[Captured]:
    """Index what was read and settle it, in the order given: new sessions together, each that grew by itself."""
    for fresh, some in itertools.groupby(growths, key=lambda growth: growth.fresh is not None):
        group = list(some)
        if fresh:
            parts.index.apply([item for one in group if one.fresh for item in items_of(one.fresh, one.stamp)])
        for growth in group:
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
    spoken = sum(turn.role in SPOKEN and not turn.sidechain for turn in growth.session.turns)
    enough = growth.begun or spoken >= parts.min_turns
    host = growth.session.host
    saved = tuple(route(parts, candidate, host) for candidate in mine(growth.session)) if mined and enough else ()
    last_words = snapshot(growth.session, None if growth.fresh else parts.state.snapshot(growth.session.uri), parts.clock.now())
    if last_words is not None:
        parts.state.set_snapshot(last_words)
    _adopt(parts, growth)
    parts.state.set_cursor(str(growth.path), _kept(parts, growth.reading.parsed.cursor))
    return _told(growth.session, growth.path, growth.reading, saved)


def mine_again(parts: Parts, path: str, *, since: int = 0, least: int = 0) -> tuple[Session, Captured]:
    """Mine a whole conversation once more because somebody asks for it, however short it is. What is known is confirmed.

    Args:
        since: spoken turns to pass over. least: with fewer spoken turns behind them nothing is mined.

    Returns:
        The session with the turns that were looked at, and what became of its candidates.

    Raises:
        NotFound: there is no transcript at `path` that can be read.
    """
    problems: list[Problem] = []
    growth = _growth(parts, Path(path), Cursor(), 0, problems, [])
    if growth is None:
        raise NotFound(problems[0].message if problems else f"There is no conversation at {path}.", "First: vade capture")
    spoken = [turn for turn in growth.session.turns if turn.role in SPOKEN and not turn.sidechain]
    session = replace(growth.session, turns=tuple(spoken[since:]))
    enough = len(session.turns) >= max(least, 1)
    saved = tuple(route(parts, candidate, session.host) for candidate in mine(session)) if enough else ()
    return session, _told(session, Path(path), growth.reading, saved)


def _kept(parts: Parts, cursor: Cursor) -> Cursor:
    """The cursor as it may lie on our disk: what a format carries along holds words of the conversation (X-37)."""
    carry = rewrite_records(cleanse_records(cursor.carry.encode("utf-8", "replace"), parts.policy), forgotten(parts).blank)
    return replace(cursor, carry=carry.decode("utf-8", "replace"))


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


def route(parts: Parts, candidate: Candidate, interface: str) -> Saved:
    """What becomes of a candidate: high confidence saves, the rest waits in the inbox; a changed mind supersedes (MV-36).

    Args:
        interface: the tool it was said in.
    """
    replaced = _meant(parts, candidate) if candidate.replaces else ()
    properties = {
        "status": _STATUS_OF[candidate.confidence],
        "confidence": candidate.confidence,
        "importance": candidate.importance,
        "project": candidate.project,
        "source": candidate.source,
        "source_interface": interface,
        "source_span": " to ".join(dict.fromkeys(candidate.span)),
        "trust": "extracted",
        "valid_from": candidate.time,
    }
    known = {name: value for name, value in properties.items() if value not in ("", None)}  # many sessions have no project
    draft = Draft(candidate.kind, candidate.title, candidate.text, properties=known)
    try:
        return keep(parts, draft, by=BY_EXTRACTION, replaces=replaced, unique=True)
    except Refused as error:
        return Saved("refused", None, warnings=(error.message,))


def _meant(parts: Parts, candidate: Candidate) -> tuple[str, ...]:
    """Ids of the memories that the candidate replaces: same kind, said earlier, and about just what it names.

    When several fit, none is taken: a wrong supersession costs more than a missed one (X-44).
    """
    scope = Scope(
        sources=("memory",),
        kinds=(candidate.kind,),
        statuses=("active",),
        projects=(candidate.project,) if candidate.project else None,
    )
    wanted = set(candidate.replaces.lower().split())
    fitting = []
    for item in similar(parts, f"{candidate.replaces} {candidate.text}", scope, RIVALS_LOOKED_AT):
        said = " ".join([item.title, *(stored.passage.text for stored in parts.index.passages_of(item.key))]).lower()
        held = item.valid_from or item.created
        earlier = held is None or candidate.time is None or held < candidate.time
        if earlier and all(word in said for word in wanted):
            fitting.append(item.key.removeprefix("memory://"))
    return tuple(fitting) if len(fitting) == 1 else ()
