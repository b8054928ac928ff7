"""Read a transcript from where the last reading stopped, up to the last record that is whole.

A file that was cut or rewritten since no longer fits the cursor's hash and is read from its beginning. Memory is bounded: a
file is read in chunks, and a record larger than :data:`RECORD_MAX_BYTES` is passed over and counted as broken.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from vademecum.model.errors import Problem
from vademecum.model.ports import Parsed, TranscriptFormat
from vademecum.model.session import Cursor, Session

CHUNK_BYTES = 4 << 20
RECORD_MAX_BYTES = 64 << 20

#: Enough of a file's beginning to recognise its format.
HEAD_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class Reading:
    """What a transcript gave since the cursor.

    Attributes:
        parsed: new turns and where to go on.
        restarted: the file was rewritten or cut, so `parsed` holds all of it and replaces what was known.
    """

    parsed: Parsed
    restarted: bool = False


def head(path: Path) -> bytes | Problem:
    """The beginning of a file, as formats are asked whether they know it; see :func:`head_of`."""
    try:
        with path.open("rb") as file:
            data = file.read(HEAD_BYTES)
    except OSError as error:
        return _unreadable(path, error)
    return head_of(data)


def head_of(data: bytes) -> bytes:
    """The complete lines among the first :data:`HEAD_BYTES` of a file's bytes; all of them when the first line is longer."""
    start = data[:HEAD_BYTES]
    return start[: start.rfind(b"\n") + 1] or start


def read(path: Path, transcript: TranscriptFormat, cursor: Cursor | None = None) -> Reading | Problem:
    """New turns of the transcript at `path`; a Problem when it cannot be read, such as one that vanished meanwhile."""
    try:
        with path.open("rb") as file:
            steps = list(steps_of(file, transcript, cursor or Cursor(), str(path)))
    except OSError as error:
        return _unreadable(path, error)
    parts = [step.parsed for step in steps]
    return Reading(_joined(parts), steps[0].restarted)


def steps_of(
    file: BinaryIO, transcript: TranscriptFormat, cursor: Cursor, path: str, *, chunk_bytes: int = CHUNK_BYTES
) -> Iterator[Reading]:
    """The new part of an open transcript, a chunk at a time, at least one; every step's cursor can be gone on from.

    Only the first step can say `restarted`.

    Raises:
        OSError: the file cannot be read on.
    """
    if transcript.whole:
        yield _whole(file, transcript, cursor, path)
        return
    hasher = _hash_of(file, cursor.offset, chunk_bytes)
    restarted = cursor.offset > 0 and (hasher is None or hasher.hexdigest() != cursor.prefix_hash)
    if hasher is None or restarted:
        hasher, cursor = hashlib.blake2b(digest_size=16), Cursor()
    file.seek(cursor.offset)
    given = False
    for piece in _pieces(file, transcript, chunk_bytes):
        hasher.update(piece.data)
        parsed = transcript.parse(b"" if piece.skipped else piece.data, cursor, path)
        cursor = replace(parsed.cursor, offset=cursor.offset + len(piece.data), prefix_hash=hasher.hexdigest())
        yield Reading(replace(parsed, cursor=cursor, broken=parsed.broken + piece.broken), restarted and not given)
        given = True
    if not given:
        parsed = transcript.parse(b"", cursor, path)
        yield Reading(replace(parsed, cursor=replace(parsed.cursor, prefix_hash=hasher.hexdigest())), restarted)


def read_member(data: bytes, transcript: TranscriptFormat, path: str) -> Reading:
    """All turns of a transcript that a library gave. What is no whole record at its end is broken: nothing will follow."""
    end = transcript.complete(data)
    parsed = transcript.parse(data[:end], Cursor(), path)
    torn = bool(data[end:].strip())
    return Reading(replace(parsed, broken=parsed.broken + torn), restarted=True)


def _whole(file: BinaryIO, transcript: TranscriptFormat, cursor: Cursor, path: str) -> Reading:
    """A file that is written anew as a whole: all of it when it changed at all."""
    file.seek(0)
    data = file.read(RECORD_MAX_BYTES + 1)
    if len(data) > RECORD_MAX_BYTES:
        parsed = transcript.parse(b"", Cursor(), path)
        return Reading(replace(parsed, broken=1, cursor=replace(cursor, offset=len(data))))
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    same = digest == cursor.prefix_hash
    parsed = transcript.parse(b"" if same else data, cursor if same else Cursor(), path)
    after = replace(parsed.cursor, offset=len(data), prefix_hash=digest, carry=cursor.carry if same else parsed.cursor.carry)
    return Reading(replace(parsed, cursor=after), restarted=cursor.offset > 0 and not same)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Bytes that follow each other in the file: whole records, or a part of one that is too long."""

    data: bytes
    skipped: bool = False
    broken: int = 0


def _pieces(file: BinaryIO, transcript: TranscriptFormat, chunk_bytes: int) -> Iterator[_Piece]:
    rest, skipping = b"", False
    while more := file.read(chunk_bytes):
        data = rest + more
        if skipping:
            end = data.find(b"\n") + 1 or len(data)
            yield _Piece(data[:end], skipped=True)
            skipping, data = not data[:end].endswith(b"\n"), data[end:]
        end = transcript.complete(data)
        if end:
            yield _Piece(data[:end])
        rest = data[end:]
        if len(rest) > RECORD_MAX_BYTES:
            yield _Piece(rest, skipped=True, broken=1)
            rest, skipping = b"", True


def _hash_of(file: BinaryIO, size: int, chunk_bytes: int) -> "hashlib.blake2b | None":
    """Hash of the first `size` bytes, ready to go on; None when the file has become shorter."""
    hasher = hashlib.blake2b(digest_size=16)
    file.seek(0)
    while size:
        data = file.read(min(size, chunk_bytes))
        if not data:
            return None
        hasher.update(data)
        size -= len(data)
    return hasher


def _joined(parts: list[Parsed]) -> Parsed:
    """One result of consecutive ones: the last header, all turns, all counts."""
    if len(parts) == 1:
        return parts[0]
    last = parts[-1]
    unknown: Counter[str] = Counter()
    for part in parts:
        unknown.update(part.unknown)
    session: Session = replace(last.session, turns=tuple(turn for part in parts for turn in part.session.turns))
    return Parsed(session, last.cursor, unknown, sum(part.broken for part in parts), sum(part.replaced for part in parts))


def _unreadable(path: Path, error: OSError) -> Problem:
    return Problem(str(path), f"This transcript cannot be read now: {error.strerror or error}. It is tried again next time.")
