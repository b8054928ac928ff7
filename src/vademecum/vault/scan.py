"""List files: memories below a space's root, documents in the vault around it. No note is opened, nothing is changed.

Links are never followed, so that a scan stays inside and terminates.
"""

import contextlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import Problem, VaultMissing
from vademecum.domain.memory import Space
from vademecum.domain.payload import text_by_mark
from vademecum.vault.files import NOTE_MAX_BYTES, is_temporary, too_large
from vademecum.vault.places import CONFLICTS, DAILY, JOURNAL, PROJECTS, is_view, on_any_disk

IGNORE_FILE = ".vademecumignore"

#: Suffix of an Obsidian board (JSON Canvas); its texts are searched like a note of the person's.
CANVAS = ".canvas"

#: Folders with templates, which are not notes.
TEMPLATE_FOLDERS = frozenset({"templates", "_templates", "template"})
_NOT_NOTES = frozenset({"node_modules", "__pycache__"})

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Ignored = Callable[[str, bool], bool]
#: Space and path -> stat as in :class:`SourceFile`.
Stats = dict[tuple[str, str], str]

_OBSIDIAN = ".obsidian"
_APP_SETTINGS = f"{_OBSIDIAN}/app.json"
#: Message for a vault whose exclusions cannot be read.
EXCLUSIONS_UNKNOWN = (
    f"{_APP_SETTINGS} cannot be read, so it is not known what you excluded in Obsidian. Until it can be, no note is read; what was"
    " known stays."
)
#: Message for a link in the person's vault.
LINK = "It is a link. Links are not followed, so its target is not searched."
#: The same among memories, where a link is no deletion of what it stands for.
MEMORY_LINK = "It is a link. Links are not followed; what was known of its target stays."
#: Message for a note of which a sync tool left only a placeholder.
PLACEHOLDER = (
    "A sync tool keeps only a placeholder for it on this computer. What was known of it stays. To read it, let the tool keep the folder"
    " downloaded."
)
#: Names of placeholders, of iCloud Drive, and of Nextcloud and ownCloud; the group is the name of the note.
_CLOUDS = (".icloud", ".nextcloud", ".owncloud")
_PLACEHOLDERS = re.compile(r"\.(?P<hidden>[^/]+\.md)\.icloud|(?P<plain>[^/]+\.md)\.(?:nextcloud|owncloud)")
#: Reason in the list of skipped entries that marks a folder with a half-written file. The folder itself is scanned.
_LEFTOVER = "leftover"


class SourceFile(Struct, frozen=True):
    """A note on disk.

    Attributes:
        path: POSIX, relative to the space's root; of a document relative to its documents_root.
        stat: "<bytes>:<mtime_ns>". A file with an equal stat is not read again.
    """

    space: str
    path: str
    sort: Literal["memory", "document"]
    stat: str


class Listing(Struct, frozen=True):
    """Result of a scan.

    Attributes:
        unread: files and folders (POSIX, relative) that could not be read; their known memories do not count as gone.
        problems: the same as messages for the person, and links that were not followed.
        leftovers: folders (POSIX, relative) with a half-written file, perhaps of a dead process.
    """

    files: tuple[SourceFile, ...]
    unread: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    leftovers: tuple[str, ...] = ()


def scan(space: Space, others: Iterable[Space] = ()) -> Listing:
    """Return memories and documents of a space, unordered.

    Args:
        others: spaces whose folders do not belong to this one's documents.

    Raises:
        VaultMissing: the space's root does not exist.
    """
    return together([scan_memories(space), *([scan_documents(space, others)] if space.documents_root else [])])


def together(listings: Sequence[Listing]) -> Listing:
    """Return the results of several scans as one, without leftovers."""
    return Listing(
        tuple(file for listing in listings for file in listing.files),
        tuple(folder for listing in listings for folder in listing.unread),
        tuple(problem for listing in listings for problem in listing.problems),
    )


def scan_memories(space: Space, *, copies: bool = False) -> Listing:
    """Return notes below the space's root, without generated pages, daily notes and the journal.

    Args:
        copies: include merged conflict copies.

    Raises:
        VaultMissing: the root does not exist.
    """
    stats, listing = stats_of_memories(space, copies=copies)
    return replace(listing, files=tuple(SourceFile(*place, "memory", stat) for place, stat in stats.items()))


