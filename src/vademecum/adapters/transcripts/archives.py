"""Files with compressed or encoded transcripts: account exports of ChatGPT and Claude, files compressed by Codex, and UTF-16 or
UTF-32.

As of 2026-11. An export is a ZIP with `conversations.json`, a list of conversations; newer ones of ChatGPT have several files,
from `conversations-000.json` on. An unpacked list is read as well. Codex compresses rollouts it no longer writes to
`.jsonl.zst` and removes the original: session and turns stay the same, since a turn is named by its position in the unpacked
text.

A malicious file may unpack to thousands of times its size, while conversations compress to a thirtieth at best. So a file is
refused if it unpacks to more than UNPACKED_TIMES its size and UNPACKED_ALWAYS_BYTES, or to more than UNPACKED_MAX_BYTES.
"""

import codecs
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vademecum.adapters.installation import adding
from vademecum.adapters.transcripts.chats import ChatGpt, ClaudeChat
from vademecum.adapters.zstandard import MAGIC, zstd
from vademecum.ports.transcripts import Member

UNPACKED_MAX_BYTES, UNPACKED_TIMES = 4 << 30, 100
#: Unpacked size that is always accepted.
UNPACKED_ALWAYS_BYTES = 64 << 20
_FORMATS = (ChatGpt(), ClaudeChat())
#: Byte order marks, longer ones first: that of UTF-32 starts with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
#: Bytes of a file's beginning from which its encoding is detected.
_ENCODING_BYTES = 16


class Compressed:
    """A transcript compressed with Zstandard: one member, in the format of its content."""

    name = "zstd"

    def recognises(self, head: bytes, path: str) -> bool:
        return head.startswith(MAGIC)

    def members(self, path: str) -> Sequence[Member]:
        return [Member("", _digest(Path(path).read_bytes()))]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        if zstd is None:
            raise OSError(f"it is compressed, and the package that unpacks it is missing: {adding('backports.zstd')}")
        try:
            with zstd.open(path, "rb") as file:
                yield "", _bounded(file, Path(path).stat().st_size)
        except (zstd.ZstdError, EOFError) as error:
            raise OSError(f"it is damaged: {error}") from error


class Encoded:
    """A transcript in UTF-16 or UTF-32, such as a copy by an editor or shell of Windows: one member, in the format of its
    content."""

    name = "encoded"

    def recognises(self, head: bytes, path: str) -> bool:
        return encoding_of(head) != ""

    def members(self, path: str) -> Sequence[Member]:
        return [Member("", _digest(Path(path).read_bytes()))]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        data = Path(path).read_bytes()
        encoding = encoding_of(data[:_ENCODING_BYTES])
        yield "", (data.decode(encoding, "replace").removeprefix("\ufeff").encode() if encoding else data)


def encoding_of(head: bytes) -> str:
    """Return the encoding of a UTF-16 or UTF-32 text by its byte order mark, or by the NULs between its first characters; ""
    for any other."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
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


class Export:
    """An account export of ChatGPT or Claude, as downloaded (ZIP)."""

    name = "export"

    def recognises(self, head: bytes, path: str) -> bool:
        return head.startswith(b"PK\x03\x04") and bool(_lists(path))

    def members(self, path: str) -> Sequence[Member]:
        return [Member(name, _digest(data)) for name, data in self._all(path)]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        wanted = set(names)
        return ((name, data) for name, data in self._all(path) if name in wanted)

    def _all(self, path: str) -> Iterator[tuple[str, bytes]]:
        try:
            with zipfile.ZipFile(path) as archive:
                for entry in _lists(path):
                    with archive.open(entry) as file:
                        yield from _conversations(_bounded(file, archive.getinfo(entry).compress_size))
        except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            raise OSError(f"it is damaged: {error}") from error


class ExportList:
    """`conversations.json` of such an export, unpacked."""

    name = "export"

    def recognises(self, head: bytes, path: str) -> bool:
        start = head.lstrip()
        keys = ((b'"mapping"', b'"title"'), (b'"chat_messages"', b'"uuid"'))
        return start.startswith(b"[") and any(all(key in head for key in pair) for pair in keys)

    def members(self, path: str) -> Sequence[Member]:
        return [Member(name, _digest(data)) for name, data in _conversations(Path(path).read_bytes())]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        wanted = set(names)
        return ((name, data) for name, data in _conversations(Path(path).read_bytes()) if name in wanted)


def _lists(path: str) -> list[str]:
    """Return entries of a ZIP that may contain conversations."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    except (OSError, zipfile.BadZipFile):
        return []
    return sorted(name for name in names if name.endswith(".json") and _file_name(name).startswith("conversations"))


def _file_name(entry: str) -> str:
    return entry.rsplit("/", 1)[-1]


def _conversations(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield (name, document) of each conversation in a list.

    Raises:
        OSError: it is no JSON.
    """
    try:
        values = json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError) as error:
        raise OSError(f"its list of conversations is damaged: {error}") from error
    for value in values if isinstance(values, list) else [values]:
        if isinstance(value, dict) and any(entry.is_own(value) for entry in _FORMATS):
            yield _name_of(value), json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _name_of(value: Mapping[str, Any]) -> str:
    result = next((value[key] for key in ("conversation_id", "uuid", "id") if isinstance(value.get(key), str)), "")
    return result or _digest(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _bounded(file: Any, packed_bytes: int) -> bytes:
    """Return the complete content of an unpacked file.

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


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=12).hexdigest()
