"""Read a transcript from where the last reading stopped, up to the last record that is whole.

A file that was cut or rewritten since no longer fits the cursor's hash and is read from its beginning. Memory is bounded: a
file is read in chunks, and a record larger than :data:`RECORD_MAX_BYTES` is passed over and counted as broken.

Of what was read before, :data:`HASHED_BYTES` are hashed whole; of more its beginning, its end and samples in between, so that a
session of any length costs the same when it grows. Whatever is put in, taken out or moved changes its end and is noticed; bytes of
a long file that were overwritten in place, by as many others, outside the samples, are not.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import Problem
from vademecum.domain.session import Cursor, Session
from vademecum.ports.transcripts import Parsed, TranscriptFormat

CHUNK_BYTES = 4 << 20
RECORD_MAX_BYTES = 64 << 20

#: What was read before is hashed whole up to this; of more so much at both ends, and samples between them.
HASHED_BYTES, ENDS_BYTES = 8 << 20, 512 << 10
SAMPLES, SAMPLE_BYTES = 64, 4 << 10
_SAMPLED = "~"

#: Enough of a file's beginning to recognise its format.
HEAD_BYTES = 64 << 10


class Reading(Struct, frozen=True):
    """What a transcript gave since the cursor.

    Attributes:
        parsed: new turns and where to go on.
        restarted: the file was rewritten or cut, so `parsed` holds all of it and replaces what was known.
    """

    parsed: Parsed
    restarted: bool = False


def head(path: Path) -> bytes | Problem:
    """Return the beginning of a file, as formats are asked whether they know it; see :func:`head_of`."""
    try:
        with path.open("rb") as file:
            data = file.read(HEAD_BYTES)
    except OSError as error:
        return _unreadable(path, error)
    return head_of(data)


def head_of(data: bytes) -> bytes:
    """Return the complete lines among the first :data:`HEAD_BYTES` of a file's bytes; all of them when the first line is longer."""
    start = data[:HEAD_BYTES]
    return start[: start.rfind(b"\n") + 1] or start


def read(path: Path, transcript: TranscriptFormat, cursor: Cursor | None = None) -> Reading | Problem:
    """Return new turns of the transcript at `path`; a Problem when it cannot be read, such as one that vanished meanwhile."""
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
    """Yield the new part of an open transcript, a chunk at a time, at least one; every step's cursor can be gone on from.

    Only the first step can say `restarted`.

    Raises:
        OSError: the file cannot be read on.
    """
    if transcript.whole:
        yield _whole(file, transcript, cursor, path)
        return
    restarted = cursor.offset > 0 and not is_prefix(file, cursor.offset, cursor.prefix_hash)
    if restarted:
        cursor = Cursor()
    given = False
    for piece in _pieces(file, transcript, cursor.offset, chunk_bytes):
        parsed = transcript.parse(b"" if piece.skipped else piece.data, cursor, path)
        offset = cursor.offset + len(piece.data)
        cursor = replace(parsed.cursor, offset=offset, prefix_hash=prefix_hash(file, offset))
        yield Reading(replace(parsed, cursor=cursor, broken=parsed.broken + piece.broken), restarted and not given)
        given = True
    if not given:
        parsed = transcript.parse(b"", cursor, path)
        cursor = replace(parsed.cursor, prefix_hash=prefix_hash(file, cursor.offset))
        yield Reading(replace(parsed, cursor=cursor), restarted)


def is_prefix(file: BinaryIO, size: int, known: str) -> bool:
    """Return whether the first `size` bytes are those that `known` is the hash of; not when the file has become shorter."""
    return prefix_hash(file, size, sampled=known.startswith(_SAMPLED)) == known


def prefix_hash(file: BinaryIO, size: int, *, sampled: bool | None = None) -> str:
    """Return the hash of the first `size` bytes, as the module says; "" when there are not so many.

    Args:
        sampled: whether samples are enough; None: as the size has it.
    """
    if sampled is None:
        sampled = size > HASHED_BYTES
    hasher = hashlib.blake2b(digest_size=16)
    for start, length in _sampled(size) if sampled else _chunks(size):
        file.seek(start)
        data = file.read(length)
        if len(data) < length:
            return ""
        hasher.update(data)
    return (_SAMPLED if sampled else "") + hasher.hexdigest()


def _sampled(size: int) -> Iterator[tuple[int, int]]:
    """Yield (where, how much) of the first `size` bytes is looked at."""
    yield 0, min(ENDS_BYTES, size)
    for number in range(1, SAMPLES + 1):
        yield size * number // (SAMPLES + 2), SAMPLE_BYTES
    yield max(size - ENDS_BYTES, 0), min(ENDS_BYTES, size)


def _chunks(size: int) -> Iterator[tuple[int, int]]:
    yield from ((start, min(CHUNK_BYTES, size - start)) for start in range(0, size, CHUNK_BYTES))


def read_member(data: bytes, transcript: TranscriptFormat, path: str) -> Reading:
    """Return all turns of a transcript that a library gave. What is no whole record at its end is broken: nothing will follow."""
    end = transcript.complete(data)
    parsed = transcript.parse(data[:end], Cursor(), path)
    torn = bool(data[end:].strip())
    return Reading(replace(parsed, broken=parsed.broken + torn), restarted=True)


def _whole(file: BinaryIO, transcript: TranscriptFormat, cursor: Cursor, path: str) -> Reading:
    """Read a file that is written anew as a whole: all of it when it changed at all."""
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


class _Piece(Struct, frozen=True):
    """Bytes that follow each other in the file: whole records, or a part of one that is too long."""

    data: bytes
    skipped: bool = False
    broken: int = 0


def _pieces(file: BinaryIO, transcript: TranscriptFormat, start: int, chunk_bytes: int) -> Iterator[_Piece]:
    rest, skipping = b"", False
    while more := _read_at(file, start, chunk_bytes):
        start += len(more)
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


def _read_at(file: BinaryIO, start: int, size: int) -> bytes:
    """Read a piece at a place: whoever takes a piece may move in the file."""
    file.seek(start)
    return file.read(size)


def _joined(parts: list[Parsed]) -> Parsed:
    """Return one result of consecutive ones: the last header, all turns, all counts."""
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
