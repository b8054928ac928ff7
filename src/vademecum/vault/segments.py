"""Append-only lines in Markdown files of limited size, because every sync tool copies Markdown, and some copy nothing else."""

import contextlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from vademecum.vault.files import make_later, make_private, sync_folder, write_all

#: Size in bytes at which a segment is closed. A sync tool copies the complete file after each append, and some refuse files
#: over 5 MB.
SEGMENT_BYTES = 1_000_000
#: Lines written with one call.
_LINES_AT_ONCE = 200
_BLOCK_BYTES = 1 << 20
_NAME = re.compile(r"(\d{4}-\d{2})-(\d{3,})\.md")


#: Path -> size and modification time in nanoseconds.
Marks = dict[str, tuple[int, int]]


class Segments:
    """The segments of one device: `<folder>/<month>-<number>.md`, each a head followed by one line per record.

    Args:
        head: start of each segment; its lines never begin with "{", and those of records always do.
    """

    def __init__(self, folder: Path, head: bytes) -> None:
        self.folder = folder
        self._head = head

    def append(self, month: str, lines: Sequence[bytes]) -> Callable[[], None]:
        """Append lines and flush them to disk, in new segments if the last one is full or from an earlier month.

        A torn last line is ended first, so that it is never joined to a good one.

        Args:
            month: "2026-03"; segments never go back to an earlier one.

        Returns:
            A function that removes them again, for a caller whose own write failed. It needs no disk space.
        """
        make_private(self.folder)
        with contextlib.ExitStack() as undo:
            for path, some in self._spread(month, lines):
                undo.callback(self._append_to(path, some))
            return undo.pop_all().close

    def _spread(self, month: str, lines: Sequence[bytes]) -> Iterator[tuple[Path, list[bytes]]]:
        """Yield for each segment the lines to append to it."""
        newest = next(iter(segments_of(self.folder, newest_first=True)), None)
        last, number = _month_and_number(newest) if newest else (month, 0)
        size = newest.stat().st_size if newest and last >= month else SEGMENT_BYTES
        number = 0 if last < month else number
        month = max(month, last)
        waiting: list[bytes] = []
        for line in lines:
            if size + len(line) > SEGMENT_BYTES and size > len(self._head):
                if waiting:
                    yield self._path(month, number), waiting
                waiting, number, size = [], number + 1, len(self._head)
            waiting.append(line)
            size += len(line)
        if waiting:
            yield self._path(month, number), waiting

    def _path(self, month: str, number: int) -> Path:
        return self.folder / f"{month}-{number:03}.md"

    def _append_to(self, path: Path, lines: Sequence[bytes]) -> Callable[[], None]:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        try:
            size, before_ns = (stat := os.fstat(handle)).st_size, stat.st_mtime_ns
            try:
                start = self._start(handle, size)
                for first in range(0, len(lines), _LINES_AT_ONCE):
                    write_all(handle, start + b"".join(lines[first : first + _LINES_AT_ONCE]))
                    start = b""
                os.fsync(handle)
            except OSError:
                os.ftruncate(handle, size)
                raise
        finally:
            os.close(handle)
        if not size:
            sync_folder(self.folder)
        elif path.stat().st_mtime_ns < before_ns:  # the clock was set back
            make_later(path, before_ns)
        return (lambda: os.truncate(path, size)) if size else path.unlink

    def _start(self, handle: int, size: int) -> bytes:
        """Return the bytes to write before the first new line: the head of a segment without one, or the end of a torn line."""
        if size < len(self._head):
            os.ftruncate(handle, 0)
            return self._head
        return b"" if last_byte(handle, size) == b"\n" else b"\n"


def segments_of(folder: Path, *, newest_first: bool = False) -> list[Path]:
    """Return segments of one device in the order in which they were begun.

    Copies made by sync tools have other names and are left out.
    """
    return in_order(folder.glob("*.md"), newest_first=newest_first)


def in_order(paths: Iterable[Path], *, newest_first: bool = False) -> list[Path]:
    """Return the segments among the files of one device, as :func:`segments_of` does."""
    return sorted(filter(is_segment, paths), key=_month_and_number, reverse=newest_first)


def is_segment(path: Path) -> bool:
    """Return whether a file is named like a segment, not like a copy of one."""
    return bool(_NAME.fullmatch(path.name))


def is_gap(before: Path, after: Path) -> bool:
    """Return whether a segment of one month is missing between two consecutive ones, by their numbers."""
    if not (_NAME.fullmatch(before.name) and _NAME.fullmatch(after.name)):
        return False
    (month, number), (next_month, next_number) = _month_and_number(before), _month_and_number(after)
    return next_number > (number + 1 if month == next_month else 1)


def marks_below(folder: Path) -> Marks:
    """Return path -> size and time of every segment in the folders below this one.

    Called for each memory that is read, so it must be fast.
    """
    by_key: Marks = {}
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as devices:
        for device in devices:
            if device.is_dir():
                with os.scandir(device.path) as files:
                    entries = [entry for entry in files if entry.name.endswith(".md")]
                by_key |= {entry.path: ((stat := entry.stat()).st_size, stat.st_mtime_ns) for entry in entries}
    return by_key


def lines_of(path: Path) -> Iterator[bytes]:
    """Yield every line of a file, in order."""
    with path.open("rb") as file:
        yield from file


def lines_with(path: Path, texts: Collection[str]) -> Iterator[bytes]:
    """Yield the lines of a file that contain one of the texts, none of them empty, in order and without their ends.

    Raises:
        OSError: the file cannot be read.
    """
    data = path.read_bytes()
    places: dict[int, int] = {}
    for text in texts:
        needle, end = text.encode(), 0
        while (at := data.find(needle, end)) >= 0:
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            places[data.rfind(b"\n", 0, at) + 1] = end
    yield from (data[start:end] for start, end in sorted(places.items()))


class FoundLines:
    """What :func:`lines_with` found for the texts that were asked for last, as long as a file does not change.

    A sync asks for the same memory several times, and its journal may have a hundred files.
    """

    def __init__(self) -> None:
        self._texts: frozenset[str] = frozenset()
        self._found: dict[tuple[Path, frozenset[str]], tuple[tuple[int, int, int], tuple[bytes, ...]]] = {}

    def lines_with(self, path: Path, texts: Collection[str]) -> tuple[bytes, ...]:
        """Return the lines as :func:`lines_with` does.

        Raises:
            OSError: the file cannot be read.
        """
        asked = frozenset(texts)
        if asked != self._texts:
            self._texts, self._found = asked, {}
        stat = path.stat()
        mark = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        kept, lines = self._found.get((path, asked), (None, ()))
        if kept != mark:
            lines = tuple(lines_with(path, texts))
            self._found[path, asked] = mark, lines
        return lines


def lines_backwards(path: Path) -> Iterator[bytes]:
    """Yield lines of a file in reverse, reading only as far as needed; empty ones are left out."""
    if not path.exists():
        return
    with path.open("rb") as file:
        at = file.seek(0, os.SEEK_END)
        rest = b""
        while at > 0:
            step = min(_BLOCK_BYTES, at)
            at -= step
            file.seek(at)
            first, *lines = (file.read(step) + rest).split(b"\n")
            yield from (line for line in reversed(lines) if line)
            rest = first
        if rest:
            yield rest


def last_byte(handle: int, size: int) -> bytes:
    """Return the last byte of an open file of that size."""
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1)


def _month_and_number(path: Path) -> tuple[str, int]:
    match = _NAME.fullmatch(path.name)
    return (match[1], int(match[2])) if match else ("", 0)
