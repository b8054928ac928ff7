"""What files there are: memories below a space's root, documents in the vault around it. Nothing is opened, nothing changed.

Links are never followed, so that a scan stays inside and ends.
"""

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from msgspec import Struct

from vademecum.domain.errors import Problem, VaultMissing
from vademecum.domain.memory import Space
from vademecum.vault.files import is_temporary, too_large
from vademecum.vault.places import CONFLICTS, DAILY, JOURNAL, PROJECTS, is_view, on_any_disk

IGNORE_FILE = ".vademecumignore"

#: Name of a board that Obsidian draws (JSON Canvas): its texts are searched as a note of the person's.
CANVAS = ".canvas"

#: Folders of the person's that hold forms to fill in, not notes.
TEMPLATE_FOLDERS = frozenset({"templates", "_templates", "template"})
_NOT_NOTES = frozenset({"node_modules", "__pycache__"})

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Ignored = Callable[[str, bool], bool]

#: Told of a link in the person's vault.
LINK = "It is a link. Links are not followed, so its target is not searched."
#: In the list of what was not looked into: a folder with a half-written file, which is looked into all the same.
_LEFTOVER = "leftover"


class SourceFile(Struct, frozen=True):
    """A note on disk.

    Attributes:
        path: POSIX, relative to the space's root; of a document relative to its documents_root.
        stat: "<bytes>:<mtime_ns>". Equal stat: not read again.
    """

    space: str
    path: str
    sort: Literal["memory", "document"]
    stat: str


class Listing(Struct, frozen=True):
    """Everything a scan found.

    Attributes:
        unread: files and folders (POSIX, relative) that were not looked into: what is known of them is not gone.
        problems: the same, as sentences for the person; links that were not followed as well.
        leftovers: folders (POSIX, relative) with a half-written file of a process that may be dead.
    """

    files: tuple[SourceFile, ...]
    unread: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    leftovers: tuple[str, ...] = ()


def scan(space: Space, others: Iterable[Space] = ()) -> Listing:
    """Return memories and documents of a space, in no particular order.

    Args:
        others: spaces whose folders are not this one's documents.

    Raises:
        VaultMissing: the space's root is not there.
    """
    memories = scan_memories(space)
    documents = scan_documents(space, others) if space.documents_root else Listing(())
    return Listing(memories.files + documents.files, memories.unread + documents.unread, memories.problems + documents.problems)


def scan_memories(space: Space, *, copies: bool = False) -> Listing:
    """Return notes below the space's root, without generated pages, notes of days and the journal.

    Args:
        copies: also those that sync tools made and that were merged.

    Raises:
        VaultMissing: the root is not there.
    """
    if not Path(space.root).is_dir():
        raise VaultMissing(space.root)
    ignored = _patterns(Path(space.root))
    skipped: list[tuple[str, str]] = []
    none = (JOURNAL, DAILY, PROJECTS) if copies else (JOURNAL, DAILY, PROJECTS, CONFLICTS)
    source_files = tuple(
        SourceFile(space.name, path, "memory", stat)
        for path, stat in _walk(space.root, lambda path, folder: path in none or ignored(path, folder), skipped)
        if not is_view(path)
    )
    return _listing(source_files, space.root, skipped)


def scan_copies(space: Space) -> tuple[SourceFile, ...]:
    """Return conflict copies that were merged and put away."""
    walk = _walk(f"{space.root}/{CONFLICTS}", lambda path, folder: False, [])
    return tuple(SourceFile(space.name, f"{CONFLICTS}/{path}", "memory", stat) for path, stat in walk)


def scan_documents(space: Space, others: Iterable[Space] = ()) -> Listing:
    """Return notes of the vault around a space: what the person writes for themselves."""
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
        return Listing(())
    skipped: list[tuple[str, str]] = []
    source_files = tuple(
        SourceFile(space.name, path, "document", stat) for path, stat in _walk(root, left_out, skipped, documents=True)
    )
    return _listing(source_files, root, skipped)


