"""Put transcripts into the archive before their host deletes them (X-42), and give them back.

What the guard finds is taken out before anything is written. A transcript that grew brings only its last pieces; one that did
not change is not opened.
"""

import hashlib
import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from vademecum.capture.paused import bytes_to_keep
from vademecum.capture.pieces import pieces
from vademecum.capture.read import HEAD_BYTES, head_of, steps_of
from vademecum.guard.records import cleanse_records, rewrite_records
from vademecum.index.items import SESSIONS
from vademecum.model.archive import Archived
from vademecum.model.errors import AlreadyExists, ArchiveFull, Problem, Refused, WriteFailed
from vademecum.model.item import Item
from vademecum.model.ports import Archive
from vademecum.model.session import Cursor
from vademecum.upkeep.forgotten import forgotten
from vademecum.upkeep.gather import form_of
from vademecum.upkeep.parts import Parts

#: Bytes of new pieces that are held before they are written together.
TOGETHER_BYTES = 4 << 20
_SNIFFED_BYTES = 4096
_ZSTANDARD = b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True, slots=True)
class Shelved:
    """What a round of archiving did.

    Attributes:
        transcripts: archived now, or anew because they grew. bytes: read from them.
        let_go: transcripts that passed the chosen retention.
    """

    transcripts: int = 0
    bytes: int = 0
    let_go: int = 0
    problems: tuple[Problem, ...] = ()


def shelve(parts: Parts, paths: Iterable[str] | None = None) -> Shelved:
    """Archive what is indexed and not archived as it is now.

    Args:
        paths: only these files; None: every transcript that the index knows.
    """
    archive = parts.archive
    if archive is None or not parts.enabled:
        return Shelved()
    let_go = _let_go_old(parts, archive)
    due = _due(parts, archive, None if paths is None else set(paths))
    items = parts.index.items([key for key, _ in due])
    done, read, problems = 0, 0, []
    for count, (key, path) in enumerate(due, 1):
        try:
            size = _put(parts, archive, path, items[key])
        except OSError as error:
            problems.append(Problem(path, f"This transcript cannot be archived now: {error.strerror or error}."))
            continue
        except Refused as error:
            problems.append(Problem(path, error.message))
            continue
        except ArchiveFull as error:
            left = len(due) - done
            problems.append(Problem(path, f"{error.message} {left} transcripts are not archived as they are now. {error.hint}"))
            break
        done, read = done + (size is not None), read + (size or 0)
        parts.progress("archive", count, len(due))
    return Shelved(done, read, let_go, tuple(problems))


def _due(parts: Parts, archive: Archive, wanted: set[str] | None) -> list[tuple[str, str]]:
    """(item key, path) of the transcripts to archive, oldest first: they are deleted first."""
    kept = {record.path: record.stat for record in archive.records()}
    due = []
    for key, mark in parts.index.fingerprints(SESSIONS).items():
        if wanted is not None and mark.path not in wanted:
            continue
        stat = _stat(mark.path)
        if stat is None or _stat_text(stat) == kept.get(mark.path) or _is_old(parts, stat.st_mtime):
            continue
        due.append((stat.st_mtime, key, mark.path))
    return [(key, path) for _, key, path in sorted(due)]


def _put(parts: Parts, archive: Archive, path: str, item: Item) -> int | None:
    """Archive one transcript; bytes read, None for a file that is not text.

    Raises:
        OSError: it cannot be read. ArchiveFull: the cap is reached. Refused: what was said in a pause cannot be taken out of it.
    """
    sources: list[bytes] = []
    read = 0
    gone = forgotten(parts)
    with Path(path).open("rb") as file:
        stat = os.fstat(file.fileno())
        if not _is_text(file.read(_SNIFFED_BYTES)):
            return None
        file.seek(0)
        part = _unpaused(parts, file, path, item, stat)
        for group in _grouped(pieces(part)):
            known = archive.known(group.keys())
            archive.keep(
                {
                    source: rewrite_records(cleanse_records(data, parts.policy), gone.blank)
                    for source, data in group.items()
                    if source not in known
                }
            )
            sources += group.keys()
            read += sum(map(len, group.values()))
    archive.put(_record(parts, path, item, stat), sources)
    return read


