"""Update links to a memory whose file is renamed or moved, in the texts of other memories.

A link keeps its form: with or without a folder, as a wikilink, an embed, a link to a heading or a block, or a Markdown link;
its label stays. The person's own notes are never changed: for them the old name becomes an alias.
"""

import posixpath
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote, unquote

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput, NotFound
from vademecum.domain.memory import Space
from vademecum.vault.find import Finder
from vademecum.vault.frontmatter import read, set_properties
from vademecum.vault.journal import GENERATED, Change, version
from vademecum.vault.markup import markdown_links, wikilinks
from vademecum.vault.places import from_root, on_any_disk, original_place, stem
from vademecum.vault.scan import scan_memories

#: Memory id -> (space, path) of files that may link to it, unordered; None: unknown.
Linking = Callable[[str], Collection[tuple[str, str]] | None]


class Move(Struct, frozen=True):
    """A file's old and new path, relative to the root of the vault around the space."""

    old: str
    new: str


class Referrer(Struct, frozen=True):
    """Current and previous place of a file whose links are updated, relative to the root of the vault.

    Attributes:
        is_file: returns whether there is a file at a path relative to the root of the vault.
    """

    path: str
    was: str
    is_file: Callable[[str], bool]


def with_links_moved(text: str, referrer: Referrer, moves: Sequence[Move]) -> str:
    """Return a memory's text with links to moved files updated.

    If the file itself moved, its relative links still reach their targets.
    """
    body = read(text).body
    begins = len(text) - len(body)
    edits = list(_edits(text[:begins], referrer, moves))
    edits += [(start + begins, end + begins, new) for start, end, new in _edits(body, referrer, moves)]
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _edits(text: str, referrer: Referrer, moves: Sequence[Move]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, new target) of every link to change."""
    for start, end in wikilinks(text):
        new = _wikilink_to(text[start:end], moves)
        if new is not None:
            yield start, end, new
    for start, end in markdown_links(text):
        new = _markdown_link_to(text[start:end], referrer, moves)
        if new is not None:
            yield start, end, new


def _wikilink_to(target: str, moves: Sequence[Move]) -> str | None:
    """Return the new target of a wikilink; None: unchanged."""
    name = target.strip()
    extension = ".md" if name.lower().endswith(".md") else ""
    for move in moves:
        new = _named(name.removesuffix(extension), move)
        if new is not None:
            return new + extension
    return None


def _named(name: str, move: Move) -> str | None:
    """Return the new name of a file for a link without an extension; None if the link does not name the old file."""
    plain, old, new = on_any_disk(name.strip("/")), on_any_disk(move.old.removesuffix(".md")), move.new.removesuffix(".md")
    if "/" not in plain:
        fresh = stem(move.new)
        return fresh if plain == on_any_disk(stem(move.old)) and plain != on_any_disk(fresh) else None
    if not f"/{old}".endswith(f"/{plain}"):
        return None
    return "/".join(new.split("/")[-len(plain.split("/")) :])  # as many folders as the link had


def _markdown_link_to(target: str, referrer: Referrer, moves: Sequence[Move]) -> str | None:
    """Return the new target of a Markdown link; None: unchanged."""
    bare, mark, place = target.strip("<>").partition("#")
    bare = unquote(bare)
    if not bare or "://" in bare or bare.startswith(("mailto:", "data:")):
        return None
    new = _file_linked(bare, referrer, moves)
    if new is None or new == bare:
        return None
    new = f"{new}{mark}{place}"
    return f"<{new}>" if target.startswith("<") else quote(new, safe="/#^%~!$&'*+,;=:@-._")


def _file_linked(bare: str, referrer: Referrer, moves: Sequence[Move]) -> str | None:
    """Return the new path in a Markdown link; None: unchanged."""
    stands = posixpath.normpath(posixpath.join(posixpath.dirname(referrer.was), bare))
    for move in moves:
        if on_any_disk(stands) == on_any_disk(move.old):
            return _relative(move.new, referrer.path)
        new = _named(bare.removeprefix("./").removesuffix(".md"), move) if bare.endswith(".md") else None
        if new is not None:
            return f"{'/' if bare.startswith('/') else ''}{new}.md"
    is_elsewhere = posixpath.dirname(referrer.path) != posixpath.dirname(referrer.was) and not bare.startswith("/")
    return _relative(stands, referrer.path) if is_elsewhere and referrer.is_file(stands) else None


def _relative(target: str, path: str) -> str:
    """Return the relative path from the folder of one file to another file."""
    return posixpath.relpath(target, posixpath.dirname(path) or ".")


class Follower:
    """Updates links in other memories when files are renamed or moved.

    Args:
        linking: memory id -> (space, path) of memories and notes that may link to it, unordered; None: unknown.
    """

    def __init__(self, spaces: Sequence[Space], finder: Finder, linking: Linking | None) -> None:
        self._spaces, self._finder, self._linking = {space.name: space for space in spaces}, finder, linking

    def with_links(self, changes: Sequence[Change]) -> list[Change]:
        """Return the changes of one operation, plus updates of links to the files it moves, and an alias for each old name."""
        moved = {change.memory: move for change in changes if change.memory and (move := self._move(change)) is not None}
        pages = [move for change in changes if not change.memory and (move := self._move(change)) is not None]
        moves = [*moved.values(), *pages]
        if not moves:
            return list(changes)
        all_changes = [self._followed(change, moves, moved.get(change.memory)) for change in changes]
        known = {change.memory for change in changes}
        referring = (place for identity in moved for place in self._referring(identity))
        for space, path in dict.fromkeys(self._everything() if pages else referring):
            change = self._followed_by(space, path, moves, known)
            if change is not None:
                known.add(change.memory)
                all_changes.append(change)
        return all_changes

    def _move(self, change: Change) -> Move | None:
        """Return the move made by a change of a memory or a generated page.

        None if it moves nothing, or only into or out of the archive.
        """
        before, after = change.before, change.after
        if before is None or after is None:
            return None
        old, new = original_place(before.path) or before.path, original_place(after.path) or after.path
        there, here = before.space.removesuffix(GENERATED), after.space.removesuffix(GENERATED)
        if not {there, here} <= self._spaces.keys() or (there, old) == (here, new):
            return None
        return Move(self._from_root(there, old), self._from_root(here, new))

    def _from_root(self, space: str, path: str) -> str:
        return from_root(self._spaces[space].root, self._spaces[space].documents_root, path)

    def _referrer(self, space: str, path: str, was: str) -> Referrer:
        root = Path(self._spaces[space].documents_root or self._spaces[space].root)
        return Referrer(
            self._from_root(space, path), was, lambda relative: not relative.startswith("..") and (root / relative).is_file()
        )

    def _followed(self, change: Change, moves: Sequence[Move], own: Move | None) -> Change:
        """Return a change of the operation itself with its links updated; a renamed file gets its old name as an alias."""
        after = change.after
        if after is None or after.text is None or after.space not in self._spaces:
            return change
        was = own.old if own else self._from_root(after.space, after.path)
        text = with_links_moved(after.text, self._referrer(after.space, after.path, was), moves)
        text = _with_alias(text, own) if own else text
        return change if text == after.text else replace(change, after=version(after.space, after.path, text))

    def _followed_by(self, space: str, path: str, moves: Sequence[Move], known: Collection[str]) -> Change | None:
        """Return the link updates in another memory; None if there are none, or its file cannot be read."""
        try:
            match = self._finder.at(space, path)
        except (NotFound, InvalidInput):
            return None
        if match.memory.id in known or not match.reading.editable:
            return None
        place = self._from_root(space, path)
        text = with_links_moved(match.whole, self._referrer(space, path, place), moves)
        return None if text == match.whole else match.to(text)

    def _referring(self, identity: str) -> Iterator[tuple[str, str]]:
        """Yield the memories that may link to this one; all if unknown."""
        known = self._linking(identity) if self._linking else None
        return self._everything() if known is None else (place for place in known if place[0] in self._spaces)

    def _everything(self) -> Iterator[tuple[str, str]]:
        """Yield the space and path of every memory."""
        for space in self._spaces.values():
            if Path(space.root).is_dir():
                yield from ((space.name, file.path) for file in scan_memories(space).files)


def _with_alias(text: str, move: Move) -> str:
    """Return a memory's text with the old file name added to its aliases, unless it already has that name."""
    old = stem(move.old)
    note = read(text)
    aliases = note.texts().get("aliases")
    listed = [str(alias) for alias in (aliases if isinstance(aliases, list) else [aliases]) if alias]
    names = {on_any_disk(name) for name in (*listed, str(note.texts().get("title") or ""), stem(move.new))}
    return text if on_any_disk(old) in names else set_properties(text, {"aliases": [*listed, old]})