def all_names(root: str) -> Iterator[str]:
    """Yield the path (POSIX, relative) of every file below `root` that is not hidden, notes and all others: what a link can lead to."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _NOT_NOTES]
        prefix = Path(folder).relative_to(root).as_posix()
        yield from (name if prefix == "." else f"{prefix}/{name}" for name in files if not name.startswith("."))


def stat_text(stat: os.stat_result) -> str:
    """Return the size and time of a file in one word."""
    return f"{stat.st_size}:{stat.st_mtime_ns}"


def modified_at(stat: str) -> datetime:
    """Return when a file with this stat was last changed; aware, UTC, to the microsecond."""
    return EPOCH + timedelta(microseconds=int(stat.partition(":")[2]) // 1000)


def _listing(files: tuple[SourceFile, ...], root: str, skipped: list[tuple[str, str]]) -> Listing:
    pairs = [(path, why) for path, why in skipped if why != _LEFTOVER]
    problems = tuple(Problem(str(Path(root) / path), why) for path, why in pairs)
    leftovers = tuple(dict.fromkeys(path for path, why in skipped if why == _LEFTOVER))
    return Listing(files, tuple(path for path, why in pairs if why != LINK), problems, leftovers)


def _walk(
    root: str, left_out: Ignored, skipped: list[tuple[str, str]], *, documents: bool = False
) -> Iterator[tuple[str, str]]:
    """Yield the path and stat of every note below `root` that is not hidden or left out. `skipped` gets what cannot be read.

    Args:
        documents: `skipped` gets links to folders and notes as well, and boards are notes, too.
    """
    folders = [("", root)]
    while folders:
        prefix, folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = entry.name
                    if name.startswith(".") or (documents and entry.is_symlink()):
                        skipped += _passed_over(entry, prefix, left_out)
                    elif name.endswith(".md") or (documents and name.endswith(CANVAS)):
                        if entry.is_file(follow_symlinks=False) and _is_text(name) and not left_out(prefix + name, False):
                            stat = entry.stat(follow_symlinks=False)
                            if why := too_large(stat.st_size):
                                skipped.append((prefix + name, why))
                            else:
                                yield prefix + name, stat_text(stat)
                    elif entry.is_dir(follow_symlinks=False) and name not in _NOT_NOTES and not left_out(prefix + name, True):
                        folders.append((f"{prefix}{name}/", entry.path))
        except OSError as error:
            skipped.append((prefix, f"The folder cannot be read: {error.strerror or error}."))


def _passed_over(entry: os.DirEntry[str], prefix: str, left_out: Ignored) -> Iterator[tuple[str, str]]:
    """Yield what is told of a hidden file or a link: half-written files of ours, and links to folders and notes."""
    if entry.name.startswith("."):
        if is_temporary(entry.name):
            yield prefix, _LEFTOVER
    elif (entry.is_dir() or entry.name.endswith(".md")) and not left_out(prefix + entry.name, entry.is_dir()):
        yield prefix + entry.name, LINK


def _is_text(name: str) -> bool:
    """Return whether a file's name is Unicode; others cannot be named in an index or a journal."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def _below(root: str, path: str) -> str | None:
    """Return `path` relative to `root`, POSIX ("" when equal); None when it lies elsewhere."""
    real = os.path.realpath(path)
    if real == root:
        return ""
    return Path(real).relative_to(root).as_posix() if Path(real).is_relative_to(root) else None


def _template_places(root: Path) -> frozenset[str]:
    """Return folders and files that Obsidian and Templater are told to take templates from."""
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
    """Decide what is left out: what Obsidian is told to, and by the ignore file of `root` as gitignore would, the last pattern that
    fits; one with an exclamation mark takes in again what Obsidian leaves out."""
    try:
        lines = (root / IGNORE_FILE).read_text(errors="replace").splitlines()
    except OSError:
        lines = []
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
    """Return what a vault's owner told Obsidian to leave out of its searches: folders, files, and expressions between slashes."""
    try:
        data = json.loads((root / ".obsidian" / "app.json").read_bytes())
    except (OSError, ValueError):
        return ()
    filters = data.get("userIgnoreFilters") if isinstance(data, dict) else None
    return tuple(entry for entry in filters if isinstance(entry, str) and entry.strip("/")) if isinstance(filters, list) else ()


def _excluded(filters: Iterable[str]) -> Ignored:
    """Decide by Obsidian's own rules what is left out: an expression is searched in the path, any other is a beginning of it."""
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

    return excluded if expressions or beginnings else lambda path, folder: False


def _rule(line: str) -> tuple[re.Pattern[str], bool, bool] | None:
    """Return pattern, whether it fits folders only, whether it takes back an earlier one. None for what is no pattern."""
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
    """Return a regular expression for a pattern: `**/` any folders, `*` and `?` within a name, `[...]` one of."""
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
    """Return what is known of a memory whose file was edited by hand: since when its text is another one."""
    return {"updated": f"{modified_at(stat_text(stat)):%Y-%m-%dT%H:%M:%SZ}"}
