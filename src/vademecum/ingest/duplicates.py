"""Handle turns that are stored already: second files of a session, and interrupted runs."""

from pathlib import Path

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.session import SPOKEN, Session
from vademecum.ingest.discover import COPY, copied_session, owner_of, stamp_of
from vademecum.ingest.growth import Growth, Round, size_in
from vademecum.ingest.ledger import turns_in_index
from vademecum.ingest.load_session import taken_by_name, without_copies
from vademecum.ingest.reader import Reading


def is_settled(context: Context, now: Round, place: str) -> bool:
    """Return whether everything in the index from a transcript was mined; an interrupted run leaves turns that were not."""
    stamp = now.indexed.get(place, "")
    cursor = context.state.cursors.get(place)
    if owner_of(place) != place:
        return cursor.carry == stamp
    return max(size_in(stamp), now.logged.get(place, 0)) <= cursor.offset


def goes_on_here(context: Context, session: Session, now: Round) -> bool:
    """Return whether a conversation goes on in a second file: it has all turns of the first one, under the same names, and later
    ones.

    A host that changes its store, or moves its files, leaves the first file behind.
    """
    names = {turn.ref for turn in session.turns}
    return now.ledger.goes_on(session) and all(
        passage.ref in names for stored in context.index.passages_of(session.uri) if (passage := stored.passage).role in SPOKEN
    )


def growth_of_copy(context: Context, path: Path, session: Session, got: Reading, stamp: str, now: Round) -> Growth | None:
    """Return the turns in a second file of a session that its first file lacks; None for none.

    The index keeps the path of the first file. The cursor of a second file with turns of its own names the session, so that it
    is archived too.
    """
    there = now.places[session.uri]
    ledger = now.ledger.sort(session, {}, follows=False, second=True)
    first_file = ledger.known - ledger.standing  # a rebuilt index lacks turns that only a second file has
    standing = turns_in_index(context, session) | first_file | ledger.copied | taken_by_name(context, session)
    has_nothing_new = all(turn.ref in standing for turn in session.turns if turn.role in SPOKEN)
    is_apart = not has_nothing_new or copied_session(context.state.cursors.get(str(path))) == session.uri
    mark = replace(got.parsed.cursor, carry=f"{COPY}{stamp} {session.uri}" if is_apart else f"{COPY}{stamp}")
    if has_nothing_new:
        context.state.cursors.set(str(path), mark)
        return None
    read_so = replace(got, parsed=replace(got.parsed, cursor=mark))
    kept = now.indexed.get(there) or stamp_of(Path(there))
    return Growth(path, without_copies(replace(session, path=there), standing), read_so, kept, None, begun=True, copy=True)


def lacking(context: Context, session: Session) -> Session:
    """Return the turns of a copy that the index lacks, and tool turns after the last one that it has."""
    there = refs_known(context, session)
    last = max((number for number, turn in enumerate(session.turns) if turn.ref in there), default=-1)
    turns = (turn for number, turn in enumerate(session.turns) if number > last or turn.role in SPOKEN)
    return replace(session, turns=tuple(turn for turn in turns if turn.ref not in there))


def refs_known(context: Context, session: Session) -> frozenset[str]:
    return frozenset(stored.passage.ref for stored in context.index.passages_of(session.uri))
