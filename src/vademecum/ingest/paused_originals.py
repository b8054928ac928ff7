"""Record turns said in pauses before copies of them are read, and remove them from copies that were read earlier."""

import contextlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from vademecum.context.context import Context
from vademecum.domain.copies import LONG_CHARS, Mark
from vademecum.domain.errors import Conflict, InvalidInput, NotFound, Problem
from vademecum.domain.memory import By
from vademecum.domain.pause import Pause
from vademecum.domain.session import Cursor, Session
from vademecum.ingest.discover import form_of, is_there, library_of, member_path, owner_of
from vademecum.ingest.growth import Round
from vademecum.ingest.identity import identified
from vademecum.ingest.load_session import whole_session
from vademecum.ingest.paused_copies import copied_from_paused, copies_of_paused, note_paused
from vademecum.ingest.reader import head, head_of, read, read_member
from vademecum.sync.index import follow

BY_PAUSE = By("extraction", "pause")
REASON = "It was said while memory was paused."


def note_originals(context: Context, due: Sequence[Path], now: Round) -> list[Path]:
    """Record turns said in pauses, from these files and from those of paused conversations anywhere.

    Return the files of other conversations that contained such turns and must be read again.
    """
    pauses = context.storage.pauses.all()
    if not pauses:
        return []
    ids = {pause.session.rpartition("/")[2] for pause in pauses if pause.session}
    names = {marker.transcript for marker in context.storage.markers.all() if marker.session.rpartition("/")[2] in ids}
    names |= {now.places.get(pause.session, "") for pause in pauses if pause.session}
    beside = {str(path.with_name(f"{name}{path.suffix}")) for path in due for name in ids if "/" not in name}
    owners = {owner_of(path) for path in (*names, *beside) if path and is_there(path)}
    fresh: set[int] = set()
    for path in (*due, *(Path(owner) for owner in sorted(owners - set(map(str, due))))):
        if str(path) in owners or any(name in path.name for name in ids) or _may_hold(path, pauses):
            for session in _conversations(context, path, now):
                fresh |= note_paused(context, session)
    return _taken_out(context, fresh, now) if fresh else []


def _may_hold(path: Path, pauses: Sequence[Pause]) -> bool:
    """Return whether a file changed since the start of a pause that is not limited to one conversation."""
    is_database = path.suffix in (".db", ".vscdb", ".sqlite3")
    starts = [min(pause.start, pause.end or pause.start) for pause in pauses if is_database or not pause.session]
    try:
        return bool(starts) and datetime.fromtimestamp(path.stat().st_mtime, UTC) >= min(starts)
    except OSError:
        return False


def _conversations(context: Context, path: Path, now: Round) -> Iterator[Session]:
    """Yield every conversation in a file; nothing when it is unreadable, which the capture reports."""
    beginning = head(path)
    if isinstance(beginning, Problem):
        return
    with contextlib.suppress(OSError):
        library = library_of(context.outside.libraries, beginning, path)
        if library is not None:
            for name, data in library.read(str(path), [member.name for member in library.members(str(path))]):
                place = member_path(path, name)
                form = form_of(context.outside.formats, head_of(data), Path(place), partial(bytes, data))
                if form is not None:
                    yield identified(context, read_member(data, form, place).parsed.session, place, now, whole=True)
            return
        form = form_of(context.outside.formats, beginning, path)
        got = read(path, form, Cursor()) if form is not None else None
        if got is not None and not isinstance(got, Problem):
            yield identified(context, got.parsed.session, str(path), now, whole=True)


def _taken_out(context: Context, fresh: set[int], now: Round) -> list[Path]:
    """Remove turns said in a pause from conversations that were captured before the pause was known."""
    turns, unsaid = context.state.turns, context.storage.pauses.unsaid()
    holding = turns.holding(sorted(fresh))
    paths = []
    for uri, place in now.places.items():
        if turns.number(uri) not in holding or not is_there(place):
            continue
        # The length of known turns is not stored; LONG_CHARS has them compared like long ones.
        marks = [Mark(known_turn.words, known_turn.time, LONG_CHARS) for known_turn in turns.of(turns.number(uri))]
        origins = [
            entry for entry, left_out in unsaid.items() if entry != uri and not fresh.isdisjoint(words for words, _ in left_out)
        ]
        if any(copies_of_paused(context, marks, origin, turns.of)[0] for origin in origins):
            _forget_words(context, uri, place)
            paths.append(Path(owner_of(place)))
    return list(dict.fromkeys(paths))


def _forget_words(context: Context, uri: str, place: str) -> None:
    """Archive memories learned from turns that are copies of paused ones.

    The archived versions of the conversation are dropped: it will be read and archived again.
    """
    with contextlib.suppress(NotFound):
        session = whole_session(context, uri, place)[0]
        out = copied_from_paused(context, session, context.state.turns.of).unsaid
        learnt = [
            memory.id
            for memory in context.vault.list()
            if memory.source == uri
            and memory.trust == "extracted"
            and not out.keys().isdisjoint(memory.source_span.split(" to "))
        ]
        with contextlib.suppress(Conflict, InvalidInput):
            context.vault.archive_together(learnt, REASON, by=BY_PAUSE)
        if learnt:
            follow(context, quick=True)
    if context.storage.archive is not None:
        context.storage.archive.drop(context.storage.archive.of_session(uri))
    context.state.cursors.set(place, Cursor())