def stats_of_memories(space: Space, *, copies: bool = False) -> tuple[Stats, Listing]:
    """Return the stats of the files that :func:`scan_memories` lists, and that listing without files: many files are compared so.

    Raises:
        VaultMissing: the root does not exist.
    """
    if not Path(space.root).is_dir():
        raise VaultMissing(space.root)
    ignored = _patterns(Path(space.root))
    skipped: list[tuple[str, str]] = []
    none = (JOURNAL, DAILY, PROJECTS) if copies else (JOURNAL, DAILY, PROJECTS, CONFLICTS)
    name, walk = space.name, _walk(space.root, ignored, skipped, without=none)
    return {(name, path): stat for path, stat in walk if not is_view(path)}, _listing(space.root, skipped)


def scan_copies(space: Space) -> tuple[SourceFile, ...]:
    """Return conflict copies that were merged and moved away."""
    walk = _walk(f"{space.root}/{CONFLICTS}", _nothing, [])
    return tuple(SourceFile(space.name, f"{CONFLICTS}/{path}", "memory", stat) for path, stat in walk)


def scan_documents(space: Space, others: Iterable[Space] = ()) -> Listing:
    """Return the person's own notes in the vault around a space."""
    stats, listing = stats_of_documents(space, others)
    return replace(listing, files=tuple(SourceFile(*place, "document", stat) for place, stat in stats.items()))


def stats_of_documents(space: Space, others: Iterable[Space] = ()) -> tuple[Stats, Listing]:
    """Return the stats of the files that :func:`scan_documents` lists, and that listing without files."""
    root = os.path.realpath(space.documents_root)
    if not Path(root).is_dir():
        raise VaultMissing(space.documents_root)
    homes = {_below(root, other.root) for other in (space, *others)} - {None, ""}
    templates = _template_places(Path(root))
    ignored = _patterns(Path(root))

    def left_out(path: str, folder: bool) -> bool:
        name = path.rpartition("/")[2].lower()
        return path in homes or path in templates or (folder and name in TEMPLATE_FOLDERS) or ignored(path, folder)

    if _below(os.path.realpath(space.root), root) is not None:
        return {}, Listing(())
    if _filters_in(Path(root)) is None:
        return {}, _listing(root, [("", EXCLUSIONS_UNKNOWN)])
    skipped: list[tuple[str, str]] = []
    stats = {(space.name, path): stat for path, stat in _walk(root, left_out, skipped, documents=True)}
    return stats, _listing(root, skipped)


def all_names(root: str) -> Iterator[str]:
    """Yield the path (POSIX, relative) of every file below `root` that is not hidden, of any type: possible targets of links."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NOT_NOTES]
        prefix = Path(folder).relative_to(root).as_posix()
        yield from (name if prefix == "." else f"{prefix}/{name}" for name in files if not name.startswith("."))


def stat_text(stat: os.stat_result) -> str:
    """Return the size and modification time of a file as one string."""
    return f"{stat.st_size}:{stat.st_mtime_ns}"


def modified_at(stat: str) -> datetime:
    """Return the modification time in a stat string; aware, UTC, to the microsecond."""
    return EPOCH + timedelta(microseconds=int(stat.partition(":")[2]) // 1000)


def _listing(root: str, skipped: list[tuple[str, str]]) -> Listing:
    """Return what a walk skipped, without the files that it found."""
    pairs = [(path, why) for path, why in skipped if why != _LEFTOVER]
    problems = tuple(Problem(str(Path(root) / path), why) for path, why in pairs)
    leftovers = tuple(dict.fromkeys(path for path, why in skipped if why == _LEFTOVER))
    return Listing((), tuple(path for path, why in pairs if why != LINK), problems, leftovers)


def _walk(
    root: str, left_out: Ignored, skipped: list[tuple[str, str]], *, documents: bool = False, without: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield the path and stat of every note below `root` that is not hidden or left out. Unreadable entries are added to `skipped`.

    Args:
        documents: also add links to folders and notes to `skipped`, and include boards.
        without: folders to leave out.
    """
    folders: list[tuple[str, str, Ignored]] = [("", root, left_out)]
    while folders:
        prefix, folder, above = folders.pop()
        try:
            with os.scandir(folder) as scanned:
                entries = list(scanned)
            left_out = _left_out_in(prefix, folder, above) if documents and _is_vault(entries) else above
            for entry in entries:
                name = entry.name
                if name.startswith(".") or name.endswith(_CLOUDS) or entry.is_symlink():
                    passed_over = _passed_over(entry, prefix, left_out, LINK if documents else MEMORY_LINK)
                    skipped += ((path, why) for path, why in passed_over if path not in without)
                elif name.endswith(".md") or (documents and name.endswith(CANVAS)):
                    if stat := _stat_of(entry, prefix, left_out, skipped):
                        yield prefix + name, stat
                elif entry.is_dir(follow_symlinks=False) and name not in _NOT_NOTES:
                    path = prefix + name
                    if path not in without and not left_out(path, True):
                        folders.append((f"{path}/", entry.path, left_out))
        except _Unknown:
            skipped.append((prefix, EXCLUSIONS_UNKNOWN))
        except OSError as error:
            skipped.append((prefix, f"The folder cannot be read: {error.strerror or error}."))


