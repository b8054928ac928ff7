"""Read archived conversations: their versions, their text, and restoring their transcripts."""

import contextlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.archive import Archived, ArchiveSize
from vademecum.domain.errors import NotFound, Problem
from vademecum.domain.session import Session
from vademecum.index.items import SESSIONS
from vademecum.ingest import archiver
from vademecum.ingest.discover import is_there, owner_of, paths_within
from vademecum.ingest.load_session import UNREADABLE, archived_conversation, archived_session
from vademecum.ingest.versions import fullest, spoken_turns
from vademecum.ports.archive import Archive
from vademecum.sessions.lookup import SEE, named


class Restored(Struct, frozen=True):
    """A transcript that was written back.

    Attributes:
        placeholders: number of secrets that the guard removed; they stay placeholders.
        version: number of the restored version, from 1.
        versions: how many versions there are.
    """

    session: str
    path: str
    bytes: int
    placeholders: int = 0
    version: int = 1
    versions: int = 1


class Exported(Struct, frozen=True):
    """A transcript as the archive stores it. `versions`: how many versions were merged."""

    session: str
    text: str
    versions: int = 1


class Version(Struct, frozen=True):
    """One version of a conversation.

    Attributes:
        number: the number for `--version`, from 1.
        turns: number of spoken turns.
        kept: when it was last archived; aware, UTC.
        removed: what the host did to it, in a sentence; "" for nothing.
    """

    session: str
    number: int
    turns: int
    kept: datetime
    removed: str = ""


class ArchiveReport(Struct, frozen=True):
    """State of the archive.

    Attributes:
        only_here: last versions of transcripts that their host deleted.
        problems: what is damaged or missing.
        versions: all versions of conversations that have several.
    """

    size: ArchiveSize
    only_here: tuple[Archived, ...] = ()
    problems: tuple[Problem, ...] = ()
    versions: tuple[Version, ...] = ()


def exported(context: Context, ref: str, version: int = 0) -> Exported:
    """Return the transcript of a conversation as the archive stores it: verbatim, without secrets.

    Several versions are merged so that every turn is included: lines that occur in several appear once. Versions in other
    formats become one line for each turn.

    Args:
        version: only this version, verbatim; 0: all versions merged.

    Raises:
        NotFound: the conversation, or that version, is not archived.
        Ambiguous: `ref` fits several conversations.
        ArchiveDamaged: the archive cannot be read.
    """
    archive = _archive(context)
    records = _versions(context, archive, ref)
    if version:
        records = (_numbered(context, records, version),)
    texts = [b"".join(archive.read(record)) for record in records]
    if len(records) == 1:
        return Exported(records[0].session, texts[0].decode("utf-8", "replace"))
    session = None if all(map(_is_of_lines, texts)) else archived_conversation(context, records)
    merged = _turn_lines(session) if session else b"".join(_lines_once(texts))
    return Exported(records[0].session, merged.decode("utf-8", "replace"), len(records))


def restore(context: Context, ref: str, to: str = "", version: int = 0) -> Restored:
    """Write a transcript back to where its host expects it, or to another place. Existing files are never overwritten.

    Args:
        version: which version; 0: the one with the most turns.

    Raises:
        NotFound: the conversation, or that version, is not archived.
        AlreadyExists: there is a file already.
        ArchiveDamaged, WriteFailed: the archive cannot be read, or the file not written.
    """
    archive = _archive(context)
    records = _versions(context, archive, ref)
    if version or len(records) == 1:
        record = _numbered(context, records, version or 1)
    else:
        record = records[fullest(enumerate(_read(context, archived) for archived in records))]
    path = archiver.restore(archive, record, to)
    taken_out = sum(context.guard.count_placeholders(piece.decode("utf-8", "replace")) for piece in archive.read(record))
    return Restored(record.session, str(path), record.bytes, taken_out, records.index(record) + 1, len(records))


