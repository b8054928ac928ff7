"""Read a transcript from where the last reading stopped, up to the last complete record.

A file that was cut or rewritten no longer matches the cursor's hash and is read from its beginning. Memory use is bounded: a
file is read in chunks, and a record larger than :data:`RECORD_MAX_BYTES` is skipped and counted as broken.

The part read before is hashed completely up to :data:`HASHED_BYTES`. Of a longer one, the beginning, the end and samples in
between are hashed, so that a session of any length costs the same when it grows. Inserting, removing or moving bytes changes
the end and is noticed; overwriting bytes of a long file in place, outside the samples, is not.
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

#: Maximum size that is hashed completely, and bytes hashed at each end of a longer file; then number and size of the samples
#: between.
HASHED_BYTES, ENDS_BYTES = 8 << 20, 512 << 10
SAMPLES, SAMPLE_BYTES = 64, 4 << 10
_SAMPLED = "~"

#: Bytes at the beginning of a file that suffice to recognise its format.
HEAD_BYTES = 64 << 10


class Reading(Struct, frozen=True):
    """New content of a transcript since a cursor.

    Attributes:
        parsed: new turns and the cursor after them.
        restarted: whether the file was rewritten or cut, so that `parsed` contains all of it and replaces what was known.
    """

    parsed: Parsed
    restarted: bool = False


def head(path: Path) -> bytes | Problem:
    """Return the beginning of a file, for recognising its format; see :func:`head_of`."""
    try:
        with path.open("rb") as file:
            data = file.read(HEAD_BYTES)
    except OSError as error:
        return _unreadable(path, error)
    return head_of(data)


def head_of(data: bytes) -> bytes:
    """Return the complete lines within the first :data:`HEAD_BYTES`; all of these bytes when the first line is longer."""
    start = data[:HEAD_BYTES]
    return start[: start.rfind(b"\n") + 1] or start


def read(path: Path, transcript: TranscriptFormat, cursor: Cursor | None = None) -> Reading | Problem:
    """Return the new turns of the transcript at `path`; a Problem when it cannot be read, for example because it vanished."""
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
    """Yield the new part of an open transcript in chunks, at least one. Reading can resume from the cursor of every chunk.

    Only the first chunk can be `restarted`.

    Raises:
        OSError: the file cannot be read.
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
    """Return whether the hash of the first `size` bytes is `known`; False when the file is shorter."""
    return prefix_hash(file, size, sampled=known.startswith(_SAMPLED)) == known


def prefix_hash(file: BinaryIO, size: int, *, sampled: bool | None = None) -> str:
    """Return the hash of the first `size` bytes (see the module's docstring); "" when the file is shorter.

    Args:
        sampled: whether to hash samples only; None: depends on the size.
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
    """Yield (start, length) of the parts of the first `size` bytes that are hashed."""
    yield 0, min(ENDS_BYTES, size)
    for number in range(1, SAMPLES + 1):
        yield size * number // (SAMPLES + 2), SAMPLE_BYTES
    yield max(size - ENDS_BYTES, 0), min(ENDS_BYTES, size)


def _chunks(size: int) -> Iterator[tuple[int, int]]:
    yield from ((start, min(CHUNK_BYTES, size - start)) for start in range(0, size, CHUNK_BYTES))


def read_member(data: bytes, transcript: TranscriptFormat, path: str) -> Reading:
    """Return all turns of a transcript from a library.

    An incomplete record at its end counts as broken, because nothing will follow.
    """
    end = transcript.complete(data)
    parsed = transcript.parse(data[:end], Cursor(), path)
    torn = bool(data[end:].strip())
    return Reading(replace(parsed, broken=parsed.broken + torn), restarted=True)


def _whole(file: BinaryIO, transcript: TranscriptFormat, cursor: Cursor, path: str) -> Reading:
    """Read a file that its host always rewrites: everything if it changed, nothing if it did not."""
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
    """Consecutive bytes of a file: complete records, or a part of a record that is too long."""

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
    """Seek and read: the consumer of a piece may have moved the file position."""
    file.seek(start)
    return file.read(size)


def _joined(parts: list[Parsed]) -> Parsed:
    """Merge consecutive results: the last header, all turns, all counts."""
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
