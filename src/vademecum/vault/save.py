"""Write new memories: one with its relations, several together, a newer version of one, or exact copies from another vault.

Every verb reads under the lock, so that its decision is based on the text that it overwrites.
"""

from collections.abc import Sequence

from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import By, Draft, Memory
from vademecum.domain.relations import MAY_REPLACE, Joining
from vademecum.vault import places
from vademecum.vault.callouts import with_callout, without_callouts
from vademecum.vault.change import added
from vademecum.vault.find import Finder
from vademecum.vault.frontmatter import Value, set_body, set_properties, with_line_ends
from vademecum.vault.journal import Change, version
from vademecum.vault.locations import Locations
from vademecum.vault.property_checks import checked
from vademecum.vault.read import File, Reader
from vademecum.vault.revise import Reviser, no_more_trusted
from vademecum.vault.writer import USER, Operation, Writer

#: Properties that a new version does not inherit from the one it replaces.
_OF_THE_OLD_TEXT: dict[str, Value] = {"summary": None, "confirmations": None, "last_confirmed": None, "superseded_by": None}


#: Default reason for superseding a memory.
REPLACED = "replaced by a newer memory"
#: Reason recorded for joining a new memory to others, by the name of the operation.
_BECAUSE = {"supersede": REPLACED, "dispute": "it says otherwise"}
#: No relation to other memories.
ALONE = Joining()


class Joiner:
    """Computes the changes in a memory and in others when they are joined."""

    def __init__(self, locations: Locations, finder: Finder, writer: Writer, reviser: Reviser) -> None:
        self._locations, self._finder, self._writer, self._reviser = locations, finder, writer, reviser

    def operations(self, memory: Memory, text: str, joining: Joining) -> Sequence[Operation]:
        """Return the operation that joins a memory, written just before in the same action, to others; empty if there are none."""
        after, others = self.joined(memory, text, joining, "")
        before, now = (version(memory.space, memory.path, side) for side in (text, after))
        changes = [Change(memory.id, before, now), *others]
        return [Operation(joining.op, changes, _BECAUSE.get(joining.op, ""))] if after != text else []

    def joined(self, memory: Memory, text: str, joining: Joining, reason: str) -> tuple[str, Sequence[Change]]:
        """Return the memory's text with its relations, and the changes of the related memories."""
        gone = [self._finder.one(reference) for reference in joining.replaces]
        clashing = [self._finder.one(reference) for reference in joining.contradicts]
        named: dict[str, Value] = {}
        for relation, other in (*joining.links, *(("supersedes", match.memory.id) for match in gone)):
            named[relation] = added(named.get(relation) or getattr(memory, relation), other)  # type: ignore[arg-type]
        joined = {
            *(other for relation, other in joining.links if relation != MAY_REPLACE),
            *joining.replaces,
            *joining.contradicts,
        }
        if joined.intersection(memory.may_replace):  # a suspected replacement is now decided
            named[MAY_REPLACE] = [reference for reference in memory.may_replace if reference not in joined] or None
        text = set_properties(text, named) if named else text
        for match in clashing:
            text = self._disputed_text(
                text, self._locations.as_memory(self._locations.space(memory.space), memory.path, text), match.memory
            )
        changes = [match.to(self._disputed_text(match.whole, match.memory, memory)) for match in clashing]
        for match in gone:
            archived = self._reviser.archived(match, "superseded", reason or REPLACED, memory.id, memory.valid_from)
            changes.append(match.to(*archived))
        return text, changes

    def _disputed_text(self, text: str, memory: Memory, other: Memory) -> str:
        """Return the file's text with the status "disputed" and a callout for `other`."""
        if other.id in memory.contradicts and memory.status == "disputed":
            return text
        properties: dict[str, Value] = {"status": "disputed", "contradicts": added(memory.contradicts, other.id)}
        link = f"{places.stem(other.path)}|{other.title}"
        entry = without_callouts(other.body) or other.title
        changed = set_properties(text, {**properties, "updated": self._writer.now()})
        return set_body(changed, with_callout(memory.body, link, entry))


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
        space, text, where = self._locations.drafted(draft, slug, path)
        with self._writer.held("save"):
            project = str(draft.properties.get("project") or "")
            unique = unique or (not path and self._locations.holds_another(space, where, draft.title))
            path = self._locations.free(space, where) if unique else self._locations.free_of_project(space, where, project)
            memory = self._locations.as_memory(space, path, text)
            joined = self._joiner.operations(memory, text, joining)
            change = Change(memory.id, None, version(space.name, path, text))
            self._writer.commit_in_turn([Operation("save", [change]), *joined], by)
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
            gone = [match.to(*self._reviser.archived(match, "archived", reason)) for match in going]
            freed = {(match.memory.space, match.memory.path) for match in going}
            taken: set[tuple[str, str]] = set()
            for draft in drafts:
                space, text, where = self._locations.drafted(draft)
                path = self._locations.free(space, where, taken, freed)
                taken.add((space.name, path))
                changes.append(Change(self._locations.as_memory(space, path, text).id, None, version(space.name, path, text)))
            self._writer.commit(op, [*gone, *changes], by, reason=reason)
            return self._reader.of(changes)

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
            return self._reader.of(changes)

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
            kept = match.to(*self._reviser.archived(match, "superseded", reason, new_id))
            fresh: dict[str, Value] = {"id": new_id, "status": "active", "created": now, "updated": now, "supersedes": [old.id]}
            title = checked({"title": new_title}) if new_title else {}
            signed = no_more_trusted(old, by)
            live = set_properties(match.text, {**_OF_THE_OLD_TEXT, **fresh, **title, **signed})
            live = set_body(live, with_line_ends(match.text, body))
            fresh_one = Change(new_id, None, version(old.space, old.path, live))
            self._writer.commit("evolve", [kept, fresh_one], by, reason=reason)
            return self._reader.read(old.space, old.path)


def must_have_reason(reason: str) -> str:
    if not reason.strip():
        raise InvalidInput("A reason is needed.", "Say in a few words why the old memory no longer holds.")
    return str(checked({"superseded_reason": reason})["superseded_reason"])