def checked(context: Context) -> ArchiveReport:
    """Read the whole archive and report what can no longer be restored, and conversations with several versions."""
    archive = _archive(context)
    records = archive.records()
    several = [uri for uri, count in Counter(archived.session for archived in records).items() if count > 1]
    versions = [line for uri in several for line in _version_lines(context, archive.of_session(uri))]
    problems = (*archive.check(), *missing(context))
    return ArchiveReport(archive.size(), tuple(_only_here(context, records)), problems, tuple(versions))


def missing(context: Context) -> tuple[Problem, ...]:
    """Return conversations in the index whose transcript neither the host nor the archive has."""
    kept = {record.session for record in archiver.records(context)}
    return tuple(
        Problem(mark.path, f"The transcript of {key} is neither at its host nor in the archive; it can only be searched.")
        for key, mark in sorted(context.index.fingerprints(SESSIONS).items())
        if key not in kept and not is_there(mark.path)
    )


def _versions(context: Context, archive: Archive, ref: str) -> tuple[Archived, ...]:
    """Return the versions of a conversation, oldest first; at least one.

    Raises:
        NotFound: there is none.
    """
    uri = named(context, ref)
    archived = archive.of_session(uri)
    if not archived:
        raise NotFound(f"{uri} is not in the archive.", SEE)
    return archived


def _numbered(context: Context, records: Sequence[Archived], number: int) -> Archived:
    """Return the version with that number.

    Raises:
        NotFound: there is none; the message lists the existing ones.
    """
    if not 1 <= number <= len(records):
        there = "; ".join(f"{version.number}: {version.turns} turns" for version in _version_lines(context, records))
        raise NotFound(f"There is no version {number} of {records[0].session}.", f"There are {there}.")
    return records[number - 1]


def _version_lines(context: Context, records: Sequence[Archived]) -> list[Version]:
    return [
        Version(archived.session, number, spoken_turns(_read(context, archived)), archived.kept, archived.removed)
        for number, archived in enumerate(records, 1)
    ]


def _read(context: Context, record: Archived) -> Session | None:
    with contextlib.suppress(*UNREADABLE):
        return archived_session(context, record)
    return None


def _is_of_lines(text: bytes) -> bool:
    """Return whether a transcript has one JSON object per line, so that versions can be merged line by line."""
    return all(line.startswith(b"{") and line.rstrip().endswith(b"}") for line in text.split(b"\n") if line.strip())


def _lines_once(texts: Sequence[bytes]) -> Iterable[bytes]:
    """Yield the lines of all texts in order of first appearance.

    Each line appears as often as in the text that has most copies of it.
    """
    given: Counter[bytes] = Counter()
    for text in texts:
        met: Counter[bytes] = Counter()
        for line in io.BytesIO(text):
            bare = line.rstrip()
            met[bare] += 1
            if met[bare] > given[bare]:
                given[bare] += 1
                yield bare + b"\n"


def _turn_lines(session: Session) -> bytes:
    """Return a conversation as JSON Lines: a header, then one object per turn."""
    header = {"type": "session", "id": session.id, "host": session.host, "title": session.title, "project": session.project}
    turns = (
        {"id": turn.ref, "speaker": turn.role, "text": turn.text, "time": turn.time.isoformat() if turn.time else ""}
        for turn in session.turns
    )
    lines = ({name: value for name, value in fields.items() if value} for fields in (header, *turns))
    return b"".join(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for line in lines)


def _only_here(context: Context, records: Sequence[Archived]) -> list[Archived]:
    """Return the records that the host deleted, including those deleted from a database or an export that still exists."""
    last = {record.path: record for record in sorted(records, key=lambda record: record.version)}
    held: dict[str, frozenset[str]] = {}
    for owner in {owner_of(path) for path in last} - last.keys():
        held[owner] = paths_within(context, owner)
    return [
        record
        for record in records
        if record is last[record.path]
        and (
            not is_there(record.path)
            or (owner_of(record.path) != record.path and record.path not in held[owner_of(record.path)])
        )
    ]


def _archive(context: Context) -> Archive:
    if context.storage.archive is None:
        raise NotFound("Transcripts are not archived.", "Switch it on with: archive = true")
    return context.storage.archive
