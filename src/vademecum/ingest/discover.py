"""Find transcripts: files below folders, their format or library, and the conversations in a library.

A conversation in a library has its own path, `<file>#<name>`, which the index and the cursors use.
"""

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput, NotFound, Problem
from vademecum.domain.lifecycle import OPEN
from vademecum.domain.places import matching
from vademecum.domain.session import Cursor
from vademecum.ingest.reader import RECORD_MAX_BYTES, head
from vademecum.ports.transcripts import PlaceRule, TranscriptFormat, TranscriptLibrary

PlaceOf = Callable[[str], PlaceRule]

#: Suffixes of files that are opened below a folder; their content decides what they are. A file given by name is always opened.
SUFFIXES = frozenset({".jsonl", ".json", ".zst", ".md", ".txt", ".log", ".db", ".vscdb", ".sqlite3", ".zip"})

#: Suffixes of files with many conversations. In other file names a `#` is an ordinary character.
LIBRARY_SUFFIXES = frozenset({".db", ".vscdb", ".sqlite3", ".sqlite", ".zip", ".json"})

#: Values of a cursor's `carry` that mark a file as a second copy, as a library, as one without content, or as one of a stopped
#: project.
COPY, LIBRARY, NOTHING, STOPPED = "copy ", "library ", "nothing ", "stopped "

#: A turn with such a ref is the same turn in every file; other refs are unique only within their file.
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

_MEMBER = "#"
_JOURNAL = "-wal"
_NO_DATABASE = (".jsonl", ".json", ".md", ".txt", ".log")


def usual_places(context: Context) -> list[str]:
    """Return where transcripts are expected.

    These are the folders in the settings, the folder of conversations that agents sent, if it exists, and the transcripts of
    open sessions.
    """
    own = context.storage.conversations.folder
    texts = (marker.transcript for marker in context.storage.markers.all(OPEN))
    open_ones = [path for path in texts if path and Path(path).is_file()]
    return [*context.choices.transcripts, *([str(own)] if own.is_dir() else []), *open_ones]


def must_be_there(paths: Sequence[str]) -> None:
    """Raise if none of the paths that a person named exists. If only some are missing, each is reported as a problem later.

    Raises:
        NotFound: none exists.
    """
    missing = [text for text in paths if not _is_there(text)]
    if missing and len(missing) == len(tuple(paths)):
        raise NotFound(f"There is no file or folder {', '.join(missing)}. Nothing was read.", "Check the path.")


def _is_there(text: str) -> bool:
    try:
        return any(path.exists() for path in matching(text))
    except (InvalidInput, OSError):  # not a valid file name
        return False


def files_below(paths: Iterable[str], problems: list[Problem], place_of: PlaceOf) -> Iterator[Path]:
    """Yield files that may be transcripts at or below the given paths, each once.

    A missing path becomes a problem, and so does a named file in a place where its host stores no conversations.

    Args:
        place_of: path of a file -> what its location says about it.
    """
    return map(Path, names_below(paths, problems, place_of))


def names_below(paths: Iterable[str], problems: list[Problem], place_of: PlaceOf) -> Iterator[str]:
    """Yield the same files as :func:`files_below`, as absolute paths."""
    texts: list[str] = []
    for text in paths:
        try:
            places = list(matching(text))
        except InvalidInput as error:
            problems.append(Problem(text, error.message))
            continue
        for path in places:
            place = str(path.absolute())
            if path.is_dir():
                texts += sorted(entry for entry in _in_place(place, place_of) if place_of(entry).verdict != "never")
            elif not path.is_file():
                problems.append(Problem(text, "There is no such file or folder."))
            elif (rule := place_of(place)).verdict == "never":
                problems.append(Problem(text, rule.reason))
            else:
                texts.append(place)
    yield from dict.fromkeys(texts)


def _in_place(folder: str, place_of: PlaceOf) -> Iterator[str]:
    """Yield files as :func:`_below`, and follow links to folders, each folder once.

    Links in the folder itself are followed if a host stores conversations there; links further down if they may contain
    conversations.
    """
    read, waiting = [os.path.realpath(folder)], [folder]
    while waiting:
        links: list[str] = []
        yield from _below(waiting.pop(0), links)
        for link in sorted(links):
            real = os.path.realpath(link)
            is_direct = os.path.dirname(link) == folder.rstrip(os.sep)  # noqa: PTH120
            if not os.path.isdir(real) or not _may_be_followed(link, place_of, is_direct=is_direct):  # noqa: PTH112
                continue
            if not any(_is_within(real, entry) or _is_within(entry, real) for entry in read):
                read.append(real)
                waiting.append(link)


def _may_be_followed(link: str, place_of: PlaceOf, *, is_direct: bool) -> bool:
    verdicts = {place_of(f"{link}/x{suffix}").verdict for suffix in (".jsonl", ".json", ".txt")}
    return verdicts != {"free"} if is_direct else not verdicts.isdisjoint(("conversation", "side"))


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _below(folder: str, links: list[str]) -> Iterator[str]:
    """Yield files with a transcript suffix in a folder and its subfolders, unordered. Other links are added to `links`."""
    try:
        with os.scandir(folder) as listed:
            entries = list(listed)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, links)
        elif entry.name[entry.name.rfind(".") :] in SUFFIXES and entry.name.rfind(".") > 0 and entry.is_file():
            yield entry.path
        elif entry.is_symlink():
            links.append(entry.path)


