"""A transcript in pieces that stay the same while it grows, so that an archive keeps each of them once.

Pieces end at lines, and where they end depends on the line alone: a transcript that grew shares all of its pieces but the last,
and two that begin alike (a fork, a resumed conversation) share their beginning.
"""

import zlib
from collections.abc import Iterator
from typing import BinaryIO

#: A piece has at least and about at most so many bytes. Larger ones compress better (0.153 of the text against 0.170 of pieces of
#: a quarter), smaller ones cost less when a session grows: its last piece is made anew, which takes about 50 ms.
LEAST_BYTES, MOST_BYTES = 512 << 10, 1 << 20
#: One line in so many ends a piece that is large enough.
ONE_IN = 32
#: Text without a place to cut is cut all the same.
LONGEST_BYTES = 16 << 20


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of `file` from where it stands, in pieces; joined they are the file.

    A piece is only cut before a line that begins a record ("{") or behind an empty one: a document that spans many lines, a
    key block among them, is never divided.

    Raises:
        OSError: it cannot be read on.
    """
    lines: list[bytes] = []
    size, may_end = 0, False
    while line := file.readline(LONGEST_BYTES):
        if may_end and (line[:1] == b"{" or not lines[-1].strip()):
            yield b"".join(lines)
            lines, size, may_end = [], 0, False
        lines.append(line)
        size += len(line)
        if size >= LONGEST_BYTES:
            yield b"".join(lines)
            lines, size, may_end = [], 0, False
        elif size >= LEAST_BYTES:
            may_end = may_end or size >= MOST_BYTES or zlib.crc32(line) % ONE_IN == 0
    if lines:
        yield b"".join(lines)
