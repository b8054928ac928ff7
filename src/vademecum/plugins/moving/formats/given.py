"""Read the files of another memory: from a folder, a ZIP archive, single files, or pasted text."""

import codecs
import os
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from vademecum.domain.errors import InvalidInput, NotFound, Problem, files_explained
from vademecum.domain.payload import text_by_mark
from vademecum.domain.places import place_named
from vademecum.plugin_api.vault import text_of
from vademecum.plugins.moving.formats.record import Given

#: Endings of files that the formats read; others are ignored.
SUFFIXES = (".md", ".mdc", ".txt", ".json", ".jsonl", ".af", ".cursorrules", ".windsurfrules", ".clinerules")
#: Folders without memories of a person.
_PASSED_OVER = frozenset({".git", "node_modules", ".venv", ".obsidian", ".trash", ".vault", "_journal", "__pycache__"})
#: Larger files, and files after the first FILES_MAX, are reported but not read.
FILE_MAX_BYTES, FILES_MAX = 32 << 20, 20_000
#: Total bytes of one import, which are held in memory at once.
ALL_MAX_BYTES = 512 << 20
_DATABASE = b"SQLite format 3\0"
_TOO_LARGE = f"It is larger than {FILE_MAX_BYTES >> 20} MB and was not read."


def files_of(paths: Sequence[str], handed: Sequence[Mapping[str, str]]) -> tuple[list[Given], list[Problem]]:
    """Return the readable files, in order of their names, and the reasons why others cannot be read.

    Args:
        handed: files that came with the call: `path` ("" for pasted text) and `text`.

    Raises:
        InvalidInput: nothing was named.
        NotFound: a path does not exist.
        FileUnusable: it cannot be opened.
    """
    files = [Given(fields["path"], fields["text"], is_named=len(handed) == 1) for fields in handed if fields["text"].strip()]
    if not paths and not files:
        raise InvalidInput("There is nothing to import.", "Name a file or folder, or paste a text: vade import -")
    problems: list[Problem] = []
    room = ALL_MAX_BYTES
    for name in paths:
        place = place_named(name)
        if not place.exists():
            raise NotFound(f"There is no {name}.", "Name the file or folder that another memory left.")
        root = "" if zipfile.is_zipfile(place) else (place.parent if place.is_file() else place).absolute().as_posix()
        for path, raw in _found(place):
            try:
                if raw is None:
                    raise InvalidInput(_TOO_LARGE)
                room -= len(raw)
                if room < 0:
                    raise InvalidInput(f"More than {ALL_MAX_BYTES >> 20} MB were named; it was not read. Import it by itself.")
                if raw.startswith(_DATABASE):
                    raise InvalidInput("It is a database. Export it with its own program, and import what that writes.")
                files.append(Given(path, _text(raw), is_named=place.is_file(), root=root))
            except InvalidInput as error:
                problems.append(Problem(path, error.message))
    return files, problems


def _text(raw: bytes) -> str:
    """Return a file's text: UTF-8, or what its byte order mark says, as Windows programs write.

    Raises:
        InvalidInput: it is neither.
    """
    marked = None if raw.startswith(codecs.BOM_UTF8) else text_by_mark(raw)
    return text_of(raw) if marked is None else marked


def _found(place: Path) -> Iterator[tuple[str, bytes | None]]:
    """Yield (path, bytes) of files; None as bytes for one that is too large."""
    with files_explained():
        if not place.is_file():
            yield from _below(place)
        elif zipfile.is_zipfile(place):
            yield from _members(place)
        else:
            yield place.name, _bytes(place)


def _below(root: Path) -> Iterator[tuple[str, bytes | None]]:
    number = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(entry for entry in folders if entry not in _PASSED_OVER)
        for name in sorted(names):
            file = Path(folder) / name
            if name.lower().endswith(SUFFIXES) and file.is_file():
                number += 1
                yield file.relative_to(root).as_posix(), _bytes(file) if number <= FILES_MAX else None


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.stat().st_size <= FILE_MAX_BYTES else None


def _members(place: Path) -> Iterator[tuple[str, bytes | None]]:
    """Yield the files of a ZIP archive.

    Raises:
        InvalidInput: it is damaged.
    """
    try:
        with zipfile.ZipFile(place) as archive:
            for entry in archive.infolist()[:FILES_MAX]:
                if entry.filename.lower().endswith(SUFFIXES) and not entry.is_dir():
                    yield entry.filename, archive.read(entry) if entry.file_size <= FILE_MAX_BYTES else None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise InvalidInput(f"{place.name} is damaged: {error}.", "Ask for the export again.") from error