def stamp_of(path: Path | str) -> str:
    """Return "size:mtime" of a file and of a database's journal together, as the index stores it; "" when the file is gone."""
    named = str(path)
    try:
        stats = [os.stat(named)]  # noqa: PTH116 -- asked of every transcript at once, and a Path takes longer than that
    except OSError:
        return ""
    if not named.endswith(_NO_DATABASE):
        with contextlib.suppress(OSError):
            stats.append(os.stat(named + _JOURNAL))  # noqa: PTH116
    return f"{sum(stat.st_size for stat in stats)}:{max(stat.st_mtime_ns for stat in stats)}"


def copied_session(cursor: Cursor) -> str:
    """Return the session of a second file that has turns of its own; "" for any other file."""
    return cursor.carry.partition(" ")[2].partition(" ")[2] if cursor.carry.startswith(COPY) else ""


def member_stamp(mark: str, stamp: str) -> str:
    """Return the stamp of a conversation in a library: a hash of its own mark, as a number, and the time of the library."""
    number = int.from_bytes(hashlib.blake2b(mark.encode("utf-8", "surrogatepass"), digest_size=6).digest(), "little")
    return f"{number}:{stamp.partition(':')[2]}"


def form_of(
    formats: Sequence[TranscriptFormat], beginning: bytes, path: Path, whole: Callable[[], bytes] | None = None
) -> TranscriptFormat | None:
    """Return the format of a file; None for none. A JSON document is read completely when its beginning does not suffice.

    Args:
        whole: returns its complete content; None: it is read from `path`, unless it is too long.

    Raises:
        OSError: it cannot be read.
    """
    transcript_format = next(
        (known for known in formats if known.recognises(beginning, str(path))),
        None,
    )
    if transcript_format is not None or not beginning.lstrip().startswith(b"{"):
        return transcript_format
    if whole is None and not len(beginning) < path.stat().st_size <= RECORD_MAX_BYTES:
        return None
    data = whole() if whole is not None else path.read_bytes()
    return next(
        (known for known in formats if known.recognises(data, str(path))),
        None,
    )


def library_of(libraries: Sequence[TranscriptLibrary], beginning: bytes, path: Path) -> TranscriptLibrary | None:
    """Return the kind of library that a file is; None when it is none.

    Raises:
        OSError: it looks like one, but cannot be read.
    """
    return next(
        (transcript_library for transcript_library in libraries if transcript_library.recognises(beginning, str(path))), None
    )


def member_path(path: Path, name: str) -> str:
    """Return the path of a conversation in a library; the path of the file when it contains only one."""
    return f"{path}{_MEMBER}{name}" if name else str(path)


def owner_of(path: str) -> str:
    """Return the file that contains the transcript with that path."""
    owner, _, name = path.rpartition(_MEMBER)
    is_member = _ends_so(owner, LIBRARY_SUFFIXES) and not _ends_so(name, SUFFIXES) and "/" not in name and "\\" not in name
    return owner if is_member and not Path(path).exists() else path


def _ends_so(path: str, suffixes: frozenset[str]) -> bool:
    place = path.rfind(".")
    return place > 0 and path[place:].lower() in suffixes


def name_of(path: str) -> str:
    """Return a conversation's name within its library; "" when its file contains only that one."""
    owner = owner_of(path)
    return path[len(owner) + len(_MEMBER) :] if owner != path else ""


def is_there(path: str) -> bool:
    """Return whether the file of a transcript exists."""
    return Path(owner_of(path)).exists()


def paths_within(context: Context, path: str) -> frozenset[str]:
    """Return the paths of the conversations in a database or an export.

    For any other or unreadable file this is the path itself.
    """
    file = Path(path)
    beginning = head(file)
    if isinstance(beginning, Problem):
        return frozenset({path})
    try:
        library = library_of(context.outside.libraries, beginning, file)
        return frozenset(member_path(file, member.name) for member in library.members(path)) if library else frozenset({path})
    except OSError:
        return frozenset({path})


def transcript_bytes(context: Context, path: str) -> bytes:
    """Return the bytes of a transcript as a format reads them, extracted from a library where necessary.

    Raises:
        OSError: it is gone, or cannot be read.
    """
    owner = Path(owner_of(path))
    beginning = head(owner)
    if isinstance(beginning, Problem):
        raise FileNotFoundError(beginning.message)
    library = library_of(context.outside.libraries, beginning, owner)
    if library is None:
        return owner.read_bytes()
    name = path.removeprefix(str(owner)).removeprefix(_MEMBER)
    for text, data in library.read(str(owner), [name]):
        if text == name:
            return data
    raise FileNotFoundError(f"{owner} no longer has the conversation {name}.")


__all__ = [
    "COPY", "LIBRARY", "STOPPED", "SUFFIXES", "UUID", "copied_session", "files_below", "form_of", "is_there", "library_of", "member_path",
    "member_stamp",
    "name_of", "owner_of", "paths_within", "stamp_of", "transcript_bytes",
]  # fmt: skip
