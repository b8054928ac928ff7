"""Raw sources in `.raw/` of the personal space, and their state in `.raw/.manifest.json`.

A source belongs to the person: their files are never changed or removed. Only code writes the manifest, which is expendable:
each page says which source it comes from.
"""

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput, NotFound
from vademecum.domain.wiki import MANIFEST, RAW
from vademecum.vault import files
from vademecum.vault.scan import stat_text
from vademecum.vault.writer import Writer

#: "touched": only its time changed. "gone": in the manifest, but no longer on disk.
State = Literal["new", "changed", "touched", "unchanged", "gone"]
#: List of the original paths of copied files, and the folder of copies that were replaced.
_ORIGINS, _EARLIER = ".origins.json", ".earlier"
#: Maximum size of a source in bytes; a larger one is not read.
MOST_BYTES = 20_000_000


class Known(Struct, frozen=True, omit_defaults=True):
    """A source's entry in the manifest.

    Attributes:
        hash: SHA-256 of its bytes. stat: size and time as in a scan. ingested: time of reading, ISO 8601, UTC.
        page: id of its page. made: etag of the page's text as generated. touched: ids of other pages that were created or merged.
    """

    hash: str
    stat: str
    ingested: str
    page: str = ""
    made: str = ""
    touched: tuple[str, ...] = ()


class RawSources:
    """The raw sources in a space.

    Args:
        root: of the space. writer: its lock is held while the manifest is written.
    """

    def __init__(self, root: str, writer: Writer) -> None:
        self._root, self._folder, self._writer = Path(root), Path(root) / RAW, writer

    def names(self) -> tuple[str, ...]:
        """Return the paths of the sources, relative to `.raw/`, sorted, without hidden files and links."""
        paths = (file for file in self._folder.rglob("*") if file.is_file() and not file.is_symlink())
        names = (file.relative_to(self._folder) for file in paths)
        return tuple(sorted(name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts)))

    def known(self) -> dict[str, Known]:
        """Return the manifest, by name; empty if it is missing or damaged."""
        return files.read_own(self._folder / MANIFEST, dict[str, Known], {})

    def state(self, name: str, known: Known | None) -> State:
        """Return the state of a source compared to its manifest entry."""
        file = self._folder / name
        if not file.is_file():
            return "gone"
        if known is None:
            return "new"
        if stat_text(file.stat()) == known.stat:
            return "unchanged"
        return "touched" if _hash(file.read_bytes()) == known.hash else "changed"

    def read(self, name: str) -> bytes:
        """Return a source's bytes.

        Raises:
            InvalidInput: it is too large. NotFound: it is gone.
        """
        return _source(self._folder / name, name)

    def name_of(self, file: Path) -> str | None:
        """Return the name of a file in `.raw/`; None if it is, after links are resolved, elsewhere."""
        real, folder = file.resolve(), self._folder.resolve()
        return real.relative_to(folder).as_posix() if real.is_relative_to(folder) and real != folder else None

    def take(self, file: Path) -> str:
        """Copy a file into `.raw/`, unless the same bytes are there already, and return its name there.

        A file that was copied before and has changed replaces its copy, which moves to `.raw/.earlier/`. A different file of
        the same name gets part of its hash appended to the name.

        Raises:
            NotFound, InvalidInput: there is no such file, or it is too large. WriteFailed: the disk did not store it.
        """
        data = _source(file, str(file))
        hashed = _hash(data)
        same = next(
            (name for name, known in self.known().items() if known.hash == hashed and (self._folder / name).is_file()),
            None,
        )
        if same is not None:
            return same
        origin = str(file.resolve())
        origins = files.read_own(self._folder / _ORIGINS, dict[str, str], {})  # path of each copied file -> name of its copy
        if (before := origins.get(origin)) and (self._folder / before).is_file():
            self._renew(before, data)
            return before
        name = file.name.lstrip(".")
        if not name:
            raise NotFound(f"{file} has no name.")
        if (self._folder / name).exists():
            name = f"{Path(name).stem}-{hashed[:8]}{Path(name).suffix}"
        with self._held():
            if not (self._folder / name).exists():
                files.create(self._root, self._folder / name, data)
            self._put(_ORIGINS, {**origins, origin: name})
        return name

    def _renew(self, name: str, data: bytes) -> None:
        """Replace a copy and save the previous one."""
        copy = self._folder / name
        with self._held():
            old = files.read_bytes(copy)
            kept = self._folder / _EARLIER / f"{name}.{_hash(old)[:8]}"
            if not kept.exists():
                files.create(self._root, kept, old)
            files.replace(self._root, copy, data, etag=files.etag_of(old))

    def _put(self, name: str, value: object) -> None:
        """Write one of our own lists. The caller must hold the lock."""
        place = self._folder / name
        text = msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"
        etag = files.current_etag(place)
        if etag is None:
            files.create(self._root, place, text)
        else:
            files.replace(self._root, place, text, etag=etag)

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the lock, after removing files that a killed process left half-written here: they are in no intent."""
        with self._writer.held("ingest"):
            files.sweep(self._folder)
            yield

    def note(self, name: str, known: Known) -> Known:
        """Save a source's manifest entry with its current hash and time. Entries of other sources that were written meanwhile stay."""
        file = self._folder / name
        data = files.read_bytes(file)
        fresh = replace(known, hash=_hash(data), stat=stat_text(file.stat()))
        with self._held():
            self._put(MANIFEST, {**self.known(), name: fresh})
        return fresh


def _source(file: Path, name: str) -> bytes:
    if file.is_file() and file.stat().st_size > MOST_BYTES:
        raise InvalidInput(f"{name} is larger than {MOST_BYTES // 1_000_000} MB.", "Take out what matters, and ingest that.")
    return files.read_bytes(file)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
