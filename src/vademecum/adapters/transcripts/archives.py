"""Files that hold a transcript packed: what Codex compressed, and texts in UTF-16 or UTF-32.

As of 2026-11. Codex compresses rollouts it no longer writes to `.jsonl.zst`
and removes the original: the session is the same, and so is each turn, since it is named by its place in the unpacked text.

A malicious file may unpack to thousands of times its size, while conversations compress to a thirtieth at best. So a file is
refused if it unpacks to more than UNPACKED_TIMES its size and UNPACKED_ALWAYS_BYTES, or to more than UNPACKED_MAX_BYTES.
"""

import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from vademecum.adapters.installation import adding
from vademecum.adapters.zstandard import MAGIC, zstd
from vademecum.domain.payload import mark_of
from vademecum.ports.transcripts import Member

UNPACKED_MAX_BYTES, UNPACKED_TIMES = 4 << 30, 100
#: Unpacked size that is always accepted.
UNPACKED_ALWAYS_BYTES = 64 << 20
#: Bytes of a file's beginning from which its encoding is detected.
_ENCODING_BYTES = 16


class Compressed:
    """A transcript compressed with Zstandard: one member, in the format of its content."""

    name = "zstd"

    def recognises(self, head: bytes, path: str) -> bool:
        return head.startswith(MAGIC)

    def members(self, path: str) -> Sequence[Member]:
        return [Member("", digest_of(Path(path).read_bytes()))]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        if zstd is None:
            raise OSError(f"it is compressed, and the package that unpacks it is missing: {adding('backports.zstd')}")
        try:
            with zstd.open(path, "rb") as file:
                yield "", unpacked(file, Path(path).stat().st_size)
        except (zstd.ZstdError, EOFError) as error:
            raise OSError(f"it is damaged: {error}") from error


#: A record in UTF-8 that the host appended after a program had stored the file as UTF-16.
_APPENDED = re.compile(rb'(?:\n\x00|\x00\n)(\{"\w+")')


class Encoded:
    """A transcript in UTF-16 or UTF-32, such as a copy by a Windows editor: one member, in the format of its content."""

    name = "encoded"

    def recognises(self, head: bytes, path: str) -> bool:
        return encoding_of(head) != ""

    def members(self, path: str) -> Sequence[Member]:
        return [Member("", digest_of(Path(path).read_bytes()))]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        data = Path(path).read_bytes()
        encoding = encoding_of(data[:_ENCODING_BYTES])
        end = appended.start(1) if (appended := _APPENDED.search(data)) else len(data)
        head = data[:end].decode(encoding, "replace").removeprefix("\ufeff").encode() if encoding else data[:end]
        yield "", head + data[end:]


def encoding_of(head: bytes) -> str:
    """Return the encoding of a UTF-16 or UTF-32 text, by its byte order mark or the NULs in its beginning; else ""."""
    _, encoding = mark_of(head)
    if encoding != "utf-8":
        return encoding
    start = head[:_ENCODING_BYTES]
    if len(start) < _ENCODING_BYTES:
        return ""
    zeros = [not any(start[place::4]) for place in range(4)]
    nulls = {
        (False, True, True, True): "utf-32-le", (True, True, True, False): "utf-32-be",
        (False, True, False, True): "utf-16-le", (True, False, True, False): "utf-16-be",
    }  # fmt: skip
    return nulls.get((zeros[0], zeros[1], zeros[2], zeros[3]), "")


def unpacked(file: Any, packed_bytes: int) -> bytes:
    """Return all of an unpacked file.

    Raises:
        OSError: it is larger than allowed.
    """
    most = min(UNPACKED_MAX_BYTES, max(UNPACKED_ALWAYS_BYTES, packed_bytes * UNPACKED_TIMES))
    held = io.BytesIO()
    while part := file.read(1 << 20):
        held.write(part)
        if held.tell() > most:
            raise OSError(f"it unpacks to more than {most >> 20} MB, {held.tell() // max(packed_bytes, 1)} times its size")
    return held.getvalue()


def digest_of(data: bytes) -> str:
    """Return a short digest, by which a changed member is known."""
    return hashlib.blake2b(data, digest_size=12).hexdigest()
