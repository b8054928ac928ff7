"""Write new memories: one, several together, a newer version of one, or exact copies from another vault.

Every verb reads under the lock, so that its decision is based on the text that it overwrites.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import By, Draft, Memory, Space
from vademecum.domain.relations import Joining
from vademecum.vault import places
from vademecum.vault.find import Finder
from vademecum.vault.frontmatter import Value, render, set_body, set_properties, with_line_ends
from vademecum.vault.joining import ALONE, Joiner, must_have_reason
from vademecum.vault.journal import Change
from vademecum.vault.locations import Locations
from vademecum.vault.property_checks import LEAVING, UNCHANGEABLE, checked, known_kind
from vademecum.vault.read import File, Reader
from vademecum.vault.revise import Reviser, change_of, no_more_trusted
from vademecum.vault.writer import USER, Operation, Writer, version

#: Properties that a new version does not inherit from the one it replaces.
_OF_THE_OLD_TEXT: dict[str, Value] = {"summary": None, "confirmations": None, "last_confirmed": None, "superseded_by": None}


class Saver:
    """Verbs that write new memories."""

    def __init__(
        self, locations: Locations, finder: Finder, reader: Reader, writer: Writer, reviser: Reviser, joiner: Joiner
    ) -> None:
        self._locations, self._finder, self._reader, self._writer = locations, finder, reader, writer
        self._reviser, self._joiner = reviser, joiner

    def save(
        self,
        draft: Draft,
        *,
        by: By = USER,
        slug: str = "",
        path: str = "",
        unique: bool = False,
        joining: Joining = ALONE,
    ) -> Memory:
        """Write a new memory and join it to others, as one action, all or nothing, even if the process is killed.

        Args:
            joining: relation to existing memories (`same_as` and `body` are ignored).
            path: exact path, relative to the space; without it the place follows from kind, scope and status.
            slug: file name in place of the one derived from the title.
            unique: append -2, -3... to the slug if it is taken, instead of refusing, as always for a title that differs in signs.

        Raises:
            AlreadyExists: there is a memory at that place; nothing is overwritten. InvalidInput, UnknownWord: a value is invalid.
        """
        space, text, where = self._drafted(draft, slug=slug, path=path)
        with self._writer.held("save"):
            project = str(draft.properties.get("project") or "")
            unique = unique or (not path and self._locations.holds_another(space, where, draft.title))
            path = self._locations.free(space, where) if unique else self._locations.free_of_project(space, where, project)
            written = version(space.name, path, text)
            memory = self._locations.as_memory(space, path, text)
            joined = self._joiner.operations(memory, written, joining)
            self._writer.commit_in_turn([Operation("save", [Change(memory.id, None, written)]), *joined], by)
        return self._reader.written(memory.id) if joined else self._reader.read(space.name, path)

    def save_together(
        self, drafts: Sequence[Draft], op: str, reason: str = "", *, archived: Sequence[str] = (), by: By = USER
    ) -> tuple[Memory, ...]:
        """Write new memories as one operation, all or none, with one undo. File names that are taken get a number.

        Args:
            archived: ids of memories to archive in the same operation.

        Raises:
            InvalidInput, UnknownWord: a value of one is invalid; nothing was written.
        """
        with self._writer.held(op):
            changes: list[Change] = []
            going = [self._finder.one(entry) for entry in archived]
            gone = [change_of(match, self._reviser.archived(match, "archived", reason)) for match in going]
            freed = {(match.memory.space, match.memory.path) for match in going}
            taken: set[tuple[str, str]] = set()
            for draft in drafts:
                space, text, where = self._drafted(draft)
                path = self._locations.free(space, where, taken, freed)
                taken.add((space.name, path))
                changes.append(Change(self._locations.as_memory(space, path, text).id, None, version(space.name, path, text)))
            self._writer.commit(op, [*gone, *changes], by, reason=reason)
            return tuple(self._reader.read(change.after.space, change.after.path) for change in changes if change.after)

    def put_back(self, files: Sequence[File], op: str, reason: str = "", *, by: By = USER) -> tuple[Memory, ...]:
        """Write exact copies of memories from another vault, with ids and evidence, as one operation.

        A space that does not exist here becomes a project of the personal space; a file name that is taken gets a number.

        Raises:
            InvalidInput: a path leads out of the space; nothing was written.
        """
        with self._writer.held(op):
            changes: list[Change] = []
            taken: set[tuple[str, str]] = set()
            for file in files:
                here = next((space for space in self._locations.spaces if space.name == file.space), None)
                space, path = (
                    here or self._locations.personal(),
                    file.path if here else f"projects/{places.slugify(file.space)}/{file.path}",
                )
                path = self._locations.free(space, places.check_path(path), taken)
                taken.add((space.name, path))
                changes.append(Change(file.id, None, version(space.name, path, file.text), file.known))
            self._writer.commit(op, changes, by, reason=reason, as_is=True)
            return tuple(self._reader.read(change.after.space, change.after.path) for change in changes if change.after)

    def _drafted(self, draft: Draft, *, slug: str = "", path: str = "") -> tuple[Space, str, str]:
        """Return the space, file text and path of a new memory."""
        kind, facet = known_kind(draft.kind)
        now = self._writer.now()
        given = dict(draft.properties)
        if set(given) & UNCHANGEABLE:
            raise InvalidInput(f"{min(set(given) & UNCHANGEABLE)} is set by the vault.", "Leave it out.")
        if draft.tags:
            given["tags"] = list(draft.tags)
        given = {"facet": facet or None, "status": "active", **given, "title": draft.title}
        given = {name: value for name, value in given.items() if name != "said" or not _is_now(value, now)}
        properties = {
            **checked(given),
            "kind": kind.name,
            "id": draft.id or self._writer.new_id(),
            "created": now,
            "updated": now,
        }
        space = self._locations.space_for(draft, kind)
        text = render({name: value for name, value in properties.items() if value not in (None, [])}) + draft.body
        memory = self._locations.as_memory(space, "x.md", text)
        slug = places.check_slug(slug, "slug") if slug else places.slugify(draft.title)
        where = self._locations.place(memory, slug)
        where = places.check_own_path(path) if path else where
        return space, text, places.archive_place(where, now) if memory.status in LEAVING else where

    def evolve(
        self, reference: str, body: str, reason: str, *, new_title: str | None = None, etag: str | None = None, by: By = USER
    ) -> Memory:
        """Replace a memory by a newer version at the same path; the old text goes to the archive unchanged, with its id.

        Raises:
            InvalidInput: no reason, or the memory is not active.
        """
        reason = must_have_reason(reason)
        with self._writer.held("evolve"):
            match = self._finder.current(reference, etag)
            old, now, new_id = match.memory, self._writer.now(), self._writer.new_id()
            if old.status != "active":
                raise InvalidInput(
                    f"{old.title!r} is {old.status}; only an active memory evolves.", f"See: vade history {old.id}"
                )
            kept = self._reviser.archived(match, "superseded", reason, superseded_by=new_id)
            fresh: dict[str, Value] = {"id": new_id, "status": "active", "created": now, "updated": now, "supersedes": [old.id]}
            title = checked({"title": new_title}) if new_title else {}
            signed = no_more_trusted(old, by)
            live = set_properties(match.text, {**_OF_THE_OLD_TEXT, **fresh, **title, **signed})
            live = set_body(live, with_line_ends(match.text, body))
            before = version(old.space, old.path, match.text)
            changes = [Change(old.id, before, kept), Change(new_id, None, version(old.space, old.path, live))]
            self._writer.commit("evolve", changes, by, reason=reason)
            return self._reader.read(old.space, old.path)


def _is_now(result: object, now: datetime) -> bool:
    """Return whether a statement was made within a day of writing it; the creation date already says so then."""
    return isinstance(result, datetime) and result.tzinfo is not None and abs(now - result) < timedelta(days=1)