def _stat_of(entry: os.DirEntry[str], prefix: str, left_out: Ignored, skipped: list[tuple[str, str]]) -> str:
    """Return the stat of a note as in :class:`SourceFile`; "" if it is left out, or too large, which is added to `skipped`."""
    name = entry.name
    if not entry.is_file(follow_symlinks=False) or not (name.isascii() or _is_text(name)):
        return ""
    if left_out is not _nothing and left_out(prefix + name, False):
        return ""
    stat = entry.stat(follow_symlinks=False)
    if stat.st_size > NOTE_MAX_BYTES:
        skipped.append((prefix + name, too_large(stat.st_size)))
        return ""
    return f"{stat.st_size}:{stat.st_mtime_ns}"


def _nothing(path: str, folder: bool) -> bool:
    """Leave nothing out."""
    return False


def _is_vault(entries: Iterable[os.DirEntry[str]]) -> bool:
    """Return whether a folder with these entries has settings of Obsidian."""
    return any(entry.name == _OBSIDIAN for entry in entries)


class _Unknown(Exception):
    """The exclusions of a vault cannot be read."""


def _left_out_in(prefix: str, folder: str, left_out: Ignored) -> Ignored:
    """Return the predicate for a folder of notes, which may be a vault of its own with exclusions relative to it.

    Raises:
        _Unknown: it is one, and they cannot be read.
    """
    filters = _filters_in(Path(folder)) if prefix else ()
    if filters is None:
        raise _Unknown
    if not filters:
        return left_out
    excluded = _excluded(filters)
    return lambda path, is_folder: left_out(path, is_folder) or excluded(path.removeprefix(prefix), is_folder)


def _passed_over(entry: os.DirEntry[str], prefix: str, left_out: Ignored, link: str) -> Iterator[tuple[str, str]]:
    """Yield the entry of `skipped` for one of our half-written files, a placeholder of a note, or a link to a folder or note.

    Args:
        link: message for a link.
    """
    if note := _PLACEHOLDERS.fullmatch(entry.name):
        name = note["hidden"] or note["plain"]
        if not Path(entry.path).with_name(name).exists():
            yield prefix + name, PLACEHOLDER
    elif entry.name.startswith("."):
        if is_temporary(entry.name):
            yield prefix, _LEFTOVER
    elif (entry.is_dir() or entry.name.endswith(".md")) and not left_out(prefix + entry.name, entry.is_dir()):
        yield prefix + entry.name, link


def _is_text(name: str) -> bool:
    """Return whether a file name is valid Unicode; others cannot be stored in an index or a journal."""
    return not any("\ud800" <= char <= "\udfff" for char in name)


def _below(root: str, path: str) -> str | None:
    """Return `path` relative to `root`, POSIX ("" if equal); None if it is elsewhere."""
    real = os.path.realpath(path)
    if real == root:
        return ""
    return Path(real).relative_to(root).as_posix() if Path(real).is_relative_to(root) else None


