"""Change memories without replacing them: text, properties, tags, title, place, status.

Every verb reads under the lock, so that its decision is based on the text that it overwrites.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from vademecum.domain.errors import InvalidInput
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import By, Draft, Memory
from vademecum.vault import places
from vademecum.vault.find import Finder
from vademecum.vault.frontmatter import Value, in_order, read, set_properties
from vademecum.vault.journal import Change
from vademecum.vault.locations import Locations
from vademecum.vault.pages import Page, Pages
from vademecum.vault.property_checks import LEAVING, UNCHANGEABLE, checked, known_kind
from vademecum.vault.read import Reader
from vademecum.vault.revise import Reviser, Revision
from vademecum.vault.writer import USER, Writer

#: Properties that determine the place of a file.
PLACING = frozenset({"kind", "status", "always_load", "agent", "project"})
_UNCONFIRMED: dict[str, Value] = {"confirmations": None, "last_confirmed": None}


class Placing(Struct, frozen=True):
    """A memory, its new properties (None removes one), and its new path relative to its space."""

    reference: str
    properties: Mapping[str, object]
    path: str


class Mend(Struct, frozen=True):
    """A repair of a memory's frontmatter.

    Attributes:
        etag: of the text that was checked. properties: to set; None removes one. ordered: put our properties in standard order.
    """

    reference: str
    etag: str
    properties: Mapping[str, object]
    ordered: bool = False


class Changer:
    """Verbs that change one memory, or place several."""

    def __init__(
        self, locations: Locations, finder: Finder, reader: Reader, writer: Writer, reviser: Reviser, pages: Pages
    ) -> None:
        self._locations, self._finder, self._reader, self._writer = locations, finder, reader, writer
        self._reviser, self._pages = reviser, pages

    def edit(
        self,
        reference: str,
        *,
        body: str | None = None,
        properties: Mapping[str, object] | None = None,
        etag: str | None = None,
        by: By = USER,
    ) -> Memory:
        """Change text or properties (None removes one) of a memory.

        If kind, status, project or agent change, the file moves along, unless the person had put it somewhere else.

        Args:
            etag: of the text that the caller has seen.

        Raises:
            Conflict: the text has changed since the caller saw it. InvalidInput: a value is invalid, or the frontmatter cannot
                be edited safely.
        """
        changes = checked(properties or {})
        _must_be_editable(changes)
        if isinstance(changes.get("kind"), str):
            kind, facet = known_kind(str(changes["kind"]))
            changes |= {"kind": kind.name} | ({"facet": facet} if facet else {})
        with self._writer.held("edit"):
            match = self._finder.current(reference, etag)
            if by.actor == "agent" and match.memory.last_confirmed and body not in (None, match.memory.body):
                changes |= _UNCONFIRMED  # the confirmation was for another text
            return self._reviser.commit("edit", match, Revision(changes, body, follow=bool(PLACING & changes.keys())), by)

    def resolve(self, reference: str, reason: str = "", *, by: By = USER) -> Memory:
        """Mark as done: the memory stays in place and is no longer recalled as current."""
        with self._writer.held("resolve"):
            return self._reviser.commit(
                "resolve", self._finder.one(reference), Revision({"status": "resolved"}, reason=reason), by
            )

    def archive(self, reference: str, reason: str = "", *, op: str = "archive", by: By = USER) -> Memory:
        """Move a memory to the archive, unchanged, with its id. `op`: name of the operation in history."""
        with self._writer.held(op):
            match = self._finder.one(reference)
            if places.original_place(match.memory.path):
                raise InvalidInput(
                    f"{match.memory.title!r} is in the archive already.", f"Bring it back: vade restore {match.memory.id}"
                )
            change = match.to(*self._reviser.archived(match, "archived", reason))
            self._writer.commit(op, [change], by, reason=reason)
            return self._reader.of([change])[0]

    def archive_together(self, references: Sequence[str], reason: str = "", *, by: By = USER) -> tuple[Memory, ...]:
        """Archive several memories as one operation with one undo; those already archived are skipped."""
        with self._writer.held("archive"):
            standing = [match for match in map(self._finder.one, references) if not places.original_place(match.memory.path)]
            if not standing:
                raise InvalidInput("All of this is in the archive already.")
            changes = [match.to(*self._reviser.archived(match, "archived", reason)) for match in standing]
            self._writer.commit("archive", changes, by, reason=reason)
            return self._reader.of(changes)

    def restore(self, reference: str, *, by: By = USER) -> Memory:
        """Reactivate an archived, pending or resolved memory, at its original place, or with a numbered name if that is taken."""
        with self._writer.held("restore"):
            match = self._finder.one(reference)
            properties: dict[str, Value] = dict.fromkeys(("superseded_by", "superseded_at", "superseded_reason"))
            if match.memory.status == "superseded":
                properties["valid_until"] = None
            path = places.original_place(match.memory.path)
            to = self._locations.free(self._locations.space(match.memory.space), path) if path else None
            incubates = path is not None and match.memory.kind == "idea" and path.startswith(f"{places.INCUBATOR}/")
            changes: dict[str, Value] = {**properties, "status": "incubating" if incubates else "active"}
            return self._reviser.commit("restore", match, Revision(changes, path=to, follow=to is None), by)

    def relocate(self, reference: str, *, kind: str = "", space: str = "", title: str = "", by: By = USER) -> Memory:
        """Change kind, space or title of a memory ("": unchanged), and move its file to the matching place and name, as one operation.

        A file that the person put elsewhere stays in its folder. The old title becomes an alias.

        Raises:
            AlreadyExists: there is a file at that place. UnknownWord: no such kind or space.
        """
        changes: dict[str, Value] = {}
        if kind:
            known, facet = known_kind(kind)
            changes |= {"kind": known.name} | ({"facet": facet} if facet else {})
        if title:
            changes |= checked({"title": title})
        op = "move" if space or (kind and title) else "rename" if title else "edit"
        with self._writer.held(op):
            match = self._finder.one(reference)
            old, target = match.memory, self._locations.space(space or match.memory.space)
            if title and title != old.title:
                changes["aliases"] = added(old.aliases, old.title)
            new = self._locations.as_memory(target, old.path, set_properties(match.whole, changes))
            to = self._relocated(old, new, places.slugify(title) if title else places.stem(old.path))
            return self._reviser.commit(op, match, Revision(changes, path=to, space=target.name), by)

    def _relocated(self, old: Memory, new: Memory, slug: str) -> str | None:
        """Return the new path of a file after its memory changed kind, space or title; None: it stays."""
        if places.original_place(old.path):
            return None
        group = places.said_by_path(old.path)[2] or None
        if new.space != old.space:
            return self._locations.place(new, slug)
        if self._locations.place(old, places.stem(old.path), group) == old.path:
            path = self._locations.place(new, slug, group)
        else:
            path = f"{old.path.rpartition('/')[0]}/{slug}.md".removeprefix("/")
        if path == old.path:
            return None
        return path if new.title != old.title else self._locations.free(self._locations.space(new.space), path)

    def rewrite(self, reference: str, draft: Draft, slug: str, *, by: By = USER) -> Memory:
        """Replace the content under the same id: title, text, properties, place. Nothing is archived; history has the old content.

        Args:
            draft: properties that it does not contain are unchanged. slug: file name, numbered if it is taken.
        """
        changes = checked({**draft.properties, "title": draft.title, "tags": list(draft.tags) or None})
        with self._writer.held("rewrite"):
            match = self._finder.one(reference)
            old, space = match.memory, self._locations.space_for(draft, KINDS[match.memory.kind])
            wanted = self._locations.place(
                self._locations.as_memory(space, old.path, set_properties(match.whole, changes)), slug
            )
            stays = space.name == old.space and places.is_numbered(old.path, wanted)
            to = old.path if stays else self._locations.free(space, wanted)
            return self._reviser.commit("rewrite", match, Revision(changes, draft.body, to, space.name), by)

    def tag(self, reference: str, *, add: Sequence[str] = (), remove: Sequence[str] = (), by: By = USER) -> Memory:
        """Add or remove tags in the frontmatter. Tags in the text are left to the person.

        Raises:
            InvalidInput: not a tag by Obsidian's rules, or one to remove that is only in the text.
        """
        gone = {places.check_tag(tag) for tag in remove}
        with self._writer.held("tag"):
            found = self._finder.one(reference)
            front = read(found.whole)
            name = next((entry.name for entry in front.entries if entry.name.lower() == "tags"), "tags")
            must_be_texts(name, front.values().get(name))
            written = front.texts().get(name)
            listed = [
                str(tag) for tag in (written if isinstance(written, list) else str(written or "").replace(",", " ").split())
            ]
            plain = [tag.strip().removeprefix("#") for tag in listed]
            in_text = (set(found.memory.tags) - set(plain)) & gone
            if in_text:
                raise InvalidInput(f"#{min(in_text)} is in the text of {found.memory.title!r}.", "Remove it from the text.")
            new = [tag for tag in dict.fromkeys(map(places.check_tag, add)) if tag not in plain]
            tags = [tag for tag, bare in zip(listed, plain, strict=True) if bare not in gone] + new
            return self._reviser.commit("tag", found, Revision({} if tags == listed else {name: tags or None}), by)

    def place_together(
        self, op: str, moves: Sequence[Placing], page: Page | None = None, *, reason: str = "", by: By = USER
    ) -> tuple[Memory, ...]:
        """Set properties and places of several memories, as one operation with one undo.

        Args:
            page: a page outside of memory to write in the same operation; the person has agreed (:meth:`Pages.ask_for`).

        Raises:
            AlreadyExists: there is a file at one of the places. Conflict: the page has changed since the caller saw it.
        """
        with self._writer.held(op):
            changes = [self._placed(move) for move in moves]
            pages = [self._pages.change(page)] if page else []
            self._writer.commit(op, [*changes, *pages], by, reason=reason)
        return self._reader.of(changes)

    def mend(self, mends: Sequence[Mend], reason: str, *, by: By = USER) -> tuple[Memory, ...]:
        """Repair frontmatter of several memories as one operation with one undo. A missing id or kind is added as well.

        Raises:
            Conflict: a text has changed since it was checked. InvalidInput: one cannot be edited safely. Nothing was written.
        """
        with self._writer.held("mend"):
            changes: list[Change] = []
            for mend in mends:
                match = self._finder.current(mend.reference, mend.etag)
                text = set_properties(match.whole, {**match.reading.repairs, **checked(mend.properties)})
                changes.append(match.to(in_order(text) if mend.ordered else text))
            self._writer.commit("mend", changes, by, reason=reason)
        return self._reader.of(changes)

    def moved_together(self, moves: Sequence[Placing]) -> list[Change]:
        """Return the changes that set properties and places of memories; a place that is taken gets a number."""
        matches = [self._finder.one(move.reference) for move in moves]
        freed = {(moved.memory.space, moved.memory.path) for moved in matches}
        taken: set[tuple[str, str]] = set()
        changes = []
        for match, move in zip(matches, moves, strict=True):
            space = self._locations.space(match.memory.space)
            path = self._locations.free(space, places.check_path(move.path), taken, freed)
            taken.add((space.name, path))
            text = set_properties(match.whole, {**match.reading.repairs, **checked(move.properties)})
            changes.append(match.to(text, path))
        return changes

    def _placed(self, move: Placing) -> Change:
        match = self._finder.one(move.reference)
        space = self._locations.space(match.memory.space)
        path = places.check_path(move.path)
        if path != match.memory.path:
            self._locations.must_be_free(space, path)
        text = set_properties(match.whole, {**match.reading.repairs, "updated": self._writer.now(), **checked(move.properties)})
        return match.to(text, path)


def _must_be_editable(changes: Mapping[str, Value]) -> None:
    fixed = sorted(UNCHANGEABLE & changes.keys())
    if fixed:
        raise InvalidInput(f"{fixed[0]} cannot be changed.", "Leave it out.")
    status = changes.get("status")
    if isinstance(status, str) and status in LEAVING:
        raise InvalidInput(f"A memory does not become {status} by an edit.", f"Use: {LEAVING[status]}")


def must_be_texts(name: str, value: object) -> None:
    """Refuse to rewrite a list with items that are not all texts, because their type would be lost.

    Raises:
        InvalidInput: an item is a number, a boolean, a list, a mapping or null.
    """
    strange = [item for item in value if not isinstance(item, str)] if isinstance(value, list) else []
    if strange:
        what = "an empty entry" if strange[0] is None else f"an entry that is no text ({json.dumps(strange[0])})"
        raise InvalidInput(f"{name} contains {what}; nothing was written.", "Correct it in the note.")


def added(items: Iterable[str], item: str) -> list[str]:
    """Return the items and one more, without duplicates."""
    return [*dict.fromkeys([*items, item])]