def _unpaused(parts: Parts, file: BinaryIO, path: str, item: Item, stat: os.stat_result) -> BinaryIO:
    """The transcript, without what was said in it while memory was paused.

    Raises:
        OSError. Refused: its format keeps what was said in a pause in one record with the rest.
    """
    written, begun = datetime.fromtimestamp(stat.st_mtime, UTC), item.created
    about = [
        pause
        for pause in parts.pauses.all()
        if pause.is_about(item.key) and pause.start <= written and (pause.end is None or begun is None or begun < pause.end)
    ]
    if not about:
        return file
    beginning = head_of(file.read(HEAD_BYTES))
    form = form_of(parts.formats, beginning, Path(path))
    file.seek(0)
    session = None
    if form is not None:
        steps = [step.parsed.session for step in steps_of(file, form, Cursor(), path)]
        session = replace(steps[-1], turns=tuple(turn for step in steps for turn in step.turns))
    kept = bytes_to_keep(session, about, stat.st_size) if session else None
    if kept is None:
        raise Refused("It is not archived: part of it was said while memory was paused, and its format cannot be divided.")
    data = io.BytesIO()
    for first, end in kept:
        file.seek(first)
        data.write(file.read(end - first))
    data.seek(0)
    return data


def _grouped(found: Iterator[bytes]) -> Iterator[dict[bytes, bytes]]:
    """Pieces by the hash of what the host wrote, some at a time. Equal ones in one group would lose their place, so they part."""
    group: dict[bytes, bytes] = {}
    size = 0
    for data in found:
        source = hashlib.blake2b(data, digest_size=16).digest()
        if size >= TOGETHER_BYTES or source in group:
            yield group
            group, size = {}, 0
        group[source] = data
        size += len(data)
    if group:
        yield group


def _record(parts: Parts, path: str, item: Item, stat: os.stat_result) -> Archived:
    return Archived(
        path=path,
        session=item.key,
        stat=_stat_text(stat),
        kept=parts.clock.now(),
        title=item.title,
        project=item.project,
        started=item.created,
        ended=item.updated,
        source_bytes=stat.st_size,
    )


def _is_text(head: bytes) -> bool:
    """Whether a file is a transcript in words: a database or a compressed file cannot be rid of secrets, and is not kept."""
    return b"\0" not in head and not head.startswith(_ZSTANDARD)


def _stat(path: str) -> os.stat_result | None:
    try:
        return Path(path).stat()
    except OSError:
        return None


def _stat_text(stat: os.stat_result) -> str:
    return f"{stat.st_size}:{stat.st_mtime_ns}"


def _is_old(parts: Parts, changed: float) -> bool:
    """Whether a file is older than the chosen retention, so that archiving it would be in vain."""
    return bool(parts.archive_days) and parts.clock.now().timestamp() - changed > parts.archive_days * 86_400


def _let_go_old(parts: Parts, archive: Archive) -> int:
    if not parts.archive_days:
        return 0
    limit = parts.clock.now() - timedelta(days=parts.archive_days)
    old = [record.path for record in archive.records() if _changed(record) < limit]
    archive.drop(old)
    return len(old)


def _changed(record: Archived) -> datetime:
    """When the host wrote to a transcript last, as far as known."""
    nanoseconds = int(record.stat.partition(":")[2] or 0)
    return datetime.fromtimestamp(nanoseconds / 1e9, record.kept.tzinfo) if nanoseconds else record.kept


def restore(archive: Archive, record: Archived, target: str = "") -> Path:
    """Write a transcript back, where its host finds it or to `target`. Nothing is ever overwritten.

    The file is new to the host's clock too: with its old time a host that deletes after 30 days would take it again at once.

    Raises:
        AlreadyExists: a file stands there. ArchiveDamaged: it cannot be given back whole; nothing was written.
        WriteFailed: the disk refuses.
    """
    path = Path(target or record.path).expanduser().absolute()
    if path.exists() or path.is_symlink():
        raise AlreadyExists(f"{path} is there already; nothing was written.", "Name another place with --to.")
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            for piece in archive.read(record.path):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        _put_in_place(part, path)
    except FileExistsError as error:
        raise AlreadyExists(f"{path} is there already; nothing was written.", "Name another place with --to.") from error
    except OSError as error:
        raise WriteFailed(
            f"{path} could not be written: {error.strerror or error}.", "Name another place with --to."
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return path


def _put_in_place(part: Path, path: Path) -> None:
    """Give a finished file its name, unless somebody took it meanwhile.

    Raises:
        FileExistsError: somebody did.
    """
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        with path.open("xb") as file:
            file.write(part.read_bytes())