def _template_places(root: Path) -> frozenset[str]:
    """Return the template folders and files configured in Obsidian and Templater."""
    sources = (
        (".obsidian/templates.json", "folder"),
        (".obsidian/daily-notes.json", "template"),
        (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
    )
    names = {_setting(root / file, key).strip("/") for file, key in sources}
    return frozenset(place for name in names if name for place in (name, f"{name.removesuffix('.md')}.md"))


def _setting(path: Path, key: str) -> str:
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return ""
    value = data.get(key) if isinstance(data, dict) else None
    return value if isinstance(value, str) else ""


def _patterns(root: Path) -> Ignored:
    """Return a predicate for paths to leave out: those excluded in Obsidian, and those in the ignore file of `root`.

    The file has the syntax of .gitignore: the last matching pattern decides, and one with an exclamation mark includes a path
    again, even one that Obsidian excludes.
    """
    try:
        raw = (root / IGNORE_FILE).read_bytes()
    except OSError:
        raw = b""
    marked = text_by_mark(raw)
    lines = (raw.decode(errors="replace") if marked is None else marked).splitlines()
    excluded = _excluded(obsidian_excluded(root))
    rules = [rule for line in lines if (rule := _rule(line))]
    if not rules:
        return excluded

    def ignored(path: str, folder: bool) -> bool:
        verdict = excluded(path, folder)
        for pattern, only_folders, negated in rules:
            if (folder or not only_folders) and pattern.fullmatch(path):
                verdict = not negated
        return verdict

    return ignored


def obsidian_excluded(root: Path) -> tuple[str, ...]:
    """Return the paths excluded from searches in Obsidian's settings: folders, files, and regular expressions between slashes."""
    return _filters_in(root) or ()


def _filters_in(root: Path) -> tuple[str, ...] | None:
    """Return the paths excluded in the settings of the vault at `root`; None if its settings are there and cannot be read."""
    try:
        raw = (root / _APP_SETTINGS).read_bytes()
    except FileNotFoundError:
        return ()
    except OSError:
        return None
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    filters = data.get("userIgnoreFilters") if isinstance(data, dict) else None
    entries = [filters] if isinstance(filters, str) else filters if isinstance(filters, list) else []
    return tuple(entry for entry in entries if isinstance(entry, str) and entry.strip("/"))


def _excluded(filters: Iterable[str]) -> Ignored:
    """Return a predicate with Obsidian's rules: a regular expression is searched in the path, any other entry is a path prefix."""
    expressions, beginnings = [], []
    for entry in filters:
        if len(entry) > 2 and entry.startswith("/") and entry.endswith("/"):
            with contextlib.suppress(re.error):
                expressions.append(re.compile(entry[1:-1]))
        else:
            beginnings.append(on_any_disk(entry.strip("/")))

    def excluded(path: str, folder: bool) -> bool:
        plain, whole = on_any_disk(path), f"{path}/" if folder else path
        begins = any(plain == start or plain.startswith(f"{start}/") for start in beginnings)
        return begins or any(expression.search(whole) for expression in expressions)

    return excluded if expressions or beginnings else _nothing


def _rule(line: str) -> tuple[re.Pattern[str], bool, bool] | None:
    """Return the pattern, whether it matches folders only, and whether it is negated. None if the line has no pattern."""
    text = line.rstrip()
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text.removeprefix("!").removeprefix("\\")
    only_folders = text.endswith("/")
    text = text.rstrip("/")
    start = "" if "/" in text else "(?:.*/)?"
    try:
        return re.compile(start + _glob(text.lstrip("/"))), only_folders, negated
    except re.error:
        return None


def _glob(text: str) -> str:
    """Return a regular expression for a pattern: `**/` matches any folders, `*` and `?` match within a name, `[...]` a set."""
    tokens = re.findall(r"\*\*/|/\*\*|\*\*|\*|\?|\[[^\]/]+\]|[^*?\[/]+|.", text)
    known = {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        known.get(token) or (_character_class(token) if token[0] == "[" and len(token) > 1 else re.escape(token))
        for token in tokens
    )


def _character_class(token: str) -> str:
    inner = token[1:-1].replace("\\", "\\\\").replace("[", "\\[")
    return f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"


def evidence_of_edit(stat: os.stat_result) -> dict[str, object]:
    """Return the evidence for a manual edit: the modification time of the file."""
    return {"updated": f"{modified_at(stat_text(stat)):%Y-%m-%dT%H:%M:%SZ}"}
