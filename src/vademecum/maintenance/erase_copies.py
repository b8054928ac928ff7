"""Rewrite and search all of our files outside the vault.

Databases are rewritten by their own adapters; this module handles the rest (logs, queues, checkpoints, conversations) and the
search, which checks the bytes themselves.
"""

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from vademecum.domain.forgotten import Searched
from vademecum.guard.records import rewrite_records
from vademecum.ports.archive import Archive

#: Suffixes of our files that contain text.
TEXTS = (".json", ".jsonl", ".log", ".part", ".new", ".unreadable", ".txt")
#: Left out: backups of the person's own files from before the installation, which must be restored unchanged, and our list of
#: tombstones.
_LEFT = ("hosts", "forgotten.json")
#: Suffix of a database copy that an interrupted backup left.
COPY_SUFFIX = ".copy"
_OVERLAP_BYTES = 64 << 10


def text_files(folder: str) -> Iterator[Path]:
    """Yield text files below a folder, except those in `_LEFT`."""
    for path in files_below(folder):
        if path.suffix in TEXTS and path.relative_to(folder).parts[0] not in _LEFT:
            yield path


def files_below(folder: str) -> Iterator[Path]:
    """Yield regular files below a folder, sorted by path; nothing for ""."""
    if folder and Path(folder).is_dir():
        yield from (path for path in sorted(Path(folder).rglob("*")) if path.is_file() and not path.is_symlink())


def rewrite_texts(folder: str, change: Callable[[str], str]) -> list[Path]:
    """Apply `change` to every string in the text files of a folder; return the changed files.

    Raises:
        OSError: a file cannot be written; it is unchanged.
    """
    done = []
    for path in text_files(folder):
        with contextlib.suppress(FileNotFoundError):  # an event that the helper has processed meanwhile
            before = path.read_bytes()
            after = rewrite_records(before, change)
            if after != before:
                _replace(path, after)
                done.append(path)
    return done


def _replace(path: Path, data: bytes) -> None:
    """Replace the content of a file.

    Raises:
        OSError: it cannot be written, or (FileNotFoundError) is gone.
    """
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    try:
        part.chmod(path.stat().st_mode & 0o7777)
        part.replace(path)
    except FileNotFoundError:
        part.unlink(missing_ok=True)
        raise


def drop_damaged(folder: str) -> int:
    """Delete databases that were set aside as damaged, or copied by an interrupted backup.

    They contain our data, and cannot be rewritten.
    """
    paths = [path for path in files_below(folder) if ".damaged" in path.name or path.suffix == COPY_SUFFIX]
    for path in paths:
        path.unlink(missing_ok=True)
    return len(paths)


def pattern_of(phrases: Iterable[str]) -> re.Pattern[bytes] | None:
    """Return a pattern that finds any of the phrases in bytes; None without phrases.

    It matches UTF-8 and JSON escapes, any case, and any spacing.
    """
    result = {_as_bytes(phrase, escaped) for phrase in phrases if phrase.strip() for escaped in (False, True)}
    return re.compile(b"|".join(sorted(result)), re.IGNORECASE) if result else None


def _as_bytes(phrase: str, escaped: bool) -> bytes:
    words = phrase.split()
    written = [_forms(word, escaped) for word in words]
    return rb"(?:\s|\\n|\\u00a0)+".join(written)


def _forms(word: str, escaped: bool) -> bytes:
    """Return alternatives for a word in each case: IGNORECASE on bytes covers ASCII only."""
    forms = dict.fromkeys((word, word.lower(), word.upper(), word.capitalize()))
    if escaped:
        encoded = [form.encode("ascii", "backslashreplace") for form in forms]
    else:
        encoded = [form.encode("utf-8", "surrogatepass") for form in forms]
    return b"(?:" + b"|".join(map(re.escape, dict.fromkeys(encoded))) + b")"


def search_folder(place: str, folder: str, read: Callable[[Path], Iterable[bytes]], holds: Callable[[bytes], bool]) -> Searched:
    """Search the bytes of every file below a folder.

    Args:
        place: name of the folder in the result.
        read: returns a file's bytes in chunks; OSError: it cannot be read.
        holds: returns whether bytes contain something forgotten.
    """
    files = size = 0
    texts = []
    for path in files_below(folder):
        try:
            length, hit = _search(read(path), holds)
        except FileNotFoundError:  # gone since it was listed
            continue
        except OSError:
            files += 1
            texts.append(f"{path} (it cannot be read)")
            continue
        files, size = files + 1, size + length
        if hit:
            texts.append(str(path))
    return Searched(place, files, size, tuple(texts))


def _search(chunks: Iterable[bytes], holds: Callable[[bytes], bool]) -> tuple[int, bool]:
    read, tail, hit = 0, b"", False
    for chunk in chunks:
        read += len(chunk)
        hit = hit or holds(tail + chunk)
        tail = chunk[-_OVERLAP_BYTES:]
    return read, hit


def search_archive(archive: Archive, holds: Callable[[bytes], bool]) -> Searched:
    """Search the archive's unpacked contents."""
    files = size = 0
    texts = []
    for record in archive.records():
        data = b"".join(archive.read(record))
        files, size = files + 1, size + len(data)
        if holds(data) or holds(record.title.encode("utf-8", "replace")):
            texts.append(record.path)
    return Searched("archive, unpacked", files, size, tuple(texts))
